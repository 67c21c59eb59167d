"""Check an oracle, an exploration or a stop rule as a whole."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from odm_tui.engine.exploration import EXPLORATIONS, Exploration
from odm_tui.engine.interview import Ask, Interview
from odm_tui.engine.model import Model
from odm_tui.engine.oracles import ORACLES, Oracle
from odm_tui.engine.policy import Policy, fit_together
from odm_tui.engine.stopping import STOP_RULES, AllOf, AnyOf, Progress, StopRule, stop_rule_from
from odm_tui.testing.checks import check_policy, check_rules, require
from odm_tui.testing.interviews import (
    PROBLEMS,
    make_move,
    make_script,
    sample_posterior,
    strict_numbers,
)


def check_oracle(
    oracle: str | Oracle | type[Oracle], explorations: Iterable[str | Exploration] | None = None
) -> None:
    """Check that an oracle keeps its promises, in interviews of every kind.

    It must choose available questions only, always the same ones in the same situation, change nothing that it
    looks at, and come to an end with every exploration that goes with it, and every stop rule. ``oracle`` is a registered name, a class or an
    instance; ``explorations`` are the built-in ones unless named.

    Raises AssertionError with one sentence that says what is wrong.
    """
    made = ORACLES.find(oracle) if isinstance(oracle, str) else _instance(oracle, Oracle)
    _check_name(made, "oracle")
    stop = stop_rule_from(made.default_stop)
    chosen = EXPLORATIONS.built_in if explorations is None else explorations
    for each in chosen:
        exploration = EXPLORATIONS.find(each) if isinstance(each, str) else each
        if not fit_together(made, exploration):
            continue
        policy = Policy(made, exploration, stop)
        _check_situations(policy)
        check_policy(policy)
    _check_pickles(made, made.name)


def check_exploration(
    exploration: str | Exploration | type[Exploration],
    oracles: Iterable[str | Oracle] = ("w-ec2", "w-ig", "lookahead"),
) -> None:
    """Check that an exploration keeps its promises.

    Its model must belong to the posterior's problem and hold probabilities, follow from the random generator alone,
    leave the posterior as it is, and work with those of these oracles that it goes with. ``exploration`` is a registered name, a class or an
    instance.

    Raises AssertionError with one sentence that says what is wrong.
    """
    made = (
        EXPLORATIONS.find(exploration)
        if isinstance(exploration, str)
        else _instance(exploration, Exploration)
    )
    _check_name(made, "exploration")
    require(0 <= made.epsilon <= 1, f"The epsilon of {made.name!r} is not a probability.")
    for name, make in PROBLEMS.items():
        problem = make()
        posterior = sample_posterior(problem).by_variant
        before = posterior.counts.copy()
        with strict_numbers():
            one, other = (made.model(posterior, np.random.default_rng(5)) for _ in range(2))
        require(isinstance(one, Model), f"{made.name!r} does not return a Model (sample problem {name!r}).")
        require(
            one.problem is posterior.problem,
            f"The model of {made.name!r} belongs to another problem ({name!r}).",
        )
        require(
            one.theta.tobytes() == other.theta.tobytes(),
            f"{made.name!r} gives two models for the same random generator (sample problem {name!r}). "
            "Make all random draws with it.",
        )
        require(
            (posterior.counts == before).all(),
            f"{made.name!r} changes the posterior (sample problem {name!r}).",
        )
    for each in oracles:
        oracle = ORACLES.find(each) if isinstance(each, str) else each
        if fit_together(oracle, made):
            check_policy(Policy(oracle, made, stop_rule_from(oracle.default_stop)))
    _check_pickles(made, made.name)


def check_stop_rule(rule: StopRule | str | Mapping[str, Any]) -> None:
    """Check that a stop rule keeps its promises.

    It must give a reason of one line or None, allow available questions only, give the same answer twice, end
    interviews with every oracle, and be readable from what it writes into banks and logs. ``rule`` is an instance, or
    what a bank writes: a name, or ``{name: number}``.

    Raises AssertionError with one sentence that says what is wrong.
    """
    made = stop_rule_from(rule)
    if not isinstance(made, (AnyOf, AllOf)):
        _check_name(made, "stop rule")
    _check_spec(made)
    with strict_numbers():
        for make in PROBLEMS.values():
            problem = make()
            policy = Policy(ORACLES["w-ec2"], EXPLORATIONS["mean"], made)
            interview = Interview(problem, policy, sample_posterior(problem))
            script = make_script(problem, 3)
            for _ in problem.questions:
                _check_progress(made, _progress(interview))
                if not isinstance(interview.next, Ask):
                    break
                make_move(interview, script[interview.next.question])
    for oracle in ORACLES.built_in.values():
        for exploration in ("ts", "mean"):
            check_rules(Policy(oracle, EXPLORATIONS[exploration], made, hypotheses=6))
    _check_pickles(made, made.name)


def _instance(given: Any, base: type[Any]) -> Any:
    made = given() if isinstance(given, type) else given
    require(isinstance(made, base), f"{made!r} is not a subclass of odm_tui.{base.__name__}.")
    return made


def _check_name(made: Oracle | Exploration | StopRule, kind: str) -> None:
    name = getattr(made, "name", None)
    require(
        isinstance(name, str)
        and name
        and name == name.lower()
        and name.replace("-", "").replace("_", "").isalnum(),
        f"The `name` of an {kind} must be small letters, digits, '-' and '_', not {name!r}.",
    )
    own = type(made).__doc__
    require(
        own and own.strip(),
        f"The class of {name!r} has no docstring; `odm-tui policies` shows its first line.",
    )


def _check_pickles(made: object, name: str) -> None:
    """Evaluations send policies to other processes."""
    try:
        pickle.loads(pickle.dumps(made))
    except Exception as error:
        raise AssertionError(
            f"{name!r} can't be sent to another process ({error}). Define its class in a module."
        ) from error


def _check_situations(policy: Policy) -> None:
    """An oracle chooses available questions and changes nothing that it looks at."""
    oracle = policy.oracle
    for name, make in PROBLEMS.items():
        problem = make()
        where = f"(sample problem {name!r})"
        interview = Interview(problem, policy, sample_posterior(problem), seed=1)
        situation = interview.situation
        model = situation.model
        seen = (situation.answers, situation.available, situation.log_joint, model.theta, model.prior)
        before = [array.tobytes() for array in seen]
        with strict_numbers():
            choices = {oracle.choose(situation) for _ in range(3)}
            scores = oracle.scores(situation)
        require(
            len(choices) == 1,
            f"The oracle {oracle.name!r} chose {sorted(map(str, choices))} in the same situation {where}. An oracle has "
            "no state and draws nothing: use situation.draws.",
        )
        choice = choices.pop()
        if choice is not None:
            is_index = isinstance(choice, (int, np.integer)) and 0 <= choice < len(problem.questions)
            require(
                is_index and situation.available[choice],
                f"The oracle {oracle.name!r} chose {choice!r}, which is no available question {where}.",
            )
        require(
            [array.tobytes() for array in seen] == before,
            f"The oracle {oracle.name!r} changes the situation {where}.",
        )
        if scores is not None:
            shape = (len(problem.questions),)
            require(
                scores.gain.shape == shape and scores.cost.shape == shape,
                f"The scores of {oracle.name!r} have the shapes {scores.gain.shape} and {scores.cost.shape}; "
                f"both must be {shape} {where}.",
            )
            require(
                np.isfinite(scores.gain).all()
                and np.isfinite(scores.cost).all()
                and (scores.cost >= 0).all(),
                f"The scores of {oracle.name!r} must be finite, and its costs 0 or more {where}.",
            )


def _progress(interview: Interview) -> Progress:
    problem, posterior = interview.problem, interview.posterior
    mean = EXPLORATIONS["mean"].model(posterior.by_variant, np.random.default_rng(0))
    return Progress(
        mean,
        interview.belief,
        sum(step.kind != "skipped" for step in interview.steps),
        interview.cost_so_far,
        interview.available,
        interview.situation.regions if problem.questions else None,
        sub_belief=interview.sub_belief,
    )


def _check_progress(rule: StopRule, progress: Progress) -> None:
    belief, available = progress.belief.copy(), progress.available.copy()
    first, second = rule.find_reason(progress), rule.find_reason(progress)
    require(first == second, f"The stop rule {rule.name!r} decides differently about the same interview.")
    reason = rule.reason(progress)
    require(
        reason is None or (isinstance(reason, str) and reason and "\n" not in reason),
        f"The stop rule {rule.name!r} must give None or a reason of one line, not {reason!r}.",
    )
    allowed = rule.affordable(progress)
    require(
        allowed.dtype == bool and allowed.shape == available.shape and not (allowed & ~available).any(),
        f"The stop rule {rule.name!r} allows questions that are not available.",
    )
    require(
        (progress.belief == belief).all() and (progress.available == available).all(),
        f"The stop rule {rule.name!r} changes the progress that it looks at.",
    )


def _check_spec(rule: StopRule) -> None:
    spec = rule.spec()
    try:
        written = json.loads(json.dumps(spec))
    except TypeError:
        written = None
    require(written == spec, f"The spec of the stop rule {rule.name!r} can't be written as JSON: {spec!r}.")
    kind = type(rule)
    if isinstance(rule, (AnyOf, AllOf)) or STOP_RULES.get(rule.name) is kind:
        again = stop_rule_from(written)
    elif isinstance(spec, str):
        require(spec == rule.name, f"The spec of {rule.name!r} is {spec!r}; it must be its name.")
        again = kind()
    else:
        require(
            kind.takes_number and list(spec) == [rule.name],
            f"The spec of {rule.name!r} is {spec!r}; a rule with takes_number writes {{name: number}}.",
        )
        again = kind(spec[rule.name])  # type: ignore[call-arg]  # a rule that takes a number
    require(again.spec() == spec, f"The stop rule {rule.name!r} does not read back as {spec!r}.")
