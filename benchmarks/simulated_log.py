"""Write a log of simulated interviews, as sessions write it: ``python -m benchmarks.simulated_log``.

Callers are drawn from what the bank expects (prior and P(answer | outcome)). Each interview starts from what the
interviews before it taught, as in real use.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from odm_tui.banks import Bank, load_bank
from odm_tui.banks.policies import policy_for
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.policy import Policy
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Floats
from odm_tui.store.events import Answered, Asked, Confirmed, Decided, Event, Started, timestamp
from odm_tui.store.log_codec import encode_event


def events(
    bank: Bank,
    count: int,
    policies: Sequence[str | Policy],
    seed: int,
    start: float,
    theta: Floats | None = None,
) -> Iterator[Event]:
    """Yield the events of this many interviews; the policies take turns. A policy named keeps the bank's stop rule.

    ``theta`` is P(answer | outcome) of the callers, (n, m, K); the default is what the bank expects.
    """
    rng = np.random.default_rng(seed)
    problem = bank.problem
    if theta is None:
        theta = problem.pseudo / problem.pseudo.sum(axis=-1, keepdims=True)
    posterior = Posterior.of(problem)
    now = start
    for number in range(count):
        name = f"{seed:04x}{number:012x}"
        outcome = int(rng.choice(len(problem.outcomes), p=problem.prior))
        policy = policy_for(bank, policies[number % len(policies)])
        drawn = int(rng.integers(2**31))
        interview = Interview(problem, policy, posterior, drawn)
        n = 1
        yield Started(
            interview=name,
            n=n,
            time=timestamp(now),
            bank=bank.name,
            bank_hash=bank.hash,
            policy=policy.spec(),
            seed=drawn,
            operator=f"operator{seed}",
        )
        while isinstance(upcoming := interview.next, Ask):
            question = problem.questions[upcoming.question]
            answer = int(rng.choice(theta.shape[2], p=theta[upcoming.question, outcome]))
            given: str | float = question.answers[answer]
            if question.thresholds:
                cuts = question.thresholds
                given = cuts[0] if answer == 0 else float(np.nextafter(cuts[answer - 1], np.inf))
            interview.answer(given if question.thresholds else answer)
            yield Asked(interview=name, n=n + 1, time=timestamp(now), question=question.id)
            now += float(rng.uniform(3, 12))
            n += 2
            cost = interview.steps[-1].cost
            yield Answered(
                interview=name,
                n=n,
                time=timestamp(now),
                question=question.id,
                answer=given,
                cost=round(cost, 6),
                seconds=7.0,
            )
        yield Decided(
            interview=name,
            n=n + 1,
            time=timestamp(now),
            outcome=problem.outcomes[upcoming.outcome],
            belief=upcoming.belief,
            reason=upcoming.reason,
            rule=upcoming.rule,
        )
        now += 5
        yield Confirmed(interview=name, n=n + 2, time=timestamp(now), outcome=problem.outcomes[outcome])
        now += 30
        posterior = posterior.updated(interview.answers, outcome)


def write_log(
    path: Path,
    bank: Bank,
    count: int,
    policies: Sequence[str | Policy],
    seed: int = 1,
    start: float = 1.7e9,
    theta: Floats | None = None,
) -> None:
    """Write the log of this many simulated interviews."""
    with path.open("wb") as log:
        for number, event in enumerate(events(bank, count, policies, seed, start, theta), start=1):
            log.write(encode_event(event, number))


def main() -> None:
    """Write a log: BANK FILE COUNT POLICY…"""
    bank, path, count, *policies = sys.argv[1:]
    write_log(Path(path), load_bank(bank), int(count), policies or ["w-ec2-ts"])


if __name__ == "__main__":
    main()
