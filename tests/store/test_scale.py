"""Long logs and large banks: memory stays bounded, and the figures are printed by ``make soak``."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from benchmarks.bench_store import replaying
from odm_tui.engine.problem import Problem
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.state_file import decode_counts, encode_state, unseal
from tests.support.faults.report import Table

MOST_BYTES_A_LINE = 100
"""Of memory: a line takes 180 bytes on disk, and an interview of 21 lines about 700 while it is counted."""


@pytest.mark.parametrize("lines", [20_000, pytest.param(1_000_000, marks=pytest.mark.soak)])
def test_a_long_log_is_counted_again_in_bounded_memory(tmp_path: Path, lines: int, table: Table) -> None:
    (took, memory) = replaying(tmp_path / "long", lines)
    table.figure(took.name, f"{took.measured:.1f} s", took.target)
    table.figure(memory.name, f"{memory.measured:.0f} MB")
    assert took.target == f"{lines // 21:,} interviews"
    assert memory.measured * 1e6 < 8e6 + MOST_BYTES_A_LINE * lines


@pytest.mark.parametrize("size", [100, pytest.param(1000, marks=pytest.mark.soak)])
def test_a_large_bank_has_a_state_that_is_read_back_exactly(size: int, table: Table) -> None:
    problem = Problem.build([f"q{i}" for i in range(size)], [f"o{j}" for j in range(size)])
    index = BankIndex("large", "h", problem)
    rng = random.Random(1)
    known = Counts()
    for _ in range(2 * size):
        asked = rng.sample(range(size), 30)
        answers = tuple((f"q{i}", rng.choice(("yes", "no"))) for i in asked)
        known.add_lesson((answers, f"o{rng.randrange(size)}"), index)
    begin = time.perf_counter()
    text = encode_state(known, index)
    middle = time.perf_counter()
    assert decode_counts(unseal(text, "state"), index, "state") == known
    end = time.perf_counter()
    table.figure(
        f"state of {size:,} questions × {size:,} outcomes",
        f"{len(text) / 1e6:.1f} MB",
        f"{len(known.answers):,} counts; written in {middle - begin:.2f} s, read in {end - middle:.2f} s",
    )
