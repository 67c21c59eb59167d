"""The interview as numbered lines, for pipes, screen readers and dumb terminals."""
