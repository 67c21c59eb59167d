"""Format numbers, costs, counts, times, paths and commands; the same for the screens and the command line."""

from __future__ import annotations

import math
import shlex
from datetime import datetime
from pathlib import Path

_SECONDS = ("seconds", "second", "s")


def format_percent(share: float) -> str:
    """A probability as whole percent; 0 and 100 only if it is exactly that.

    Halves are rounded up, also those that a last digit lies below: how a sum was made is not to be seen.

    >>> format_percent(0.617), format_percent(0.001), format_percent(0.9999), format_percent(1.0)
    ('62 %', '<1 %', '>99 %', '100 %')
    >>> format_percent(0.195), format_percent(0.195 - 1e-15), format_percent(0.225)
    ('20 %', '20 %', '23 %')
    """
    if 0 < share < 0.005:
        return "<1 %"
    if 0.995 <= share < 1:
        return ">99 %"
    return f"{math.floor(round(share * 100, 9) + 0.5)} %"


def format_number(value: float) -> str:
    """A number with two to four significant digits.

    >>> format_number(35.0), format_number(1.934), format_number(0.0512), format_number(1234.5), format_number(37.5)
    ('35', '1.93', '0.051', '1,234', '37.5')
    """
    size = abs(value)
    if value == int(value) and size < 1e15:
        return f"{int(value):,}"
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return f"{value:.1f}".removesuffix(".0")
    if size >= 0.1:
        return f"{value:.2f}".rstrip("0").rstrip(".")
    return f"{value:.2g}"


def format_cost(value: float, unit: str) -> str:
    """A cost in the bank's unit.

    >>> format_cost(35.04, "seconds"), format_cost(2, ""), format_cost(1, "measurements"), format_cost(1, "ms")
    ('35 seconds', '2', '1 measurement', '1 ms')
    """
    return f"{format_number(value)} {format_unit(value, unit)}".rstrip()


def format_amount(value: float, unit: str) -> str:
    """A cost as short as possible: at most three digits, and seconds as m:ss above a minute.

    >>> format_amount(33.25, "seconds"), format_amount(769, "seconds"), format_amount(3, "questions"), format_amount(3.375, "")
    ('33 s', '12:49', '3 questions', '3.38')
    """
    if unit in _SECONDS:
        return f"{value:.0f} s" if value < 59.5 else format_duration(round(value))
    return format_cost(float(f"{value:.3g}"), unit)


def format_part(part: float, whole: float, unit: str) -> str:
    """A cost as a part of another one, with the unit once.

    >>> format_part(30, 103, "points"), format_part(60, 769, "seconds"), format_part(3, 74, "")
    ('30 of 103 points', '1:00 of 12:49', '3 of 74')
    """
    shown = format_amount(part, unit)
    return f"{shown if unit in _SECONDS else format_amount(part, '')} of {format_amount(whole, unit)}"


def format_unit(value: float, unit: str) -> str:
    """The unit in the singular or plural: 1 second, 2 seconds."""
    return unit[:-1] if value == 1 and len(unit) > 3 and unit.isascii() and unit.endswith("s") else unit


def format_count(many: int, one: str, more: str = "") -> str:
    """A count with its noun.

    >>> format_count(1, "question"), format_count(3, "question"), format_count(2, "reply", "replies")
    ('1 question', '3 questions', '2 replies')
    """
    return f"{many:,} {one if many == 1 else more or one + 's'}"


def format_sentence(text: str) -> str:
    """The text with a capital letter at the start and a full stop at the end.

    >>> format_sentence("the belief has reached 95 %")
    'The belief has reached 95 %.'
    """
    text = text.strip()
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text[-1] in ".!?…" else ".")


def format_duration(seconds: float) -> str:
    """Minutes and seconds, with hours where there are any.

    >>> format_duration(33.4), format_duration(754), format_duration(3725)
    ('0:33', '12:34', '1:02:05')
    """
    minutes, rest = divmod(max(0, int(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def format_time(moment: str) -> str:
    """A time from the log (RFC 3339, UTC) in local time, to the minute."""
    try:
        return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return moment


def format_path(path: Path) -> str:
    """A path, with ``~`` for the home folder.

    >>> format_path(Path.home() / "state"), format_path(Path("/srv/state"))
    ('~/state', '/srv/state')
    """
    try:
        return f"~/{path.relative_to(Path.home())}"
    except (ValueError, RuntimeError):  # not in the home folder, or there is no home folder
        return str(path)


def format_command(*words: str, bank: str | None, state_dir: str | None) -> str:
    """A command that can be copied into a shell, with the bank and the state folder as they were typed.

    >>> format_command("sessions", "pending", bank="my bank.toml", state_dir=None)
    "odm-tui sessions pending --bank 'my bank.toml'"
    """
    parts = ["odm-tui", *words]
    if bank is not None:
        parts += ["--bank", bank]
    if state_dir is not None:
        parts += ["--state-dir", state_dir]
    return shlex.join(parts)
