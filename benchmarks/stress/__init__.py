"""Run the tests many times beside busy loops. The runs of one commit add up, so that they can be made in several sittings."""
