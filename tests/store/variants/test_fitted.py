"""Variants follow from the set of confirmed interviews: when they are fitted, to which, and what is kept."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from odm_tui.errors import BadData
from odm_tui.session import Archive
from odm_tui.store.branches.records import read_records
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Corrected
from odm_tui.store.integrity.chain import identify
from odm_tui.store.log import read_log
from odm_tui.store.paths import StatePaths
from odm_tui.store.schemas import log_schema, state_schema
from odm_tui.store.state_file import decode_counts, encode_state, unseal
from odm_tui.store.state_update import read_snapshot, save_fit
from odm_tui.store.variants import codec
from odm_tui.store.variants.fitted import (
    FIRST,
    DatedLesson,
    FittedVariants,
    LessonBook,
    find_lessons,
    find_size,
    fit_first,
    have_same_variants,
    size_for,
)
from odm_tui.store.variants.log_fit import count_log, fit_snapshot, is_fit_due
from tests.support.interacting import interacting_bank, interviews, write_log

HELD = interviews(260)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive.of(interacting_bank(tmp_path / "bank"), tmp_path / "state")


def lessons_of(archive: Archive) -> list[DatedLesson]:
    records = read_records(archive.paths.log, read_log(archive.paths.log))
    return find_lessons(records.by_id.values(), archive.require_index())


def state_of(archive: Archive) -> bytes:
    return archive.paths.state.read_bytes()


def fitted_in(archive: Archive) -> FittedVariants | None:
    return read_snapshot(archive.paths, archive.require_index()).counts.fitted


@given(st.integers(0, 5_000))
def test_variants_are_fitted_at_150_then_every_25_then_every_50(count: int) -> None:
    size = find_size(count)
    assert size <= count
    assert (size == 0) == (count < FIRST)
    if 150 <= count < 250:
        assert size == 150 + (count - 150) // 25 * 25
    elif 250 <= count < 2_000:
        assert size == count // 50 * 50
    assert count - size <= max(50, count / 20) or count < FIRST
    assert find_size(size) == size


def test_named_variants_learn_from_the_first_interview_on() -> None:
    assert [find_size(n, named=True) for n in (0, 1, 2, 19, 25, 149, 150)] == [0, 1, 2, 19, 20, 140, 150]


def test_the_state_has_the_variants_and_rebuild_gives_the_same_bytes(archive: Archive) -> None:
    write_log(archive.paths, HELD[:160])
    archive.rebuild()
    fitted = fitted_in(archive)
    assert fitted is not None
    assert fitted.variants is not None
    assert fitted.interviews == 150
    before = state_of(archive)
    archive.paths.state.unlink()
    archive.paths.position.unlink()
    archive.rebuild()
    assert state_of(archive) == before
    assert list(archive.find_problems()) == []


def test_the_state_with_variants_is_what_its_schema_says(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    state = json.loads(state_of(archive))
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator(state_schema()).validate(state)
    assert set(state["variants"]["weights"]) == {"same", "different"}
    assert set(state["variants"]["posteriors"]["colour"]["same"]) == {"red", "blue", "none"}
    assert set(state["variants"]["posteriors"]["age"]["same"]) == {"<=5", "5..10", ">10"}


def test_variants_are_read_back_from_the_state_to_the_bit(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    index = archive.require_index()
    counts = decode_counts(unseal(state_of(archive), "state"), index, "state")
    fresh = fit_first(lessons_of(archive), 150, index)
    assert counts.fitted is not None
    assert counts.fitted.variants is not None
    assert fresh is not None
    assert fresh.variants is not None
    assert counts.fitted.until == fresh.until
    assert_array_equal(counts.fitted.variants.counts, fresh.variants.counts)
    assert_array_equal(counts.fitted.variants.weight, fresh.variants.weight)
    assert encode_state(counts, index) == state_of(archive)


def test_below_150_interviews_nothing_is_fitted(archive: Archive) -> None:
    write_log(archive.paths, HELD[:149])
    archive.rebuild()
    assert b'"variants"' not in state_of(archive)
    assert not is_fit_due(archive.read_snapshot().counts, archive.require_index())


def test_where_a_bank_allows_one_variant_only_nothing_is_fitted(archive: Archive) -> None:
    index = archive.require_index()
    off = replace(index, problem=replace(index.problem, most_variants=1))
    assert (size_for(200, index), size_for(200, off)) == (200, 0)


def test_new_interviews_keep_the_variants_until_the_next_size(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    first = fitted_in(archive)
    write_log(archive.paths, HELD[150:174])
    assert archive.fit_variants() is None
    later = fitted_in(archive)
    assert first is not None
    assert later is not None
    assert (later.interviews, later.until) == (first.interviews, first.until)
    write_log(archive.paths, HELD[174:175])
    assert archive.fit_variants() is not None
    newest = fitted_in(archive)
    assert newest is not None
    assert newest.interviews == 175


def test_a_state_whose_variants_are_due_is_sound(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    write_log(archive.paths, HELD[150:180])
    with archive.lock.held():
        archive.update_state()
    assert is_fit_due(archive.read_snapshot().counts, archive.require_index())
    assert list(archive.find_problems()) == []


def test_a_state_with_variants_of_an_older_method_is_sound_until_they_are_fitted_again(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(archive.paths, HELD[:160])
    with monkeypatch.context() as older:
        older.setattr(codec, "METHOD", codec.METHOD - 1)
        archive.rebuild()
    assert unseal(state_of(archive), "state")["variants"]["method"] == codec.METHOD - 1
    assert list(archive.find_problems()) == []
    assert archive.fit_variants() is not None
    assert unseal(state_of(archive), "state")["variants"]["method"] == codec.METHOD
    assert list(archive.find_problems()) == []


def test_a_wrong_count_beside_variants_of_an_older_method_is_found(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_log(archive.paths, HELD[:160])
    archive.rebuild()
    index = archive.require_index()
    counts = count_log(archive.paths, index, 150)
    counts.outcomes[0] += 1
    with monkeypatch.context() as older:
        older.setattr(codec, "METHOD", codec.METHOD - 1)
        archive.paths.state.write_bytes(encode_state(counts, index))
    assert any("does not match the log" in problem for problem in archive.find_problems())


def test_a_wrong_number_among_the_variants_is_found(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    index = archive.require_index()
    counts = count_log(archive.paths, index, 150)
    assert counts.fitted is not None
    assert counts.fitted.variants is not None
    wrong = replace(counts.fitted.variants, counts=counts.fitted.variants.counts * 1.01)
    counts.fitted = replace(counts.fitted, variants=wrong)
    archive.paths.state.write_bytes(encode_state(counts, index))
    assert any("does not match the log" in problem for problem in archive.find_problems())


def test_damaged_variants_of_a_state_are_bad_data(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    index = archive.require_index()
    for path, value in (
        (("weights", "same"), [0.5, 0.1]),
        (("posteriors", "left", "same", "yes"), [1.0]),
        (("posteriors", "left"), {}),
        (("until",), {}),
    ):
        state = json.loads(state_of(archive))
        place = state["variants"]
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
        with pytest.raises(BadData):
            decode_counts(state, index, "state")


@pytest.mark.parametrize("order", list(itertools.permutations(range(3)))[::2])
def test_variants_are_the_same_in_whatever_order_folders_are_merged(
    tmp_path: Path, order: tuple[int, ...]
) -> None:
    bank = interacting_bank(tmp_path / "bank")
    whole = Archive.of(bank, tmp_path / "whole")
    write_log(whole.paths, HELD[:180])
    whole.rebuild()
    parts = [HELD[0:180:3], HELD[1:180:3], HELD[2:180:3]]
    merged = Archive.of(bank, tmp_path / "merged")
    for number in order:
        other = StatePaths.of(tmp_path / f"part{number}", bank.log_name)
        write_log(other, parts[number])
        merged.merge(other.folder)
    assert state_of(merged) == state_of(whole)


@pytest.mark.parametrize("place", [3, 140, 155])
def test_after_a_retraction_the_variants_are_those_of_the_remaining_interviews(
    archive: Archive, tmp_path: Path, place: int
) -> None:
    write_log(archive.paths, HELD[:160])
    archive.rebuild()
    archive.retract(HELD[place][0].interview)
    rest = Archive.of(archive.bank, tmp_path / "rest")  # type: ignore[arg-type]
    write_log(rest.paths, [*HELD[:place], *HELD[place + 1 : 160]])
    rest.rebuild()
    assert state_of(archive) == state_of(rest)


def test_after_forgetting_the_state_is_as_if_the_interview_had_never_been(
    archive: Archive, tmp_path: Path
) -> None:
    write_log(archive.paths, HELD[:160])
    archive.rebuild()
    archive.forget(HELD[149][0].interview)
    rest = Archive.of(archive.bank, tmp_path / "rest")  # type: ignore[arg-type]
    write_log(rest.paths, [*HELD[:149], *HELD[150:160]])
    rest.rebuild()
    assert state_of(archive) == state_of(rest)
    assert HELD[149][0].interview.encode() not in state_of(archive)


def test_a_corrected_outcome_changes_the_variants(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    before = fitted_in(archive)
    events = HELD[5]
    wrong = "same" if events[-1].outcome == "different" else "different"  # type: ignore[attr-defined]
    archive.correct(events[0].interview, wrong)
    after = fitted_in(archive)
    assert before is not None
    assert before.variants is not None
    assert after is not None
    assert after.variants is not None
    assert not np.array_equal(before.variants.counts, after.variants.counts)
    rebuilt = state_of(archive)
    archive.rebuild()
    assert state_of(archive) == rebuilt


def test_an_interview_that_comes_during_a_fit_is_not_lost(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    index = archive.require_index()
    with archive.lock.held():
        archive.update_state()
    fitted = fit_snapshot(archive.read_snapshot(), archive.paths, index)
    write_log(archive.paths, HELD[150:152])
    with archive.lock.held():
        archive.update_state()  # another process writes the state in the meantime
        saved = save_fit(fitted, archive.paths, index)
    assert saved.counts.interviews == 152
    assert saved.counts.fitted is not None
    before = state_of(archive)
    archive.rebuild()
    assert state_of(archive) == before


def test_a_fit_that_a_correction_has_overtaken_is_dropped(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    index = archive.require_index()
    with archive.lock.held():
        archive.update_state()
    fitted = fit_snapshot(archive.read_snapshot(), archive.paths, index)
    last = HELD[7][-1]
    wrong = "same" if last.outcome == "different" else "different"  # type: ignore[attr-defined]
    archive.log.append(
        [
            Corrected(
                interview=last.interview,
                n=last.n + 1,
                time=last.time,
                after=identify(last),
                outcome=wrong,
                operator="op",
            )
        ]
    )
    with archive.lock.held():
        saved = save_fit(fitted, archive.paths, index)
    assert saved.counts.fitted is None
    assert is_fit_due(saved.counts, index)


def test_with_a_half_life_old_interviews_count_less_and_the_variants_fade(tmp_path: Path) -> None:
    bank = interacting_bank(tmp_path, "half_life_days = 2")
    archive = Archive.of(bank, tmp_path / "state")
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    fitted = fitted_in(archive)
    assert fitted is not None
    assert fitted.variants is not None
    assert fitted.period is not None
    total = float(fitted.variants.counts[0].sum())
    assert total < 150  # of about six days, weighed
    moment = archive.require_index().find_moment(fitted.until[0])
    assert moment is not None
    soon, late = fitted.at(moment + 0.1), fitted.at(moment + 10.0)
    assert soon is not None
    assert late is not None
    assert late.counts.sum() < soon.counts.sum() < fitted.variants.counts.sum()
    assert_allclose(
        late.counts / np.maximum(late.counts.sum(axis=-1, keepdims=True), 1e-12),
        fitted.variants.counts / np.maximum(fitted.variants.counts.sum(axis=-1, keepdims=True), 1e-12),
        atol=1e-9,
    )
    before = state_of(archive)
    archive.rebuild()
    assert state_of(archive) == before


def test_variants_that_are_read_back_fade_from_the_day_of_their_last_interview(tmp_path: Path) -> None:
    archive = Archive.of(interacting_bank(tmp_path, "half_life_days = 2"), tmp_path / "state")
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    index, fresh = archive.require_index(), fit_first(lessons_of(archive), 150, archive.require_index())
    read = decode_counts(unseal(state_of(archive), "state"), index, "state").fitted
    assert fresh is not None
    assert read is not None
    assert read.period == fresh.period == index.find_period(HELD[149][-1].time)


def test_two_fits_are_the_same_if_they_have_the_same_interviews_and_numbers(archive: Archive) -> None:
    write_log(archive.paths, HELD[:160])
    lessons, index = lessons_of(archive), archive.require_index()
    fit, again, fewer = (fit_first(lessons[:size], size, index) for size in (160, 160, 150))
    assert fit is not None
    assert fit.variants is not None
    simple = replace(fit, variants=None)
    rounded = replace(fit, variants=replace(fit.variants, counts=fit.variants.counts * (1 + 1e-9)))
    for same in ((None, None), (fit, again), (fit, rounded), (simple, replace(simple))):
        assert have_same_variants(*same)
    for other in ((fit, None), (None, fit), (fit, fewer), (fit, simple), (simple, fit)):
        assert not have_same_variants(*other)


def test_the_posterior_of_the_counts_has_the_variants(archive: Archive) -> None:
    write_log(archive.paths, HELD[:150])
    archive.rebuild()
    posterior = archive.posterior(archive.read_snapshot().counts)
    assert posterior.variants is not None
    assert posterior.by_variant.problem.whole is posterior.problem


@given(st.integers(0, 1_000))
@settings(max_examples=10, deadline=None)
def test_a_log_that_is_read_from_its_start_has_the_same_variants(seed: int) -> None:
    """Interviews that come, change and go in any order leave what the remaining ones teach."""
    index = BankIndex.of(interacting_bank(Path(FOLDER)))
    rng = np.random.default_rng(seed)
    book, kept = LessonBook(index), {}
    lessons = [DatedLesson(f"2026-01-01T{n % 24:02d}:00:00Z", f"{n:04d}", lesson_of(n)) for n in range(60)]
    for at in rng.permutation(60):
        lesson = lessons[at]
        book.change(None, lesson)
        kept[lesson.interview] = lesson
        if rng.random() < 0.2:
            other = replace_outcome(lesson)
            book.change(lesson, other)
            kept[lesson.interview] = other
        if rng.random() < 0.1:
            book.change(kept.pop(lesson.interview), None)
        book.fitted(20)
    found = book.fitted(20)
    expected = fit_first(sorted(kept.values(), key=lambda each: each.key), 20, index)
    assert found is not None
    assert expected is not None
    assert found.until == expected.until
    assert (found.variants is None) == (expected.variants is None)
    if found.variants is not None and expected.variants is not None:
        assert_array_equal(found.variants.counts, expected.variants.counts)


@pytest.fixture(autouse=True, scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> None:
    global FOLDER
    FOLDER = str(tmp_path_factory.mktemp("interacting"))


FOLDER = ""


def lesson_of(number: int) -> tuple[tuple[tuple[str, str], ...], str]:
    left, right = number % 2, number // 2 % 2
    answers = (("left", ("no", "yes")[left]), ("right", ("no", "yes")[right]))
    return answers, "same" if left == right else "different"


def replace_outcome(lesson: DatedLesson) -> DatedLesson:
    answers, outcome = lesson.lesson
    return lesson._replace(lesson=(answers, "same" if outcome == "different" else "different"))


def test_the_schema_of_the_log_allows_the_size_of_the_variants_at_a_start() -> None:
    started = next(each for each in log_schema()["oneOf"] if each["title"] == "started")
    assert "variants" in started["properties"]
    assert "variants" not in started["required"]
