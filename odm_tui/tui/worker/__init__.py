"""Run everything that touches the engine, a disk or a lock in a process of its own, beside the screen."""
