"""Driving the screens in tests: an operator with a keyboard, in the same process or in a real terminal."""
