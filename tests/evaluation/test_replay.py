"""Replaying logs: reading them, auditing them, and asking what other policies would have done."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.simulated_log import events, write_log
from odm_tui.banks import Bank, load_bank
from odm_tui.engine.policy import policy_from
from odm_tui.engine.posterior import Posterior
from odm_tui.errors import BadData
from odm_tui.evaluation.replay.audit import Audit
from odm_tui.evaluation.replay.cases import read_cases
from odm_tui.evaluation.replay.estimates import FULL, LOGGED_ANSWERS, MODEL
from odm_tui.evaluation.replay.logged_interviews import LoggedInterview, Tally, read_interviews
from odm_tui.evaluation.replay.off_policy import (
    compute_weights,
    estimate,
    estimate_own_chances,
    samples_theta,
)
from odm_tui.evaluation.replay.replay import ReplayOptions, replay
from odm_tui.evaluation.replay.what_if import Case, bootstrap_interval, complete_cases, follow
from odm_tui.evaluation.report.replay_html import render_page
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
    from dataclasses import replace

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


def test_a_policy_that_asks_what_the_log_lacks_is_not_covered(bank: Bank) -> None:
    everything, nothing = case([1] * 7, 8), case([-1] * 7, 8)
    held = follow(bank.problem, policy_from("all"), [everything, nothing], Posterior.of(bank.problem))
    assert held.covered.tolist() == [True, False]


def test_low_coverage_is_not_ranked(bank: Bank, tmp_path: Path) -> None:
    path = written(tmp_path / "l.log.jsonl", told(bank, 12))
    found = replay(bank, [path], ReplayOptions(("all",), audit=False, answer_draws=1, max_weighted=0))
    way = next(way for way in found.ways if way.way == LOGGED_ANSWERS)
    assert way.ranking is None
    assert "Not ranked" in way.note


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


# -- propensities -------------------------------------------------------------------------------------


def test_the_logged_policy_weighs_its_own_interviews_about_equally(bank: Bank, log: Path) -> None:
    sampled = [logged for logged in read(bank, log)[0] if samples_theta(logged)][-8:]
    own = estimate_own_chances(bank.problem, sampled, 20, seed=100)
    weight = compute_weights(bank.problem, policy_from("w-ec2-ts"), sampled, own, 20, seed=500)
    assert len(sampled) == 8
    assert 0.2 < weight.mean() < 3


def test_interviews_that_ask_everything_are_no_thompson_samples(bank: Bank, log: Path) -> None:
    assert sum(samples_theta(logged) for logged in read(bank, log)[0]) == 15


def test_the_estimates_are_those_computed_by_hand() -> None:
    weight, paid = np.array([2.0, 0.0, 1.0]), np.array([3.0, 9.0, 6.0])
    predicted, model = np.array([2.0, 8.0, 6.0]), np.array([4.0, 4.0, 4.0])
    made = estimate("other", weight, paid, predicted, model)
    assert made.plain == pytest.approx(12 / 3)
    assert made.weighted == pytest.approx(12 / 3)
    assert made.doubly_robust == pytest.approx((4 + 2 * 1 + 4 + 0 + 4 + 0) / 3)
    assert made.effective_sample_size == pytest.approx(9 / 5)
    assert made.mean_weight == 1.0


def test_off_policy_estimates_stand_beside_the_ways(bank: Bank, log: Path) -> None:
    found = replay(
        bank, [log], ReplayOptions(("w-ig-ts",), audit=False, answer_draws=1, max_weighted=5, theta_draws=4)
    )
    (made,) = found.off_policy
    assert made.interviews == 5
    assert 0 <= made.effective_sample_size <= 5


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
    found = replay(bank, [log], ReplayOptions(("w-ec2-ts",), answer_draws=1, max_weighted=3, theta_draws=2))
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
    from dataclasses import replace

    return replace(event, interview=name)
