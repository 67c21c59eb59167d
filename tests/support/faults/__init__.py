"""Faults on purpose: disks that refuse, processes that are killed, and small interviews to try them on."""
