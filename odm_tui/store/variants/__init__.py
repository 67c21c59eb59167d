"""Hidden variants of outcomes, fitted to the log: when, to which interviews, and how they are kept."""
