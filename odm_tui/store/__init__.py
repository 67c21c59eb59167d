"""What is kept on disk: the log of every interview, and the state that is learned from it.

The log (``<bank>.log.jsonl``) is the truth. The state (``<bank>.json``) is a cache of it that a person
can read: it is an exact function of the log and the bank, so it can always be made again. Everything that
changes either file happens while a lock on a side file (``<bank>.json.lock``) is held.
"""
