"""``odm-tui serve --store``: browsers of two machines share a team's cases."""

from __future__ import annotations

from pathlib import Path

from tests.support.postgresql.server import PostgresServer
from tests.support.web.browser import Tab
from tests.support.web.serving import serve


def test_a_case_of_one_server_is_in_the_inbox_of_another(
    postgres: PostgresServer, store: str, tmp_path: Path, browser_pair: tuple[Tab, Tab]
) -> None:
    here, there = browser_pair
    with (
        serve(tmp_path / "here", "--store", postgres.address(store, "ann")) as ours,
        serve(tmp_path / "there", "--store", postgres.address(store, "ben")) as theirs,
    ):
        here.open(ours.url, "Ada")
        here.wait_for("Banks")
        here.open(f"{ours.origin}/?bank=led&case=T-4711")
        here.wait_for("LED digit", "T-4711", "Yes")
        here.press("y")
        here.wait_until(lambda: len(ours.events("led", "answered")) == 1, "The answer")
        there.open(theirs.url, "Grace")
        there.wait_for("Inbox", "T-4711")
        assert "Ada" not in there.text  # a pseudonym, not the name
        assert len(theirs.events("led", "answered")) == 1
