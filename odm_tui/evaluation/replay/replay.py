"""``replay``: logged interviews audited, and held again by other policies."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.engine.model import Model
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.errors import BadData
from odm_tui.evaluation.parallel import run_calls
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview, Tally, read_interviews
from odm_tui.evaluation.replay.off_policy import (
    OffPolicyEstimate,
    compute_weights,
    estimate,
    estimate_own_chances,
    predict_cost,
    samples_theta,
)
from odm_tui.evaluation.replay.what_if import (
    MIN_COVERAGE,
    Case,
    FollowedInterviews,
    bootstrap_interval,
    collect_logged,
    complete_cases,
    follow,
    informed_policy,
)

LOGGED_ANSWERS, MODEL, FULL = "logged answers", "model", "full information"
PERIODS = 10
Told = Callable[[str], None]


@dataclass(frozen=True)
class ReplayOptions:
    """What a replay is to look at.

    ``most`` is how many interviews, the latest ones, are held again by other policies; ``draws`` how often
    missing answers are drawn; ``redraws`` and ``weighed`` how many samples of theta, and for how many
    interviews, the probabilities of questions are estimated with.
    """

    policies: tuple[str, ...]
    audit: bool = True
    most: int = 1000
    draws: int = 5
    redraws: int = 16
    weighed: int = 100
    seed: int = 0
    jobs: int = 1


@dataclass(frozen=True)
class PolicyFigures:
    """One policy by one way; the ``…_over_time`` are means over consecutive stretches of the interviews.

    ``regret`` and its course are sums: what was paid beyond the oracle that knows what the log taught.
    """

    policy: str
    coverage: float
    mean_cost: float
    difference: float
    difference_interval: tuple[float, float]
    mean_questions: float
    accuracy: float
    regret: float | None
    cost_over_time: tuple[float, ...]
    questions_over_time: tuple[float, ...]
    accuracy_over_time: tuple[float, ...]
    regret_over_time: tuple[float, ...] | None


@dataclass(frozen=True)
class Way:
    """All policies by one way, the logged one first; ``ranking`` is None where ranking would mislead."""

    way: str
    interviews: int
    policies: tuple[PolicyFigures, ...]
    ranking: tuple[str, ...] | None
    note: str


@dataclass
class ReplayResult:
    """Everything that a replay found."""

    bank: Bank
    logs: tuple[str, ...]
    tally: Tally
    audit: Audit | None
    ways: list[Way] = field(default_factory=list)
    off_policy: list[OffPolicyEstimate] = field(default_factory=list)
    first: str = ""
    last: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The same as ``--json`` prints it."""
        audit = None
        if self.audit is not None:
            audit = {
                "checked": self.audit.checked,
                "same": self.audit.same,
                "reasons": self.audit.reasons,
                "differences": [asdict(each) for each in self.audit.differences],
            }
        return {
            "bank": self.bank.name,
            "logs": list(self.logs),
            "from": self.first,
            "to": self.last,
            "read": asdict(self.tally),
            "audit": audit,
            "ways": [asdict(way) for way in self.ways],
            "off_policy": [asdict(each) for each in self.off_policy],
        }


def replay(
    bank: Bank,
    logs: Sequence[Path],
    options: ReplayOptions,
    cases: Sequence[Case] = (),
    tell: Told = lambda text: None,
) -> ReplayResult:
    """Read the logs once, auditing on the way; then hold the latest interviews again."""
    found = ReplayResult(
        bank, tuple(str(log) for log in logs), Tally(), Audit(bank) if options.audit else None
    )
    latest: deque[LoggedInterview] = deque(maxlen=options.most)
    for logged in read_interviews(logs, bank, found.tally):
        if found.audit is not None:
            found.audit.check(logged)
        latest.append(logged)
        found.first = found.first or logged.started.time
        found.last = logged.started.time
        if found.tally.interviews % 100 == 0:
            tell(f"{found.tally.interviews} interviews read")
    if logs and not latest:
        raise BadData(
            f"{', '.join(found.logs)}: there is no confirmed interview of the bank {bank.name!r} to learn from"
        )
    if not options.policies:
        return found
    kept = list(latest)
    if kept:
        _hold_again(found, kept, options, tell)
    if cases:
        start = Posterior.of(bank.problem)
        found.ways.append(_by_cases(bank, list(cases), options, start, None, "the cases of the CSV file"))
    return found


def _hold_again(found: ReplayResult, kept: list[LoggedInterview], options: ReplayOptions, tell: Told) -> None:
    bank = found.bank
    start, learned = _before(bank, kept), _after(bank, kept)
    cases = [_case(bank, logged) for logged in kept]
    tell("following the logged answers")
    found.ways.append(_by_logged_answers(bank, cases, options, start))
    way, model_costs = _by_model(bank, cases, options, start, learned, tell)
    found.ways.append(way)
    whole = [case for case, logged in zip(cases, kept, strict=True) if logged.everything]
    if whole:
        said = "interviews in which everything was answered"
        found.ways.append(_by_cases(bank, whole, options, start, learned, said))
    at = [number for number, logged in enumerate(kept) if samples_theta(logged)][-options.weighed :]
    if at:
        mean_cost = Model(bank.problem, learned.outcome_prior(), learned.mean()).mean_cost
        sampled = [kept[number] for number in at]
        paid = np.array([cases[number].paid for number in at])
        predicted = np.array([predict_cost(mean_cost, logged) for logged in sampled])
        tell("redrawing theta")
        own = estimate_own_chances(bank.problem, sampled, options.redraws, options.seed + options.redraws)
        calls = [
            (compute_weights, (bank.problem, policy_from(name), sampled, own, options.redraws, options.seed))
            for name in options.policies
        ]
        for name, weight in zip(options.policies, run_calls(calls, options.jobs), strict=True):
            found.off_policy.append(estimate(name, weight, paid, predicted, model_costs[name][at]))


def _before(bank: Bank, kept: Sequence[LoggedInterview]) -> Posterior:
    """What all logs knew before the first interview that is held again."""
    firsts: dict[int, Posterior] = {}
    for logged in kept:
        firsts.setdefault(logged.log, logged.before)
    made = Posterior.of(bank.problem)
    for posterior in firsts.values():
        made = made.merged(posterior)
    return made


def _after(bank: Bank, kept: Sequence[LoggedInterview]) -> Posterior:
    """What was known before, and what these interviews teach."""
    counted = _before(bank, kept)
    counts, outcome_counts = counted.counts.copy(), counted.outcome_counts.copy()
    for logged in kept:
        asked = np.flatnonzero(logged.answers >= 0)
        counts[asked, logged.outcome, logged.answers[asked]] += 1
        outcome_counts[logged.outcome] += 1
    return Posterior.of(bank.problem, counts, outcome_counts, counted.interviews + len(kept))


def _case(bank: Bank, logged: LoggedInterview) -> Case:
    answered = np.flatnonzero(logged.answers >= 0)
    unknown = np.zeros(len(logged.answers), dtype=bool)
    unknown[list(logged.unknown)] = True
    mean = Model(bank.problem, bank.problem.prior, logged.before.mean()).mean_cost
    paid = bank.problem.cost[answered, logged.outcome, logged.answers[answered]].sum()
    return Case(
        answers=logged.answers,
        unknown=unknown,
        outcome=logged.outcome,
        seed=logged.started.seed,
        paid=float(paid + mean[unknown, logged.outcome].sum()),
        asked=len(logged.order),
        right=logged.decided == logged.outcome,
    )


def _by_logged_answers(bank: Bank, cases: list[Case], options: ReplayOptions, start: Posterior) -> Way:
    logged = collect_logged(cases)
    figures = [_figures("as logged", [logged], [logged], None, options.seed)]
    for name in options.policies:
        held = follow(bank.problem, policy_from(name), cases, start)
        figures.append(_figures(name, [held], [logged], None, options.seed))
    low = [each.policy for each in figures if each.coverage < MIN_COVERAGE]
    note = "Exact where the log has every answer that a policy asks for; the other interviews are left out."
    if low:
        note = (
            f"Not ranked: the log has all answers for fewer than {MIN_COVERAGE:.0%} of the interviews of "
            f"{', '.join(low)}, and those it has are not like the others."
        )
    return Way(LOGGED_ANSWERS, len(cases), tuple(figures), None if low else _ranking(figures), note)


def _by_model(
    bank: Bank, cases: list[Case], options: ReplayOptions, start: Posterior, learned: Posterior, tell: Told
) -> tuple[Way, dict[str, Floats]]:
    """The way of the model, and what it says that each policy's interviews cost, (T,) each.

    Regret is measured on the first draw alone: it needs every interview once more.
    """
    logged = collect_logged(cases)
    people = [complete_cases(cases, learned, options.seed + draw) for draw in range(options.draws)]
    policies = {name: policy_from(name) for name in options.policies}
    calls = [
        (follow, (bank.problem, policy, drawn, start)) for policy in policies.values() for drawn in people
    ]
    calls += [
        (follow, (bank.problem, informed_policy(policy, learned), people[0], start))
        for policy in policies.values()
    ]
    tell(f"drawing the missing answers {options.draws} times")
    followed = run_calls(calls, options.jobs)
    figures = [_figures("as logged", [logged], [logged], None, options.seed)]
    means = {}
    for number, name in enumerate(policies):
        held = followed[number * options.draws : (number + 1) * options.draws]
        best = followed[len(policies) * options.draws + number]
        figures.append(_figures(name, held, [logged], best, options.seed))
        means[name] = np.mean([each.cost for each in held], axis=0)
    note = f"Answers that the log lacks are drawn from what it taught, {options.draws} times."
    return Way(MODEL, len(cases), tuple(figures), _ranking(figures), note), means


def _by_cases(
    bank: Bank,
    cases: list[Case],
    options: ReplayOptions,
    start: Posterior,
    learned: Posterior | None,
    said: str,
) -> Way:
    logged = collect_logged(cases)
    figures = []
    if learned is not None:
        figures.append(_figures("as logged", [logged], [logged], None, options.seed))
    for name in options.policies:
        policy = policy_from(name)
        held = follow(bank.problem, policy, cases, start)
        best = (
            None if learned is None else follow(bank.problem, informed_policy(policy, learned), cases, start)
        )
        figures.append(_figures(name, [held], [logged], best, options.seed))
    return Way(FULL, len(cases), tuple(figures), _ranking(figures), f"Exact: {said}.")


def _figures(
    name: str,
    held: list[FollowedInterviews],
    logged: list[FollowedInterviews],
    best: FollowedInterviews | None,
    seed: int,
) -> PolicyFigures:
    cost, questions, right = (
        np.array([getattr(each, name) for each in held]) for name in ("cost", "questions", "right")
    )
    differences = cost - logged[0].cost
    regrets = None if best is None else held[0].cost - best.cost
    return PolicyFigures(
        policy=name,
        coverage=float(held[0].covered.mean()),
        mean_cost=_mean(cost),
        difference=_mean(differences),
        difference_interval=bootstrap_interval(differences, seed),
        mean_questions=_mean(questions),
        accuracy=_mean(right),
        regret=None if regrets is None else float(regrets.sum()),
        cost_over_time=_over_time(cost),
        questions_over_time=_over_time(questions),
        accuracy_over_time=_over_time(right),
        regret_over_time=None
        if regrets is None
        else tuple(float(part.sum()) for part in np.array_split(regrets, min(PERIODS, len(regrets)))),
    )


def _over_time(values: Floats) -> tuple[float, ...]:
    """The means of up to PERIODS consecutive stretches of (draws, T) values."""
    return tuple(_mean(part) for part in np.array_split(values, min(PERIODS, values.shape[1]), axis=1))


def _mean(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else float("nan")


def _ranking(figures: Sequence[PolicyFigures]) -> tuple[str, ...]:
    """The policies, cheapest first."""
    return tuple(each.policy for each in sorted(figures, key=lambda each: each.mean_cost))
