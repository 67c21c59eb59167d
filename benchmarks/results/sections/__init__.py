"""The sections of docs/results.md, one module each."""
