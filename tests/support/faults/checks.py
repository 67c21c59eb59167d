"""Check what must hold after any fault: nothing acknowledged is lost, nothing counts twice, the state can be rebuilt."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from odm_tui.banks import Bank
from odm_tui.session import Archive
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Answered
from odm_tui.store.integrity.log_check import find_problems
from odm_tui.store.paths import StatePaths
from odm_tui.store.state_file import decode_counts, encode_state, unseal
from odm_tui.store.variants.log_fit import count_log


def logged_answers(bank: Bank, state: Path) -> list[str]:
    """Read the questions that were answered in the only interview of a folder."""
    records = Archive.of(bank, state).history()
    if not records:
        return []
    past = Archive.of(bank, state).read_interview(records[0].interview)
    return [event.question for event in past.events if isinstance(event, Answered)]


def count_lost_or_doubled(told: Sequence[str], bank: Bank, state: Path) -> int:
    """Count the acknowledged answers that are lost or doubled; one answer more than acknowledged is allowed."""
    acknowledged = [line.split()[1] for line in told if line.startswith("kept ")]
    kept = logged_answers(bank, state)
    lost = len(acknowledged) if kept[: len(acknowledged)] != acknowledged else 0
    return lost + (len(kept) - len(set(kept))) + max(0, len(kept) - len(acknowledged) - 1)


def is_sound(bank: Bank, state: Path) -> bool:
    """Whether the log is undamaged and the state follows from it exactly; its variants may be those of fewer interviews."""
    paths = StatePaths.of(state, bank.name)
    index = BankIndex.of(bank)
    kept = paths.state.read_bytes()
    fitted = decode_counts(unseal(kept, str(paths.state)), index, str(paths.state)).fitted
    again = count_log(paths, index, 0 if fitted is None else fitted.interviews)
    return kept == encode_state(again, index) and not list(find_problems(paths.log))
