"""Notice that a log was cut, replaced or edited: chained lines, and a note of where the log ended."""
