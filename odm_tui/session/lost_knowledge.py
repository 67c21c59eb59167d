"""Say what earlier interviews of a bank no longer count, because an outcome, a question or an answer has gone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from odm_tui.banks.bank import Bank
from odm_tui.formatting import format_count
from odm_tui.session.past_interviews import PastInterviews
from odm_tui.store.counts import BankIndex
from odm_tui.store.events import Answer
from odm_tui.store.index.builder import iterate_events
from odm_tui.store.index.tracked_interview import ANSWERED
from odm_tui.store.interview_record import CONFIRMED
from odm_tui.store.log_file import LogFile
from odm_tui.text import find_nearest_name, one_line

if TYPE_CHECKING:
    from odm_tui.store.paths import StatePaths

MOST_NAMED = 5


def describe_lost_knowledge(paths: StatePaths, bank: Bank) -> list[str]:
    """Return a sentence for each id in the log that the bank no longer has, with the line that would keep it."""
    index = BankIndex.of(bank)
    given: Counter[tuple[str, Answer]] = Counter()
    with LogFile(paths.log) as log:
        for kind, event in iterate_events(log):
            if kind == ANSWERED:
                given[event.question, event.answer] += 1
    questions: Counter[str] = Counter()
    answers: Counter[tuple[str, str]] = Counter()
    for (question, answer), count in given.items():
        if question not in index.question_places:
            questions[question] += count
        elif isinstance(answer, str) and index.find_answer(question, answer) is None:
            answers[question, answer] += count
    past = PastInterviews(paths, bank)
    confirmed = [summary.outcome for summary in past.history(CONFIRMED)]
    outcomes = Counter(id for id in confirmed if id is not None and id not in index.outcome_places)
    known = sum(id in index.outcome_places for id in confirmed if id is not None)
    return [*_describe_outcomes(bank, outcomes, known), *_describe_questions(bank, questions, answers)]


def _describe_outcomes(bank: Bank, lost: Counter[str], known: int) -> Iterator[str]:
    if not lost:
        return
    if not known:
        all_lost = format_count(sum(lost.values()), "interview")
        yield (
            f"{all_lost} kept as {bank.log_name!r}, and none with an outcome of this bank. "
            f'If another bank held them, give this one an id of its own, such as id = "{bank.name}-2".'
        )
    names = [outcome.id for outcome in bank.outcomes]
    for id, count in lost.most_common(MOST_NAMED):
        interviews = format_count(count, "interview")
        yield (
            f"The outcome {one_line(id)!r} is no longer in the bank, so its {interviews} no longer {_count(count)}. "
            f"{_remedy('outcome', id, names)}"
        )


def _describe_questions(
    bank: Bank, questions: Counter[str], answers: Counter[tuple[str, str]]
) -> Iterator[str]:
    names = [question.id for question in bank.questions]
    for id, count in questions.most_common(MOST_NAMED):
        times = format_count(count, "answer")
        yield (
            f"The question {one_line(id)!r} is no longer in the bank, so its {times} no longer {_count(count)}. "
            f"{_remedy('question', id, names)}"
        )
    for (question, answer), count in answers.most_common(MOST_NAMED):
        ids = [each.id for each in bank.question(question).answers]
        yield (
            f"The answer {one_line(answer)!r} to {one_line(question)!r}, given {format_count(count, 'time')}, no longer "
            f"counts. {_remedy('answer', answer, ids)}"
        )


def _count(many: int) -> str:
    return "counts" if many == 1 else "count"


def _remedy(kind: str, id: str, names: Sequence[str] | Iterable[str]) -> str:
    near = find_nearest_name(id, names)
    where = f"to the {kind} {near!r}" if near else f"to the {kind} that it is called now"
    return f'If it was renamed, add the line aliases = ["{one_line(id)}"] {where}.'
