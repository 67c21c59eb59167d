"""Outcomes with hidden variants: every quantity against sums over all answer sets, outcomes and variants."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from odm_tui.engine.contradiction import _find_settling_question, error_odds
from odm_tui.engine.exploration import Greedy
from odm_tui.engine.gains import (
    decision_gains,
    ec2_gains,
    expected_costs,
    information_gains,
    outcome_information,
    telling_gains,
)
from odm_tui.engine.hypotheses import Contested
from odm_tui.engine.interview import Ask, Decide, Interview
from odm_tui.engine.lookahead.learning_value import DRAWS, PLANNED, SEED, learning_bonus
from odm_tui.engine.lookahead.planner import Planner
from odm_tui.engine.model import Model
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.policy import policy_from, policy_names
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.engine.regret import run_to_end
from odm_tui.engine.remaining_cost import (
    ForecastStart,
    _gain_per_loss,
    _weighed,
    expected_remaining_cost,
)
from odm_tui.engine.situation import Draws, ListingRule, Situation
from odm_tui.engine.stakes import Stakes
from odm_tui.engine.stopping import stop_rule_from
from odm_tui.engine.variants.variants import Variants
from odm_tui.errors import BadArgument
from odm_tui.testing.interviews import (
    finish,
    make_script,
    mixed_problem,
    run_script,
    sample_posterior,
    screening_problem,
    snapshot,
    variants_problem,
)
from tests.support.literal import brute
from tests.support.literal import learning as literal_learning
from tests.support.literal import mixtures as literal
from tests.support.literal.graph import Floats, Ints
from tests.support.literal.instances import loud


@dataclass(frozen=True, eq=False)
class Case:
    """A problem whose outcomes have variants, and some answers that were given."""

    problem: Problem
    variants: Variants
    given: Ints

    @cached_property
    def posterior(self) -> Posterior:
        return replace(Posterior.of(self.problem), variants=self.variants)

    @cached_property
    def model(self) -> Model:
        posterior = self.posterior.by_variant
        return Model.of(posterior, posterior.mean())

    @cached_property
    def situation(self) -> Situation:
        n = len(self.problem.questions)
        draws = Draws(np.arange(n), np.ones(n + 1))
        made = Situation.at_start(self.model, draws, np.ones(n, dtype=bool), None)
        rule = ListingRule(4, 0.0, "likeliest")
        for i, answer in self.answers.items():
            made = made.after(i, answer, (np.arange(n) != i) & made.available, rule)
        return made

    @property
    def answers(self) -> dict[int, int]:
        return {i: int(q) for i, q in enumerate(self.given) if q >= 0}

    @property
    def unasked(self) -> list[int]:
        return [i for i, q in enumerate(self.given) if q < 0]

    @property
    def sizes(self) -> list[int]:
        return [len(question.answers) for question in self.problem.questions]

    @property
    def prior(self) -> list[float]:
        return [float(p) for p in self.problem.prior]

    @property
    def mixture(self) -> literal.Mixture:
        made: list[list[literal.Variant]] = [[] for _ in self.problem.outcomes]
        for v, j in enumerate(self.variants.outcome.tolist()):
            theta = [(row[v] / row[v].sum()).tolist() for row in self.variants.counts]
            made[j].append((float(self.variants.weight[v]), theta))
        return made


@st.composite
def cases(draw: st.DrawFn, most: int = 4, asked: int = 3) -> Case:
    """Two to four questions, one to three outcomes with one to three variants, and some answers."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    sizes = draw(st.lists(st.sampled_from((2, 3)), min_size=2, max_size=most))
    numbers = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    outcome = np.repeat(np.arange(len(numbers)), numbers)
    n, s, width = len(sizes), len(outcome), max(sizes)
    counts, cost = np.zeros((n, s, width)), np.zeros((n, len(numbers), width))
    for i, size in enumerate(sizes):
        counts[i, :, :size] = rng.dirichlet(np.full(size, 0.7), size=s) * rng.uniform(2, 30) + 1e-3
        cost[i, :, :size] = rng.uniform(0.05, 1, (len(numbers), size))
    if draw(st.booleans()):
        counts[:, -1] = counts[:, 0]
    weight = np.concatenate([rng.dirichlet(np.ones(number)) for number in numbers])
    problem = Problem.build(
        [Question(f"q{i}", tuple(f"a{q}" for q in range(size))) for i, size in enumerate(sizes)],
        [f"o{j}" for j in range(len(numbers))],
        prior=rng.dirichlet(np.full(len(numbers), 2.0)),
        cost=cost,
        stakes=draw(st.sampled_from((1.0, 5.0, 20.0))),
    )
    answers = np.full(n, -1)
    for i in rng.permutation(n)[: draw(st.integers(0, min(asked, n - 1)))]:
        answers[i] = rng.integers(sizes[i])
    return Case(problem, Variants(outcome, weight, counts), answers)


@given(cases())
@settings(max_examples=60)
def test_the_belief_is_summed_over_all_answer_sets_and_variants(case: Case) -> None:
    interview = Interview(case.problem, "all", case.posterior)
    for question, answer in case.answers.items():
        interview.answer(case.problem.questions[question].answers[answer], question)
    wanted = literal.belief(case.prior, case.mixture, case.sizes, case.answers)
    assert_allclose(interview.belief, wanted, rtol=1e-9)
    assert_allclose(case.situation.outcome_belief, wanted, rtol=1e-9)
    pairs = literal.pair_belief(case.prior, case.mixture, case.sizes, case.answers)
    assert_allclose(interview.sub_belief, pairs, rtol=1e-9)


@given(cases())
@settings(max_examples=60)
def test_information_is_about_outcome_and_variant_or_about_the_outcome_alone(case: Case) -> None:
    model, belief = case.model, case.situation.belief
    for i in case.unasked:
        place = case.prior, case.mixture, case.sizes, case.answers, i
        assert information_gains(model, belief)[i] == pytest.approx(
            literal.information(*place, about_variant=True), abs=1e-9
        )
        assert outcome_information(model, belief)[i] == pytest.approx(
            literal.information(*place, about_variant=False), abs=1e-9
        )


@given(cases())
@settings(max_examples=40)
def test_information_about_the_variant_counts_as_far_as_the_outcome_is_open(case: Case) -> None:
    ours = telling_gains(case.model, case.situation.belief)
    left = 1 - max(literal.belief(case.prior, case.mixture, case.sizes, case.answers))
    for i in case.unasked:
        place = case.prior, case.mixture, case.sizes, case.answers, i
        about_outcome = literal.information(*place, about_variant=False)
        about_variant = literal.information(*place, about_variant=True) - about_outcome
        assert ours[i] == pytest.approx(about_outcome + left * about_variant, abs=1e-9)
    scores = ORACLES["w-ig"].scores(case.situation)
    assert scores is not None
    assert_allclose(scores.gain[case.unasked], ours[case.unasked])


@given(cases())
@settings(max_examples=40)
def test_costs_are_by_outcome_whatever_the_variant(case: Case) -> None:
    ours = expected_costs(case.model, case.situation.belief)
    for i in case.unasked:
        wanted = literal.expected_cost(
            case.prior, case.mixture, case.problem.cost.tolist(), case.sizes, case.answers, i
        )
        assert ours[i] == pytest.approx(wanted)


def losses(case: Case, kind: str) -> list[list[float]]:
    m = len(case.problem.outcomes)
    rng = np.random.default_rng(7)
    table = np.full((m, m), 12.0) if kind == "equal" else rng.uniform(1, 30, (m, m))
    np.fill_diagonal(table, 0.0)
    return [[float(cell) for cell in row] for row in table]


@given(cases(most=3), st.sampled_from(("equal", "by pair")), st.sampled_from((None, 2.0)))
@settings(max_examples=40, deadline=None)
def test_a_plan_is_worth_what_the_recursion_over_outcomes_says(
    case: Case, kind: str, refer: float | None
) -> None:
    loss = losses(case, kind)
    assume(max(max(row) for row in loss) > 0)
    stakes = Stakes.by_pair(loss) if kind == "by pair" else 12.0
    case = replace(case, problem=replace(case.problem, stakes=stakes, refer_cost=refer))
    with loud():
        made, worth = Planner(1000.0).worths(case.situation)
    ours = max(float(worth.max()), made.plan.stop_worth(made.state))
    wanted = literal.value(
        case.prior, case.mixture, case.problem.cost.tolist(), loss, case.sizes, case.answers, refer
    )
    assert ours == pytest.approx(wanted)


@given(cases())
@settings(max_examples=40)
def test_a_question_alone_is_worth_what_it_adds_to_the_decision_for_an_outcome(case: Case) -> None:
    ours = decision_gains(case.model, case.situation.belief)
    stakes = case.problem.effective_stakes
    now = max(literal.belief(case.prior, case.mixture, case.sizes, case.answers))
    for i in case.unasked:
        chances = literal.chances(case.prior, case.mixture, case.sizes, case.answers, i)
        after = [
            p * max(literal.belief(case.prior, case.mixture, case.sizes, {**case.answers, i: q}))
            for q, p in enumerate(chances)
        ]
        assert ours[i] == pytest.approx(stakes * (sum(after) - now), abs=1e-9)


def rows_and_regions(case: Case, limit: int, contested: Contested) -> tuple[list[tuple[int, ...]], list[int]]:
    listed = ListingRule(limit, 0.0, contested).listing(case.model).hypotheses
    rows, regions = [], []
    for v, k in zip(*np.nonzero(listed.listed), strict=True):
        rows.append(tuple(int(q) for q in listed.answers[v, k]))
        is_apart = listed.apart and bool(listed.contested[v, k])
        regions.append(-1 if is_apart else int(case.variants.outcome[v]))
    return rows, regions


@given(cases(), st.integers(1, 8), st.sampled_from(("likeliest", "apart")))
@settings(max_examples=80)
def test_edges_join_hypotheses_of_different_outcomes_only(
    case: Case, limit: int, contested: Contested
) -> None:
    listing = ListingRule(limit, 0.0, contested).listing(case.model)
    start = Situation.at_start(
        case.model, case.situation.draws, np.ones(len(case.sizes), dtype=bool), listing
    )
    rows, regions = rows_and_regions(case, limit, contested)
    with loud():
        ours = ec2_gains(listing.hypotheses, start.weights, start.chances)
    by_variant = case.model.theta.tolist()
    for i in range(len(case.sizes)):
        theta = [[row[: case.sizes[k]] for row in by_variant[k]] for k in range(len(case.sizes))]
        wanted = brute.ec2_gain(case.model.prior.tolist(), theta, rows, regions, {}, i)
        assert ours[i] == pytest.approx(wanted, abs=1e-12)
    assert start.regions == len(set(regions))


@given(cases(), st.integers(1, 6))
@settings(max_examples=80)
def test_a_hypothesis_is_listed_once_for_the_likeliest_outcome_that_lists_it(case: Case, limit: int) -> None:
    rows, regions = rows_and_regions(case, limit, "likeliest")
    assert len(set(rows)) == len(rows)
    alone = {
        j: [h for v in np.flatnonzero(case.variants.outcome == j) for h in brute_best(case, int(v), limit)]
        for j in range(len(case.problem.outcomes))
    }
    assert set(rows) == {h for found in alone.values() for h in found}
    for h, region in zip(rows, regions, strict=True):
        likely = {
            j: sum(
                p
                for (other, k, _), p in literal.joint(case.prior, case.mixture, case.sizes, {}).items()
                if other == h and k == j
            )
            for j, found in alone.items()
            if h in found
        }
        assert likely[region] == pytest.approx(max(likely.values()))


@given(cases(), st.integers(1, 6))
@settings(max_examples=60)
def test_a_hypothesis_is_contested_only_between_outcomes(case: Case, limit: int) -> None:
    listed = ListingRule(limit, 0.0, "apart").listing(case.model).hypotheses
    by_outcome = [
        {h for v in np.flatnonzero(case.variants.outcome == j) for h in brute_best(case, int(v), limit)}
        for j in range(len(case.problem.outcomes))
    ]
    for v, k in zip(*np.nonzero(listed.listed), strict=True):
        h = tuple(int(q) for q in listed.answers[v, k])
        assert listed.contested[v, k] == (sum(h in found for found in by_outcome) > 1)


def brute_best(case: Case, v: int, limit: int) -> list[tuple[int, ...]]:
    """The most probable answer sets of one variant; all that tie with the last one would be needed, so none may."""
    theta = case.model.theta[:, v].tolist()
    scored = sorted(
        (
            (float(np.prod([theta[i][q] for i, q in enumerate(h)])), h)
            for h in brute.all_hypotheses(case.sizes)
        ),
        reverse=True,
    )
    assume(len(scored) <= limit or scored[limit - 1][0] > scored[limit][0] * (1 + 1e-9))
    return [h for _, h in scored[:limit]]


@given(cases())
@settings(max_examples=40)
def test_evidence_is_the_factor_on_the_odds_of_the_outcome(case: Case) -> None:
    assume(len(case.problem.outcomes) > 1 and case.answers)
    interview = Interview(case.problem, "all", case.posterior)
    for question, answer in case.answers.items():
        interview.answer(case.problem.questions[question].answers[answer], question)
    for outcome in range(len(case.problem.outcomes)):
        for one in interview.evidence(outcome):
            wanted = literal.odds_ratio(
                case.prior, case.mixture, case.sizes, case.answers, one.question, outcome
            )
            assert one.ratio == pytest.approx(wanted, rel=1e-6)


@given(cases())
@settings(max_examples=40)
def test_the_odds_of_a_wrong_answer_are_those_of_the_definition(case: Case) -> None:
    assume(len(case.answers) >= 2)
    asked = np.array(sorted(case.answers))
    odds, without, _ = error_odds(case.model, asked, case.given[asked][None])
    assert without.shape[-1] == len(case.problem.outcomes)
    for at, question in enumerate(asked.tolist()):
        wanted = literal.error_odds(case.prior, case.mixture, case.sizes, case.answers, question, 0.02)
        assert odds[0, at] == pytest.approx(wanted, rel=1e-6)


@given(cases())
@settings(max_examples=20, deadline=None)
def test_the_bonus_for_learning_decides_for_outcomes(case: Case) -> None:
    posterior = case.posterior.by_variant
    drawn = posterior.draw(np.random.default_rng(SEED), DRAWS)
    width = max(case.sizes)
    assume(min(case.sizes) == width)  # the literal version has no padding
    wanted = literal_learning.bonus(
        drawn.tolist(),
        posterior.alpha.tolist(),
        posterior.problem.cost.tolist(),
        posterior.outcome_prior().tolist(),
        case.problem.effective_stakes,
        case.problem.horizon,
        min(PLANNED, len(case.sizes)),
        case.variants.outcome.tolist(),
    )
    assert_allclose(learning_bonus(posterior), wanted, rtol=1e-7, atol=1e-12)


def single(problem: Problem, seed: int) -> tuple[Posterior, Posterior]:
    """The same knowledge as counts by outcome, and as one variant of each outcome."""
    plain = sample_posterior(problem, seed)
    m = len(problem.outcomes)
    return plain, replace(plain, variants=Variants(np.arange(m), np.ones(m), plain.alpha))


@pytest.mark.parametrize("name", [name for name in policy_names() if not name.endswith("-sts")])
def test_one_variant_of_each_outcome_is_naive_bayes_bit_for_bit(name: str) -> None:
    for seed, problem in enumerate((mixed_problem(), screening_problem())):
        plain, one = single(problem, seed)
        script = make_script(problem, seed)
        first = finish(Interview(problem, policy_from(name), plain, seed=seed), script)
        other = finish(Interview(problem, policy_from(name), one, seed=seed), script)
        assert snapshot(first) == snapshot(other)
        assert first.cost_of_all(0) == other.cost_of_all(0)
        assert first.expected_cost_to_come == other.expected_cost_to_come


def test_steady_samples_of_variants_lie_closer_to_the_mean() -> None:
    posterior = Posterior.of(variants_problem()).by_variant
    plain = [posterior.sample(np.random.default_rng(seed)) for seed in range(60)]
    steady = [posterior.sample(np.random.default_rng(seed), sure=3.0) for seed in range(60)]
    assert np.std(steady, axis=0).mean() < 0.9 * np.std(plain, axis=0).mean()


@pytest.mark.parametrize("name", ["w-ig-mean", "lookahead-mean", "w-ig-ts"])
def test_a_question_that_only_tells_which_variant_it_is_comes_first(name: str) -> None:
    problem = replace(
        variants_problem(),
        cost=np.where(variants_problem().valid[:, None, :], 1.0, 0.0) + np.zeros((6, 3, 3)),
    )
    posterior = Posterior.of(problem)
    assert posterior.known_variants is not None
    sure = replace(posterior.known_variants, counts=posterior.known_variants.counts * 50)
    interview = Interview(problem, name, replace(posterior, variants=sure))
    assert interview.next == Ask(0)
    interview.answer("yes")
    assert interview.next == Ask(1)
    interview.undo()
    interview.answer("no")
    assert interview.next == Ask(2)


def test_an_outcome_that_was_tried_takes_its_variants_with_it() -> None:
    problem = variants_problem()
    interview = Interview(problem, "w-ig-mean")
    interview.answer("yes", 0)
    interview.stop()
    best = int(interview.belief.argmax())
    interview.rule_out(best)
    assert interview.belief[best] == 0
    assert problem.named_variants is not None
    assert not interview.sub_belief[problem.named_variants.outcome == best].any()
    assert interview.belief.sum() == pytest.approx(1)
    assert isinstance(interview.next, Decide)
    assert interview.next.outcome != best


def test_asking_on_goes_by_the_variants_of_what_is_left() -> None:
    interview = Interview(variants_problem(), policy_from("w-ig-mean", {"max_questions": 0}))
    assert isinstance(interview.next, Decide)
    interview.ask_on(0.99)
    for _ in run_script(interview, make_script(variants_problem(), 3, answered=1.0)):
        assert isinstance(interview.next, Ask)
    assert isinstance(interview.next, Decide)


def test_a_red_flag_decides_for_its_outcome() -> None:
    problem = variants_problem()
    questions = (replace(problem.questions[0], stops=((1, "z"),)), *problem.questions[1:])
    interview = Interview(replace(problem, questions=questions), "lookahead-mean")
    interview.answer("yes", 0)
    assert isinstance(interview.next, Decide)
    assert (problem.outcomes[interview.next.outcome], interview.next.rule) == ("z", "red_flag")


def test_the_forecast_is_near_what_interviews_with_variants_cost() -> None:
    problem = replace(variants_problem(), stakes=60.0)
    variants = problem.named_variants
    assert variants is not None
    rng, spent = np.random.default_rng(0), []
    prior = problem.prior[variants.outcome] * variants.weight
    theta = variants.counts / variants.counts.sum(axis=-1, keepdims=True)
    for seed in range(200):
        truth = rng.choice(len(prior), p=prior)
        answers = [int(rng.choice(3, p=theta[i, truth])) for i in range(6)]
        interview = Interview(problem, "lookahead-mean", seed=seed)
        run_to_end(interview, answers)
        spent.append(interview.cost_so_far)
    forecast = Interview(problem, "lookahead-mean").expected_cost_to_come
    assert 0.75 * np.mean(spent) < forecast < 1.3 * np.mean(spent)


def crowded() -> Posterior:
    """Four variants of the first outcome that questions tell apart, and a second outcome that is nearly ruled out."""
    problem = Problem.build([f"q{i}" for i in range(6)], ["x", "y"], prior=[0.98, 0.02], stakes=20)
    yes = np.full((6, 5), 0.5)
    yes[:4, :4] = 0.1 + 0.8 * np.eye(4)
    counts = 500 * np.stack([1 - yes, yes], axis=-1)
    return Posterior.of(problem, variants=variants([0, 0, 0, 0, 1], [0.25] * 4 + [1], counts))


@pytest.mark.parametrize("stop", [{"confidence": 0.95}, "value"])
def test_a_forecast_ends_when_the_outcome_is_known_whatever_its_variant(stop: object) -> None:
    posterior = crowded().by_variant
    model = Model.of(posterior, posterior.mean())
    nothing = np.full(6, -1, dtype=np.int16)
    start = ForecastStart(
        model, model.prior, model, model.prior, nothing, np.zeros(6, dtype=bool), first=0, asked=0, spent=0.0
    )
    assert expected_remaining_cost(start, stop_rule_from(stop)) == pytest.approx(1.0)


@given(cases())
@settings(max_examples=30)
def test_simulated_interviews_are_asked_by_the_gains_of_w_ig(case: Case) -> None:
    beliefs = np.stack([case.model.prior, case.situation.belief])
    gains, costs = _weighed(case.model, beliefs)
    for row, belief in enumerate(beliefs):
        assert_allclose(gains[row], telling_gains(case.model, belief), atol=1e-12)
        assert_allclose(costs[row], expected_costs(case.model, belief))


@given(cases(), st.floats(0.01, 10.0))
@settings(max_examples=40)
def test_what_certainty_is_worth_and_costs_is_about_the_outcome_not_its_variant(
    case: Case, score: float
) -> None:
    believed = literal.belief(case.prior, case.mixture, case.sizes, case.answers)
    lost = case.problem.effective_stakes * (1 - max(believed))
    needed = brute.entropy(believed)
    assume(needed > 1e-9)
    scores = np.full((1, len(case.sizes)), score)
    ours = _gain_per_loss(case.model, case.situation.belief[None], scores)
    assert ours.tolist() == pytest.approx([lost * score / needed])


def test_a_short_plan_holds_questions_about_the_outcome_and_about_its_variant() -> None:
    problem = Problem.build([f"q{i}" for i in range(6)], ["x", "y"], stakes=90)
    yes = np.full((6, 4), 0.5)
    yes[:3] = [[0.95, 0.05, 0.95, 0.05], [0.9, 0.1, 0.9, 0.1], [0.85, 0.15, 0.85, 0.15]]  # the variant
    yes[3:] = [[0.7, 0.7, 0.3, 0.3], [0.65, 0.65, 0.35, 0.35], [0.6, 0.6, 0.4, 0.4]]  # the outcome
    known = Posterior.of(
        problem, variants=variants([0, 0, 1, 1], [0.5] * 4, 100 * np.stack([1 - yes, yes], axis=-1))
    )
    interview = Interview(problem, "lookahead-mean", known)
    for milliseconds, held in ((0.01, {0, 3}), (0.1, {0, 1, 3, 4})):
        made = Planner(milliseconds).plan_for(interview.situation)
        assert set(made.questions.tolist()) == held


def test_a_contradiction_is_settled_by_what_tells_in_the_variant_that_it_is() -> None:
    problem = Problem.build(["which", "left", "right", "a", "b"], ["x", "y"])
    yes = np.array(
        [
            [0.98, 0.02, 0.98, 0.02],
            [0.95, 0.5, 0.05, 0.5],
            [0.5, 0.95, 0.5, 0.05],
            [0.9, 0.9, 0.1, 0.1],
            [0.9, 0.9, 0.1, 0.1],
        ]
    )
    known = Posterior.of(
        problem, variants=variants([0, 0, 1, 1], [0.5] * 4, 400 * np.stack([1 - yes, yes], axis=-1))
    )
    model = Greedy().model(known.by_variant, np.random.default_rng(0))
    for answer, telling in (("yes", 1), ("no", 2)):
        interview = Interview(problem, "all", known)
        interview.answer(answer, "which")
        only = np.isin(np.arange(5), (1, 2))
        assert _find_settling_question(model, interview.sub_belief, 0, 1, only) == telling


def test_what_settles_a_contradiction_tells_its_two_outcomes_apart_and_no_third_one() -> None:
    problem = Problem.build(["left", "right"], ["x", "y", "z"], prior=[0.05, 0.05, 0.9])
    yes = np.array([[0.95, 0.94, 0.05, 0.06, 0.8], [0.5, 0.5, 0.5, 0.5, 0.01]])
    known = Posterior.of(
        problem,
        variants=variants([0, 0, 1, 1, 2], [0.5] * 4 + [1], 400 * np.stack([1 - yes, yes], axis=-1)),
    )
    model = Greedy().model(known.by_variant, np.random.default_rng(0))
    belief = Interview(problem, "all", known).sub_belief
    assert _find_settling_question(model, belief, 0, 1, np.ones(2, dtype=bool)) == 0
    assert _find_settling_question(model, belief, 0, 2, np.ones(2, dtype=bool)) == 1


def variants(outcome: object, weight: object, counts: Floats) -> Variants:
    return Variants(np.array(outcome), np.array(weight, dtype=float), counts)


@pytest.mark.parametrize(
    ("outcome", "weight"),
    [
        ([0, 0, 2], [0.5, 0.5, 1]),
        ([1, 1], [0.5, 0.5]),
        ([0, 1, 0], [0.5, 1, 0.5]),
        ([0, 0], [0.5, 0.6]),
        ([0, 0], [1.5, -0.5]),
        ([0, 0], [0.5, 0.5, 0.5]),
        ([], []),
    ],
)
def test_variants_that_make_no_sense_are_refused(outcome: list[int], weight: list[float]) -> None:
    with pytest.raises(BadArgument):
        variants(outcome, weight, np.ones((2, len(outcome), 2)))


def test_variants_of_another_problem_are_refused() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"])
    other = variants([0, 0, 1], [0.5, 0.5, 1], np.ones((3, 3, 2)))
    with pytest.raises(BadArgument, match="another problem"):
        Posterior.of(problem, variants=other)
    with pytest.raises(BadArgument, match="another problem"):
        replace(problem, named_variants=other)


def test_after_a_dont_know_a_plan_with_prerequisites_is_found_again() -> None:
    problem = Problem.build(
        ["a", Question("b", ask_if=(("a", (1,)),)), "c"],
        ["x", "y"],
        expected=[[0.8, 0.3], [0.7, 0.2], [0.6, 0.4]],
        stakes=90,
    )
    posterior = Posterior.of(problem, unknown=[1.0, 1.0, 1.0])
    interview = Interview(problem, "lookahead-mean", posterior)
    assert isinstance(interview.next, Ask)
    interview.dont_know()
    assert interview.next is not None
