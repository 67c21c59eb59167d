"""Run simulated interviews: the paper's protocol, its authors' program, and live interviews."""
