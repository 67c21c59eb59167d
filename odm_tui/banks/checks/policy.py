"""Checks the policy that a bank proposes, by asking the engine to make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odm_tui.banks.checks.fields import LARGEST, describe_value, read_number
from odm_tui.banks.parsing.findings import Place
from odm_tui.errors import BadArgument
from odm_tui.text import one_line, shortened


def check_policy(value: object, place: Place) -> str | Mapping[str, Any] | None:
    """The policy as it was written, once the engine has accepted it; None where none is written."""
    if value is None:
        return None
    if not isinstance(value, str | dict):
        place.error(f'must be a name such as "w-ec2-ts", or a table, not {describe_value(value)}')
        return None
    if not _numbers_are_finite(value, place):
        return None
    if isinstance(value, dict):
        for key in ("oracle", "exploration", "contested"):
            if key in value and not isinstance(value[key], str):
                place.at(key).error(f"must be a text in quotes, not {describe_value(value[key])}")
                return None
    elif len(value) > 64:
        place.error(f"there is no policy {describe_value(value)}")
        return None
    from odm_tui.engine.policy import policy_from

    try:
        policy_from(value)
    except BadArgument as error:
        place.error(shortened(one_line(str(error)), 300))
        return None
    except RecursionError:
        place.error("the stop rule is nested too deeply")
        return None
    return value


def _numbers_are_finite(policy: object, place: Place) -> bool:
    """Report the first number in a policy, at any depth, that nobody can mean."""
    waiting: list[tuple[object, Place]] = [(policy, place)]
    while waiting:
        value, here = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((part, here.at(key)) for key, part in value.items())
        elif isinstance(value, list):
            waiting.extend((part, here.at(i)) for i, part in enumerate(value))
        elif type(value) in (int, float) and read_number(value, here, -LARGEST) is None:
            return False
    return True
