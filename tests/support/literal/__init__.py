"""Slow, literal versions of the paper's mathematics, which the engine is compared with.

They are written from the paper's text, formula by formula, and share no code with the engine.
"""
