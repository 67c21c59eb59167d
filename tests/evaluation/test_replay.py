"""Replaying logs: reading them, auditing them, and asking what other policies would have done."""

from __future__ import annotations

import io
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from benchmarks.simulated_log import events, write_log
from odm_tui.banks import Bank, load_bank
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem
from odm_tui.errors import BadArgument, BadData
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.cases import read_cases
from odm_tui.evaluation.replay.dated_posterior import DatedPosterior, compute_interview_cost
from odm_tui.evaluation.replay.estimates import FULL, LOGGED_ANSWERS, MODEL
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview, Tally, read_interviews
from odm_tui.evaluation.replay.off_policy import WeightedInterviews, estimate
from odm_tui.evaluation.replay.replay import ReplayOptions, ReplayResult, replay
from odm_tui.evaluation.replay.team_log import _choose_bank
from odm_tui.evaluation.replay.what_if import Case, bootstrap_interval, complete_cases, follow
from odm_tui.evaluation.report.replay_html import render_page
from odm_tui.evaluation.report.replay_terminal import make_replay_tables
from odm_tui.session import Session
from odm_tui.store.events import Confirmed, Corrected, Event, Retracted, Started
from odm_tui.store.log_codec import encode_event


@pytest.fixture(scope="module")
def bank() -> Bank:
    return load_bank("led")


@pytest.fixture(scope="module")
def log(bank: Bank, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty interviews; every second one asks everything."""
    path = tmp_path_factory.mktemp("logs") / "led.log.jsonl"
    write_log(path, bank, 30, ["w-ec2-ts", "all"])
    return path


def read(bank: Bank, *paths: Path) -> tuple[list[LoggedInterview], Tally]:
    tally = Tally()
    return list(read_interviews(paths, bank, tally)), tally


def written(path: Path, told: list[Event]) -> Path:
    path.write_bytes(b"".join(encode_event(event, number) for number, event in enumerate(told, start=1)))
    return path


def told(bank: Bank, count: int = 6, seed: int = 3, start: float = 1.7e9) -> list[Event]:
    return list(events(bank, count, ["w-ec2-ts"], seed, start))


# -- reading ------------------------------------------------------------------------------------------


def test_every_interview_comes_with_what_was_known_when_it_began(bank: Bank, log: Path) -> None:
    found, _ = read(bank, log)
    assert [logged.before.interviews for logged in found] == list(range(30))
    known = Posterior.of(bank.problem)
    for logged in found:
        assert np.array_equal(logged.before.counts, known.counts)
        known = known.updated(logged.answers, logged.outcome)


def test_a_correction_changes_what_later_interviews_knew(bank: Bank, tmp_path: Path) -> None:
    lines = told(bank, 3)
    first = lines[0].interview
    at = next(i for i, event in enumerate(lines) if isinstance(event, Confirmed)) + 1
    wrong = lines[at - 1]
    assert isinstance(wrong, Confirmed)
    other = next(name for name in bank.problem.outcomes if name != wrong.outcome)
    lines.insert(at, Corrected(interview=first, n=99, time=wrong.time, outcome=other))
    found, _ = read(bank, written(tmp_path / "l.log.jsonl", lines))
    place = bank.problem.outcomes.index(other)
    assert found[0].outcome == place
    assert found[1].before.outcome_counts[place] == 1


def test_a_retracted_interview_teaches_nothing_and_is_not_held_again(bank: Bank, tmp_path: Path) -> None:
    lines = told(bank, 3)
    lines.append(Retracted(interview=lines[0].interview, n=99, time=lines[-1].time))
    found, tally = read(bank, written(tmp_path / "l.log.jsonl", lines))
    assert len(found) == 2
    assert tally.not_confirmed == 1


def test_torn_and_foreign_lines_are_counted_and_passed_over(bank: Bank, tmp_path: Path) -> None:
    path = written(tmp_path / "l.log.jsonl", told(bank, 4))
    lines = path.read_bytes().split(b"\n")
    lines.insert(3, b"\xff not a record at all")
    lines.insert(9, b'{"event": "foreign"}')
    path.write_bytes(b"\n".join(lines)[:-1] + b'\n{"seq": 99, "torn')
    found, tally = read(bank, path)
    assert (tally.damaged, tally.torn) == (2, 1)
    assert len(found) == 4
    assert "line 4" in tally.first_damage


def test_several_logs_are_merged_by_time(bank: Bank, tmp_path: Path) -> None:
    early = written(tmp_path / "a.log.jsonl", told(bank, 5, seed=3, start=1.7e9))
    late = written(tmp_path / "b.log.jsonl", told(bank, 5, seed=4, start=1.7e9 + 100))
    found, _ = read(bank, late, early)
    ended = [logged.events[-1].time for logged in found]
    assert ended == sorted(ended)
    assert {logged.log for logged in found} == {0, 1}


def test_interviews_of_another_bank_are_left_out(bank: Bank, log: Path) -> None:
    found, tally = read(load_bank("navigation"), log)
    assert found == []
    assert tally.elsewhere == 30


def test_a_log_that_is_not_there_is_named(bank: Bank, tmp_path: Path) -> None:
    with pytest.raises(BadData, match="absent"):
        read(bank, tmp_path / "absent.log.jsonl")


def test_a_log_without_a_confirmed_interview_is_refused(bank: Bank, tmp_path: Path) -> None:
    unconfirmed = [event for event in told(bank, 2) if not isinstance(event, Confirmed)]
    with pytest.raises(BadData, match="no confirmed interview"):
        replay(bank, [written(tmp_path / "l.log.jsonl", unconfirmed)], ReplayOptions(()))


# -- audit --------------------------------------------------------------------------------------------


def audited(bank: Bank, path: Path) -> Audit:
    audit = Audit(bank)
    for logged in read_interviews([path], bank, Tally()):
        audit.check(logged)
    return audit


def test_interviews_ask_the_same_questions_when_held_again(bank: Bank, log: Path) -> None:
    audit = audited(bank, log)
    assert (audit.checked, audit.same) == (30, 30)


def test_another_seed_is_told_as_a_difference(bank: Bank, tmp_path: Path) -> None:
    changed = [
        _with(event, seed=event.seed + 1) if isinstance(event, Started) else event for event in told(bank, 12)
    ]
    audit = audited(bank, written(tmp_path / "l.log.jsonl", changed))
    assert audit.same < 12
    assert set(audit.reasons) == {"it was held with another version of odm-tui, or its log was edited"}
    assert "next, now it is" in audit.differences[0].what


def test_a_changed_bank_is_named_as_the_reason(bank: Bank, tmp_path: Path) -> None:
    changed = [
        _with(event, seed=event.seed + 1, bank_hash="0" * 64) if isinstance(event, Started) else event
        for event in told(bank, 10)
    ]
    audit = audited(bank, written(tmp_path / "l.log.jsonl", changed))
    assert set(audit.reasons) == {"the bank has changed"}


def test_missing_lines_are_named_as_the_reason(bank: Bank, tmp_path: Path) -> None:
    path = written(tmp_path / "l.log.jsonl", told(bank, 12))
    lines = path.read_bytes().splitlines(keepends=True)
    # the first answer of the first interview
    del lines[2]
    path.write_bytes(b"".join(lines))
    audit = audited(bank, path)
    assert "the log was edited or is damaged" in audit.reasons


def _with(event: Started, **values: object) -> Started:
    return replace(event, **values)  # type: ignore[arg-type]


# -- what if ------------------------------------------------------------------------------------------


def case(answers: list[int], outcome: int, seed: int = 1) -> Case:
    given = np.array(answers, dtype=np.int16)
    return Case(given, np.zeros(len(answers), dtype=bool), outcome, seed, 1.0, 1, True)


def test_the_logged_policy_followed_by_logged_answers_is_what_was_logged(bank: Bank, tmp_path: Path) -> None:
    path = written(tmp_path / "l.log.jsonl", told(bank, 12))
    found = replay(bank, [path], ReplayOptions(("w-ec2-ts",), audit=False, answer_draws=1, max_weighted=0))
    way = next(way for way in found.ways if way.way == LOGGED_ANSWERS)
    logged, again = way.policies
    assert again.coverage == 1.0
    assert again.mean_cost == pytest.approx(logged.mean_cost)
    assert again.difference_interval == (0.0, 0.0)
    assert again.cost_interval == logged.cost_interval
    assert again.accuracy_interval == logged.accuracy_interval


def test_the_logged_dpp_followed_by_logged_answers_draws_the_same_sets(bank: Bank, tmp_path: Path) -> None:
    path = written(tmp_path / "l.log.jsonl", list(events(bank, 25, ["dpp"], 3, 1.7e9)))
    found = replay(bank, [path], ReplayOptions(("dpp",), audit=False, answer_draws=1, max_weighted=0))
    logged, again = found.ways[0].policies
    assert again.coverage == 1.0
    assert again.cost_over_time == pytest.approx(logged.cost_over_time)
    assert again.accuracy_over_time == logged.accuracy_over_time


def test_a_policy_that_asks_what_the_log_lacks_is_not_covered(bank: Bank) -> None:
    everything, nothing = case([1] * 7, 8), case([-1] * 7, 8)
    held = follow(bank.problem, policy_from("all"), [everything, nothing], DatedPosterior.of(bank.problem))
    assert held.covered.tolist() == [True, False]


def test_logged_answers_show_their_coverage_and_are_never_ranked(bank: Bank, tmp_path: Path) -> None:
    path = written(tmp_path / "l.log.jsonl", told(bank, 12))
    found = replay(
        bank, [path], ReplayOptions(("w-ec2-ts", "all"), audit=False, answer_draws=1, max_weighted=0)
    )
    way = next(way for way in found.ways if way.way == LOGGED_ANSWERS)
    _, same, everything = way.policies
    assert way.ranking is None
    assert "Not ranked" in way.note
    assert (same.coverage, everything.coverage < 1) == (1.0, True)
    # What is left out is not left out by chance, so no interval can say how far off the rest is.
    assert np.isnan([*everything.difference_interval, *everything.cost_interval]).all()


BANK = """
format = 1
title = "Two signs"
cost_unit = "minutes"
half_life_days = 2
learning = "pooled"
policy = {{ oracle = "w-ec2", exploration = "ts", stop = {stop} }}
outcomes = [{{ id = "x" }}, {{ id = "y" }}, {{ id = "z" }}]
questions = [
    {{ id = "a", text = "A?", cost = 1 }},
    {{ id = "b", text = "B?", cost = {{ yes = 1, no = 2 }} }},
    {{ id = "c", text = "C?", cost = 2 }},
    {{ id = "d", text = "D?", cost = 1.5 }},
]
"""


def fading_log(tmp_path: Path, count: int, stop: str = "{ max_questions = 2 }") -> tuple[Bank, Path]:
    """Interviews half a day apart that each meet a skip, a don't know or an undone answer now and then."""
    text = tmp_path / "fading.toml"
    text.write_text(BANK.format(stop=stop))
    bank = load_bank(str(text))
    rng = np.random.default_rng(2)
    for number in range(count):
        clock = partial(float, 1.7e9 + 43_200 * number)
        session = Session.start(bank, tmp_path / "state", seed=number, clock=clock)
        while session.question is not None:
            turn = rng.random()
            if turn < 0.1:
                session.skip()
            elif turn < 0.25:
                session.dont_know()
            else:
                session.answer("yes" if rng.random() < 0.6 else "no")
            if turn > 0.9:
                session.undo()
                session.answer("no")
        session.confirm("xyz"[int(rng.integers(3))])
    return bank, tmp_path / "state" / "fading.log.jsonl"


def test_a_replay_follows_the_stop_rule_half_life_and_pooling_of_the_bank(tmp_path: Path) -> None:
    """Held again by its own name, every interview asks, costs and decides what it did."""
    bank, log = fading_log(tmp_path, 14)
    assert bank.problem.pooled
    found = replay(
        bank, [log], ReplayOptions(("w-ec2-ts", "lookahead-ts"), audit=False, answer_draws=1, max_weighted=0)
    )
    logged, again, _ = found.ways[0].policies
    assert again.coverage == 1.0
    # Weights that fade from interview to interview differ from those by date in the last digit, and so do costs that
    # are means over what was learned.
    assert again.cost_over_time == pytest.approx(logged.cost_over_time, rel=1e-12)
    assert again.questions_over_time == logged.questions_over_time
    assert again.accuracy_over_time == logged.accuracy_over_time


def test_what_was_learned_fades_as_the_counts_of_the_log_do(tmp_path: Path) -> None:
    bank, log = fading_log(tmp_path, 9)
    found, _ = read(bank, log)
    known = DatedPosterior.of(bank.problem)
    assert found[-1].began > found[0].confirmed
    for logged in found:
        known = known.at(logged.began)
        for ours, theirs in (
            (known.posterior.counts, logged.before.counts),
            (known.posterior.outcome_counts, logged.before.outcome_counts),
            (known.posterior.unknown, logged.before.unknown),
        ):
            assert (ours is None) == (theirs is None)
            assert ours is None or theirs is None or np.allclose(ours, theirs, rtol=1e-12)
        unknown = np.isin(np.arange(4), list(logged.unknown))
        known = known.updated(logged.answers, unknown, logged.outcome, logged.confirmed)
    assert known.posterior.interviews == 9


def test_two_logs_are_known_together_at_the_later_moment() -> None:
    problem = load_bank("led").problem
    answers, none = np.full(7, 1, dtype=np.int16), np.zeros(7, dtype=bool)
    old = DatedPosterior.of(problem).updated(answers, none, 0, 3.0).at(3.0)
    new = DatedPosterior.of(problem).updated(answers, none, 1, 5.0).at(5.0)
    for both in (old.merged(new), new.merged(old)):
        assert both.moment == 5
        assert both.posterior.outcome_counts[:2].tolist() == [0.25, 1.0]


def test_interviews_confirmed_later_than_both_logs_are_known_together_when_their_moment_comes() -> None:
    problem = load_bank("led").problem
    answers, none = np.full(7, 1, dtype=np.int16), np.zeros(7, dtype=bool)
    ours = DatedPosterior.of(problem).updated(answers, none, 0, 6.0)
    theirs = DatedPosterior.of(problem).updated(answers, none, 0, 6.0).updated(answers, none, 1, 7.0)
    for both in (ours.merged(theirs), theirs.merged(ours)):
        assert both.at(7.0).posterior.outcome_counts[:2].tolist() == [1.0, 1.0]


def test_a_don_t_know_costs_the_mean_of_its_answers_as_they_were_known() -> None:
    problem = Problem.build(["a", "b"], ["x", "y"], cost=np.array([[[1, 9], [2, 6]], [[5, 5], [4, 4]]]))
    before = Posterior.of(problem).updated([1, 0], 1).updated([1, 0], 1)
    no, yes = before.mean()[0, 1]
    unknown, answers = np.array([True, False]), np.array([-1, 0], dtype=np.int16)
    assert compute_interview_cost(before, answers, unknown, 1) == pytest.approx(2 * no + 6 * yes + 4)


def test_interviews_confirmed_at_one_moment_count_the_same() -> None:
    answers, none = np.full(7, 1, dtype=np.int16), np.zeros(7, dtype=bool)
    known = DatedPosterior.of(load_bank("led").problem)
    for outcome in (0, 1, 1):
        known = known.updated(answers, none, outcome, 3.0)
    assert known.at(3.0).posterior.outcome_counts[:2].tolist() == [1.0, 2.0]


def test_an_answer_that_is_known_is_never_drawn(bank: Bank) -> None:
    (made,) = complete_cases([case([1, 0, -1, -1, 1, 0, -1], 3)], Posterior.of(bank.problem), 5)
    assert made.answers[[0, 1, 4, 5]].tolist() == [1, 0, 1, 0]
    assert (made.answers >= 0).all()


def test_missing_answers_follow_what_was_learned(bank: Bank) -> None:
    counts = np.zeros(bank.problem.shape)
    counts[:, 3, 1] = 100_000
    learned = Posterior.of(bank.problem, counts)
    made = complete_cases([case([-1] * 7, 3)] * 20, learned, 5)
    assert all((each.answers == 1).all() for each in made)


def test_missing_answers_are_as_often_not_known_as_was_learned(bank: Bank) -> None:
    asked, skipped = np.zeros(bank.problem.shape), np.arange(7) == 6
    asked[:, 3, 1] = 1000
    learned = Posterior.of(bank.problem, asked, unknown=[0, 1000, 0, 0, 0, 0, 1e6])
    logged = replace(case([-1, -1, 0, -1, -1, -1, -1], 3), skipped=skipped)
    made = complete_cases([logged] * 400, learned, 5)
    shares = np.mean([each.unknown for each in made], axis=0)
    assert shares[1] == pytest.approx(0.5, abs=0.1)
    assert shares[[0, 2, 3, 4, 5, 6]].max() < 0.02  # what was skipped stays skipped
    assert all(each.answers[2] == 0 for each in made)


def test_only_interviews_that_were_to_ask_everything_give_full_information(bank: Bank, log: Path) -> None:
    found = replay(bank, [log], ReplayOptions(("w-ec2-ts",), audit=False, answer_draws=1, max_weighted=0))
    way = next(way for way in found.ways if way.way == FULL)
    assert way.interviews == 15
    assert way.policies[1].coverage == 1.0
    assert way.policies[1].mean_cost < way.policies[0].mean_cost


def test_the_model_s_way_covers_everything_and_measures_regret(bank: Bank, log: Path) -> None:
    found = replay(
        bank, [log], ReplayOptions(("random", "w-ec2-ts"), audit=False, answer_draws=2, max_weighted=0)
    )
    way = next(way for way in found.ways if way.way == MODEL)
    assert [each.coverage for each in way.policies] == [1.0, 1.0, 1.0]
    assert way.policies[1].regret is not None
    assert way.ranking is not None
    assert way.ranking.index("w-ec2-ts") < way.ranking.index("random")
    assert len(way.policies[1].cost_over_time) == 10
    assert sum(way.policies[1].regret_over_time or ()) == pytest.approx(way.policies[1].regret)


def test_only_the_latest_interviews_are_held_again(bank: Bank, log: Path) -> None:
    found = replay(
        bank, [log], ReplayOptions(("w-ec2-ts",), max_interviews=10, answer_draws=1, max_weighted=0)
    )
    assert found.audit is not None
    assert found.audit.checked == 30
    assert {way.interviews for way in found.ways if way.way != FULL} == {10}


def test_the_bootstrap_interval_holds_the_mean_and_leaves_out_what_is_not_covered() -> None:
    values = np.array([[0.0, 1.0, np.nan, 2.0, 1.0, 0.5]])
    low, high = bootstrap_interval(values, seed=1)
    assert low < 0.9 < high
    assert low >= 0.0
    assert high <= 2.0


def test_nothing_covered_has_no_interval() -> None:
    assert all(math.isnan(end) for end in bootstrap_interval(np.full((2, 3), np.nan), seed=1))


# -- off-policy ---------------------------------------------------------------------------------------


def test_off_policy_estimates_stand_beside_the_ways(
    bank: Bank, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("odm_tui.evaluation.replay.off_policy.MATCHES", 1)
    found = replay(
        bank, [log], ReplayOptions(("w-ig-ts", "w-ec2-ts"), audit=False, answer_draws=1, max_weighted=12)
    )
    other, same = found.off_policy
    assert (other.interviews, same.interviews) == (12, 12)
    assert other.left_out == {"its policy does not choose at random": 12}
    assert 0 < other.effective_sample_size <= 12
    assert same.mean_weight == 1.0
    assert same.doubly_robust == same.logged


def test_few_interviews_give_no_estimate_and_say_so(bank: Bank, log: Path) -> None:
    found = replay(bank, [log], ReplayOptions(("w-ig-ts",), audit=False, answer_draws=1, max_weighted=5))
    (made,) = found.off_policy
    assert made.reason == "It rests on 5 interviews; 10 are needed."
    assert found.as_dict()["off_policy"][0]["reason"] == made.reason


def test_the_tables_of_off_policy_estimates_fit_80_columns_and_say_what_is_withheld(bank: Bank) -> None:
    seen = np.column_stack([np.linspace(100, 900, 40), np.arange(40) % 2])
    nothing, none = np.zeros(40), np.zeros(40, dtype=bool)
    weighted = WeightedInterviews(np.ones(40), nothing, seen, seen, seen, none, nothing)
    found = ReplayResult(bank, ("l",), Tally(), None)
    left_out = {"the operator picked a question": 3}
    found.off_policy = [
        estimate("lookahead-bucb", weighted, left_out),
        estimate("w-ec2-ts", replace(weighted, weight=nothing), left_out),
    ]
    console = Console(width=80, file=io.StringIO(), highlight=False)
    console.print(make_replay_tables(found, 80))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "500 (423–577)" in text
    assert "w-ec2-ts is withheld: The policy never asks what was asked." in text
    assert "Interviews left out: 3: the operator picked a question." in text
    assert "answers of interviews confirmed before each one began" in text
    page = render_page(found)
    assert page.count("500 (423 to 577)") == 3
    assert "<td>500</td>" in page
    assert "model alone (95 %)" not in page
    told = found.as_dict()["off_policy"][0]
    assert told["model"] == pytest.approx(500)
    assert not [key for key in told if key.startswith("model") and "interval" in key]
    assert "is withheld" in page


def test_no_off_policy_estimates_are_made_if_none_are_wanted(bank: Bank, log: Path) -> None:
    found = replay(bank, [str(log)], ReplayOptions(("w-ig-ts",), audit=False, answer_draws=1, max_weighted=0))
    assert found.off_policy == []


# -- cases and the page -------------------------------------------------------------------------------


def rows(bank: Bank, count: int) -> Iterator[str]:
    rng = np.random.default_rng(1)
    yield ",".join([*(question.id for question in bank.questions), "outcome"])
    for number in range(count):
        answers = (str(a) for a in rng.integers(0, 2, len(bank.questions)))
        yield ",".join([*answers, bank.outcomes[number % 10].id])


def test_cases_of_a_csv_file_give_full_information(bank: Bank, log: Path, tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    path.write_text("\n".join(rows(bank, 12)) + "\n")
    cases = read_cases(path, bank, "outcome")
    found = replay(
        bank, [log], ReplayOptions(("all",), audit=False, answer_draws=1, max_weighted=0), cases=cases
    )
    way = found.ways[-1]
    assert (way.way, way.interviews) == (FULL, 12)
    assert way.policies[0].mean_questions == 7


def test_only_an_empty_cell_of_a_csv_file_is_a_don_t_know(bank: Bank, tmp_path: Path) -> None:
    path = tmp_path / "cases.csv"
    names = ",".join([*(question.id for question in bank.questions), "outcome"])
    path.write_text(f"{names}\n0,,1,0,,1,1,{bank.outcomes[3].id}\n")
    (found,) = read_cases(path, bank, "outcome")
    assert found.answers.tolist() == [0, -1, 1, 0, -1, 1, 1]
    assert np.flatnonzero(found.unknown).tolist() == [1, 4]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: text.replace("outcome", "result"), "Unknown column 'outcome'"),
        (lambda text: text.replace("\n0", "\nmaybe", 1), "has no answer 'maybe'"),
        (lambda text: text.replace(",zero\n", ",nobody\n", 1), "line 2: Unknown outcome 'nobody'"),
    ],
)
def test_bad_cases_get_one_sentence(
    bank: Bank, tmp_path: Path, change: Callable[[str], str], said: str
) -> None:
    path = tmp_path / "cases.csv"
    path.write_text(change("\n".join(rows(bank, 12)) + "\n"))
    with pytest.raises(BadData, match=said):
        read_cases(path, bank, "outcome")


def test_the_page_needs_nothing_from_elsewhere_and_escapes_what_it_shows(bank: Bank, log: Path) -> None:
    found = replay(bank, [log], ReplayOptions(("w-ec2-ts",), answer_draws=1, max_weighted=12))
    found.logs = ("<script>alert(1)</script>",)
    text = render_page(found)
    assert "<script>" not in text
    assert "&lt;script&gt;" in text
    assert "http" not in text
    assert text.count("<svg") == 9
    assert "Audit" in text


@pytest.mark.soak
def test_a_log_of_a_million_events_is_read_in_bounded_memory(bank: Bank, tmp_path: Path) -> None:
    import tracemalloc

    path = tmp_path / "l.log.jsonl"
    lines = told(bank, 200)
    with path.open("wb") as out:
        number, copy = 0, 0
        while number < 1_000_000:
            copy += 1
            for event in lines:
                number += 1
                name = f"{copy:06x}{event.interview[6:]}"
                out.write(encode_event(_renamed(event, name), number))
    tally = Tally()
    tracemalloc.start()
    count = sum(1 for _ in read_interviews([path], bank, tally))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert tally.events >= 1_000_000
    assert count == 200 * copy
    assert most < 50 * 2**20


def _renamed(event: Event, name: str) -> Event:
    return replace(event, interview=name)


@pytest.mark.parametrize(
    ("heads", "bank", "found"),
    [
        ({"led": 3}, None, "led"),
        ({"led": 3, "empty": 0}, None, "led"),
        ({"led": 3, "flu": 1}, "flu", "flu"),
        ({"led": 3}, "flu", "no interviews of the bank 'flu'; it has led"),
        ({"led": 3, "empty": 0}, "empty", "no interviews of the bank 'empty'; it has led"),
        ({"led": 3, "flu": 1}, None, "several banks. Choose one with --bank: led, flu"),
        ({"empty": 0}, None, "has no interviews yet"),
        ({}, "led", "has no interviews yet"),
    ],
)
def test_of_a_team_s_store_the_bank_that_was_named_is_taken_or_its_only_one(
    heads: dict[str, int], bank: str | None, found: str
) -> None:
    if found in heads:
        assert _choose_bank(heads, bank, "postgresql:///team") == found
    else:
        with pytest.raises(BadArgument, match=found):
            _choose_bank(heads, bank, "postgresql:///team")
