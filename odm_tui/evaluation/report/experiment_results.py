"""The results of an experiment: rows for the table, curves for the plots, and files with all settings."""

from __future__ import annotations

import csv
import io
import json
import platform
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from odm_tui import __version__
from odm_tui.engine.problem import Floats
from odm_tui.engine.regret import regret, regret_bound
from odm_tui.errors import CannotWrite
from odm_tui.evaluation.data.dataset_sources import Source
from odm_tui.evaluation.experiment.coverage import CoveragePoint, find_coverage
from odm_tui.evaluation.experiment.metrics import (
    SeedSummary,
    charge_wrong_decisions,
    mean_over_seeds,
    running_mean,
    spread_over_seeds,
    summarise,
    utilities,
)
from odm_tui.evaluation.experiment.optimum import Optimum, find_optimum
from odm_tui.evaluation.experiment.plan import Experiment, Unit
from odm_tui.evaluation.experiment.settings import Knowledge
from odm_tui.evaluation.experiment.simulation import Trace
from odm_tui.evaluation.intervals import estimate_mean
from odm_tui.evaluation.report.reference_shares import describe_share, find_value, values_of


@dataclass(frozen=True)
class Row:
    """One data set and policy over all seeds; ``optima`` is the best possible result in each seed.

    ``references`` are the values that the references of live interviews reach in each seed.
    """

    dataset: str
    protocol: str
    regions: str
    policy: str
    scenarios: int
    regret_bound: float
    seeds: tuple[SeedSummary, ...]
    prior: str
    optima: tuple[Optimum, ...]
    references: Mapping[Knowledge, tuple[float, ...]] = field(default_factory=dict)
    refer_cost: float | None = None
    coverage: tuple[CoveragePoint, ...] = ()
    """How often the surest decisions of all seeds are right."""

    @property
    def values(self) -> list[float]:
        """stakes · accuracy − mean cost of each seed, and what handing over is worth."""
        return [
            find_value(best.stakes, seed.accuracy, seed.mean_cost, seed.undecided, self.refer_cost)
            for seed, best in zip(self.seeds, self.optima, strict=True)
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return the row as ``--json`` prints it."""
        seeds = self.seeds
        return {
            "dataset": self.dataset,
            "protocol": self.protocol,
            "regions": self.regions,
            "policy": self.policy,
            "prior": self.prior,
            "stakes": mean_over_seeds([best.stakes for best in self.optima]),
            "seeds": len(seeds),
            "scenarios": self.scenarios,
            "mean_cost": mean_over_seeds([seed.mean_cost for seed in seeds]),
            "std_cost": spread_over_seeds([seed.mean_cost for seed in seeds]),
            "realised_cost": mean_over_seeds([seed.realised_cost for seed in seeds]),
            "mean_questions": mean_over_seeds([seed.mean_questions for seed in seeds]),
            "accuracy": mean_over_seeds([seed.accuracy for seed in seeds]),
            "utility": mean_over_seeds([seed.utility for seed in seeds]),
            "undecided": mean_over_seeds([seed.undecided for seed in seeds]),
            "coverage": 1.0 - mean_over_seeds([seed.undecided for seed in seeds]),
            "right_of_decided": self._right_of_decided(),
            "risk_coverage": [asdict(point) for point in self.coverage],
            "regret": mean_over_seeds([seed.regret for seed in seeds]),
            "regret_bound": self.regret_bound,
            "ratio_to_all": mean_over_seeds([seed.ratio_to_all for seed in seeds]),
            "value": mean_over_seeds(self.values),
            "optimum": self._optimum(),
            "ratio_to_optimum": self._ratio(),
            "references": {
                knowledge.value: describe_share(self.values, values)
                for knowledge, values in self.references.items()
            },
            "microseconds_per_question": 1e6
            * sum(seed.seconds for seed in seeds)
            / max(sum(seed.questions for seed in seeds), 1),
            "seconds_per_scenario": sum(seed.seconds for seed in seeds)
            / sum(seed.scenarios for seed in seeds),
            **self._intervals(),
            "per_seed": [asdict(seed) for seed in seeds],
        }

    def _right_of_decided(self) -> float | None:
        """Return the share of right decisions among all interviews that decided; None if none did."""
        decided = sum((1.0 - seed.undecided) * seed.scenarios for seed in self.seeds)
        right = sum(seed.accuracy * seed.scenarios for seed in self.seeds)
        return right / decided if decided > 0 else None

    def _intervals(self) -> dict[str, tuple[float, float]]:
        """Return the 95 % intervals of the main figures over seeds, each seed a learning run; NaN with one seed."""
        names = range(len(self.seeds))
        figures = {
            "mean_cost_interval": [seed.mean_cost for seed in self.seeds],
            "accuracy_interval": [seed.accuracy for seed in self.seeds],
            "utility_interval": [seed.utility for seed in self.seeds],
            "regret_interval": [seed.regret for seed in self.seeds],
            "value_interval": self.values,
        }
        found = {name: estimate_mean(values, names) for name, values in figures.items()}
        return {name: (each.low, each.high) for name, each in found.items()}

    def _optimum(self) -> dict[str, Any]:
        """Return the best possible result, the mean over seeds; ``kind`` is optimum or bound."""
        best = self.optima
        exact = all(each.exact for each in best)
        return {
            "kind": "optimum" if exact else "bound",
            "cost": mean_over_seeds([each.cost for each in best]),
            "accuracy": mean_over_seeds([each.accuracy for each in best]),
            "questions": mean_over_seeds([each.questions for each in best]),
            "value": mean_over_seeds([each.value for each in best]),
            "standard_error": float(np.sqrt(np.sum([each.error**2 for each in best])) / len(best)),
        }

    def _ratio(self) -> float | None:
        """Return the policy's value as a share of the best; None if the best is 0 or less, or could hand over too."""
        if self.refer_cost is not None:
            return None
        best = mean_over_seeds([each.value for each in self.optima])
        return mean_over_seeds(self.values) / best if best > 0 else None


@dataclass(frozen=True, eq=False)
class Curves:
    """One data set interview by interview, the mean over seeds, by policy.

    ``cost`` and ``utility`` are running means; ``regret`` is the sum so far, ``bound`` the theorem's bound on it.
    """

    dataset: str
    cost: Mapping[str, Floats]
    utility: Mapping[str, Floats]
    regret: Mapping[str, Floats]
    bound: Floats


def compute_rows(experiment: Experiment, traces: Mapping[Unit, Trace]) -> list[Row]:
    """Return one row for each data set and policy."""
    rows = []
    for source in experiment.sources:
        datasets = {seed: source.load(seed) for seed in experiment.seeds}
        n, m, _ = datasets[experiment.seeds[0]].problem.shape
        shortest = min(len(dataset.labels) for dataset in datasets.values())
        optima = tuple(find_optimum(dataset, experiment.stakes) for dataset in datasets.values())
        stakes = [best.stakes for best in optima]
        for policy in experiment.policies:
            seeds = []
            for seed, dataset in datasets.items():
                unit = experiment.unit(source, policy, seed)
                everything = dataset.mean_cost.sum(axis=0)[dataset.labels]
                seeds.append(summarise(seed, traces[unit], traces[unit.reference], everything))
            units = [experiment.unit(source, policy, seed) for seed in experiment.seeds]
            references = {
                knowledge: values_of(
                    [traces[unit.ceilings[knowledge]] for unit in units], stakes, experiment.refer_cost
                )
                for knowledge in units[0].ceilings
            }
            rows.append(
                Row(
                    dataset=source.dataset,
                    protocol=experiment.protocol,
                    regions=experiment.regions,
                    policy=policy,
                    scenarios=shortest,
                    regret_bound=float(regret_bound(n, m, shortest)),
                    seeds=tuple(seeds),
                    prior=experiment.prior,
                    optima=optima,
                    references=references,
                    refer_cost=experiment.refer_cost,
                    coverage=find_coverage([traces[unit] for unit in units]),
                )
            )
    return rows


def compute_curves(experiment: Experiment, source: Source, traces: Mapping[Unit, Trace]) -> Curves:
    """Return the curves of one data set."""
    cost, utility, paid = {}, {}, {}
    datasets = [source.load(seed) for seed in experiment.seeds]
    costs_of_all = [dataset.mean_cost.sum(axis=0)[dataset.labels] for dataset in datasets]
    length = min(
        len(traces[experiment.unit(source, experiment.policies[0], s)].cost) for s in experiment.seeds
    )
    for policy in experiment.policies:
        units = [experiment.unit(source, policy, seed) for seed in experiment.seeds]
        held = [traces[unit] for unit in units]
        best = [traces[unit.reference] for unit in units]
        cost[policy] = np.mean([running_mean(t.cost[:length]) for t in held], axis=0)
        utility[policy] = np.mean(
            [running_mean(utilities(t.decision, t.label)[:length]) for t in held], axis=0
        )
        paid[policy] = np.mean(
            [
                regret(
                    charge_wrong_decisions(t, everything)[:length],
                    charge_wrong_decisions(b, everything)[:length],
                )
                for t, b, everything in zip(held, best, costs_of_all, strict=True)
            ],
            axis=0,
        )
    n, m, _ = datasets[0].problem.shape
    bound = regret_bound(n, m, np.arange(1, length + 1))
    return Curves(source.dataset, cost, utility, paid, bound)


def make_report(experiment: Experiment, rows: list[Row], command: str) -> dict[str, Any]:
    """Return what ``--json`` prints: the rows, and everything needed to repeat the run."""
    return {"rows": [row.as_dict() for row in rows], **provenance(experiment, command)}


def provenance(experiment: Experiment, command: str) -> dict[str, Any]:
    """Return everything needed to repeat a run: settings, command, files, versions."""
    import scipy

    digests: dict[str, str] = {}
    for source in experiment.sources:
        for seed in experiment.seeds:
            digests.update(source.digests(seed))
    return {
        "experiment": experiment.settings(),
        "command": command,
        "files": digests,
        "versions": {
            "odm-tui": __version__,
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        },
        "machine": f"{platform.system()} {platform.machine()}",
    }


def check_writable(folder: Path) -> None:
    """Make the folder and check that files can be written there, before anything is computed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise CannotWrite(
            f"Can't write the results to {folder}: {error.strerror}. Choose another folder with --out."
        ) from error


def write_files(folder: Path, texts: Mapping[str, str]) -> None:
    """Write texts to files in a folder, by file name."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise CannotWrite(
            f"Can't write the results to {folder}: {error.strerror}. Choose another folder with --out."
        ) from error


def to_json(report: dict[str, Any]) -> str:
    """Return a report as JSON; figures that are not finite become null."""
    return json.dumps(_finite(report), indent=1, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return value


def rows_to_csv(rows: list[Row]) -> str:
    """Return CSV with one line for each data set, policy and seed."""
    lines = [
        {
            "dataset": row.dataset,
            "protocol": row.protocol,
            "regions": row.regions,
            "policy": row.policy,
            "prior": row.prior,
            **asdict(seed),
            "stakes": best.stakes,
            "value": value,
            "best_kind": best.kind,
            "best_cost": best.cost,
            "best_accuracy": best.accuracy,
            "best_value": best.value,
        }
        for row in rows
        for seed, best, value in zip(row.seeds, row.optima, row.values, strict=True)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return text.getvalue()


def curves_to_csv(curves: list[Curves]) -> str:
    """Return CSV with one line for each data set, policy and interview: mean cost and utility so far, and regret."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["dataset", "policy", "interview", "cost", "utility", "regret", "regret_bound"])
    for each in curves:
        for policy, cost in each.cost.items():
            columns = zip(cost, each.utility[policy], each.regret[policy], each.bound, strict=True)
            for number, values in enumerate(columns, start=1):
                writer.writerow([each.dataset, policy, number, *(f"{value:.6g}" for value in values)])
    return text.getvalue()
