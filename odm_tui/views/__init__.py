"""What a screen or a line shows, as plain values, and the functions that build them. Imports neither textual nor numpy."""
