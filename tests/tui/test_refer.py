"""Handing over at the screen."""

from __future__ import annotations

from pathlib import Path

from odm_tui.banks import load_bank
from odm_tui.session import Archive
from tests.support.terminal.driving import BANK, at_the_screen

REFERRING = '\n[refer]\ncost = {cost}\nlabel = "Second line takes over"\nadvice = "Pass the caller on."\n'


def desk(folder: Path, cost: float) -> str:
    path = folder / "desk.toml"
    path.write_text(Path(BANK).read_text(encoding="utf-8") + REFERRING.format(cost=cost), encoding="utf-8")
    return str(path)


async def test_the_screen_offers_the_referral_that_the_plan_prefers(tmp_path: Path) -> None:
    bank = desk(tmp_path, 30)
    async with at_the_screen(tmp_path, bank=bank) as operator:
        await operator.press("d")
        assert "Second line takes over" in operator.text
        assert "Pass the caller on." in operator.text
        assert "Otherwise: Loose cable" in operator.text
        await operator.press("enter")
    (record,) = Archive.of(load_bank(bank), tmp_path).history()
    assert (record.status, record.referred) == ("pending", True)


async def test_an_operator_hands_over_with_a_key_and_takes_it_back(tmp_path: Path) -> None:
    bank = desk(tmp_path, 3000)
    async with at_the_screen(tmp_path, bank=bank) as operator:
        await operator.press("d")
        assert "Loose cable" in operator.text
        await operator.press("r")
        assert "Hand over now" in operator.text
        await operator.press("u")
        assert operator.session.question is not None
        await operator.press("r")
        assert operator.session.decision is not None
        assert operator.session.decision.refer is not None


async def test_without_refer_in_the_bank_the_key_does_nothing(tmp_path: Path) -> None:
    async with at_the_screen(tmp_path) as operator:
        await operator.press("r")
        assert operator.session.question is not None
