"""One module per screen; each draws plain values and runs its commands."""
