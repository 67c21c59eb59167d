"""A whole interview with a bank whose outcomes have variants: every screen speaks of outcomes."""

from __future__ import annotations

from pathlib import Path

from tests.support.terminal.driving import BANK, at_the_screen

VARIANTS = str(Path(BANK).with_name("variants.toml"))
OUTCOMES = ("Worn battery", "Does not charge", "An app keeps it busy")


async def test_an_interview_with_variants_shows_decides_and_explains_outcomes(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path, bank=VARIANTS, size=(120, 40)) as operator:
        assert all(outcome in operator.text for outcome in OUTCOMES)
        assert "Swollen" not in operator.text
        await operator.press("y", "w", "w")
        assert operator.screen == "InterviewScreen"
        assert len(operator.session.interview.belief) == len(OUTCOMES)
        await operator.press("w", "e")
        assert any(outcome in operator.text for outcome in OUTCOMES)
        await operator.press("escape", "d")
        assert operator.screen == "DecisionScreen"
        decided = operator.session.interview.next
        assert OUTCOMES[decided.outcome] in operator.text  # type: ignore[union-attr]  # a decision
        await operator.press("C")
        assert operator.screen == "SummaryScreen"
        assert any(outcome in operator.text for outcome in OUTCOMES)
        await operator.press("u")
        assert operator.screen == "DecisionScreen"
