"""Check a document against the format and build the bank; each module checks one part."""
