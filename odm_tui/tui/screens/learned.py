"""The learned screen: the heat map, cost and accuracy over the interviews, the most telling questions, certainty, variants."""

from __future__ import annotations

from dataclasses import dataclass

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import Screen
from textual.widgets import ContentSwitcher, Static
from textual_plot import PlotWidget

from odm_tui.formatting import format_count, format_number, format_percent
from odm_tui.tui.key_bindings import LEARNED, find_dead_action, make_bindings
from odm_tui.tui.messages import RequestFailed, post_result
from odm_tui.tui.widgets.banner import Banner
from odm_tui.tui.widgets.drawing import fit_text
from odm_tui.tui.widgets.heat_map import HeatMap
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.learned_tables import draw_certainty, draw_telling_questions
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.widgets.trend_plot import draw_trend
from odm_tui.tui.widgets.variant_list import draw_variants
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.tui.worker.reader import Reader
from odm_tui.views.learned import LearnedView
from odm_tui.views.trend import TrendPoint

_NOTES = {
    "map": "% · ~ and . : not known well yet",
    "trend": "smoothed, with a 90 % band",
    "telling": "",
    "certainty": "",
    "variants": "answers that go together",
}
_PAGES = {
    "map": "heat map",
    "trend": "cost and accuracy",
    "telling": "most telling questions",
    "certainty": "said and right",
    "variants": "variants of outcomes",
}
_FOCUS = {
    "map": "HeatMap",
    "trend": "#cost-plot",
    "telling": "#telling",
    "certainty": "#certainty",
    "variants": "#variants",
}


@dataclass
class LearnedLoaded(Message):
    """Everything that the bank has learned."""

    view: LearnedView


class LearnedScreen(Screen[None]):
    """Show what a bank has learned, in five pages."""

    CSS_PATH = "learned.tcss"
    ACTIONS = LEARNED
    BINDINGS = make_bindings(LEARNED)
    AUTO_FOCUS = "HeatMap"

    def __init__(self, worker: WorkerClient, bank: str, page: str = "map") -> None:
        super().__init__()
        self.worker, self.bank_name, self.page = worker, bank, page
        self.view: LearnedView | None = None

    def compose(self) -> ComposeResult:
        """Create the pages; one is visible at a time."""
        yield TitleBar("Learned")
        with ContentSwitcher(initial=self.page):
            with Vertical(id="map"):
                yield HeatMap()
                yield Static(id="cell", markup=False)
            with Horizontal(id="trend"):
                with Vertical(classes="plot"):
                    yield Static(id="cost-title", classes="heading", markup=False)
                    yield PlotWidget(id="cost-plot", allow_pan_and_zoom=False)
                with Vertical(classes="plot"):
                    yield Static(id="right-title", classes="heading", markup=False)
                    yield PlotWidget(id="right-plot", allow_pan_and_zoom=False)
            with VerticalScroll(id="telling"):
                yield Static(id="tells", markup=False)
            with VerticalScroll(id="certainty"):
                yield Static(id="said", markup=False)
            with VerticalScroll(id="variants"):
                yield Static(id="forms", markup=False)
        yield Banner()
        yield KeyBar(LEARNED)

    def on_mount(self) -> None:
        """Read what the bank has learned."""
        self._read("")

    def _read(self, operator: str) -> None:
        work = self.worker.read(Reader.learned, self.bank_name, operator)
        self.run_worker(post_result(self, work, LearnedLoaded), exclusive=True)

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.query_one(Banner).show_message(event.sentence, is_error=True)

    @on(LearnedLoaded)
    def _handle_loaded(self, event: LearnedLoaded) -> None:
        heat_map = self.query_one(HeatMap)
        marked = None if self.view is None else heat_map.mark
        self.view = event.view
        self.refresh_bindings()
        heat_map.show(event.view.rows, event.view.outcomes)
        if marked is not None:  # the same cell of another operator
            heat_map.mark = marked
        if not event.view.interviews:
            self.query_one(Banner).show_message(
                "Nothing has been learned yet; this is what the bank says itself."
            )
        self._draw()

    def on_resize(self) -> None:
        """Fit the pages to the new width."""
        self._draw()

    def action_page(self, page: str) -> None:
        """Show another page."""
        self.page = page
        self.query_one(ContentSwitcher).current = page
        self.set_focus(self.query_one(_FOCUS[page]))
        self._draw()

    def action_operator(self) -> None:
        """Show what the next operator's interviews have taught; after the last one, those of all."""
        if self.view is not None:
            self._read(self.view.next_operator)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Whether a command works: there is nothing to choose among the interviews of one operator."""
        return action != "operator" or (self.view is not None and len(self.view.operators) > 1)

    def on_key(self, event: events.Key) -> None:
        """Say why a dead key does nothing."""
        keymap: dict[str, str] = getattr(self.app, "keymap", {})
        action = find_dead_action(self, LEARNED, event.key, keymap)
        if action is not None and action.dead:
            event.stop()
            self.query_one(KeyBar).say(action.dead)

    def action_copy_variants(self) -> None:
        """Copy the learned variants as TOML."""
        text = "" if self.view is None else self.view.variants_text
        if not text:
            self.query_one(KeyBar).say("No variants have been learned.")
            return
        self.app.copy_to_clipboard(text)
        self.query_one(KeyBar).say("Copied; paste it into the bank.")

    def action_back(self) -> None:
        """Go back to the previous screen."""
        self.app.pop_screen()

    def _draw(self) -> None:
        view = self.view
        if view is None:
            return
        title = self.query_one(TitleBar)
        title.title = f"{view.title}: {_PAGES[self.page]}"
        note = _NOTES[self.page] or format_count(view.interviews, "interview")
        title.status = (f"{view.whose} · {note}", view.whose) if view.whose else (note,)
        if self.page == "telling":
            width = min(self.size.width - 6, 120)
            self.query_one("#tells", Static).update(Content("\n").join(draw_telling_questions(view, width)))
        elif self.page == "certainty":
            width = min(self.size.width - 6, 100)
            self.query_one("#said", Static).update(Content("\n").join(draw_certainty(view.certainty, width)))
        elif self.page == "variants":
            width = min(self.size.width - 6, 140)
            self.query_one("#forms", Static).update(Content("\n").join(draw_variants(view, width)))
        elif self.page == "trend":
            for plot in self.query(PlotWidget):
                plot.visible = bool(view.costs)  # no axes without a line
            self.call_after_refresh(self._plot)

    # -- pages ------------------------------------------------------------------------------------------

    @on(HeatMap.CellSelected)
    def _show_cell(self, event: HeatMap.CellSelected) -> None:
        if self.view is None:
            return
        row = self.view.rows[event.row]
        p, low, high = row.cells[event.column]
        sure = f"{format_percent(p)} ({format_percent(low)} to {format_percent(high)})"
        width = max(8, self.size.width - 6)
        self.query_one("#cell", Static).update(
            Content.assemble(
                (fit_text(f"{row.label}: {row.question}", width), "bold"),
                f"\n{self.view.outcomes[event.column]}: {sure}, {format_number(row.seen[event.column])} answered.",
            )
        )

    def _plot(self) -> None:
        view = self.view
        assert view is not None
        self.query_one("#cost-title", Static).update(
            Content(f"Mean cost in {view.unit}".removesuffix(" in "))
        )
        self.query_one("#right-title", Static).update(Content("Right decisions in %"))
        draw_trend(self.query_one("#cost-plot", PlotWidget), view.costs, unit=view.unit)
        right = [TrendPoint(p.at, 100 * p.mean, 100 * p.low, 100 * p.high) for p in view.right]
        draw_trend(self.query_one("#right-plot", PlotWidget), right, most=100.0)
