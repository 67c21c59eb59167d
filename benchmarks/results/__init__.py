"""Compute the tables of docs/results.md again: ``make results``, or ``python -m benchmarks.results --list``."""
