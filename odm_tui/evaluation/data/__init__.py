"""Data sets for experiments."""
