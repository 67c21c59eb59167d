"""Dialogs that come back with one typed answer."""
