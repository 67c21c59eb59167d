"""What every interview must satisfy, whatever its policy: one function per property."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice

import numpy as np

from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.policy import Policy, policy_from
from odm_tui.engine.problem import Problem
from odm_tui.engine.stopping import AllOf, AnyOf, StopRule
from odm_tui.testing.interviews import (
    PROBLEMS,
    STOPS,
    Move,
    askable,
    extreme_problem,
    finish,
    free_problem,
    large_problem,
    literal_belief,
    literal_cost,
    literal_losses,
    make_move,
    make_script,
    mixed_problem,
    run_script,
    sample_posterior,
    snapshot,
    strict_numbers,
    variants_problem,
)

Check = Callable[[Policy], None]


def require(holds: object, problem: str) -> None:
    """Raise an AssertionError with this sentence unless the condition holds (also under ``python -O``)."""
    if not holds:
        raise AssertionError(problem)


def check_rules(policy: Policy) -> None:
    """Interviews end, ask nothing twice and nothing unavailable, ask always-ask questions first, and decide well."""
    for seed, (name, make) in enumerate(PROBLEMS.items()):
        problem = make()
        where = f"with {policy.name!r} and the stop rule {policy.stop.spec()!r}, sample problem {name!r}, seed {seed}"
        posterior = sample_posterior(problem, seed)
        counts, outcome_counts = posterior.counts.copy(), posterior.outcome_counts.copy()
        with strict_numbers():
            interview = Interview(problem, policy, posterior, seed=seed)
            for question in run_script(interview, make_script(problem, seed)):
                open_ = askable(interview)
                require(
                    question in open_, f"Question {question} was asked twice or is not available ({where})."
                )
                require(set(np.flatnonzero(interview.available)) == open_, f"available is wrong ({where}).")
                due = {i for i in open_ if problem.questions[i].always_ask}
                require(not due or question in due, f"Always-ask questions must come first ({where}).")
        require(
            interview.situation.asked == len(interview.steps), f"A step was not counted as asked ({where})."
        )
        due = {i for i in askable(interview) if problem.questions[i].always_ask}
        require(not due, f"The interview stopped before an always-ask question was asked ({where}).")
        decision = interview.next
        assert isinstance(decision, Decide)
        require(decision.reason, f"The decision has no reason ({where}).")
        require(
            decision.rule in {*_rule_names(interview.policy.stop), "exhausted", "oracle"},
            f"The decision names the unknown stop rule {decision.rule!r} ({where}).",
        )
        require(
            decision.rule != "exhausted" or not askable(interview),
            f"Questions are left, but not asked ({where}).",
        )
        literal = literal_belief(interview)
        require(
            np.allclose(interview.belief, literal, rtol=1e-9, atol=1e-15), f"The belief is wrong ({where})."
        )
        losses = literal_losses(interview)
        least = min(losses) * (1 + 1e-9) + 1e-9
        require(losses[decision.outcome] <= least, f"The decision is not the best one ({where}).")
        refer = problem.refer_cost
        require(
            decision.refer == (refer is not None and refer < min(losses)),
            f"Referring was not weighed against deciding ({where}).",
        )
        require(
            decision.belief == interview.belief[decision.outcome],
            f"The belief of the decision is wrong ({where}).",
        )
        require(
            np.isclose(interview.cost_so_far, literal_cost(interview), rtol=1e-9, atol=1e-12),
            f"The cost is wrong ({where}).",
        )
        unchanged = (posterior.counts == counts).all() and (posterior.outcome_counts == outcome_counts).all()
        require(unchanged and posterior.interviews == 8, f"The interview changed the posterior ({where}).")


def _rule_names(rule: StopRule) -> set[str]:
    """The names of a rule and of all rules within it."""
    parts = rule.rules if isinstance(rule, (AnyOf, AllOf)) else ()
    return {rule.name}.union(*(_rule_names(part) for part in parts))


def check_repeatable(policy: Policy) -> None:
    """The same seed, policy, counts and answers give the same questions."""
    for stop in ("region", "any", "never"):
        for make in (mixed_problem, extreme_problem):
            problem, rules = make(), policy_from(policy, STOPS[stop])
            for seed in range(3):
                one, other = (
                    finish(
                        Interview(problem, rules, sample_posterior(problem, seed), seed=seed),
                        make_script(problem, seed),
                    )
                    for _ in range(2)
                )
                require(
                    one.steps == other.steps and snapshot(one) == snapshot(other),
                    f"Two interviews with {policy.name!r}, seed {seed} and the same answers asked different questions. "
                    "Make all random draws with the generator that is handed in, and store nothing between interviews.",
                )


def check_undo(policy: Policy) -> None:
    """Undo to any depth restores the interview exactly, and the same answers lead to the same end."""
    for stop, make, seed in (
        ("region", mixed_problem, 1),
        ("any", extreme_problem, 2),
        ("never", mixed_problem, 3),
        ("budget", free_problem, 4),
        ("value", variants_problem, 5),
    ):
        problem = make()
        script = make_script(problem, seed)
        interview = Interview(problem, policy_from(policy, STOPS[stop]), sample_posterior(problem), seed=seed)
        states = [snapshot(interview) for _ in run_script(interview, script)]
        states.append(snapshot(interview))
        said = f"Undo does not restore an interview with {policy.name!r} (stop rule {stop!r}, seed {seed})."
        for depth in range(len(states)):
            interview.undo(depth)
            require(snapshot(interview) == states[len(states) - 1 - depth], said)
            require(snapshot(finish(interview, script)) == states[-1], said)
        for before in reversed(states[:-1]):
            interview.undo()
            require(snapshot(interview) == before, said)


def check_think_ahead(policy: Policy) -> None:
    """Computing ahead changes nothing: to the end, half-way, or for another question."""
    for stop, make, seed in (
        ("region", mixed_problem, 1),
        ("value", mixed_problem, 2),
        ("any", extreme_problem, 3),
        ("never", free_problem, 4),
        ("value", large_problem, 5),
    ):
        problem = make()
        script = make_script(problem, seed)
        rules, posterior = policy_from(policy, STOPS[stop]), sample_posterior(problem)
        straight = Interview(problem, rules, posterior, seed=seed)
        states = [snapshot(straight) for _ in run_script(straight, script)]
        ahead = Interview(problem, rules, posterior, seed=seed)
        said = f"Thinking ahead changes an interview with {policy.name!r} (stop rule {stop!r}, seed {seed})."
        for number, _ in enumerate(run_script(ahead, script)):
            before = snapshot(ahead)
            for _ in islice(ahead.think_ahead(), (None, 2, 0)[number % 3]):
                require(snapshot(ahead) == before, said)
            others = np.flatnonzero(ahead.available)
            for _ in ahead.think_ahead(int(others[-1])):
                pass
            require(snapshot(ahead) == states[number], said)
        require(snapshot(ahead) == snapshot(straight) and ahead.steps == straight.steps, said)


def check_resume(policy: Policy) -> None:
    """Giving the same answers again in order leads to the same state: what resume and replay rely on."""
    problem, rules = mixed_problem(), policy_from(policy, STOPS["any"])
    for seed in range(3):
        interview = Interview(problem, rules, sample_posterior(problem), seed=seed)
        for _ in run_script(interview, make_script(problem, seed)):
            resumed = Interview(problem, rules, sample_posterior(problem), seed=seed)
            for step in interview.steps:
                make_move(resumed, (step.kind, step.answer), step.question)
            require(
                snapshot(resumed) == snapshot(interview) and resumed.steps == interview.steps,
                f"An interview with {policy.name!r} does not go on as before when it is resumed (seed {seed}).",
            )


def check_change(policy: Policy) -> None:
    """A changed answer has the same effect as giving it from the start."""
    problem, rules = mixed_problem(), policy_from(policy, "never")
    script, posterior = make_script(problem, 1), sample_posterior(problem)
    first = finish(Interview(problem, rules, posterior, seed=1), script)
    for number, step in enumerate(first.steps):
        for new in (None, *range(len(problem.questions[step.question].answers))):
            interview = finish(Interview(problem, rules, posterior, seed=1), script)
            name = None if new is None else problem.questions[step.question].answers[new]
            dropped = interview.change(number, name)
            other = Interview(problem, rules, posterior, seed=1)
            for old in first.steps:
                if old.question in {gone.question for gone in dropped}:
                    continue
                move: Move = (old.kind, old.answer)
                if old.question == step.question:
                    move = ("unknown", None) if new is None else ("answered", new)
                make_move(other, move, old.question)
            require(
                snapshot(interview) == snapshot(other),
                f"Changing step {number} of an interview with {policy.name!r} is not as if answered so at once.",
            )
            require(
                all(problem.questions[gone.question].alternatives for gone in dropped),
                f"Changing step {number} dropped a question without prerequisites.",
            )


def check_undone_answers(policy: Policy) -> None:
    """An answer that was undone has no effect on what follows."""
    for stop, make in (("never", mixed_problem), ("any", extreme_problem)):
        for seed in range(2):
            check_other_answer(make(), policy_from(policy, STOPS[stop]), seed)


def check_other_answer(problem: Problem, policy: Policy, seed: int) -> None:
    """Undo a step and answer it otherwise: the first answer must have no effect."""
    script = make_script(problem, seed, answered=1.0)
    for depth in range(1, 5):
        one, other = (Interview(problem, policy, sample_posterior(problem), seed=seed) for _ in range(2))
        for interview in (one, other):
            for _ in range(depth - 1):
                if isinstance(interview.next, Ask):
                    make_move(interview, script[interview.next.question])
        if isinstance(one.next, Decide):
            return
        question = one.next.question
        make_move(one, script[question])
        require(one.next, "The interview has neither a question nor a decision.")
        one.undo()
        answer = (script[question][1] or 0) + 1
        otherwise: Move = ("answered", answer % len(problem.questions[question].answers))
        for interview in (one, other):
            make_move(interview, otherwise, question)
        require(
            snapshot(one) == snapshot(other),
            f"An answer that was undone changes an interview with {policy.name!r} (seed {seed}).",
        )


def check_without_answers(policy: Policy) -> None:
    """An interview without a single answer comes to its end, with the belief that it started with."""
    problem = mixed_problem()
    for spec in STOPS.values():
        for move in (("unknown", None), ("skipped", None)):
            interview = Interview(problem, policy_from(policy, spec), sample_posterior(problem), seed=1)
            with strict_numbers():
                finish(interview, [move] * len(problem.questions))
            where = f"with {policy.name!r}, stop rule {spec!r}, all questions {move[0]}"
            require((interview.answers == -1).all(), f"There is an answer that nobody gave ({where}).")
            prior = sample_posterior(problem).outcome_prior()
            require(
                np.allclose(interview.belief, prior, rtol=1e-9),
                f"The belief changed without answers ({where}).",
            )
            costs = move[0] == "unknown" and bool(interview.steps)
            require((interview.cost_so_far > 0) == costs, f"The cost is wrong ({where}).")


def check_operator_choice(policy: Policy) -> None:
    """The operator may always ask another question than the proposed one."""
    problem = mixed_problem()
    for seed in range(3):
        script = make_script(problem, seed)
        interview = Interview(problem, policy_from(policy, "never"), sample_posterior(problem), seed=seed)
        rng = np.random.default_rng(seed)
        while isinstance(interview.next, Ask):
            proposed = interview.next.question
            others = [i for i in np.flatnonzero(interview.available).tolist() if i != proposed]
            question = int(rng.choice(others)) if others else proposed
            make_move(interview, script[question], question)
            step = interview.steps[-1]
            require(
                (step.question, step.proposed) == (question, proposed), "The step names the wrong question."
            )
            require(
                np.allclose(interview.belief, literal_belief(interview), rtol=1e-9),
                f"The belief is wrong after the operator's own question (with {policy.name!r}, seed {seed}).",
            )


def check_first_answers(policy: Policy) -> None:
    """Every possible answer to every question can come first."""
    for name, make in PROBLEMS.items():
        problem = make()
        for i, question in enumerate(problem.questions):
            if question.alternatives:
                continue
            for answer in question.answers:
                interview = Interview(problem, policy_from(policy, STOPS["sure"]), seed=i)
                where = f"after {answer!r} to {question.id!r} with {policy.name!r}, sample problem {name!r}"
                with strict_numbers():
                    interview.answer(answer, i)
                    require(interview.next, f"There is neither a question nor a decision {where}.")
                    require(np.isfinite(interview.belief).all(), f"The belief is not finite {where}.")
                    require(np.isclose(interview.belief.sum(), 1), f"The belief does not sum to 1 {where}.")


def check_explanations(policy: Policy) -> None:
    """Every proposed question can be explained with finite numbers."""
    for make in (mixed_problem, variants_problem):
        check_explanations_of(make(), policy)


def check_explanations_of(problem: Problem, policy: Policy) -> None:
    """The same for one problem."""
    interview = Interview(problem, policy_from(policy, "never"), sample_posterior(problem), seed=1)
    for question in run_script(interview, make_script(problem, 1)):
        best = interview.explain(top=len(problem.questions)).candidates
        require(
            best[0].question == question, f"The explanation of {policy.name!r} is about another question."
        )
        shapes = {each.belief_after.shape[1] for each in best}
        require(
            shapes == {len(problem.outcomes)},
            f"The beliefs that {policy.name!r} explains are not by outcome.",
        )
        numbers = [(each.gain, each.cost, *each.chances, *each.belief_after.ravel()) for each in best]
        require(
            all(np.isfinite(row).all() for row in numbers),
            f"The scores of {policy.name!r} hold NaN or infinity for question {question}.",
        )


CHECKS: Mapping[str, Check] = {
    "repeatable": check_repeatable,
    "undo": check_undo,
    "think ahead": check_think_ahead,
    "resume": check_resume,
    "change": check_change,
    "undone answers": check_undone_answers,
    "without answers": check_without_answers,
    "operator's choice": check_operator_choice,
    "first answers": check_first_answers,
    "explanations": check_explanations,
}
"""The properties that hold for every policy, whatever its stop rule; :func:`check_rules` takes the stop rule too."""


def check_policy(policy: Policy, stops: Mapping[str, object] = STOPS) -> None:
    """Run every check for one oracle and exploration, with each of these stop rules."""
    few = replace(policy, hypotheses=6)
    for spec in stops.values():
        check_rules(policy_from(few, spec))
    for check in CHECKS.values():
        check(policy)
