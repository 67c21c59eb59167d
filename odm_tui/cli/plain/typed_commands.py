"""The commands of the plain mode: what can be typed instead of an answer."""

from __future__ import annotations

from typing import NamedTuple

AS_DECIDED, NONE = "=", "none"
"""What confirms the decided outcome, and what says that no outcome of the bank is right."""


class Command(NamedTuple):
    """A command: its letter, its word, and what it does."""

    letter: str
    word: str
    does: str


UNKNOWN = Command("?", "unknown", "the answer is not known")
SKIP = Command("s", "skip", "skip this question")
UNDO = Command("u", "undo", "take back the last thing you did")
WHY = Command("w", "why", "why this question is asked")
LIKELY = Command("l", "likely", "the likely outcomes, and the cost")
ANSWERS = Command("a", "answers", "the answers so far; change one")
OTHER = Command("o", "other", "ask another question")
DECIDE = Command("d", "decide", "decide now")
EVIDENCE = Command("e", "evidence", "which answers speak for and against the likeliest outcome")
SEARCH = Command("/", "search", "find a question by what was said")
ASK_ON = Command("m", "ask", "ask on, to be surer")
TRIED = Command("t", "tried", "the advice was tried and did not help: the next outcome")
CASE = Command("c", "case", "the case reference; type one")
NOTE = Command("", "note", "the note; type one")
REFER = Command("r", "refer", "hand over; the outcome can be confirmed later")
ABANDON = Command("x", "abandon", "abandon this interview")
QUIT = Command("q", "quit", "leave; the interview can be resumed")
HELP = Command("h", "help", "this list")
LATER = Command("l", "later", "confirm the outcome later")
MORE = Command("o", "more", "list all outcomes")
NONE_OF_THESE = Command("", NONE, "none of these outcomes is right")
AT_A_QUESTION = (
    UNKNOWN,
    SKIP,
    UNDO,
    WHY,
    LIKELY,
    ANSWERS,
    OTHER,
    SEARCH,
    EVIDENCE,
    DECIDE,
    CASE,
    NOTE,
    ABANDON,
    QUIT,
    HELP,
)
AT_A_DECISION = (
    NONE_OF_THESE,
    LATER,
    UNDO,
    MORE,
    ANSWERS,
    EVIDENCE,
    TRIED,
    ASK_ON,
    CASE,
    NOTE,
    ABANDON,
    QUIT,
    HELP,
)
SHORT_IN_PIPES = (UNDO, LATER, HELP, TRIED, ASK_ON, MORE)
"""The commands that may be one letter at a decision in a pipe, where other letters may be answers to questions that
were not asked: yes, no, skip."""
