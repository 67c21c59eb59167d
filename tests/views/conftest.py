"""A small bank with every kind of question, and an interview of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from odm_tui.banks import Bank
from odm_tui.session import Session
from tests.support.faults.interviews import sample_bank


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    return sample_bank(tmp_path / "banks")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def session(bank: Bank, state: Path) -> Iterator[Session]:
    started = Session.start(bank, state, seed=1, operator="op", clock=lambda: 0.0, stopwatch=lambda: 0.0)
    yield started
    started.leave()
