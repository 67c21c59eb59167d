"""Show results: tables, charts and HTML pages."""
