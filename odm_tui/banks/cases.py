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
Ints = npt.NDArray[np.intp]
Bools = npt.NDArray[np.bool_]
_UNWRITTEN = 0.5
"""The parameter of an answer that came to a question after its variants were fitted."""


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
class CaseVariants:
    """Hidden variants of outcomes that were fitted to past cases, with the ids as they are written.

    ``shares`` maps an outcome to the share of each of its variants. ``answers`` maps question and answer to Beta or
    Dirichlet parameters, one for each variant, in the order of ``shares``.
    """

    shares: Mapping[str, tuple[float, ...]]
    answers: Mapping[str, Mapping[str, tuple[float, ...]]]

    def counted(
        self, questions: Sequence[AskedQuestion], outcomes: Sequence[Named], pseudo: Floats
    ) -> tuple[Ints, Floats, Floats, Bools]:
        """Return the outcome of each variant, (s,), its share, its parameters, (n, s, K), and which are known, (n, s).

        What the bank no longer has does not count. An outcome without variants has one, and a question that is not
        there has the outcome's own parameters, ``pseudo``.
        """
        place_of = find_places(outcomes)
        starts, columns = 0, {}
        for name, shares in self.shares.items():
            if name in place_of:
                columns[place_of[name]] = range(starts, starts + len(shares)), shares
            starts += len(shares)
        whole = (range(0), (1.0,))
        parts = [columns.get(j, whole) for j in range(len(outcomes))]
        outcome_of = np.repeat(np.arange(len(outcomes)), [len(shares) for _, shares in parts])
        weight = np.array([share / sum(shares) for _, shares in parts for share in shares])
        counts = np.ascontiguousarray(pseudo[:, outcome_of])
        known = np.zeros(counts.shape[:2], dtype=bool)
        asked, into, source = find_places(questions), 0, []
        for used, shares in parts:
            source += [(into + at, column) for at, column in enumerate(used)]
            into += len(shares)
        if not source:
            return outcome_of, weight, counts, known
        to, column = (np.array(side) for side in zip(*source, strict=True))
        for name, by_answer in self.answers.items():
            i = asked.get(name)
            if i is None:
                continue
            places = find_places(questions[i].answers)
            row = np.full((len(to), len(questions[i].answers)), _UNWRITTEN)
            for answer, numbers in by_answer.items():
                if answer in places:
                    row[:, places[answer]] = np.asarray(numbers)[column]
            counts[i, to, : row.shape[1]] = row
            known[i, to] = True
        return outcome_of, weight, counts, known


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
    variants: CaseVariants | None = None

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
