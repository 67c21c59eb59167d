"""The options of ``odm-tui experiment``: how they are written, and what they must fulfil."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from odm_tui.errors import BadArgument

if TYPE_CHECKING:
    from odm_tui.evaluation.experiment.plan import Experiment

Value = TypeVar("Value")

PAPER_POLICIES = ("w-ec2-ts", "w-ec2-bucb", "w-ig-ts", "w-ig-bucb", "random", "all", "dpp")
"""The policies of the paper's Table 1."""
PAIRED_THRESHOLDS = 5
"""How many thresholds a real-valued column has by default if each is a question of its own."""


@dataclass(frozen=True, kw_only=True)
class ExperimentOptions:
    """What the user typed after ``odm-tui experiment``."""

    datasets: Annotated[
        list[str],
        typer.Argument(
            metavar="DATASET…",
            help="navigation, led, fico, compas, breast-cancer, troubleshooting, paper for all of them, cube, "
            "context-cube, or any name with --data.",
        ),
    ]
    policy: Annotated[
        list[str] | None, typer.Option("--policy", "-p", metavar="NAME", help="A policy; may be repeated.")
    ] = None
    frontier: Annotated[
        bool,
        typer.Option(
            "--frontier", help="Show cost against accuracy over several stakes, in live interviews."
        ),
    ] = False
    grid: Annotated[
        str | None,
        typer.Option(metavar="STAKES", help="The stakes of --frontier, with commas: 3,10,30,100,300."),
    ] = None
    protocol: Annotated[
        str | None,
        typer.Option(
            metavar="[paper|authors|live]",
            help="paper: by the paper's formulas (the default); authors: as the authors' program computes; "
            "live: as in real interviews.",
        ),
    ] = None
    prior: Annotated[
        str | None,
        typer.Option(
            metavar="[separate|pooled|shared]",
            help="separate: Beta(2,2) for every pair of question and outcome; pooled: a base rate per question, "
            "learned from all outcomes; shared: also how far outcomes differ, learned from all questions. Default: "
            "shared with live, else separate.",
        ),
    ] = None
    regions: Annotated[
        str | None,
        typer.Option(
            metavar="[known|unknown]",
            help="known: from the whole data set; unknown: from what is learned. Default: unknown with live, "
            "else known.",
        ),
    ] = None
    seeds: Annotated[int, typer.Option(min=1, help="How many seeds.")] = 5
    first_seed: Annotated[int, typer.Option(min=0, help="The first seed; the others follow.")] = 130
    limit: Annotated[int | None, typer.Option(min=1, help="Use only the first N scenarios.")] = None
    data: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A CSV file of scenarios; {seed} and {dataset} are filled in."),
    ] = None
    label: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the right outcome.")] = "label"
    costs: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="A CSV file of costs: one line per question, one column cost… per answer; with a column outcome, "
            "one line per question and outcome.",
        ),
    ] = None
    cost_seed: Annotated[int, typer.Option(min=0, help="Draws the costs if no file is named.")] = 0
    costs_by_outcome: Annotated[
        bool,
        typer.Option("--costs-by-outcome", help="Costs that are drawn differ by outcome, as in the paper."),
    ] = False
    hypotheses: Annotated[
        int | None, typer.Option(min=1, help="Hypotheses per outcome. Default: as in the paper.")
    ] = None
    eta: Annotated[
        float, typer.Option(help="How much of an outcome's probability its list of hypotheses may leave out.")
    ] = 0.002
    thresholds: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Thresholds for real-valued columns, scaled to 0 to 1; 1 means 0.5. Default: 1, and 5 with --pairs.",
        ),
    ] = None
    pairs: Annotated[
        bool,
        typer.Option(
            "--pairs",
            help="Every pair of a real-valued column and a threshold is a yes/no question of its own.",
        ),
    ] = False
    stakes: Annotated[
        float | None, typer.Option(min=0, help="What a wrong outcome costs, for policies that use it.")
    ] = None
    target_cost: Annotated[
        float | None,
        typer.Option(
            metavar="COST",
            help="What an interview should cost on average: the stakes start as given and follow from what "
            "interviews cost. Only with live.",
        ),
    ] = None
    refer: Annotated[
        float | None,
        typer.Option(
            metavar="COST",
            help="What handing an interview over costs: live interviews do so where deciding costs more, and stay "
            "undecided. Only with live.",
        ),
    ] = None
    variants: Annotated[
        bool,
        typer.Option(
            "--variants",
            help="Also run each policy with hidden variants of outcomes that it learns. Only with live.",
        ),
    ] = False
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Also print how often the surest decisions are right.")
    ] = False
    milliseconds: Annotated[
        float,
        typer.Option(help="How long a plan of the lookahead may take; longer plans look further ahead."),
    ] = 10.0
    jobs: Annotated[int, typer.Option(min=0, help="Processes at a time; 0 is one per core.")] = 0
    backend: Annotated[
        str, typer.Option(metavar="[processes|dask]", help="processes, or dask for a cluster.")
    ] = "processes"
    scheduler: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The address of the Dask scheduler.")
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write results.json, results.csv and curves.csv here, and store finished runs.",
        ),
    ] = None
    charts: Annotated[
        bool, typer.Option("--charts", help="Also draw cost, utility and regret as PNG and SVG in --out.")
    ] = False
    plot: Annotated[bool, typer.Option(help="Draw cost and regret below the table.")] = True
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False

    def check(self) -> Experiment:
        """Return the experiment that the options describe, or report all errors in one run."""
        from odm_tui.evaluation.data.dataset_sources import Source
        from odm_tui.evaluation.experiment.frontier import FRONTIER_POLICIES, STAKES, parse_stakes
        from odm_tui.evaluation.experiment.plan import WITH_VARIANTS, Experiment, check_milliseconds
        from odm_tui.evaluation.experiment.settings import Prior, Protocol, Regions, check_prior, parse_choice
        from odm_tui.session import policy_from

        errors = self._find_contradictions()

        def attempt(make: Callable[[], Value], default: Value) -> Value:
            try:
                return make()
            except BadArgument as error:
                errors.append(str(error))
                return default

        policies = self.policy or (FRONTIER_POLICIES if self.frontier else PAPER_POLICIES)
        for name in policies:
            attempt(partial(policy_from, name), None)
        usual = Protocol.LIVE if self.frontier else Protocol.PAPER
        protocol = attempt(lambda: parse_choice(Protocol, self.protocol or usual), usual)
        regions = attempt(
            lambda: parse_choice(Regions, self.regions or protocol.default_regions), Regions.KNOWN
        )
        prior = attempt(lambda: parse_choice(Prior, self.prior or protocol.default_prior), Prior.SEPARATE)
        attempt(lambda: check_prior(protocol, prior), None)
        attempt(lambda: check_milliseconds(self.milliseconds), None)
        attempt(lambda: parse_stakes(self.grid), STAKES)
        none: tuple[Source, ...] = ()
        sources = attempt(
            lambda: tuple(
                Source(
                    name,
                    self.data,
                    self.label,
                    self.costs,
                    self.cost_seed,
                    self.thresholds or (PAIRED_THRESHOLDS if self.pairs else 1),
                    self.hypotheses,
                    self.limit,
                    pairs=self.pairs,
                    costs_by_outcome=self.costs_by_outcome,
                )
                for name in dict.fromkeys(self.datasets)
            ),
            none,
        )
        if errors:
            raise BadArgument("\n".join(errors))
        return Experiment(
            sources=sources,
            policies=tuple(
                name + suffix
                for name in dict.fromkeys(policy_from(name).name for name in policies)
                for suffix in (("", WITH_VARIANTS) if self.variants else ("",))
            ),
            protocol=protocol,
            regions=regions,
            seeds=tuple(range(self.first_seed, self.first_seed + self.seeds)),
            eta=self.eta,
            stakes=self.stakes,
            prior=prior,
            milliseconds=self.milliseconds,
            target_cost=self.target_cost,
            refer_cost=self.refer,
        )

    def _find_contradictions(self) -> list[str]:
        """Return the errors in options that do not go together or are out of range."""
        rules = {
            f"--eta must be from 0 to below 1, not {self.eta:g}.": not 0 <= self.eta < 1,
            "With several data sets, the name of the --data file must contain {dataset}.": (
                self.data is not None and len(self.datasets) > 1 and "{dataset}" not in self.data
            ),
            "--frontier uses live interviews. Leave out --protocol.": (
                self.frontier and self.protocol not in (None, "live")
            ),
            "--frontier uses several stakes. Name them with --grid 3,10,30 instead of --stakes.": (
                self.frontier and self.stakes is not None
            ),
            "--grid needs --frontier. For one number, use --stakes.": (
                self.grid is not None and not self.frontier
            ),
            "--costs-by-outcome draws costs. Leave out --costs, whose file may have a column outcome instead.": (
                self.costs_by_outcome and self.costs is not None
            ),
            "--target-cost needs --protocol live: only live interviews follow a target.": (
                self.target_cost is not None and self.protocol != "live"
            ),
            f"--target-cost must be a number above 0, not {self.target_cost}.": (
                self.target_cost is not None and not 0 < self.target_cost < float("inf")
            ),
            "--refer needs --protocol live: only live interviews are handed over.": (
                self.refer is not None and self.protocol != "live"
            ),
            f"--refer must be a number, 0 or more, not {self.refer}.": (
                self.refer is not None and not 0 <= self.refer < float("inf")
            ),
            "--variants needs --protocol live: only live interviews learn variants.": (
                self.variants and self.protocol != "live" and not self.frontier
            ),
            "--charts needs --out FOLDER.": self.charts and self.out is None,
        }
        return [sentence for sentence, broken in rules.items() if broken]
