"""The state is an exact, readable function of the log and the bank."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from odm_tui.engine.posterior import Posterior
from odm_tui.engine.problem import Problem, Question
from odm_tui.errors import BadData
from odm_tui.store.counts import BankIndex, Counts
from odm_tui.store.state_file import decode_counts, encode_state, unseal
from odm_tui.store.state_update import update_state
from tests.support.faults.samples import ANSWERS, OUTCOMES, interview_events, paths_in, sample_index, write

LESSONS = st.lists(
    st.tuples(
        st.fixed_dictionaries({}, optional={q: st.sampled_from(a) for q, a in ANSWERS.items()}),
        st.sampled_from(OUTCOMES),
    ),
    max_size=12,
)


def taught(lessons: list[tuple[dict[str, str | float], str]], **changes: object) -> Counts:
    counts = Counts()
    for answers, outcome in lessons:
        counts.add_lesson((tuple(answers.items()), outcome), sample_index(**changes))
    return counts


def test_the_state_looks_as_documented() -> None:
    text = encode_state(
        taught([({"fever": "yes", "colour": "off", "ping": 40}, "flu")]), sample_index()
    ).decode()
    state = json.loads(text)
    del state["crc"]
    assert state == {
        "format": 1,
        "bank": "sample",
        "bank_hash": "h1",
        "interviews": 1,
        "outcomes": {"flu": 1},
        "posteriors": {
            "fever": {"flu": {"alpha": 8.6, "beta": 0.4}},
            "colour": {"flu": {"counts": {"red": 5.6, "amber": 1.6, "off": 1.8}}},
            "ping>20": {"flu": {"alpha": 8.2, "beta": 0.8}},
            "ping>37.5": {"flu": {"alpha": 6.6, "beta": 2.4}},
            "ping>300": {"flu": {"alpha": 2.4, "beta": 6.6}},
        },
        "decisions": {},
    }
    assert '      "flu": {"alpha": 8.6, "beta": 0.4}\n' in text


@given(LESSONS)
def test_the_counts_are_read_back_exactly(lessons: list[tuple[dict[str, str | float], str]]) -> None:
    known = taught(lessons)
    state = unseal(encode_state(known, sample_index()), "state")
    assert decode_counts(state, sample_index(), "state") == known


@given(LESSONS)
def test_the_order_of_interviews_makes_no_difference(
    lessons: list[tuple[dict[str, str | float], str]],
) -> None:
    assert encode_state(taught(lessons), sample_index()) == encode_state(
        taught(lessons[::-1]), sample_index()
    )


@given(LESSONS)
def test_the_engine_counts_the_same(lessons: list[tuple[dict[str, str | float], str]]) -> None:
    problem = sample_index().problem
    learned = Posterior.of(problem)
    for answers, outcome in lessons:
        learned = learned.updated([answers.get(q.id) for q in problem.questions], outcome)
    kept = taught(lessons).posterior(problem)
    np.testing.assert_array_equal(kept.counts, learned.counts)
    np.testing.assert_array_equal(kept.outcome_counts, learned.outcome_counts)
    assert kept.interviews == learned.interviews


@given(LESSONS)
def test_pairs_of_answers_give_the_engine_s_products_and_are_unknown_where_they_were_not_counted(
    lessons: list[tuple[dict[str, str | float], str]],
) -> None:
    problem = sample_index().problem
    learned = Posterior.of(problem)
    for answers, outcome in lessons:
        learned = learned.updated([answers.get(q.id) for q in problem.questions], outcome)
    with_pairs = taught(lessons, counts_pairs=True).posterior(problem)
    assert with_pairs.products is not None
    assert learned.products is not None
    np.testing.assert_allclose(with_pairs.products, learned.products, rtol=1e-12)
    assert (taught(lessons).posterior(problem).products is None) == bool(lessons)


@given(LESSONS)
def test_what_is_taken_back_leaves_no_trace(lessons: list[tuple[dict[str, str | float], str]]) -> None:
    known = taught(lessons)
    before = encode_state(known, sample_index())
    lesson = ((("fever", "no"), ("ping", 25.0)), "cold")
    known.add_lesson(lesson, sample_index())
    known.add_lesson(lesson, sample_index(), -1)
    assert encode_state(known, sample_index()) == before


def test_every_flipped_byte_of_a_state_is_noticed() -> None:
    data = encode_state(taught([({"fever": "yes"}, "flu")]), sample_index())
    for place in range(len(data)):
        flipped = bytearray(data)
        flipped[place] ^= 0x04
        with pytest.raises(BadData):
            unseal(bytes(flipped), "state")


@pytest.mark.parametrize("data", [b"", b"{}", b"\x00" * 100, b"null\n"])
def test_a_file_that_is_no_state_is_refused_in_one_sentence(data: bytes) -> None:
    with pytest.raises(BadData, match="state"):
        unseal(data, "state")


def other_bank(*questions: Question, outcomes: tuple[str, ...] = OUTCOMES, **more: object) -> BankIndex:
    made = {"name": "sample", "hash": "h2", "problem": Problem.build(questions, outcomes), **more}
    return BankIndex(**made)  # type: ignore[arg-type]


def learned_by(bank: BankIndex, folder: Path) -> tuple[dict[str, object], tuple[str, ...]]:
    where = paths_in(folder)
    write(where, [interview_events("aaaaaaaa", {"fever": "yes", "colour": "off", "ping": 40}, "flu")])
    update_state(where, sample_index())
    known = update_state(where, bank)
    state = json.loads(where.state.read_bytes())
    return {**state["posteriors"], "outcomes": state["outcomes"]}, known.notices


def test_a_changed_bank_is_noticed_and_said(tmp_path: Path) -> None:
    _, notices = learned_by(other_bank(Question("fever")), tmp_path)
    assert len(notices) == 1
    assert "has changed" in notices[0]


def test_a_bank_that_lost_and_reordered_questions_keeps_what_it_learned(tmp_path: Path) -> None:
    bank = other_bank(Question("new"), Question("fever"), outcomes=("cold", "other", "flu"))
    assert learned_by(bank, tmp_path)[0] == {
        "outcomes": {"flu": 1},
        "fever": {"flu": {"alpha": 3, "beta": 2}},
    }


def test_renamed_questions_and_outcomes_are_found_by_their_aliases(tmp_path: Path) -> None:
    bank = other_bank(
        Question("temperature"),
        outcomes=("cold", "influenza"),
        question_aliases={"fever": "temperature"},
        outcome_aliases={"flu": "influenza"},
    )
    assert learned_by(bank, tmp_path)[0] == {
        "outcomes": {"influenza": 1},
        "temperature": {"influenza": {"alpha": 3, "beta": 2}},
    }


def test_new_thresholds_count_the_numbers_that_were_typed(tmp_path: Path) -> None:
    bank = other_bank(Question("ping", thresholds=(39, 41)))
    assert learned_by(bank, tmp_path)[0] == {
        "outcomes": {"flu": 1},
        "ping>39": {"flu": {"alpha": 5, "beta": 2}},
        "ping>41": {"flu": {"alpha": 2, "beta": 5}},
    }


def test_an_outcome_that_is_gone_teaches_nothing_but_stays_in_the_log(tmp_path: Path) -> None:
    where = paths_in(tmp_path)
    assert learned_by(other_bank(Question("fever"), outcomes=("cold",)), tmp_path)[0] == {"outcomes": {}}
    update_state(where, sample_index())
    assert json.loads(where.state.read_bytes())["interviews"] == 1
