"""Run the tests many times beside busy loops: ``python -m benchmarks.stress --runs 20 --busy 2 [pytest options]``.

A test that passes on a quiet machine can still fail on a busy one, where every step takes longer and other steps come
in between. The runs of one commit are kept in build/stress: stop with Ctrl+C and start again, and the count goes on.
``--only-timed`` runs the tests that load can disturb, because they start processes, terminals, threads or servers.
The exit code is 1 if any run failed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from pathlib import Path

from benchmarks.stress.runs import StressRun, busy_loops, run_tests
from benchmarks.stress.tally import Tally, tally_folder

_WORKERS = ("-n", "4", "--dist", "worksteal")
"""As in ``make test``."""
_TIMED = ("-m", "timed and not soak", "tests")


def main(arguments: Sequence[str] | None = None, root: Path | None = None) -> int:
    """Print a row for each run as soon as it has ended, then each test that failed; return the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.stress", description=(__doc__ or "").split(":")[0]
    )
    parser.add_argument("--runs", type=int, default=20, help="how many in all (default: %(default)s)")
    parser.add_argument("--busy", type=int, default=2, help="how many busy loops (default: %(default)s)")
    parser.add_argument("--only-timed", action="store_true", help="only the tests that load can disturb")
    parser.add_argument("--fresh", action="store_true", help="forget the runs of this commit and begin again")
    given, options = parser.parse_known_args(arguments)
    if given.only_timed:
        options = [*_TIMED, *options]
    if not any(option.startswith(("-n", "--numprocesses")) for option in options):
        options = [*_WORKERS, *options]
    tally = Tally(tally_folder(root or Path(__file__).parents[2], options, given.busy))
    if given.fresh:
        tally.clear()
    print(f"{given.runs} runs beside {given.busy} busy loops on {os.cpu_count()} cores", flush=True)
    print(f"{'run':>4} {'passed':>7} {'failed':>7} {'seconds':>8}", flush=True)
    for number, run in enumerate(tally.runs, 1):
        _print_run(number, run)
    try:
        with busy_loops(given.busy if len(tally.runs) < given.runs else 0):
            while len(tally.runs) < given.runs:
                tally.add(run_tests(options))
                _print_run(len(tally.runs), tally.runs[-1])
    except KeyboardInterrupt:
        print("\nInterrupted; the same command goes on from here.")
    print(f"\n{tally.summary()}")
    return 0 if tally.green == len(tally.runs) >= given.runs else 1


def _print_run(number: int, run: StressRun) -> None:
    print(f"{number:>4} {run.passed:>7} {len(run.failed):>7} {run.seconds:>8.1f}", flush=True)
    for name in run.failed:
        print(f"       {name}", flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
