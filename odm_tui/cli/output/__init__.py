"""Format results as tables, JSON and CSV that are safe to show."""
