"""The data sets of the paper's section 6 by name, and where the scenarios of a data set come from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from odm_tui.csv_files import bad_table
from odm_tui.errors import BadArgument
from odm_tui.evaluation.data import generated
from odm_tui.evaluation.data.csv_data import load_breast_cancer_data
from odm_tui.evaluation.data.dataset import HYPOTHESES, Dataset, uniform_costs
from odm_tui.text import unknown_name

PAPER_HYPOTHESES: Mapping[str, int] = {
    "navigation": 2,
    "led": 5,
    "fico": 70,
    "compas": 70,
    "breast-cancer": 70,
    "troubleshooting": 15,
}
"""How many hypotheses an outcome lists in the paper's experiments, by data set."""
GENERATED: Mapping[str, Callable[[int, int, int], Dataset]] = {
    "navigation": generated.navigation,
    "led": generated.led,
    "troubleshooting": generated.troubleshooting,
    "cube": generated.cube,
    "context-cube": generated.context_cube,
}
_ALIASES = {"breastcancer": "breast-cancer", "breast_cancer": "breast-cancer"}


def canonical_name(name: str) -> str:
    """Return the one name of a data set that has several: ``breastcancer`` is ``breast-cancer``."""
    return _ALIASES.get(name, name)


@dataclass(frozen=True)
class Source:
    """Where the scenarios of a data set come from, for any seed; small enough to send to another process.

    ``data`` and ``costs`` are file names in which ``{seed}`` and ``{dataset}`` are filled in. Without ``data``
    the data set is generated, or comes from scikit-learn. ``limit`` scenarios are used, after the first ``skip``. With
    ``pairs``, every pair of a column of numbers and a threshold is a question of its own; with ``costs_by_outcome``,
    costs that are drawn differ by outcome.
    """

    dataset: str
    data: str | None = None
    label: str = "label"
    costs: str | None = None
    cost_seed: int = 0
    thresholds: int = 1
    hypotheses: int | None = None
    limit: int | None = None
    skip: int = 0
    pairs: bool = False
    costs_by_outcome: bool = False

    def __post_init__(self) -> None:
        if self.costs is not None and self.data is None:
            raise BadArgument("--costs needs --data: data sets without a file draw their own costs.")

    def load(self, seed: int) -> Dataset:
        """Load the scenarios of one seed."""
        name = canonical_name(self.dataset)
        hypotheses = self.hypotheses or PAPER_HYPOTHESES.get(name, HYPOTHESES)
        if self.data is not None:
            loaded = Dataset.from_csv(
                self._path(self.data, seed),
                label=self.label,
                costs=None if self.costs is None else self._path(self.costs, seed),
                cost_seed=self.cost_seed,
                thresholds=self.thresholds,
                hypotheses=hypotheses,
                name=name,
                seed=seed,
                pairs=self.pairs,
            )
        elif name in GENERATED:
            loaded = GENERATED[name](seed, self.cost_seed, hypotheses)
        elif name == "breast-cancer":
            loaded = load_breast_cancer_data(seed, self.cost_seed, hypotheses, self.thresholds, self.pairs)
        elif name in PAPER_HYPOTHESES:
            raise BadArgument(
                f"The data set {name!r} is not free to ship. Name its scenarios with --data FILE --label COLUMN."
            )
        else:
            unknown = unknown_name("data set", self.dataset, [*PAPER_HYPOTHESES, *GENERATED])
            raise BadArgument(f"{unknown} For your own data, add --data FILE.")
        if self.costs_by_outcome and self.costs is None:
            loaded = self._draw_costs_by_outcome(loaded)
        return loaded.part(self.skip, self.limit)

    def _draw_costs_by_outcome(self, loaded: Dataset) -> Dataset:
        """Return the data with the paper's mu_ij(q), uniform in [0, 1]; pairs of one question cost the same."""
        problem = loaded.problem
        cost = uniform_costs(problem.questions, self.cost_seed, len(problem.outcomes))
        if self.pairs:
            first: dict[str, int] = {}
            names = [question.id.split(">")[0] for question in problem.questions]
            cost = cost[[first.setdefault(name, i) for i, name in enumerate(names)]]
        return replace(loaded, problem=replace(problem, cost=cost))

    def digests(self, seed: int) -> dict[str, str]:
        """Return the SHA-256 of every file with this seed's scenarios and costs, by file name."""
        templates = [template for template in (self.data, self.costs) if template is not None]
        return {str(path): _digest(path) for path in (self._path(each, seed) for each in templates)}

    def _path(self, template: str, seed: int) -> Path:
        return Path(template.replace("{seed}", str(seed)).replace("{dataset}", self.dataset))


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise bad_table(
            path, f"the file can't be read ({reason}); name a CSV file that can be read"
        ) from error
