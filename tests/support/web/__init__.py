"""A served program, and a browser in front of it."""
