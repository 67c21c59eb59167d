"""The data sets of section 6 by name, and how one is loaded for a seed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from odm_tui.errors import BadArgument, BadData
from odm_tui.evaluation.data import csv_data, generated
from odm_tui.evaluation.data.dataset import Dataset

HYPOTHESES: Mapping[str, int] = {
    "navigation": 2,
    "led": 5,
    "fico": 70,
    "compas": 70,
    "breast-cancer": 70,
    "troubleshooting": 15,
}
"""How many hypotheses an outcome lists in the paper's experiments."""
OTHER_HYPOTHESES = 70
GENERATED: Mapping[str, Callable[[int, int, int], Dataset]] = {
    "navigation": generated.navigation,
    "led": generated.led,
    "troubleshooting": generated.troubleshooting,
}
_ALSO_CALLED = {"breastcancer": "breast-cancer", "breast_cancer": "breast-cancer"}


def canonical(name: str) -> str:
    """The one name of a data set that has several: ``breastcancer`` is ``breast-cancer``."""
    return _ALSO_CALLED.get(name, name)


@dataclass(frozen=True)
class Source:
    """Where the scenarios of a data set come from, for any seed; small enough to send to another process.

    ``data`` and ``costs`` are file names in which ``{seed}`` and ``{dataset}`` are filled in; without
    ``data`` the data set is generated, or comes from scikit-learn.
    """

    dataset: str
    data: str | None = None
    label: str = "label"
    costs: str | None = None
    cost_seed: int = 0
    thresholds: int = 1
    hypotheses: int | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.costs is not None and self.data is None:
            raise BadArgument("--costs goes with --data: generated data sets draw their own costs")

    def load(self, seed: int) -> Dataset:
        """The scenarios of one seed."""
        name = canonical(self.dataset)
        listed = self.hypotheses or HYPOTHESES.get(name, OTHER_HYPOTHESES)
        if self.data is not None:
            made = csv_data.from_csv(
                name,
                self._path(self.data, seed),
                seed,
                label=self.label,
                costs=None if self.costs is None else self._path(self.costs, seed),
                cost_seed=self.cost_seed,
                thresholds=self.thresholds,
                hypotheses=listed,
            )
        elif name in GENERATED:
            made = GENERATED[name](seed, self.cost_seed, listed)
        elif name == "breast-cancer":
            made = csv_data.breast_cancer(seed, self.cost_seed, listed, self.thresholds)
        elif name in HYPOTHESES:
            raise BadArgument(
                f"{name} is not free to ship: name its scenarios with --data FILE --label COLUMN"
            )
        else:
            raise BadArgument(
                f"there is no data set {self.dataset!r}; there are {', '.join(HYPOTHESES)}, "
                "or any name with --data FILE"
            )
        return made.first(self.limit)

    def digests(self, seed: int) -> dict[str, str]:
        """The SHA-256 of every file that this seed's scenarios and costs come from, by file name."""
        templates = [template for template in (self.data, self.costs) if template is not None]
        return {str(path): _digest(path) for path in (self._path(each, seed) for each in templates)}

    def _path(self, template: str, seed: int) -> Path:
        return Path(template.replace("{seed}", str(seed)).replace("{dataset}", self.dataset))


def _digest(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise BadData(f"{path}: {error.strerror or error}; name a CSV file that can be read") from error
