"""The cost of the interview so far and the expected cost of the rest, in the bank's unit."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_number, format_unit
from odm_tui.tui.widgets.drawing import draw_bar


class CostMeter(Widget):
    """Two numbers, and a bar for the share of the total that was spent."""

    DEFAULT_CSS = """
    CostMeter { height: 3; }
    """

    so_far: reactive[float] = reactive(0.0)
    to_come: reactive[float] = reactive(0.0)
    unit: reactive[str] = reactive("")

    def render(self) -> Content:
        """Draw the numbers; with three lines, also a heading and the bar."""
        text = Content.assemble(
            (format_number(self.so_far), "bold"),
            (f" {format_unit(self.so_far, self.unit)}".rstrip(), "$quiet"),
            *([(" in all", "$quiet")] if self.to_come <= 0 else [(" · about ", "$quiet")]),
            *(
                []
                if self.to_come <= 0
                else [(format_number(_rounded(self.to_come)), "bold"), (" to come", "$quiet")]
            ),
        )
        text = text.truncate(self.content_size.width, ellipsis=True)
        if self.content_size.height < 3:
            return text
        whole = self.so_far + max(self.to_come, 0.0)
        filled, rail = draw_bar(self.so_far / whole if whole else 0.0, self.content_size.width)
        heading = Content.styled("Cost", "bold $quiet")
        return Content("\n").join([heading, text, Content.assemble((filled, "$bar"), (rail, "$rail"))])


def _rounded(cost: float) -> float:
    """Round a forecast to two digits; it is no more precise than that."""
    return float(f"{cost:.2g}")
