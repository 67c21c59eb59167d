"""A call in plain text, for the ticket: case, answers in words, outcome, how sure, advice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from odm_tui.formatting import format_percent
from odm_tui.text import one_line

if TYPE_CHECKING:
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
        lines.append(f"Outcome: {decision.label} ({format_percent(decision.share)} sure)")
        if decision.advice and not decision.flag:
            lines.append(f"Advice: {one_line(decision.advice)}")
    elif view.bars:
        lines.append(f"So far: {view.bars[0].label} ({format_percent(view.bars[0].share)})")
    if confirmed is not None:
        lines.append(f"Confirmed: {confirmed or 'none of the outcomes'}")
    lines += [f"Warning: {warning}" for warning in view.warnings]
    lines.append(f"Interview {view.interview}")
    return "\n".join(lines) + "\n"
