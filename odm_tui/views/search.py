"""Search the questions that can be asked now, and their answers, by what the caller said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from odm_tui.text import one_line

if TYPE_CHECKING:
    from odm_tui.session import Session

_LEAST = 72.0
"""From 0 to 100: single words that match less well than this are not found."""
_LEAST_OF_SENTENCE = 20.0
"""The same for the mean over the words of a sentence, most of which no question has."""


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
    hits, texts = [], []
    for question in session.available:
        text = one_line(question.text)
        hits.append(SearchHit(question.id, text, None, "", 0.0))
        texts.append(f"{text} {one_line(question.help)}")
        if question.type == "choice":
            for answer in question.answers:
                hits.append(SearchHit(question.id, text, answer.id, one_line(answer.label), 0.0))
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
