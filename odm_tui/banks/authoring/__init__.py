"""Write and edit banks: from a template, from a table of past cases, or with measured costs."""
