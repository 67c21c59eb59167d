"""The list of outcomes' variants on the learned screen: the share of each, and the answers that set it apart."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual.content import Content

from odm_tui.formatting import format_percent
from odm_tui.tui.widgets.drawing import align_right, draw_bar, fit_text, wrap_text
from odm_tui.views.learned import LearnedView, VariantGroup, VariantRow

_FIGURE = 7
_LONGEST_LABEL = 24
_LONGEST_BAR = 16
_SIDE_BY_SIDE = 100
"""From this width on, a question stands beside its answer."""


def draw_variants(view: LearnedView, width: int) -> list[Content]:
    """The variants of every outcome, and the TOML with which an author adopts those that were learned."""
    if not view.variants:
        return [Content(line) for line in wrap_text(_WHY_NONE, width)]
    longest = max(cell_len(row.label) for group in view.variants for row in group.rows)
    label = min(longest + 2, _LONGEST_LABEL, width // 4)
    lines = []
    for group in view.variants:
        lines += [*_draw_group(group, width, label), Content("")]
    if view.variants_text:
        said = "To adopt what was learned, paste this into the bank, below the [[outcomes]] that it names:"
        lines += [Content.styled(line, "bold") for line in wrap_text(said, width)]
        lines += [
            Content.styled(part, "$quiet")
            for line in view.variants_text.splitlines()
            for part in (wrap_text(line, width) or [""])
        ]
    return lines


_WHY_NONE = (
    "No outcome has variants. They are learned from 150 confirmed interviews on, where they predict outcomes better; "
    "a bank can also name them."
)


def _draw_group(group: VariantGroup, width: int, label: int) -> list[Content]:
    if width < _SIDE_BY_SIDE:
        return _draw_narrow_group(group, width)
    bar = min(_LONGEST_BAR, max(0, (width - 60) // 3))
    rest = width - label - _FIGURE - (bar + 2 if bar else 0) - 2
    answer = max(8, min(24, rest // 4))
    question = rest - answer - 2 - 2 * _FIGURE
    head = " " * (width - 2 * _FIGURE) + align_right("here", _FIGURE) + align_right("others", _FIGURE)
    title = fit_text(group.outcome, width - 2 * _FIGURE)
    lines = [Content.assemble((title, "bold"), (head[-2 * _FIGURE :], "$quiet"))]
    for row in group.rows:
        lines += _draw_row(row, label, bar, question, answer)
    return lines


def _draw_narrow_group(group: VariantGroup, width: int) -> list[Content]:
    """The same with each question on a line of its own, above its answer."""
    room = width - 2 * _FIGURE
    head = align_right("here", _FIGURE) + align_right("others", _FIGURE)
    lines = [Content.assemble((fit_text(group.outcome, room), "bold"), (head, "$quiet"))]
    for row in group.rows:
        share = format_percent(row.share)
        label = fit_text(row.label, min(cell_len(row.label), width - _FIGURE))
        said = "" if row.traits else "  like the outcome as a whole"
        lines.append(Content.assemble((label, "$accent"), f"  {share}", (said, "$quiet")))
        for trait in row.traits:
            lines += [
                Content.styled("  " + fit_text(trait.question, width - 2).rstrip(), "$quiet"),
                Content.assemble(
                    "  ",
                    fit_text(trait.answer, room - 2),
                    (align_right(format_percent(trait.chance), _FIGURE), "bold"),
                    (align_right(format_percent(trait.others), _FIGURE), "$quiet"),
                ),
            ]
    return lines


def _draw_row(row: VariantRow, label: int, bar: int, question: int, answer: int) -> list[Content]:
    filled, rail = draw_bar(row.share, bar)
    parts: Sequence[str | tuple[str, str]] = (
        (fit_text(row.label, label), "$accent"),
        align_right(format_percent(row.share), _FIGURE),
        *(("  ", (filled, "$accent"), (rail, "$rail")) if bar else ()),
        "  ",
    )
    first = Content.assemble(*parts)
    if not row.traits:
        return [
            Content.assemble(
                first, (fit_text("like the outcome as a whole", question + answer + 2), "$quiet")
            )
        ]
    lines = []
    for at, trait in enumerate(row.traits):
        start = first if at == 0 else Content(" " * first.cell_length)
        lines.append(
            Content.assemble(
                start,
                fit_text(trait.question, question),
                "  ",
                fit_text(trait.answer, answer),
                (align_right(format_percent(trait.chance), _FIGURE), "bold"),
                (align_right(format_percent(trait.others), _FIGURE), "$quiet"),
            )
        )
    return lines
