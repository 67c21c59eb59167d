"""The plan of the interview screen: at every size, the question and its answers are in sight together."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from odm_tui.tui.widgets.belief_bars import draw_bars
from odm_tui.tui.widgets.drawing import wrap_text
from odm_tui.tui.widgets.interview_layout import plan_layout
from odm_tui.views.interview import Bar, QuestionView, Reply
from tests.support.terminal.driving import at_the_screen

SIZES = ((60, 20), (80, 24), (100, 32), (119, 40), (120, 40), (200, 60))
WORDS = st.lists(st.text("abcdefgh", min_size=1, max_size=9), min_size=1, max_size=14).map(" ".join)


def make_question(text: str, help: str, labels: list[str]) -> QuestionView:
    replies = tuple(Reply(str(at), label, str(at + 1)) for at, label in enumerate(labels))
    return QuestionView("q", text, help, "choice", replies)


@given(
    WORDS, WORDS, st.lists(WORDS, min_size=2, max_size=9), st.sampled_from(SIZES), st.sampled_from([1, 6, 16])
)
def test_the_parts_never_need_more_rows_than_there_are(
    text: str, help: str, labels: list[str], size: tuple[int, int], reason: int
) -> None:
    width, height = size[0], size[1] - 2
    plan = plan_layout(make_question(text, help, labels), width, height, reason)
    used = plan.card_rows + plan.shown_rows + 1 + plan.reason_rows + plan.known_rows
    assert used <= height
    assert plan.card_rows >= 1 + 2 * plan.has_border
    assert len(plan.answer_rows) * plan.columns >= len(labels)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("reason", [1, 16])
def test_eight_answers_of_usual_length_are_whole_at_every_size(size: tuple[int, int], reason: int) -> None:
    question = make_question("What is it?", "Let the caller describe it. " * 4, ["One of eight answers"] * 8)
    plan = plan_layout(question, size[0], size[1] - 2, reason)
    assert plan.shown_rows == sum(plan.answer_rows)
    assert plan.card_rows >= 3


@given(st.text("ab c", max_size=80), st.integers(2, 40))
def test_wrapped_lines_fit_and_lose_no_letter(text: str, width: int) -> None:
    lines = wrap_text(text, width)
    assert all(cell_len(line) <= width for line in lines)
    assert "".join("".join(lines).split()) == "".join(text.split())


@given(st.lists(WORDS, min_size=1, max_size=12), st.integers(24, 90), st.integers(3, 20))
def test_the_likely_outcomes_fit_and_the_first_name_is_whole_where_there_is_room(
    labels: list[str], width: int, height: int
) -> None:
    bars = tuple(Bar(str(at), label, 1 / len(labels), 0.1) for at, label in enumerate(labels))
    lines = draw_bars(bars, width, height)
    assert len(lines) <= height
    assert all(cell_len(line.plain) <= width for line in lines)
    if height >= 12:
        shown = "".join(line.plain for line in lines[1:]).replace(" ", "")
        assert all(word in shown or len(word) > 5 for word in labels[0].split())


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("keys", [(), ("w",), ("w", "w")])
async def test_the_question_and_all_its_answers_are_in_sight_also_with_why(
    tmp_path: Path, size: tuple[int, int], keys: tuple[str, ...]
) -> None:
    async with at_the_screen(tmp_path, "troubleshooting", size) as operator:
        await operator.press(*keys)
        question = operator.session.question
        assert question is not None
        assert question.text in operator.text
        for answer in question.answers:
            assert answer.label in operator.text
        assert "Don't know" in operator.text
        assert "Help" in operator.text.splitlines()[-1]
        assert "Leave" in operator.text.splitlines()[-1]
