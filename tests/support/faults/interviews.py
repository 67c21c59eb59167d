"""A bank with every kind of question, fixed answers, and a function that runs an interview."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from odm_tui.banks import Bank, BankQuestion, load_bank
from odm_tui.session import Archive, Session

BANK = """
format = 1
title = "Sample"
cost_unit = "seconds"
policy = { oracle = "w-ec2", exploration = "ts", stop = { max_questions = 5 } }

[[outcomes]]
id = "flu"
label = "Flu"
aliases = ["grippe"]
[[outcomes]]
id = "cold"
label = "Cold"
[[outcomes]]
id = "line-fault"
label = "Fault on the line"

[[questions]]
id = "fever"
text = "Is there a fever?"
cost = { yes = 3, no = { flu = 4, "*" = 6 } }
[[questions]]
id = "high"
text = "Is it high?"
ask_if = { fever = "yes" }
cost = 2
[[questions]]
id = "colour"
text = "Which colour?"
type = "choice"
answers = [{ id = "red", label = "Red" }, { id = "amber", label = "Amber" }, { id = "off", label = "Off" }]
cost = 5
[[questions]]
id = "ping"
text = "What does the page show?"
type = "number"
unit = "ms"
range = [0, 5000]
thresholds = [20, 37.5, 300]
cost = 8
[[questions]]
id = "cough"
text = "Is there a cough?"
cost = 1
[[questions]]
id = "noise"
text = "Is there a noise?"
aliases = ["sound"]
cost = 2

[expected]
worth = 8
fever = { flu = 0.9, cold = 0.2, "*" = 0.05 }
cough = { flu = 0.6, cold = 0.8, "*" = 0.1 }
ping = { line-fault = { above_20 = 0.9, "above_37.5" = 0.8, above_300 = 0.6 } }
"""
SAID: dict[str, str | float] = {
    "fever": "yes",
    "high": "no",
    "colour": "amber",
    "ping": 41.5,
    "cough": "no",
    "noise": "yes",
}


def sample_bank(folder: Path, text: str = BANK) -> Bank:
    """Write the bank to a file in this folder and load it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "sample.toml"
    path.write_text(text, encoding="utf-8")
    return load_bank(str(path))


def sample_answer(question: BankQuestion) -> str | float:
    """Return the fixed answer to a question."""
    return SAID[question.id]


def open_question(session: Session) -> BankQuestion:
    """Return the question that an undecided interview asks."""
    assert session.question is not None
    return session.question


def hold_interview(
    bank: Bank,
    state: Path,
    seed: int,
    tell: Callable[[str], None] = lambda line: None,
    outcome: str | None = "cold",
) -> Session:
    """Run an interview to its confirmation; resume the unfinished one if there is one.

    ``tell`` is called after each operation that was accepted, and only then.
    """
    resumable = Archive.of(bank, state).history("unfinished", "pending")
    session = Session.resume(bank, resumable[0].interview, state) if resumable else _start(bank, state, seed)
    tell(f"begun {session.id}")
    while session.question is not None:
        question = session.question
        tell(f"asked {question.id}")
        session.answer(sample_answer(question))
        tell(f"kept {question.id}")
    session.confirm(outcome)
    tell(f"confirmed {session.id}")
    return session


def _start(bank: Bank, state: Path, seed: int) -> Session:
    return Session.start(bank, state, seed=seed, operator="op")
