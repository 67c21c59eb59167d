"""Search the questions that can be asked, now or after others, and their answers, by what somebody said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from odm_tui.text import one_line

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank
    from odm_tui.session import Session
    from odm_tui.session.known_answers import WayToAsk
    from odm_tui.views.interview import QuestionView

_LEAST = 72.0
"""From 0 to 100: single words that match less well than this are not found."""
_LEAST_OF_SENTENCE = 20.0
"""The same for the mean over the words of a sentence, most of which no question has."""


class SearchableQuestion(NamedTuple):
    """A question that words can find, and what comes with it if it depends on others, in words."""

    question: QuestionView
    condition: str = ""


def searchable_questions(session: Session) -> tuple[SearchableQuestion, ...]:
    """Build the questions that can be asked now, the best first, then those that depend on others."""
    from odm_tui.session.known_answers import conditional_questions
    from odm_tui.views.interview import available_questions, question_view

    found = [SearchableQuestion(question) for question in available_questions(session)]
    for question, way in conditional_questions(session):
        found.append(SearchableQuestion(question_view(question), describe_way(session.bank, way)))
    return tuple(found)


def describe_way(bank: Bank, way: WayToAsk) -> str:
    """Say what has to be answered before a question."""
    if way.first is not None:
        return f"asks first: {one_line(bank.questions[way.first].text)}"
    named = (
        f"{one_line(bank.questions[other].text)} {one_line(bank.questions[other].answers[answer].label)}"
        for other, answer in way.implied
    )
    return f"implies: {'; '.join(named)}" if way.implied else ""


class SearchHit(NamedTuple):
    """A question, or one answer to it, that fits the words."""

    question: str
    text: str
    answer: str | None
    """The answer's id; None if the words fit the question but none of its answers."""
    label: str
    score: float
    condition: str = ""
    """What comes with it if the question depends on others."""

    @property
    def line(self) -> str:
        """The hit in one line."""
        condition = f" ({self.condition})" if self.condition else ""
        return f"{self.text} {self.label}".rstrip() + condition


def search_questions(session: Session, words: str, most: int = 9) -> tuple[SearchHit, ...]:
    """Find the questions and answers that fit the words best; misspelt words still count.

    An answer of a choice is a hit of its own; a yes/no question is a hit without an answer.
    """
    from odm_tui.session.known_answers import WayToAsk, conditional_questions

    hits, texts = [], []
    questions = [(question, WayToAsk()) for question in session.available]
    for question, way in (*questions, *conditional_questions(session)):
        text, condition = one_line(question.text), describe_way(session.bank, way)
        hits.append(SearchHit(question.id, text, None, "", 0.0, condition))
        texts.append(f"{text} {one_line(question.help)}")
        if question.type == "choice":
            for answer in question.answers:
                hits.append(SearchHit(question.id, text, answer.id, one_line(answer.label), 0.0, condition))
                texts.append(one_line(answer.label))
    found: dict[str, SearchHit] = {}
    for at, score in rank_texts(words, texts):
        hit = hits[at]._replace(score=score)
        best = found.get(hit.question)
        if best is None or (score == best.score and best.answer is None):
            found[hit.question] = hit
    return tuple(sorted(found.values(), key=lambda hit: -hit.score))[:most]


def rank_texts(words: str, texts: Sequence[str]) -> list[tuple[int, float]]:
    """Which of the texts fit the words, by place and score from 0 to 100, the best first.

    The score of a text is the mean over the words of how well each fits its best word there. A word that few texts
    have counts more, as log(1 + texts / texts that have it); so the small words of a sentence hardly count. A word that
    no text has does not count.

    >>> texts = ["Does the phone get hot?", "Does the camera take photos?", "Is the battery old?"]
    >>> [at for at, _ in rank_texts("hot", texts)], [at for at, _ in rank_texts("the batery", texts)][:1]
    ([0], [2])
    """
    from rapidfuzz import fuzz, utils

    wanted = list(dict.fromkeys(utils.default_process(words).split()))
    if not wanted:
        return []
    known = [utils.default_process(text).split() for text in texts]
    vocabulary = {word for each in known for word in each}
    fits = {
        word: {
            other: 100.0 if other.startswith(word) else float(fuzz.ratio(word, other)) for other in vocabulary
        }
        for word in wanted
    }
    scores = [[max((fits[word][other] for other in each), default=0.0) for word in wanted] for each in known]
    have = [sum(score[at] >= _LEAST for score in scores) for at in range(len(wanted))]
    weights = [math.log1p(len(texts) / many) if many else 0.0 for many in have]
    if not any(weights):
        return []
    found = []
    for at, score in enumerate(scores):
        counted = [one if one >= _LEAST else 0.0 for one in score]
        mean = sum(w * s for w, s in zip(weights, counted, strict=True)) / sum(weights)
        if mean >= (_LEAST if len(wanted) == 1 else _LEAST_OF_SENTENCE):
            found.append((at, mean))
    return sorted(found, key=lambda pair: -pair[1])
