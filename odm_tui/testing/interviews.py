"""Sample problems and scripted interviews for the checks.

A *script* fixes what happens to each question if it is asked: an answer, "don't know" or skip. So an interview and
its repetition get the same answers, whatever the order of the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np

from odm_tui.engine.interview import Ask, Decide, Interview, Kind
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.variants.variants import Variants

STOPS: Mapping[str, Any] = {
    "region": "region",
    "never": "never",
    "value": "value",
    "confidence": {"confidence": 0.8},
    "sure": {"confidence": 1},
    "budget": {"budget": 6},
    "no budget": {"budget": 0},
    "count": {"max_questions": 3},
    "none": {"max_questions": 0},
    "any": {"any": [{"confidence": 0.95}, "region", {"max_questions": 4}, {"budget": 50}]},
    "all": {"all": [{"confidence": 0.6}, {"any": ["region", {"max_questions": 2}]}]},
}
"""The stop rules that interviews are checked with."""

Move = tuple[Kind, int | None]
Script = list[Move]


@cache
def mixed_problem() -> Problem:
    """Yes/no, choices and numbers; chained prerequisites; always-ask questions, one with a prerequisite; a free one."""
    cost = np.zeros((8, 3, 9))
    rng = np.random.default_rng(0)
    sizes = [2, 3, 2, 4, 2, 2, 9, 2]
    for i, size in enumerate(sizes):
        cost[i, :, :size] = rng.uniform(0.5, 3, (3, size))
    cost[2] = 0
    return Problem.build(
        [
            "lights",
            Question("colour", ("red", "amber", "off"), ask_if=(("lights", (0,)),)),
            Question("blinks", ask_if_any=((("colour", (0, 1)), ("cables", (1,))), (("ping", (3,)),))),
            Question("ping", thresholds=(20, 80, 300)),
            Question("consent", always_ask=True),
            Question("callback", always_ask=True, ask_if=(("consent", (1,)),)),
            Question("room", tuple(f"r{q}" for q in range(9))),
            "cables",
        ],
        ["line", "router", "wifi"],
        prior=[0.5, 0.3, 0.2],
        cost=cost,
        stakes=40,
        outcome_worth=5,
    )


@cache
def free_problem() -> Problem:
    """No question costs anything, and one outcome has a prior of 0."""
    return Problem.build(
        ["a", "b", Question("c", ("p", "q", "r")), "d"],
        ["x", "y", "z"],
        prior=[0.6, 0.4, 0],
        cost=0,
        stakes=3,
    )


@cache
def extreme_problem() -> Problem:
    """Parameters near 0, so that samples and modes are exactly 0 and 1 and any answer may be impossible."""
    pseudo = np.random.default_rng(1).choice([1e-4, 1e-9, 1.0], size=(5, 3, 2))
    return Problem.build([f"q{i}" for i in range(5)], ["x", "y", "z"], pseudo=pseudo, stakes=3)


@cache
def smallest_problem() -> Problem:
    """One question and one outcome."""
    return Problem.build(["a"], ["x"], stakes=1)


@cache
def large_problem() -> Problem:
    """More questions than a plan holds. Some are alike, so that rounding decides which comes first."""
    expected = np.random.default_rng(2).choice([0.2, 0.5, 0.8], size=(14, 3))
    return Problem.build([f"q{i}" for i in range(14)], ["x", "y", "z"], expected=expected, stakes=90)


@cache
def screening_problem() -> Problem:
    """Stakes that differ by pair of decided and true outcome, and somebody who can take over."""
    expected = np.random.default_rng(3).uniform(0.2, 0.8, size=(6, 4))
    stakes = Stakes.by_pair([[0, 4, 9, 70], [4, 0, 9, 70], [9, 9, 0, 60], [12, 12, 12, 0]])
    return Problem.build(
        [f"q{i}" for i in range(6)], ["w", "x", "y", "z"], expected=expected, stakes=stakes, refer_cost=5
    )


@cache
def variants_problem() -> Problem:
    """Outcomes with hidden variants: the first question tells nothing by itself, and which of the next two tells more."""
    rng = np.random.default_rng(4)
    expected = np.array(
        [
            [0.95, 0.05, 0.95, 0.05, 0.5],
            [0.9, 0.5, 0.1, 0.5, 0.4],
            [0.5, 0.9, 0.5, 0.1, 0.6],
            [0.3, 0.6, 0.4, 0.2, 0.8],
            [0.5, 0.7, 0.5, 0.9, 0.2],
        ]
    )
    counts = np.zeros((6, 5, 3))
    counts[:5, :, 1], counts[:5, :, 0] = 12 * expected, 12 * (1 - expected)
    counts[5] = rng.dirichlet(np.ones(3), size=5) * 9 + 0.1
    cost = rng.uniform(0.5, 2, (6, 3, 3))
    cost[:5, :, 2] = 0
    variants = Variants(np.array([0, 0, 1, 1, 2]), np.array([0.6, 0.4, 0.5, 0.5, 1.0]), counts)
    return Problem.build(
        [
            "which",
            "left",
            "right",
            "noise",
            Question("late", ask_if=(("which", (1,)),)),
            Question("c", ("p", "q", "r")),
        ],
        ["x", "y", "z"],
        prior=[0.4, 0.4, 0.2],
        cost=cost,
        stakes=25,
        named_variants=variants,
    )


PROBLEMS: Mapping[str, Callable[[], Problem]] = {
    "mixed": mixed_problem,
    "free": free_problem,
    "extreme": extreme_problem,
    "smallest": smallest_problem,
    "screening": screening_problem,
    "variants": variants_problem,
}


def sample_posterior(problem: Problem, seed: int = 0) -> Posterior:
    """A posterior that has learned from eight random interviews."""
    rng = np.random.default_rng(seed)
    made = Posterior.of(problem)
    for _ in range(8):
        answers = np.array([rng.integers(-1, len(q.answers)) for q in problem.questions])
        made = made.updated(answers, int(rng.integers(len(problem.outcomes))))
    return made


def make_script(problem: Problem, seed: int, answered: float = 0.85) -> Script:
    """A random script; ``answered`` is the share of questions that get an answer."""
    rng = np.random.default_rng(seed)
    made: Script = []
    for question in problem.questions:
        answer = int(rng.integers(len(question.answers)))
        chance = rng.random()
        if chance < answered:
            made.append(("answered", answer))
        else:
            made.append(("unknown", None) if chance < (1 + answered) / 2 else ("skipped", None))
    return made


def make_move(interview: Interview, move: Move, question: int | None = None) -> None:
    """Make one move at the proposed question, or at another one."""
    kind, answer = move
    at = interview.next.question if question is None and isinstance(interview.next, Ask) else question
    if kind == "answered" and answer is not None and at is not None:
        interview.answer(interview.problem.questions[at].answers[answer], question)
    elif kind == "unknown":
        interview.dont_know(question)
    else:
        interview.skip(question)


def run_script(interview: Interview, script: Script) -> Iterator[int]:
    """Run an interview to its end. Yields each question just before its move is made."""
    for _ in range(len(script) + 1):
        if isinstance(interview.next, Decide):
            return
        question = interview.next.question
        yield question
        make_move(interview, script[question])
    raise AssertionError(f"The interview with {interview.policy.name!r} does not end.")


def finish(interview: Interview, script: Script) -> Interview:
    """Run an interview to its end and return it."""
    for _ in run_script(interview, script):
        pass
    return interview


def snapshot(interview: Interview) -> tuple[object, ...]:
    """Everything that can be seen of an interview, to the last bit, except what was proposed earlier."""
    steps = tuple((s.question, s.kind, s.answer, s.cost) for s in interview.steps)
    return (
        interview.next,
        steps,
        interview.belief.tobytes(),
        interview.answers.tobytes(),
        interview.available.tobytes(),
        interview.cost_so_far,
        interview.situation.belief.tobytes(),
        interview.situation.regions,
    )


def askable(interview: Interview) -> set[int]:
    """The questions that may be asked, found by reading the prerequisites literally."""
    problem = interview.problem
    answers = {problem.questions[s.question].id: s.answer for s in interview.steps}
    asked = {s.question for s in interview.steps}
    return {
        i
        for i, question in enumerate(problem.questions)
        if i not in asked
        and (
            not question.alternatives
            or any(
                all(other in answers and answers[other] in wanted for other, wanted in each)
                for each in question.alternatives
            )
        )
    }


def literal_belief(interview: Interview, steps: int | None = None) -> list[float]:
    """The belief after some steps, computed literally: naive Bayes under the posterior mean, summed over variants."""
    belief = [0.0] * len(interview.problem.outcomes)
    for outcome, p, _ in literal_variants(interview, steps):
        belief[outcome] += p
    return belief


def literal_variants(
    interview: Interview, steps: int | None = None
) -> list[tuple[int, float, Sequence[Sequence[float]]]]:
    """Every variant of every outcome: the outcome, the belief in the pair after some steps, and theta[i][q] of it.

    Without variants every outcome has one.
    """
    posterior, prior = interview.posterior, interview.posterior.outcome_prior()
    variants = posterior.variants or interview.problem.named_variants
    if variants is None:
        mean = posterior.mean()
        made = [(j, float(p), mean[:, j].tolist()) for j, p in enumerate(prior)]
    else:
        made = []
        for v, j in enumerate(variants.outcome.tolist()):
            theta = [(row[v] / row[v].sum()).tolist() for row in variants.counts]
            made.append((j, float(prior[j]) * float(variants.weight[v]), theta))
    for step in interview.steps[:steps]:
        if step.answer is not None:
            made = [(j, p * theta[step.question][step.answer], theta) for j, p, theta in made]
    total = sum(p for _, p, _ in made)
    return [(j, p / total, theta) for j, p, theta in made]


def literal_losses(interview: Interview) -> list[float]:
    """What each decision would cost on average, computed literally from the stakes by pair."""
    belief, table = literal_belief(interview), interview.problem.decision_stakes.table
    return [
        sum(p * float(table[decided, true]) for true, p in enumerate(belief))
        for decided in range(len(belief))
    ]


def literal_cost(interview: Interview) -> float:
    """The cost so far, computed literally: the belief after each answer weighs its cost; skipping is free."""
    cost, total = interview.problem.cost, 0.0
    for number, step in enumerate(interview.steps, start=1):
        for j, p, theta in literal_variants(interview, number):
            if step.kind == "answered":
                total += p * float(cost[step.question, j, step.answer])
            elif step.kind == "unknown":
                total += p * float(theta[step.question] @ cost[step.question, j])
    return total


def strict_numbers() -> np.errstate:
    """Let numpy raise where it would warn; underflow to 0 is allowed."""
    return np.errstate(divide="raise", over="raise", invalid="raise")
