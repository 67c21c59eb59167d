"""The parts of the screens: each draws plain values and posts messages about what the operator did."""
