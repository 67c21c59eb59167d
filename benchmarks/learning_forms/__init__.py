"""Other forms of ``lookahead-learn``, beside it in the same learning runs, and the best of them in hindsight."""
