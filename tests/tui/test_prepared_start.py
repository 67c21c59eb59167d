"""While the summary is read, the worker computes what the next interview needs at its start."""

from __future__ import annotations

from pathlib import Path

import pytest

from odm_tui.engine.lookahead import learning_value
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.interview_options import InterviewOptions
from odm_tui.tui.worker.backend import Backend

losses_by_ignorance = learning_value.losses_by_ignorance


def confirm_one(backend: Backend) -> None:
    """Hold an interview with the answer no to everything, and confirm the decided outcome."""
    backend.start("led")
    session = backend.session
    assert session is not None
    while session.question is not None:
        session.answer("no")
    assert session.decision is not None
    backend.confirm(session.decision.outcome.id)


def test_the_second_interview_starts_with_a_value_of_learning_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Posterior] = []

    def count(posterior: Posterior) -> Floats:
        seen.append(posterior)
        return losses_by_ignorance(posterior)

    monkeypatch.setattr(learning_value, "losses_by_ignorance", count)
    monkeypatch.setattr(learning_value, "_computed", {})
    backend = Backend(InterviewOptions(state_dir=str(tmp_path), policy="lookahead-learn"))
    confirm_one(backend)
    at_start = len(seen)
    for _ in backend.think_ahead():
        pass
    assert len(seen) == at_start + 1  # computed while the summary is read
    for _ in backend.think_ahead():
        pass
    backend.start("led")
    assert len(seen) == at_start + 1  # and neither again nor at the start
    backend.close()
