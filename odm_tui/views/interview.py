"""Views of a running interview.

The values are named tuples because dataclasses take six times as long to load, and the first question waits for
this module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from odm_tui.formatting import format_number, format_percent, format_sentence, format_time
from odm_tui.text import clean_text, one_line
from odm_tui.views.reason import Reason, find_reason
from odm_tui.views.typed_number import format_for_typing

if TYPE_CHECKING:
    from odm_tui.banks.bank import Bank, BankQuestion, Referral
    from odm_tui.engine.problem import Floats
    from odm_tui.session import Session, StepTaken
    from odm_tui.store.index.summary import InterviewSummary

_YES_NO = ("yes", "no")

QuestionKind = Literal["yes_no", "choice", "number"]


class Reply(NamedTuple):
    """One possible answer: its id in files, its label, and its key."""

    id: str
    label: str
    key: str


class QuestionView(NamedTuple):
    """A question with its possible answers."""

    id: str
    text: str
    help: str
    kind: QuestionKind
    replies: tuple[Reply, ...]
    unit: str = ""
    range: tuple[float, float] | None = None


class OtherQuestion(NamedTuple):
    """A question that could be asked instead: how useful it would be, and what it costs."""

    question: QuestionView
    usefulness: float
    cost: float


class Bar(NamedTuple):
    """One outcome and its probability, now and before the last answer."""

    id: str
    label: str
    share: float
    before: float


class StepView(NamedTuple):
    """One question that was asked, and its answer."""

    question: QuestionView
    reply: str
    cost: float
    kind: Literal["answered", "unknown", "skipped"]


class DecisionView(NamedTuple):
    """The decision: the outcome, its probability, the advice, and why the interview stopped."""

    outcome: str
    label: str
    share: float
    advice: str
    reason: str
    doubt: str
    """An answer that contradicts the others, in words; empty if there is none."""
    flag: str = ""
    """The red flag that ended the interview: what it is; empty if there is none. Show it above everything."""
    flag_advice: str = ""
    """What to do at once because of it."""
    sure_enough: bool = True
    """Whether Enter may confirm it; False for a guess: then Enter leads to choosing the outcome."""
    next_target: float = 1.0
    """The belief that asking on would aim at."""
    can_ask_on: bool = False
    runners_up: tuple[RunnerUp, ...] = ()
    """The next likeliest outcomes, with their advice."""
    tried: tuple[str, ...] = ()
    """The labels of the outcomes whose advice did not help."""
    refer: ReferralView | None = None
    """How to hand over, if that is the decision; the outcome is the one that would be decided otherwise."""


class ReferralView(NamedTuple):
    """Handing over: what it is called, and what to do."""

    label: str
    advice: str


class RunnerUp(NamedTuple):
    """An outcome that is likely after the decided one, and its advice."""

    outcome: str
    label: str
    share: float
    advice: str


class CandidateView(NamedTuple):
    """One question that could be asked: its gain, its cost and its effects."""

    text: str
    gain: float
    cost: float
    score: float
    effects: tuple[Effect, ...]
    shown: bool = False
    """Whether this question is shown now."""
    net: float | None = None
    """What asking it saves, its costs subtracted; None if the policy does not plan, or not with this question."""


class Effect(NamedTuple):
    """What one answer would change: its probability, and the likeliest outcome after it."""

    reply: str
    chance: float
    leader: str
    share: float
    before: float


class WhyView(NamedTuple):
    """Why this question was chosen: the best candidates, and the question that a policy without exploration would ask."""

    candidates: tuple[CandidateView, ...]
    explores: bool
    instead: str = ""
    reason: Reason = Reason("")
    """The reason in one sentence."""
    asked_first: bool = False
    """Whether the bank asks this question before all others, whatever the numbers say."""
    picked: bool = False
    """Whether the operator picked the question."""


class InterviewView(NamedTuple):
    """The current state of an interview: everything that the interview and decision screens show."""

    bank: str
    title: str
    notice: str
    unit: str
    interview: str
    interviews: int
    """How many interviews were learned from before this one."""
    question: QuestionView | None
    decision: DecisionView | None
    bars: tuple[Bar, ...]
    steps: tuple[StepView, ...]
    cost_so_far: float
    cost_to_come: float
    """The forecast of the cost to come, as far as it is known; it takes longer than everything else, so it follows."""
    picked: bool = False
    notices: tuple[str, ...] = ()
    case: str = ""
    note: str = ""
    can_undo: bool = False
    warnings: tuple[str, ...] = ()
    """The warnings that the answers so far set off; they stay in sight until the end."""
    needs_case: bool = False
    """Whether the bank requires a case reference and there is none yet."""
    seconds: float = 0.0
    """How long the answers took, as logged."""
    is_taken_back: bool = False
    """Whether the confirmation was taken back: then only another outcome can be confirmed."""
    can_refer: str = ""
    """What handing over is called in this bank; empty if nobody can take over."""


class UnfinishedInterview(NamedTuple):
    """An unfinished interview that can be resumed."""

    interview: str
    began: str
    answers: int
    at: str
    """The start time as in the log, for sorting."""
    case: str = ""
    note: str = ""


def question_view(question: BankQuestion) -> QuestionView:
    """Build a question with the key of each answer: y and n, or 1 to 9."""
    if question.type == "yes_no":
        labels = {answer.id: one_line(answer.label) for answer in question.answers}
        replies = tuple(Reply(id, labels[id], id[0]) for id in _YES_NO)
    elif question.type == "choice":
        replies = tuple(
            Reply(answer.id, one_line(answer.label), str(at) if at <= 9 else "")
            for at, answer in enumerate(question.answers, start=1)
        )
    else:
        replies = ()
    return QuestionView(
        question.id,
        clean_text(question.text),
        clean_text(question.help),
        question.type,
        replies,
        one_line(question.unit),
        question.range,
    )


def belief_bars(bank: Bank, belief: Floats, before: dict[str, float] | None = None) -> tuple[Bar, ...]:
    """Build the bars of all outcomes, the likeliest first; outcomes with equal beliefs stay in the bank's order."""
    order = (-belief).argsort(kind="stable")
    rows = []
    for j in order:
        outcome, share = bank.outcomes[j], float(belief[j])
        rows.append(Bar(outcome.id, one_line(outcome.label), share, (before or {}).get(outcome.id, share)))
    return tuple(rows)


def answer_text(question: BankQuestion, kind: str, answer: object) -> str:
    """Describe an answer in words."""
    if kind == "skipped":
        return "skipped"
    if kind == "unknown" or answer is None:
        return "don't know"
    if isinstance(answer, str):
        for known in question.answers:
            if known.id == answer:
                return one_line(known.label)
        return one_line(answer)
    if isinstance(answer, int | float):
        number = float(answer)  # as it was typed: a rounded one would be another answer
        shown = format_number(number) if number.is_integer() else format_for_typing(number)
        return f"{shown} {one_line(question.unit)}".rstrip()
    return one_line(str(answer))


def step_view(taken: StepTaken) -> StepView:
    """Build one step of the interview."""
    kind = taken.kind if taken.kind in ("unknown", "skipped") else "answered"
    return StepView(
        question_view(taken.question),
        answer_text(taken.question, taken.kind, taken.answer),
        taken.cost,
        "unknown" if kind == "unknown" else "skipped" if kind == "skipped" else "answered",
    )


def interview_view(session: Session, previous: InterviewView | None = None) -> InterviewView:
    """Build the current state of an interview; ``previous`` has the beliefs before the last answer.

    The cost to come is taken from ``previous``, if there is one: computing it takes a while, and the next question
    should not wait for it.
    """
    bank, interview = session.bank, session.interview
    same = previous is not None and len(previous.steps) == len(session.steps)
    before = {} if previous is None else {b.id: b.before if same else b.share for b in previous.bars}
    question, decision = session.question, session.decision
    proposed = interview.question
    return InterviewView(
        bank=bank.name,
        title=one_line(bank.title),
        notice=clean_text(bank.notice),
        unit=one_line(bank.cost_unit),
        interview=session.id,
        interviews=int(interview.posterior.interviews),
        question=None if question is None else question_view(question),
        decision=None
        if decision is None
        else DecisionView(
            decision.outcome.id,
            one_line(decision.outcome.label),
            decision.belief,
            clean_text(decision.outcome.advice),
            format_sentence(clean_text(decision.reason)),
            "" if decision.flag is not None else contradiction_text(session),
            "" if decision.flag is None else one_line(decision.flag.label),
            "" if decision.flag is None else clean_text(decision.flag.advice),
            session.is_sure_enough,
            session.next_target,
            decision.flag is None and bool(session.available),
            runners_up(session),
            tuple(one_line(bank.outcome(id).label) for id in session.record.tried),
            None if decision.refer is None else _referral_view(decision.refer),
        ),
        bars=belief_bars(bank, interview.shown_belief, before),
        steps=tuple(step_view(taken) for taken in session.steps),
        cost_so_far=interview.cost_so_far,
        cost_to_come=0.0 if previous is None else previous.cost_to_come,
        picked=question is not None and (proposed is None or proposed.id != question.id),
        notices=tuple(clean_text(notice) for notice in session.notices),
        case=one_line(session.case),
        note=clean_text(session.note),
        can_undo=session.can_undo,
        is_taken_back=session.is_taken_back,
        warnings=tuple(clean_text(warning) for warning in session.warnings),
        needs_case=bank.case == "required" and not session.case,
        seconds=sum(taken.seconds for taken in session.steps),
        can_refer="" if bank.refer is None else one_line(bank.refer.label),
    )


def _referral_view(refer: Referral) -> ReferralView:
    return ReferralView(one_line(refer.label), clean_text(refer.advice))


def runners_up(session: Session, most: int = 3) -> tuple[RunnerUp, ...]:
    """Build the likeliest outcomes after the decided one, with their advice; those that were tried are left out."""
    decision, belief = session.decision, session.belief
    decided = None if decision is None else decision.outcome.id
    left = [o for o in session.bank.outcomes if o.id != decided and o.id not in session.record.tried]
    ranked = sorted(left, key=lambda outcome: -belief[outcome.id])[:most]
    return tuple(RunnerUp(o.id, one_line(o.label), belief[o.id], clean_text(o.advice)) for o in ranked)


def contradiction_text(session: Session) -> str:
    """Describe the answer that contradicts the others, if there is one, and the question that settles it."""
    found = session.contradiction
    if found is None:
        return ""
    text = (
        f"“{one_line(found.label)}” to “{one_line(found.question.text)}” does not fit the other answers "
        f"({format_percent(found.chance)}); without it: {one_line(found.otherwise.label)}."
    )
    if found.settle is not None:
        text += f" “{one_line(found.settle.text)}” would settle it."
    return text


def other_questions(session: Session) -> tuple[OtherQuestion, ...]:
    """Build the questions that can be asked now with their usefulness and cost, the best first."""
    return tuple(
        OtherQuestion(question_view(session.bank.questions[one.question]), one.gain, one.cost)
        for one in session.explain(len(session.bank.questions)).candidates
    )


def available_questions(session: Session) -> tuple[QuestionView, ...]:
    """Build the questions that can be asked now, the best first."""
    return tuple(other.question for other in other_questions(session))


def why_view(session: Session, top: int = 3) -> WhyView:
    """Build the explanation of the choice: the best few questions, with the effects of each answer."""
    bank, explanation = session.bank, session.explain(top)
    belief, certainty = session.interview.shown_belief, session.interview.certainty
    candidates = []
    for candidate in explanation.candidates:
        question = bank.questions[candidate.question]
        effects = []
        for answer, chance, after in zip(
            question.answers, candidate.chances, certainty.shown(candidate.belief_after), strict=True
        ):
            leader = int(after.argmax())
            effects.append(
                Effect(
                    one_line(answer.label),
                    float(chance),
                    one_line(bank.outcomes[leader].label),
                    float(after[leader]),
                    float(belief[leader]),
                )
            )
        candidates.append(
            CandidateView(
                one_line(question.text),
                candidate.gain,
                candidate.cost,
                candidate.score,
                tuple(effects),
                question is session.question,
                candidate.net,
            )
        )
    proposed = session.interview.question
    picked = session.question is not None and (proposed is None or proposed.id != session.question.id)
    explores = explanation.explores and not picked
    instead = "" if not explores else "Decide now."
    if explanation.instead is not None:
        instead = one_line(bank.questions[explanation.instead].text)
    shown = next((one for one in candidates if one.shown), None)
    first = explanation.asked_first and shown is not None and not picked
    reason = find_reason(shown, one_line(bank.cost_unit), first, len(session.steps))
    return WhyView(tuple(candidates), explores, instead, reason, first, picked)


def unfinished_view(record: InterviewSummary) -> UnfinishedInterview:
    """Build the view of an unfinished interview."""
    return UnfinishedInterview(
        record.interview,
        format_time(record.began),
        record.questions,
        record.began,
        one_line(record.case),
        clean_text(record.note),
    )
