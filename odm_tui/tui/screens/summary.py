"""The summary screen: the effort of the interview compared with asking everything, and what was learned."""

from __future__ import annotations

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Static

from odm_tui.formatting import format_count, format_part, format_percent
from odm_tui.tui.key_bindings import SUMMARY, make_bindings
from odm_tui.tui.key_guard import KeyGuard
from odm_tui.tui.messages import (
    DecisionReached,
    GoHome,
    RequestFailed,
    StartInterview,
    SummaryCopied,
    post_result,
)
from odm_tui.tui.widgets.answer_pad import AnswerButton
from odm_tui.tui.widgets.drawing import align_right, draw_bar, fit_text, wrap_text
from odm_tui.tui.widgets.key_bar import KeyBar
from odm_tui.tui.widgets.scroll import scroll_page
from odm_tui.tui.widgets.title_bar import TitleBar
from odm_tui.tui.worker.backend import Backend
from odm_tui.tui.worker.client import WorkerClient
from odm_tui.views.interview import Reply
from odm_tui.views.summary import LearnedAnswer, SummaryView

_NEXT = Reply("next", "Next interview", "Enter")


class SummaryScreen(Screen[None]):
    """Show the summary of an interview and start the next one."""

    CSS_PATH = "pages.tcss"
    ACTIONS = SUMMARY
    BINDINGS = make_bindings(SUMMARY)

    def __init__(self, worker: WorkerClient, summary: SummaryView) -> None:
        super().__init__()
        self.worker, self.summary = worker, summary
        self.bank = summary.bank
        self._key_guard = KeyGuard()

    def compose(self) -> ComposeResult:
        """Show the outcome, the effort and what was learned."""
        view = self.summary
        yield TitleBar(
            " · ".join(filter(None, (view.title, view.case))),
            f"{format_count(view.interviews, 'interview')} learned from",
        )
        with VerticalScroll(id="page", can_focus=False):
            yield Static(Content(_format_headline(view)), id="outcome")
            if view.notices:
                yield Static(Content(" ".join(view.notices)), id="notices")
            # Each on a line of its own: in one text, a line may end between a figure and its %.
            lines = filter(None, (view.effort, view.share[:1].upper() + view.share[1:]))
            yield Static(Content("\n".join(lines)), id="sentence")
            yield Static(id="took")
            yield Static(id="taught")
        yield AnswerButton.of(_NEXT, "summary.next", id="next")
        yield KeyBar(SUMMARY)

    def on_mount(self) -> None:
        """Draw once the width is known."""
        self._key_guard.restart()
        self.call_after_refresh(self._draw)

    def on_resize(self) -> None:
        """Draw in the new width."""
        self.call_after_refresh(self._draw)

    def _draw(self) -> None:
        width = min(self.query_one("#page").content_size.width - 2, 100)
        if width > 20:
            self.query_one("#took", Static).update(Content("\n").join(draw_effort(self.summary, width)))
            self.query_one("#taught", Static).update(Content("\n").join(draw_lessons(self.summary, width)))

    async def on_answer_button_pressed(self, event: AnswerButton.Pressed) -> None:
        """Run the command of the button."""
        await self.run_action(event.reply.id)

    def action_undo(self) -> None:
        """Take the confirmation back and show the decision again."""
        self.run_worker(post_result(self, self.worker.run(Backend.unconfirm), DecisionReached))

    def action_copy(self) -> None:
        """Copy the call for the ticket."""
        self.run_worker(post_result(self, self.worker.run(Backend.save_call_summary), SummaryCopied))

    @on(SummaryCopied)
    def _handle_copied(self, event: SummaryCopied) -> None:
        self.app.copy_to_clipboard(event.summary.text)
        self.query_one(KeyBar).say(f"Copied; also in {event.summary.path}")

    @on(RequestFailed)
    def _handle_failed(self, event: RequestFailed) -> None:
        self.query_one(KeyBar).say(event.sentence)

    def action_next(self) -> None:
        """Start the next interview."""
        if not self._key_guard.is_too_soon(KeyGuard.CONFIRM_DELAY):
            self.post_message(StartInterview(self.summary.bank))

    def action_scroll_page(self, pages: int) -> None:
        """Scroll what was learned."""
        scroll_page(self.query_one("#page"), pages)

    def action_home(self) -> None:
        """Go to the banks."""
        self.post_message(GoHome())


def _format_headline(view: SummaryView) -> str:
    if not view.outcome:
        return "Saved, with none of the outcomes"
    if view.referred:
        return f"Handed over; confirmed: {view.outcome}"
    return f"Confirmed: {view.outcome}" if view.as_decided else f"Corrected to: {view.outcome}"


def draw_effort(view: SummaryView, width: int) -> list[Content]:
    """How many questions and how much of the cost were saved, compared with asking everything."""
    rows = [
        ("Questions", max(0, view.all_questions - view.questions), view.all_questions, ""),
        ("Cost", max(0.0, view.all_cost - view.cost), view.all_cost, view.unit),
    ]
    length = max(6, width - 12 - 26)
    lines = [Content.styled("Saved, compared with asking everything", "bold $quiet")]
    for name, saved, total, unit in rows:
        first, _, rest = format_part(saved, total, unit).partition(" of ")
        filled, rail = draw_bar(saved / total if total else 0.0, length)
        lines.append(
            Content.assemble(
                fit_text(name, 11),
                (filled, "$accent"),
                (rail, "$rail"),
                (align_right(first, 8), "bold"),
                (f" of {rest}", "$quiet"),
            )
        )
    return lines


def draw_lessons(view: SummaryView, width: int) -> list[Content]:
    """How likely each answer is for this outcome, before and after; the largest change first."""
    if not view.outcome:
        return [Content.styled("Nothing was learned: no outcome was confirmed.", "$quiet")]
    if not view.lessons:
        return [Content.styled("No question was answered, so only the outcome was counted.", "$quiet")]
    scale = "expected before → now"
    head = Content.assemble(
        (fit_text(f"Learned about “{view.outcome}”", width - len(scale) - 2), "bold $quiet"),
        (f"  {scale}", "$quiet"),
    )
    moved = [one for one in view.lessons if format_percent(one.before) != format_percent(one.after)]
    if not moved:
        return [Content.styled("Every answer was as expected; nothing moved by a whole percent.", "$quiet")]
    moved.sort(key=lambda lesson: -abs(lesson.after - lesson.before))
    return [head, *(line for lesson in moved for line in _draw_lesson(lesson, width))]


def _draw_lesson(lesson: LearnedAnswer, width: int) -> list[Content]:
    """The question, wrapped if it is long, and in its last line the answer and the change."""
    tail = (
        f"{align_right(format_percent(lesson.before), 5)}  →  {align_right(format_percent(lesson.after), 5)}"
    )
    usual, most = min(18, width // 4), width - len(tail) - 4
    reply = fit_text(lesson.reply, min(max(usual, cell_len(lesson.reply)), most))
    room = width - cell_len(reply) - len(tail) - 4
    *above, last = wrap_text(lesson.question, width)
    if cell_len(last) > room:
        above, last = [*above, last], ""
    end = Content.assemble(fit_text(last, room), "  ", (reply, "bold"), "  ", tail)
    return [*map(Content, above), end]
