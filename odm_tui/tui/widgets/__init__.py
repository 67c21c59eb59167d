"""The parts of the screens: each draws plain values, and says upwards what the operator did."""
