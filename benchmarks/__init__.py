"""Benchmarks: ratios against a named rival, measured in one run. ``make bench`` prints them all."""

from __future__ import annotations
