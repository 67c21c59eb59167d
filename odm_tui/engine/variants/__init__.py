"""Hidden variants of outcomes: answers are independent given the variant, not given the outcome."""
