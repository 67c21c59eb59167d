"""Evaluate logged interviews: audit them, and estimate what other policies would have done."""
