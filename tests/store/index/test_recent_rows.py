"""The lines after an index, kept beside it: what they say goes before what the index says."""

from __future__ import annotations

from typing import Any, cast

from odm_tui.store.index.recent_rows import RecentRows


class Base:
    """An index that knows one interview."""

    def find(self, interview: str) -> str | None:
        return "as it was" if interview == "old" else None


def with_base() -> RecentRows:
    return RecentRows(cast("Any", Base()))


def test_an_interview_that_did_not_change_is_found_in_the_index() -> None:
    found: object = with_base().find("old")
    assert found == "as it was"


def test_an_interview_that_changed_is_found_as_it_is_now() -> None:
    rows, changed = with_base(), cast("Any", object())
    rows.changed["old"] = changed
    assert rows.find("old") is changed


def test_an_interview_that_was_forgotten_is_not_found() -> None:
    rows = with_base()
    rows.forgotten.add("old")
    assert rows.find("old") is None


def test_without_an_index_only_what_changed_is_found() -> None:
    rows, changed = RecentRows(None), cast("Any", object())
    rows.changed["new"] = changed
    assert rows.find("new") is changed
    assert rows.find("old") is None
