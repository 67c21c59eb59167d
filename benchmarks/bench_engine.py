"""The engine: one choice of a question, against literal versions of the same step."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from time import perf_counter

import numpy as np

from benchmarks.table import Row, measure_in_turns, measure_seconds
from odm_tui.engine.interview import Interview
from odm_tui.engine.lookahead.dynamic_program import Plan, make_plan
from odm_tui.engine.oracles.lookahead import Lookahead
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.engine.variants.cases import LearningCases
from odm_tui.engine.variants.fit import fit_variants
from odm_tui.engine.variants.variants import Variants


def problem(questions: int, outcomes: int, seed: int = 0) -> Problem:
    """Return a random yes/no problem of this size."""
    rng = np.random.default_rng(seed)
    return Problem.build(
        [f"q{i}" for i in range(questions)],
        [f"o{j}" for j in range(outcomes)],
        cost=rng.uniform(0.05, 1, (questions, 2)),
        expected=rng.beta(2, 2, (questions, outcomes)),
    )


def interview(questions: int, outcomes: int, hypotheses: int, oracle: str = "w-ec2") -> Interview:
    """Return an interview of this size whose first question is chosen and not answered."""
    policy: dict[str, object] = {"oracle": oracle, "exploration": "ts", "hypotheses": hypotheses, "eta": 0.0}
    made = Interview(problem(questions, outcomes), policy)
    assert made.next
    return made


def choose(made: Interview) -> int | None:
    """Choose a question from scratch: keep only what is computed once per interview."""
    situation = made.situation
    for computed in ("belief", "chances", "weights", "joint"):
        situation.__dict__.pop(computed, None)
    return made.policy.oracle.choose(situation)


def rows() -> Iterator[Row]:
    """Measure choices of questions, their growth with size, and memory."""
    yield from _against_the_graph()
    yield from _growth()
    yield from _against_one_pass()
    yield from _against_pyagrum()
    yield from _against_the_recursion()
    yield from _variants()
    yield from _fit()
    yield from _memory()


def _against_the_graph() -> Iterator[Row]:
    from tests.support.literal import graph

    for questions, outcomes, limit, target in ((12, 2, 70, 150), (17, 2, 70, 400), (74, 15, 15, 1000)):
        made = interview(questions, outcomes, limit)
        listing = made.situation.listing
        assert listing is not None
        listed = listing.hypotheses.listed
        answers = listing.hypotheses.answers[listed]
        regions = np.nonzero(listed)[0]
        model = made.situation.model
        given: dict[int, int] = {}
        arguments = (model.prior, model.theta, made.problem.cost, answers, regions, given)
        assert graph.choose(*arguments) == choose(made)
        ours, theirs = measure_in_turns(partial(choose, made), partial(graph.choose, *arguments), least=2)
        size = f"{questions} questions × {outcomes} outcomes × {limit} hypotheses"
        yield Row(f"W-EC², one choice at {size}", 1e6 * ours, "µs")
        yield Row("  times faster than a networkx graph", theirs / ours, "×", f"at least {target}")


def _growth() -> Iterator[Row]:
    sizes = ((128, 32, 32), (128, 32, 64), (256, 32, 32))
    base, more, wider = measure_in_turns(*(partial(choose, interview(*size)) for size in sizes))
    yield Row("W-EC², one choice at 128 × 32 × 32", 1e6 * base, "µs")
    yield Row("  with twice the hypotheses", more / base, "×", "at most 2.3")
    yield Row("  with twice the questions", wider / base, "×", "at most 2.3")


def _against_one_pass() -> Iterator[Row]:
    made = interview(1000, 200, 15)
    listing = made.situation.listing
    assert listing is not None
    weights = made.situation.weights.ravel()
    matrix = listing.hypotheses.indicators.reshape(len(weights), -1)
    floor, ours = measure_in_turns(lambda: weights @ matrix, lambda: choose(made))
    yield Row("one pass over the hypothesis matrix at 1,000 × 200 × 15 (weights @ matrix)", 1e3 * floor, "ms")
    yield Row("  W-EC², one choice there", 1e3 * ours, "ms")
    yield Row("  in passes", ours / floor, "×", "a few")


def _against_pyagrum() -> Iterator[Row]:
    import pyagrum

    made = interview(74, 15, 15, "w-ig")
    model, names = made.situation.model, [q.id for q in made.problem.questions]
    net = pyagrum.BayesNet()
    net.add(pyagrum.LabelizedVariable("y", "y", 15))
    net.cpt("y").fillWith(model.prior.tolist())
    for i, name in enumerate(names):
        net.add(pyagrum.LabelizedVariable(name, name, 2))
        net.addArc("y", name)
        for j in range(15):
            net.cpt(name)[{"y": j}] = model.theta[i, j].tolist()

    def literal() -> list[float]:
        inference = pyagrum.LazyPropagation(net)
        return [inference.jointMutualInformation(["y", name]) for name in names]

    scores = made.policy.oracle.scores(replace(made.situation))
    assert scores is not None
    # pyAgrum uses bits, the engine nats.
    np.testing.assert_allclose(np.array(literal()) * np.log(2), scores.gain, rtol=1e-6)
    ours, theirs = measure_in_turns(lambda: choose(made), literal, least=2)
    yield Row("W-IG, one choice at 74 × 15", 1e6 * ours, "µs")
    yield Row("  times faster than pyAgrum's jointMutualInformation", theirs / ours, "×", "at least 300")


def _against_the_recursion() -> Iterator[Row]:
    """Compare plans for the same questions. Time the recursion once: it takes long enough."""
    from tests.support.literal import planning

    made = interview(74, 15, 15, "lookahead")
    model, stakes = made.situation.model, made.problem.effective_stakes
    six = np.arange(6)

    def plan() -> Plan:
        return make_plan(model.prior, model.theta[six], model.mean_cost[six], stakes, (2,) * 6)

    arguments = (model.prior.tolist(), model.theta[six].tolist(), made.problem.cost[six].tolist(), stakes)
    start = perf_counter()
    literal = planning.value(*arguments)
    theirs = perf_counter() - start
    np.testing.assert_allclose(plan().values[0], literal, rtol=1e-9)
    ours = measure_seconds(plan)
    oracle = made.policy.oracle
    assert isinstance(oracle, Lookahead)
    held = len(oracle.plan_for(made.situation).questions)
    yield Row("lookahead, one plan over 6 of 74 questions × 15 outcomes", 1e3 * ours, "ms", "at most 50")
    yield Row("  times faster than the literal recursion", theirs / ours, "×", "at least 20")

    def choice() -> int | None:
        made.situation.model.memo.clear()
        return choose(made)

    yield Row(
        f"lookahead, one choice at 74 × 15 with its default time: {held} questions",
        1e3 * measure_seconds(choice),
        "ms",
        "at most 50",
    )


def _variants() -> Iterator[Row]:
    """Measure choices where every outcome has three hidden variants."""
    rng = np.random.default_rng(1)
    yes = rng.uniform(0.02, 0.98, (74, 45))
    variants = Variants(
        np.repeat(np.arange(15), 3), np.full(45, 1 / 3), 30 * np.stack([1 - yes, yes], axis=-1)
    )
    whole = problem(74, 15)
    for name in ("w-ig-ts", "w-ec2-ts", "w-eced-ts", "lookahead-ts", "lookahead-learn"):
        made = Interview(whole, name, Posterior.of(whole, variants=variants))
        assert made.next

        def choice(made: Interview = made) -> int | None:
            made.situation.model.memo.clear()
            return choose(made)

        yield Row(
            f"{name}, one choice at 74 × 15 with 3 variants each",
            1e3 * measure_seconds(choice),
            "ms",
            "at most 16",
        )


_MEMORY = """
import resource
from benchmarks.bench_engine import choose, interview
choose(interview(1000, 1000, 15))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def _fit() -> Iterator[Row]:
    """Measure a fit of variants to interviews, the choice by folds included."""
    whole = replace(problem(74, 15), pooled=True)
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 15, 1_000)
    theta, hidden = rng.beta(1, 1, (2, 15, 74)), rng.integers(0, 2, 1_000)
    answers = (rng.random((1_000, 74)) < theta[hidden, labels]).astype(np.int16)
    seconds = measure_seconds(lambda: fit_variants(LearningCases.of(whole, answers, labels)))
    yield Row(
        "variants fitted to 1,000 interviews at 74 × 15, all questions asked", seconds, "s", "at most 3"
    )


def _memory() -> Iterator[Row]:
    made = subprocess.run([sys.executable, "-c", _MEMORY], capture_output=True, text=True, check=True)
    yield Row(
        "peak memory of a W-EC² interview at 1,000 × 1,000 × 15", float(made.stdout), "MiB", "under 1,024"
    )
