"""Every line that is made from texts of a bank has the right width, whatever the letters."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from textual.content import Content

from odm_tui.tui.screens import replay, summary
from odm_tui.tui.widgets import (
    answers_so_far,
    bank_table,
    history_table,
    learned_tables,
    reason_panel,
    variant_list,
)
from odm_tui.views.banks import BankRow
from odm_tui.views.history import HistoryRow, ReplayStep
from odm_tui.views.interview import Bar, CandidateView, Effect, QuestionView, StepView, WhyView
from odm_tui.views.learned import (
    CertaintyRow,
    LearnedView,
    TellingQuestion,
    VariantGroup,
    VariantRow,
    VariantTrait,
)
from odm_tui.views.summary import LearnedAnswer, SummaryView

TEXTS = st.text(st.sampled_from("aé m光绿ا🙂ｗ e\u0301"), max_size=60)
WIDTHS = st.integers(48, 120)


def fits(lines: list[Content], width: int) -> bool:
    return all(cell_len(line.plain) <= width and "\n" not in line.plain for line in lines)


@given(TEXTS, TEXTS, TEXTS, st.booleans(), st.integers(40, 120))
def test_the_reason_panel(question: str, reply: str, leader: str, shown: bool, width: int) -> None:
    effects = (Effect(reply, 0.3, leader, 0.8, 0.5), Effect("Yes", 0.7, leader, 1.0, 0.001))
    why = WhyView((CandidateView(question, 0.123, 12.0, 0.01, effects, shown),), True, question)
    assert fits(reason_panel.draw_table(why, width, 20), width)


@given(TEXTS, TEXTS, st.integers(34, 90))
def test_the_answers_so_far(question: str, reply: str, width: int) -> None:
    step = StepView(QuestionView("q", question, "", "choice", ()), reply, 1.0, "answered")
    assert fits(answers_so_far.draw_answer(step, 11, width, 3), width)


@given(TEXTS, TEXTS, TEXTS, WIDTHS)
def test_the_lists(title: str, reply: str, unit: str, width: int) -> None:
    row = BankRow("name", title, 74, 15, unit, interviews=1234, costs=(1.0, 2.0, 12345.678))
    past = HistoryRow("id", "2026-11-16 05:30", "confirmed", title, reply, 12, 123.456, "tester", unit, reply)
    step = ReplayStep(title, reply, (Bar("a", title, 0.5, 0.4),), True)
    assert fits([bank_table.draw_bank(row, width)], width)
    columns = history_table.HistoryColumns.at(width, [past], unit)
    assert fits([history_table.draw_interview(past, columns, unit)], width)
    assert fits([replay.draw_step(3, step, width)], width)


@given(TEXTS, TEXTS, TEXTS, WIDTHS)
def test_the_summary_and_what_was_learned(title: str, reply: str, outcome: str, width: int) -> None:
    lesson = LearnedAnswer(title, reply, 0.5, 0.55)
    view = SummaryView("b", title, "s", "id", outcome, True, 5, 3, 74, 12.0, 400.0, (lesson,))
    known = LearnedView(title, "s", 4, (outcome,), (), (TellingQuestion(title, 0.4, 12.0),), (), ())
    assert fits(summary.draw_lessons(view, width), width)
    assert fits(learned_tables.draw_telling_questions(known, width), width)
    traits = (VariantTrait(title, reply, 0.951, 0.04),) * 2
    group = VariantGroup(outcome, (VariantRow(reply, 0.61, traits), VariantRow("B", 0.39, ())), True)
    text = '# paste\n[[outcomes.variants]]\nlabel = "' + title.replace("\n", " ") + '"\n'
    several = replace(known, variants=(group,), variants_text=text)
    assert fits(variant_list.draw_variants(several, width), width)
    assert fits(variant_list.draw_variants(known, width), width)
    rows = (CertaintyRow(0.9, 1.0, 0.5, 0.77, 1234.5),)
    assert fits(learned_tables.draw_certainty(rows, width), width)
