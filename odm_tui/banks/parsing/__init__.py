"""Turn a bank file into a TOML document, and errors into findings with a place and a line."""
