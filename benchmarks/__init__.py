"""Benchmarks: ratios measured in one run against a named rival. ``make bench`` prints them all."""

from __future__ import annotations
