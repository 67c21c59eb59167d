"""Change the costs in the text of a bank and leave every other line as it is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

from odm_tui.banks.authoring.toml_text import format_toml_number, format_toml_table
from odm_tui.banks.parsing import number_tables

Costs = Mapping[str, Mapping[str, float]]
"""Question id -> answer id -> cost."""

_HEADERS = re.compile(r"^(?=[ \t]*\[)", re.MULTILINE)
_QUESTION = re.compile(r"[ \t]*\[\[[ \t]*questions[ \t]*\]\]")
_PART_OF_QUESTION = re.compile(r"[ \t]*\[[ \t]*questions[ \t]*\.")


def set_costs(text: str, costs: Costs) -> str | None:
    """Give each of these questions exactly these costs by answer; None if tomlkit can't edit the text.

    The result is parsed again and differs from the original in these costs only.
    """
    from tomlkit.exceptions import TOMLKitError

    wanted = _parse(text)
    for question in wanted["questions"]:
        if question["id"] in costs:
            question["cost"] = tomllib.loads(f"cost = {_format_costs(costs[question['id']])}")["cost"]
    for edit in (_edit_blocks, _edit_document):
        try:
            edited = edit(text, costs)
            if _parse(edited) == wanted:
                return edited
        except (TOMLKitError, tomllib.TOMLDecodeError, RecursionError):
            continue
    return None


def _parse(text: str) -> dict[str, Any]:
    return number_tables.parse_document(*number_tables.take_out_numbers(text)) or tomllib.loads(text)


def _edit_blocks(text: str, costs: Costs) -> str:
    """Edit each ``[[questions]]`` block alone.

    The rest of a large bank would take tomlkit minutes, and it moves blocks that have other tables between them.
    """
    blocks = _split_blocks(text)
    return "".join(_edit_document(block, costs) if _QUESTION.match(block) else block for block in blocks)


def _split_blocks(text: str) -> list[str]:
    """Split at the headers of tables; the sub-tables of a question stay in its block."""
    blocks: list[str] = []
    for part in _HEADERS.split(text):
        if blocks and _PART_OF_QUESTION.match(part):
            blocks[-1] += part
        else:
            blocks.append(part)
    return blocks


def _edit_document(text: str, costs: Costs) -> str:
    import tomlkit

    document = tomlkit.parse(text)
    if document.as_string() != text:  # tables between those of a list, which tomlkit would move
        return text
    for question in document["questions"]:
        if question["id"] in costs:
            _edit_question(question, costs[question["id"]])
    return document.as_string()


def _edit_question(question: Any, costs: Mapping[str, float]) -> None:
    import tomlkit
    from tomlkit.items import InlineTable

    old = question.get("cost")
    layout = question["id"].trivia
    line_end = layout.trail or "\n"
    if isinstance(old, MutableMapping) and not isinstance(
        old, InlineTable
    ):  # [questions.cost], or cost.yes = 5
        for key in [key for key in old if key not in costs]:
            del old[key]
        for answer, cost in costs.items():
            old[answer] = tomlkit.value(format_toml_number(cost))
            old[answer].trivia.trail = line_end
    elif old is not None or isinstance(question, InlineTable):
        question["cost"] = tomlkit.value(_format_costs(costs))
    else:
        # tomlkit would append it at the end of the block, below comments that belong to the next block.
        last = layout.trail and line_end
        layout.trail = f"{line_end}{layout.indent}cost = {_format_costs(costs)}{last}"


def _format_costs(costs: Mapping[str, float]) -> str:
    return format_toml_table({answer: format_toml_number(cost) for answer, cost in costs.items()})
