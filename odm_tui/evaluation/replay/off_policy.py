"""Off-policy estimates: what another policy would have cost and decided in the logged interviews.

Each interview is estimated with what was known when it began. So all estimates answer the same question: what if this
policy had held each of these interviews? With w the weight of an interview (see
:mod:`odm_tui.evaluation.replay.propensity`), and x its cost, or 1 if its decision was right and else 0:

- plain: mean of w · x. Unbiased.
- weighted: Σ w · x / Σ w. Slightly biased with few interviews; usually more exact.
- doubly robust: mean of [model + Σ_k surprise_k / P(logged choice k)]. The value model estimates the cost and P(right)
  of the policy with the confirmed outcome; each logged reply corrects it by the change that this reply makes.
  Unbiased if the weights are right or the model is (Jiang and Li, 2016, section 4).

Intervals take the interviews as the sample: t quantiles, with the effective number of interviews less one as degrees
of freedom. The error of the draws adds to the spread between interviews, so the intervals contain it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.engine.policy import Policy
from odm_tui.engine.problem import Bools, Floats
from odm_tui.evaluation.intervals import NO_INTERVAL, Interval, mean_interval, ratio_interval
from odm_tui.evaluation.parallel import run_calls
from odm_tui.evaluation.replay.chances import LoggedChances, OtherChances, PathChances
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview
from odm_tui.evaluation.replay.logged_path import LoggedPath, find_path
from odm_tui.evaluation.replay.propensity import estimate_chances, estimate_logged_chances

MATCHES = 8
"""How often every logged choice must be matched, so that 1 / P(choice) has a relative error of at most 1 / √8."""
MAX_DRAWS_PER_MATCH = 256
"""Draws of the logged policy per match, at most: a choice that is rarer than 1 in this many can't be measured."""
MAX_SHARE = 0.75
"""How much of the weighted estimate's variance may come from the draws; with more it is withheld."""
PROBES, PROBE_DRAWS = 10, 128
"""How many interviews are tried first, with how many draws; if most have no match, nothing more is drawn."""
RARE_SHARE = 0.05
"""If more than this share of interviews, or of their weight, has a path that is too rare, the estimate is withheld."""
MIN_EFFECTIVE = 10
"""If the effective number of interviews is smaller, the estimate is withheld."""
TOO_RARE = "The logged policy almost never holds the same interview twice, so the chances of its paths can't be measured."
ANSWERS_USED = "The value model uses the answers of interviews confirmed before each one began."


@dataclass(frozen=True)
class OffPolicyEstimate:
    """Estimates of another policy's mean cost and share of right decisions, with 95 % intervals.

    ``model`` is the value model's estimate alone. It has no interval: it is biased, and its spread between interviews
    does not say by how much. ``logged`` and ``logged_accuracy`` are the mean cost and share of
    right decisions in the log; ``difference`` is the doubly robust cost minus the logged cost. ``mean_weight`` is 1 in
    expectation if the logged policy makes all choices of the other policy at least sometimes. ``draw_share`` is the
    share of the weighted estimate's variance that comes from the draws, ``draws`` the mean number of draws per
    interview, ``rare`` the number of interviews whose paths are too rare. If ``reason`` is set, it says why the
    estimates are withheld; they are NaN. ``left_out`` counts the interviews that can't be used, by reason.
    ``answers_used`` says what the value model knows.
    """

    policy: str
    interviews: int
    plain: float = float("nan")
    plain_interval: Interval = NO_INTERVAL
    weighted: float = float("nan")
    weighted_interval: Interval = NO_INTERVAL
    doubly_robust: float = float("nan")
    doubly_robust_interval: Interval = NO_INTERVAL
    model: float = float("nan")
    plain_accuracy: float = float("nan")
    plain_accuracy_interval: Interval = NO_INTERVAL
    weighted_accuracy: float = float("nan")
    weighted_accuracy_interval: Interval = NO_INTERVAL
    doubly_robust_accuracy: float = float("nan")
    doubly_robust_accuracy_interval: Interval = NO_INTERVAL
    model_accuracy: float = float("nan")
    logged: float = float("nan")
    logged_accuracy: float = float("nan")
    difference: float = float("nan")
    difference_interval: Interval = NO_INTERVAL
    effective_sample_size: float = 0.0
    mean_weight: float = float("nan")
    mean_weight_interval: Interval = NO_INTERVAL
    draw_share: float = float("nan")
    draws: float = 0.0
    rare: int = 0
    reason: str | None = None
    answers_used: str = ANSWERS_USED
    left_out: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class WeightedInterviews:
    """What the estimates of one policy need of each interview, (T,) or (T, 2); the columns are cost and right.

    ``seen`` is what was logged, ``robust`` the doubly robust figure, ``noise`` the variance of the weight that comes
    from the draws.
    """

    weight: Floats
    noise: Floats
    seen: Floats
    model: Floats
    robust: Floats
    rare: Bools
    draws: Floats

    def first(self, count: int) -> WeightedInterviews:
        """Return only the first interviews."""
        return WeightedInterviews(*(getattr(self, each.name)[:count] for each in fields(self)))


def estimate_policies(
    bank: Bank,
    interviews: Sequence[LoggedInterview],
    policies: Mapping[str, Policy],
    max_weighted: int,
    seed: int,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda text: None,
) -> list[OffPolicyEstimate]:
    """Estimate every policy from the latest logged interviews that can be used, at most ``max_weighted``."""
    paths: list[LoggedPath] = []
    reasons: Counter[str] = Counter()
    for logged in reversed(interviews):
        if len(paths) == max_weighted:
            break
        found = find_path(bank, logged)
        if isinstance(found, str):
            reasons[found] += 1
        else:
            paths.append(found)
    paths.reverse()
    if len(paths) < MIN_EFFECTIVE:
        reason = f"It rests on {len(paths)} interviews; {MIN_EFFECTIVE} are needed."
        return [
            OffPolicyEstimate(name, len(paths), reason=reason, left_out=dict(reasons)) for name in policies
        ]
    weighted = weight_paths(paths, policies, seed, jobs, progress)
    return [
        estimate(name, weighted[name], reasons)
        if name in weighted
        else OffPolicyEstimate(name, len(paths), reason=TOO_RARE, left_out=dict(reasons))
        for name in policies
    ]


def weight_paths(
    paths: Sequence[LoggedPath],
    policies: Mapping[str, Policy],
    seed: int,
    jobs: int = 1,
    progress: Callable[[str], None] = lambda text: None,
) -> dict[str, WeightedInterviews]:
    """Weight all interviews for each policy.

    If a few interviews show that the paths of the logged policy are too rare, all other policies are left out.
    """
    waiting: Mapping[str, Policy] = policies
    same = {
        name: policy
        for name, policy in policies.items()
        if all(policy.spec() == path.policy.spec() for path in paths)
    }
    if len(same) < len(waiting) and are_too_rare(paths, seed):
        waiting = same
    if not waiting:
        return {}
    progress(f"Drawing until every logged choice is matched {MATCHES} times")
    chances = _estimate_in_parallel(paths, (waiting, MATCHES, MATCHES * MAX_DRAWS_PER_MATCH, seed), jobs)
    return {
        name: combine_draws(
            [(path, own, others.get(name)) for path, (own, others) in zip(paths, chances, strict=True)]
        )
        for name in waiting
    }


def _estimate_in_parallel(
    paths: Sequence[LoggedPath], arguments: tuple[Any, ...], jobs: int
) -> list[PathChances]:
    """Estimate the chances of every path in several processes; each process gets early and late interviews."""
    count = min(4 * jobs, len(paths)) if jobs > 1 else 1
    calls = [(estimate_chances, (paths[start::count], *arguments)) for start in range(count)]
    made: list[Any] = [None] * len(paths)
    for start, part in enumerate(run_calls(calls, jobs)):
        made[start::count] = part
    return made


def are_too_rare(paths: Sequence[LoggedPath], seed: int) -> bool:
    """Try a few interviews and return whether the logged policy almost never repeats them."""
    some = paths[:: max(1, len(paths) // PROBES)][:PROBES]
    ends = (np.arange(len(path.choices)) == len(path.steps) for path in some)
    found = [
        estimate_logged_chances(path, 1, PROBE_DRAWS, seed, end) for path, end in zip(some, ends, strict=True)
    ]
    return sum(each.rare for each in found) > len(some) / 2


def combine_draws(
    found: Sequence[tuple[LoggedPath, LoggedChances | None, OtherChances | None]],
) -> WeightedInterviews:
    """Combine the draws of one policy; None is for an interview that this policy held itself."""
    rows = [_weight_interview(*each) for each in found]
    weight, noise, model, robust = (np.array([row[i] for row in rows]) for i in range(4))
    return WeightedInterviews(
        weight,
        noise,
        np.array([(path.cost, path.right) for path, _, _ in found]),
        model,
        robust,
        np.array([own is not None and other is not None and own.rare for _, own, other in found]),
        np.array([own.draws + other.draws if own and other else 0 for _, own, other in found]),
    )


def _weight_interview(
    path: LoggedPath, own: LoggedChances | None, other: OtherChances | None
) -> tuple[float, float, Floats, Floats]:
    """Return (weight, its variance from the draws, model, doubly robust) of one interview."""
    seen = np.array([path.cost, path.right])
    if own is None or other is None:
        return 1.0, 0.0, seen, seen
    share, inverse = float(other.shares[-1]), float(own.inverse[-1])
    weight = share * inverse
    noise = share * (1 - share) / other.draws * inverse**2
    if weight:
        noise += weight**2 * (1 - 1 / inverse) / own.matches
    return weight, noise, other.model, other.model + own.inverse[:-1] @ other.surprises


def draw_share(found: WeightedInterviews) -> float:
    """Return the share of the weighted cost's variance that comes from the draws.

    It is Σ noise · (x - mean)² / Σ w² · (x - mean)².
    """
    cost, weight = found.seen[:, 0], found.weight
    if not weight.any():
        return 0.0
    squares = (cost - (weight * cost).sum() / weight.sum()) ** 2
    if not (weight * squares).any():
        squares = np.ones(len(weight))
    return float((found.noise * squares).sum() / (weight**2 * squares).sum())


def estimate(
    policy: str, found: WeightedInterviews, left_out: Mapping[str, int] | None = None
) -> OffPolicyEstimate:
    """Return the estimates from weighted interviews, or the reason why they are withheld."""
    weight, count = found.weight, len(found.weight)
    effective = effective_size(weight)
    freedom = max(effective - 1, 1.0)
    mean_weight = float(weight.mean())
    common = {
        "policy": policy,
        "interviews": count,
        "effective_sample_size": effective,
        "mean_weight": mean_weight,
        "mean_weight_interval": mean_interval(weight, freedom)[1],
        "draw_share": draw_share(found),
        "draws": float(found.draws.mean()),
        "rare": int(found.rare.sum()),
        "left_out": dict(left_out or {}),
        "logged": float(found.seen[:, 0].mean()),
        "logged_accuracy": float(found.seen[:, 1].mean()),
    }
    reason = find_withhold_reason(found, effective)
    if reason is not None:
        return OffPolicyEstimate(**common, reason=reason)  # type: ignore[arg-type]  # the values are of the fields named
    figures: dict[str, float | Interval] = {}
    for column, kind in enumerate(("", "_accuracy")):
        seen = found.seen[:, column]
        figures[f"model{kind}"] = float(found.model[:, column].mean())
        for name, (value, interval) in {
            "plain": mean_interval(weight * seen, freedom),
            "weighted": ratio_interval(weight, seen, freedom),
            "doubly_robust": mean_interval(found.robust[:, column], freedom),
        }.items():
            figures[f"{name}{kind}"] = value
            figures[f"{name}{kind}_interval"] = _within_one(interval) if kind else interval
    difference, interval = mean_interval(found.robust[:, 0] - found.seen[:, 0], freedom)
    return OffPolicyEstimate(
        **common,  # type: ignore[arg-type]  # the values are of the fields named
        **figures,  # type: ignore[arg-type]  # the same
        difference=difference,
        difference_interval=interval,
    )


def find_withhold_reason(found: WeightedInterviews, effective: float) -> str | None:
    """Return why no estimate can be made from these weights; None if it can."""
    weight, count = found.weight, len(found.weight)
    if not weight.any():
        return "The policy never asks what was asked."
    if _has_rare_paths(found):
        rare = int(found.rare.sum())
        return f"{rare} of {count} interviews have a choice that the logged policy makes less than once in {MAX_DRAWS_PER_MATCH} draws."
    if effective < MIN_EFFECTIVE:
        return f"It rests on {effective:.1f} interviews in effect; {MIN_EFFECTIVE} are needed."
    if draw_share(found) > MAX_SHARE:
        return f"{draw_share(found):.0%} of the variance comes from the draws; {MAX_SHARE:.0%} is the most."
    mean = float(weight.mean())
    error = float(weight.std(ddof=1)) / count**0.5
    if abs(mean - 1) > 3 * error + 1e-9:
        return f"The log does not hold what the policy does: the mean weight is {mean:.2f}, not 1."
    return None


def _has_rare_paths(found: WeightedInterviews) -> bool:
    """Return whether too many interviews, or too much of their weight, have a path that is too rare."""
    rare, weight = found.rare, found.weight
    return bool(rare.mean() > RARE_SHARE or weight[rare].sum() > RARE_SHARE * weight.sum())


def effective_size(weight: Floats) -> float:
    """Return the effective number of interviews, (Σ w)² / Σ w².

    >>> effective_size(np.array([1.0, 1.0, 0.0, 0.0])), effective_size(np.zeros(2))
    (2.0, 0.0)
    """
    squares = float((weight**2).sum())
    return float(weight.sum()) ** 2 / squares if squares > 0 else 0.0


def _within_one(interval: Interval) -> Interval:
    low, high = interval
    return max(low, 0.0), min(high, 1.0)
