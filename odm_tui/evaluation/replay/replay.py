"""Replay logged interviews: check that they repeat, and estimate what other policies would have done."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from odm_tui.banks.bank import Bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.problem import Bools
from odm_tui.errors import BadData
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.dated_posterior import DatedPosterior, compute_interview_cost
from odm_tui.evaluation.replay.estimates import Comparison, Way
from odm_tui.evaluation.replay.logged_interviews import (
    LoggedInterview,
    Tally,
    describe_damage,
    read_interviews,
)
from odm_tui.evaluation.replay.off_policy import OffPolicyEstimate, estimate_policies
from odm_tui.evaluation.replay.what_if import Case
from odm_tui.formatting import format_count

POLICIES = ("w-ec2-ts", "w-ig-ts", "random")
Progress = Callable[[str], None]
"""Called with a sentence about what is being done."""


@dataclass(frozen=True)
class ReplayOptions:
    """What a replay computes.

    ``policies`` are held instead of the logged one, with the bank's stop rule; with none, there is only the audit.
    Only the latest ``max_interviews`` are held again. Missing answers are drawn ``answer_draws`` times. The
    off-policy estimates use at most the latest ``max_weighted`` interviews; 0 leaves them out. ``seed`` draws
    answers, samples and intervals. ``jobs`` is the number of processes.
    """

    policies: Sequence[str] = POLICIES
    audit: bool = True
    max_interviews: int = 1000
    answer_draws: int = 5
    max_weighted: int = 100
    seed: int = 0
    jobs: int = 1


@dataclass
class ReplayResult:
    """What a replay found: what was read, the audit, the estimates by way, and the off-policy estimates.

    ``first`` and ``last`` are the times at which the first and the last interview began.
    """

    bank: Bank
    logs: tuple[str, ...]
    tally: Tally
    audit: Audit | None
    ways: list[Way] = field(default_factory=list)
    off_policy: list[OffPolicyEstimate] = field(default_factory=list)
    first: str = ""
    last: str = ""

    def as_dict(self) -> dict[str, Any]:
        """Return the result as ``--json`` prints it."""
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
    logs: Sequence[Path | str],
    options: ReplayOptions | None = None,
    *,
    cases: Sequence[Case] = (),
    progress: Progress = lambda text: None,
) -> ReplayResult:
    """Read logs, check every interview, and hold the latest ones again with other policies.

    ``cases`` have every answer and a known outcome; the policies are compared on them too.
    """
    options = ReplayOptions() if options is None else options
    paths = [Path(log) for log in logs]
    result = ReplayResult(
        bank, tuple(str(path) for path in paths), Tally(), Audit(bank) if options.audit else None
    )
    latest = _read(result, paths, options, progress)
    if not options.policies:
        return result
    if latest:
        _hold_again(result, latest, options, progress)
    if cases:
        compared = _compare(bank, options, DatedPosterior.of(bank.problem))
        result.ways.append(compared.by_full_information(list(cases), None, "the cases of the CSV file"))
    return result


def _read(
    result: ReplayResult, paths: Sequence[Path], options: ReplayOptions, progress: Progress
) -> list[LoggedInterview]:
    """Read and check all interviews; return the latest ones."""
    latest: deque[LoggedInterview] = deque(maxlen=options.max_interviews)
    for logged in read_interviews(paths, result.bank, result.tally):
        if result.audit is not None:
            result.audit.check(logged)
        latest.append(logged)
        result.first = result.first or logged.started.time
        result.last = logged.started.time
        if result.tally.interviews % 100 == 0:
            progress(f"{format_count(result.tally.interviews, 'interview')} read")
    if paths and not latest:
        raise BadData(
            describe_damage(paths)
            or f"{', '.join(result.logs)}: there is no confirmed interview of the bank {result.bank.name!r}; "
            "name another log, or another bank with --bank."
        )
    return list(latest)


def _compare(bank: Bank, options: ReplayOptions, start: DatedPosterior) -> Comparison:
    policies = {name: policy_for(bank, name) for name in options.policies}
    return Comparison(bank.problem, policies, start, options.seed)


def _hold_again(
    result: ReplayResult, latest: list[LoggedInterview], options: ReplayOptions, progress: Progress
) -> None:
    bank = result.bank
    start, learned = _learned_before(bank, latest), _learned_after(bank, latest).posterior
    cases = [_case_of(logged) for logged in latest]
    compared = _compare(bank, options, start)
    progress("Following the logged answers")
    result.ways.append(compared.by_logged_answers(cases))
    progress(f"Drawing the missing answers {format_count(options.answer_draws, 'time')}")
    result.ways.append(compared.by_model(cases, learned, options.answer_draws, options.jobs))
    complete = [case for case, logged in zip(cases, latest, strict=True) if logged.is_complete]
    if complete:
        origin = "interviews in which everything was answered"
        result.ways.append(compared.by_full_information(complete, learned, origin))
    if options.max_weighted:
        result.off_policy += estimate_policies(
            bank, latest, compared.policies, options.max_weighted, options.seed, options.jobs, progress
        )


def _learned_before(bank: Bank, latest: Sequence[LoggedInterview]) -> DatedPosterior:
    """Return what all logs taught before the first interview that is held again."""
    firsts: dict[int, DatedPosterior] = {}
    for logged in latest:
        firsts.setdefault(logged.log, DatedPosterior(logged.before, logged.began))
    known = DatedPosterior.of(bank.problem)
    for first in firsts.values():
        known = known.merged(first)
    return known


def _learned_after(bank: Bank, latest: Sequence[LoggedInterview]) -> DatedPosterior:
    """Return what was known before, plus what these interviews teach."""
    known = _learned_before(bank, latest).without_pairs()
    for logged in latest:
        unknown = _mark(logged, logged.unknown)
        known = known.at(logged.began).updated(logged.answers, unknown, logged.outcome, logged.confirmed)
    return known


def _mark(logged: LoggedInterview, questions: frozenset[int]) -> Bools:
    """Return which questions are in the set, (n,)."""
    marked = np.zeros(len(logged.answers), dtype=bool)
    marked[list(questions)] = True
    return marked


def _case_of(logged: LoggedInterview) -> Case:
    unknown = _mark(logged, logged.unknown)
    return Case(
        answers=logged.answers,
        unknown=unknown,
        outcome=logged.outcome,
        seed=logged.started.seed,
        paid=compute_interview_cost(logged.before, logged.answers, unknown, logged.outcome),
        asked=len(logged.order),
        right=logged.decided == logged.outcome,
        referred=logged.referred,
        skipped=_mark(logged, logged.skipped) if logged.skipped else None,
        began=logged.began,
        confirmed=logged.confirmed,
    )
