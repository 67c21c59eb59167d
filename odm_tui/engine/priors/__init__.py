"""Priors that are learned from the answers to all questions or under all outcomes."""
