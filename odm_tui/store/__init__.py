"""Files on disk: the log of all interviews of a bank, and the state that is computed from it.

The log (``<bank>.log.jsonl``) is authoritative. The state (``<bank>.json``) is a readable cache: it is an
exact function of the log and the bank, so it can be rebuilt at any time. Both files change only while a
lock on a side file (``<bank>.json.lock``) is held.
"""
