"""Past cases that a bank was made from: their counts, and the names of the columns and cells that they came from.

A case counts exactly as much as one confirmed interview in which its known answers were given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Named(Protocol):
    """A question, an answer or an outcome with its id and its former ids."""

    @property
    def id(self) -> str: ...
    @property
    def aliases(self) -> Sequence[str]: ...


class AskedQuestion(Named, Protocol):
    """A question with its answers."""

    @property
    def answers(self) -> Sequence[Named]: ...


@dataclass(frozen=True, slots=True)
class PastCases:
    """The counts of past cases, with the ids as they are written in ``[cases]``.

    ``rows`` is the number of cases of each outcome. ``answers`` maps question and answer to one count per outcome, in
    the order of ``rows``. ``columns`` and ``values`` name the columns of the data, and the cells, that are not the id.
    """

    rows: Mapping[str, int]
    answers: Mapping[str, Mapping[str, tuple[int, ...]]] = field(default_factory=dict)
    file: str = ""
    outcome: str = ""
    """The column of the data with the outcome."""
    missing: tuple[str, ...] = ()
    """What means a missing answer in the data, beside an empty cell and ``?``."""
    columns: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    outcome_values: Mapping[str, str] = field(default_factory=dict)

    def counted(
        self, questions: Sequence[AskedQuestion], outcomes: Sequence[Named], width: int
    ) -> tuple[Floats, Floats]:
        """Return the counts by question, outcome and answer, (n, m, K), and by outcome, (m,).

        What the bank no longer has does not count.
        """
        place_of = find_places(outcomes)
        counts, totals = np.zeros((len(questions), len(outcomes), width)), np.zeros(len(outcomes))
        places = [place_of.get(name) for name in self.rows]
        for place, rows in zip(places, self.rows.values(), strict=True):
            if place is not None:
                totals[place] += rows
        kept = [at for at, place in enumerate(places) if place is not None]
        into = [place for place in places if place is not None]
        asked = find_places(questions)
        for name, by_answer in self.answers.items():
            i = asked.get(name)
            if i is None:
                continue
            answer_places = find_places(questions[i].answers)
            for answer, numbers in by_answer.items():
                k = answer_places.get(answer)
                if k is not None:
                    np.add.at(counts[i, :, k], into, np.asarray(numbers, dtype=float)[kept])
        return counts, totals


def find_places(things: Sequence[Named]) -> dict[str, int]:
    """Return the position of each thing by its id or a former one."""
    former = {old: at for at, thing in enumerate(things) for old in thing.aliases}
    return former | {thing.id: at for at, thing in enumerate(things)}
