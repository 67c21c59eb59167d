"""Print results safely: tables, JSON and CSV."""
