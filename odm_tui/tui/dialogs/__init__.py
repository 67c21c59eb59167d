"""Dialogs in front of a screen; each returns one typed value."""
