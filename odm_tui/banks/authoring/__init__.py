"""Write new banks: from a template, or from a table of past cases."""
