"""Tests of the programs that make the tables of the documentation."""
