"""Index short logs as if they were long ones."""

from __future__ import annotations

import pytest

from odm_tui.store.index import builder, database, opening


@pytest.fixture(autouse=True)
def small_index(monkeypatch: pytest.MonkeyPatch) -> None:
    """Index short logs as if they were long ones."""
    monkeypatch.setattr(opening, "LONGEST_TAIL", 3_000)
    monkeypatch.setattr(database, "_SPACING", 1_500)
    monkeypatch.setattr(database, "_TIMES_CHECKPOINT", 1)
    monkeypatch.setattr(builder, "_LEAST_FOR_FAST_DECODER", 2_000)
    monkeypatch.setattr(builder, "_MOST_OPEN", 3)
