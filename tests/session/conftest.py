"""The sample bank and the state folder of a test."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.banks import Bank
from tests.support.faults.interviews import sample_bank


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    """The sample bank."""
    return sample_bank(tmp_path / "banks")


@pytest.fixture
def state(tmp_path: Path) -> Path:
    """A state folder that does not exist yet."""
    return tmp_path / "state"
