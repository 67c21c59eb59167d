"""Run ``python -m benchmarks.results``."""

from __future__ import annotations

import os

# Before numpy is loaded: each process uses one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

if __name__ == "__main__":
    from benchmarks.results.command import main

    main()
