"""Loading question banks: large ones against tomllib alone, and the time to refuse damaged ones."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from benchmarks.table import Row
from odm_tui.banks import BadBank, load_bank
from tests.support.sample_banks import generated
from tests.support.sample_banks.mutations import mutated

ROUNDS = 3
FUZZED = 2_000


def rows() -> Iterator[Row]:
    """Measure loading; each figure is the best of three."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.toml"
        for questions, outcomes in ((1_000, 200), (1_000, 1_000)):
            text = generated(questions, outcomes)
            path.write_text(text, encoding="utf-8")
            size = f"{questions:,} questions x {outcomes:,} outcomes"
            loading = _best(lambda: load_bank(path))
            with_arrays = _best(lambda: load_bank(path).problem)
            yield Row(f"load a bank of {size}", loading, "s")
            yield Row("  the same, compiled to arrays of the engine", with_arrays, "s")
            if outcomes == 200:
                alone = _best(partial(tomllib.loads, text))
                yield Row("  tomllib alone on the same file", alone, "s")
                yield Row("  load and compile, against tomllib alone", with_arrays / alone, "x", "under 20")
            else:
                yield Row("  peak memory", _peak_megabytes(path), "MB")
        slowest = max(_seconds_to_answer(path, content) for content in mutated(FUZZED, seed=11))
        yield Row(f"the slowest answer to {FUZZED:,} damaged bank files", slowest, "s", "under 2 s")
        slowest = max(_seconds_to_answer(path, content) for content in _slow_files())
        yield Row(
            "the slowest answer to files of up to 16 MB that are slow to parse", slowest, "s", "under 2 s"
        )


def _best(action: Callable[[], object]) -> float:
    return min(_seconds(action) for _ in range(ROUNDS))


def _seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def _seconds_to_answer(path: Path, content: bytes) -> float:
    path.write_bytes(content)

    def answer() -> None:
        with suppress(BadBank):
            load_bank(path).problem  # noqa: B018 - compiling is what is timed

    return _seconds(answer)


def _slow_files() -> Iterator[bytes]:
    """Yield files that could take a parser, or the checks after it, very long."""
    most = 16 * 1024 * 1024
    yield b"a = [" + b"1," * 250_000 + b"]"
    yield b"a = " + b"{a=" * (most // 3 - 8)
    yield b".".join([b"a"] * 500_000) + b" = 1"
    yield b'title = "' + b"x" * (7 * 1024 * 1024) + b'"'
    yield b'title = "' + b"\\n" * 1_000_000 + b'"'
    yield b"".join(b"[t%d]\n" % i for i in range(200_000))
    yield b"".join(b"key%d = true\n" % i for i in range(200_000))
    yield b"".join(b"key%d = 1\n" % i for i in range(490_000))
    yield b"[t]\n" + b"".join(b"key%d = 1\n" % i for i in range(490_000)) + b'x = "y"\nkey7 = 1\n'
    yield b"x = {" + b", ".join(b"k%d = 1" % i for i in range(1_090_000)) + b"}"
    yield b"a = {" + b"1" * (most - 10) + b"\n"
    yield (b"a={" + b"1" * 200 + b"\n") * (most // 210)
    yield (b'"' * 3 + b"\\") * 200_000
    yield generated(1_000, 200).replace("0.5", "5.5").encode()
    yield generated(200, 1_000).replace("o7", "p7").encode()


def _peak_megabytes(path: Path) -> float:
    program = (
        "import resource, sys; from odm_tui.banks import load_bank; load_bank(sys.argv[1]).problem; "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
    )
    return float(done.stdout)
