"""Search the questions that can be asked now, and their answers, by what the caller said."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from odm_tui.text import one_line

if TYPE_CHECKING:
    from odm_tui.session import Session

_LEAST = 72.0
"""From 0 to 100: matches below this are left out."""


class SearchHit(NamedTuple):
    """A question, or one answer to it, that fits the words."""

    question: str
    text: str
    answer: str | None
    """The answer's id; None if the words fit the question but none of its answers."""
    label: str
    score: float

    @property
    def line(self) -> str:
        """The hit in one line."""
        return f"{self.text} {self.label}".rstrip()


def search_questions(session: Session, words: str, most: int = 9) -> tuple[SearchHit, ...]:
    """Find the questions and answers that fit the words best; misspelt words still count.

    An answer of a choice is a hit of its own; a yes/no question is a hit without an answer.
    """
    from rapidfuzz import fuzz, utils

    wanted = utils.default_process(words)
    if not wanted:
        return ()
    hits = []
    for question in session.available:
        text = one_line(question.text)
        about = utils.default_process(f"{text} {one_line(question.help)}")
        best = SearchHit(question.id, text, None, "", _fit(fuzz, wanted, about))
        if question.type == "choice":
            for answer in question.answers:
                score = _fit(fuzz, wanted, utils.default_process(one_line(answer.label)))
                if score > best.score:
                    best = SearchHit(question.id, text, answer.id, one_line(answer.label), score)
        hits.append(best)
    ranked = sorted(hits, key=lambda hit: -hit.score)
    return tuple(hit for hit in ranked if hit.score >= _LEAST)[:most]


def _fit(fuzz: object, wanted: str, text: str) -> float:
    """Score how well every wanted word is found in a text, from 0 to 100: the mean of each word's best match."""
    words, known = wanted.split(), text.split()
    ratio = fuzz.ratio  # type: ignore[attr-defined]  # the module rapidfuzz.fuzz, which is loaded only when needed
    if not known:
        return 0.0
    best = [
        max(100.0 if other.startswith(word) else float(ratio(word, other)) for other in known)
        for word in words
    ]
    return sum(best) / len(best)
