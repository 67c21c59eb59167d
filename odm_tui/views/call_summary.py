"""A call in plain text, for the ticket: case, answers in words, outcome, how sure, advice."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from odm_tui.formatting import format_percent, format_sentence
from odm_tui.text import one_line
from odm_tui.views.interview import answer_text

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import InterviewRecord
    from odm_tui.views.interview import InterviewView


def call_summary(view: InterviewView, confirmed: str | None = None) -> str:
    """Write a call as lines of text; ``confirmed`` is the label of the confirmed outcome, if there is one."""
    lines = [f"{view.title} · case {view.case}" if view.case else view.title]
    if view.note:
        lines.append(f"Note: {one_line(view.note)}")
    lines += [f"{at}. {one_line(step.question.text)} {step.reply}" for at, step in enumerate(view.steps, 1)]
    decision = view.decision
    if decision is not None:
        if decision.flag:
            lines.append(f"Red flag: {decision.flag}. {decision.flag_advice}".rstrip())
        word = "Outcome" if decision.sure_enough or confirmed else "Best guess, not certain"
        lines.append(f"{word}: {decision.label} ({format_percent(decision.share)} sure)")
        if decision.advice and not decision.flag:
            lines.append(f"Advice: {one_line(decision.advice)}")
    elif view.bars:
        lines.append(f"So far: {view.bars[0].label} ({format_percent(view.bars[0].share)})")
    if confirmed is not None:
        lines.append(f"Confirmed: {confirmed or 'none of the outcomes'}")
    elif decision is not None:
        lines.append("Not confirmed yet")
    lines += [f"Warning: {warning}" for warning in view.warnings]
    lines.append(f"Interview {view.interview}")
    return "\n".join(lines) + "\n"


def past_call_summary(bank: Bank, record: InterviewRecord) -> str:
    """Write a past call as lines of text, as the log has it; texts come from the bank as it is now."""
    lines = [
        f"{one_line(bank.title)} · case {one_line(record.case)}" if record.case else one_line(bank.title)
    ]
    if record.note:
        lines.append(f"Note: {one_line(record.note)}")
    for at, step in enumerate(record.steps or (), 1):
        try:
            question = bank.question(step.question)
        except KeyError:
            lines.append(f"{at}. {one_line(step.question)} (no longer in the bank)")
            continue
        answer = getattr(step, "answer", None)
        lines.append(f"{at}. {one_line(question.text)} {answer_text(question, step.name, answer)}")
    if record.decided is not None:
        lines.append(
            f"Outcome: {_label(bank, record.decided.outcome)} ({format_percent(record.decided.belief)} sure)"
        )
        lines.append(f"Why: {format_sentence(one_line(record.decided.reason))}")
        with suppress(KeyError):
            if advice := bank.outcome(record.decided.outcome).advice:
                lines.append(f"Advice: {one_line(advice)}")
    if record.status == "confirmed":
        confirmed = "none of the outcomes" if record.outcome is None else _label(bank, record.outcome)
        lines.append(f"Confirmed: {confirmed}")
    lines.append(f"Interview {record.interview}, {record.status}")
    return "\n".join(lines) + "\n"


def _label(bank: Bank, outcome: str) -> str:
    try:
        return one_line(bank.outcome(outcome).label)
    except KeyError:
        return one_line(outcome)
