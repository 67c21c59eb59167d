"""Check the policy that a bank proposes: the engine must accept it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from odm_tui.banks.checks.fields import LARGEST, describe_value, read_number
from odm_tui.banks.parsing.findings import Place
from odm_tui.errors import BadArgument
from odm_tui.text import one_line, shorten


def check_policy(value: object, place: Place) -> str | Mapping[str, Any] | None:
    """Return the policy as it is written, if the engine accepts it; None if there is none, or after an error."""
    if value is None:
        return None
    if not isinstance(value, str | dict):
        place.error(f'must be a name such as "w-ec2-ts", or a table, not {describe_value(value)}.')
        return None
    if not _numbers_are_finite(value, place):
        return None
    if isinstance(value, dict):
        for key in ("oracle", "exploration", "contested"):
            if key in value and not isinstance(value[key], str):
                place.at(key).error(f"must be a text in quotes, not {describe_value(value[key])}.")
                return None
    elif len(value) > 64:
        place.error(f"unknown policy {describe_value(value)}. See `odm-tui policies`.")
        return None
    from odm_tui.engine.policy import policy_from

    try:
        policy_from(value)
    except BadArgument as error:
        place.error(_as_message(error))
        return None
    except RecursionError:
        place.error("the stop rule is nested too deeply; write it with fewer levels.")
        return None
    return value


def _as_message(error: BadArgument) -> str:
    """Return the engine's sentence as it reads after a place: a small letter first, a full stop last."""
    sentence = shorten(one_line(str(error)), 300)
    sentence = sentence[:1].lower() + sentence[1:]
    return sentence if sentence.endswith((".", "?", "…")) else f"{sentence}."


def _numbers_are_finite(policy: object, place: Place) -> bool:
    """Report the first number in a policy, at any depth, that is not finite or too large."""
    values: list[tuple[object, Place]] = [(policy, place)]
    while values:
        value, here = values.pop()
        if isinstance(value, dict):
            values.extend((part, here.at(key)) for key, part in value.items())
        elif isinstance(value, list):
            values.extend((part, here.at(i)) for i, part in enumerate(value))
        elif type(value) in (int, float) and read_number(value, here, -LARGEST) is None:
            return False
    return True
