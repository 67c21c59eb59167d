"""Plain values for screens and the plain mode, and the functions that build them; imports neither textual nor numpy."""
