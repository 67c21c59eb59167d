"""Fault injection: disks that fail, processes that are killed, and small interviews to test with."""
