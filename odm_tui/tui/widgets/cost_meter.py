"""What the interview has cost so far, and about what is still to come, in the bank's unit."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget

from odm_tui.formatting import format_number, unit_for
from odm_tui.tui.widgets.drawing import bar


class CostMeter(Widget):
    """Two numbers, and a bar that shows how much of the whole is behind us."""

    DEFAULT_CSS = """
    CostMeter { height: 3; }
    """

    so_far: reactive[float] = reactive(0.0)
    to_come: reactive[float] = reactive(0.0)
    unit: reactive[str] = reactive("")

    def render(self) -> Content:
        """The numbers alone, or with a heading and the bar where there are three lines."""
        text = Content.assemble(
            (format_number(self.so_far), "bold"),
            (f" {unit_for(self.so_far, self.unit)}".rstrip(), "$quiet"),
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
        filled, rail = bar(self.so_far / whole if whole else 0.0, self.content_size.width)
        heading = Content.styled("Cost", "bold $quiet")
        return Content("\n").join([heading, text, Content.assemble((filled, "$bar"), (rail, "$rail"))])


def _rounded(cost: float) -> float:
    """A forecast is no more exact than two digits."""
    return float(f"{cost:.2g}")
