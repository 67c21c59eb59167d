"""Run everything that touches the engine, a disk or a lock beside the screen, in a process of its own."""
