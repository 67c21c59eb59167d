"""Tests of the views: plain values for screens and the plain mode."""
