"""What a link may ask for: a bank by its name, and a case reference. ``/?bank=troubleshooting&case=T-4711``."""

from __future__ import annotations

from collections.abc import Mapping

from odm_tui.banks.locations import available_banks
from odm_tui.errors import BadArgument, OdmError
from odm_tui.text import unknown_name

LONGEST_CASE = 80


def read_link(query: Mapping[str, str]) -> dict[str, str]:
    """The bank and the case in a link; raise BadArgument for a bank that is not listed, or a case that is no text.

    A path is refused: a link may come from anywhere, and must not make the program read any file.
    """
    link: dict[str, str] = {}
    if bank := query.get("bank", ""):
        names = [location.name for location in available_banks()]
        if bank not in names:
            raise BadArgument(unknown_name("bank", bank, names))
        link["bank"] = bank
    if case := query.get("case", "").strip():
        if len(case) > LONGEST_CASE or not case.isprintable():
            raise BadArgument(f"A case reference has at most {LONGEST_CASE} printable characters.")
        link["case"] = case
    return link


def find_open_interview(link: Mapping[str, str], state_dir: str | None, operator: str) -> str | None:
    """The operator's latest unfinished interview of the linked case that no screen shows; None if there is none."""
    if not link.keys() >= {"bank", "case"}:
        return None
    from odm_tui.banks.loading import load_bank
    from odm_tui.session.resume import unfinished_interviews

    try:
        found = unfinished_interviews(load_bank(link["bank"]), state_dir, operator, link["case"])
    except OdmError:  # the screen will say what is wrong
        return None
    return found[0].interview if found else None
