"""The plain mode: an interview as line prompts, for pipes, screen readers and dumb terminals."""
