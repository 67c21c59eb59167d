"""Finds questions that can never be asked: cycles of prerequisites, and answers that can't come together."""

from __future__ import annotations

from collections.abc import Iterator

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.text import listed

_MOST_STEPS = 500_000
"""How many conditions are followed in all, so that a long chain of prerequisites stays quick."""


def find_cycles(bank: Bank) -> list[list[str]]:
    """One cycle of question ids for each group of questions that wait for each other."""
    waiting = {q.id: [other for other, _ in q.ask_if] for q in bank.questions if q.ask_if}
    if not waiting:
        return []
    import networkx as nx

    graph = nx.DiGraph([(id, other) for id, others in waiting.items() for other in others])
    order = {question.id: i for i, question in enumerate(bank.questions)}
    found = []
    for group in nx.strongly_connected_components(graph):
        if len(group) > 1:
            # From the first question of the group, in the order of the bank, so that the same is found always.
            start = min(group, key=order.__getitem__)
            found.append([edge[0] for edge in nx.find_cycle(graph.subgraph(group), start)])
    return sorted(found, key=lambda cycle: order[cycle[0]])


def find_unreachable(bank: Bank) -> Iterator[tuple[BankQuestion, str]]:
    """Questions whose prerequisites can't all hold, each with the reason.

    Whatever a question waits for must itself have been asked, so it inherits all conditions of that.
    """
    questions = {question.id: question for question in bank.questions}
    possible = {q.id: _possible_answers(q) for q in bank.questions if q.thresholds and q.range}
    steps = 0
    for question in bank.questions:
        allowed: dict[str, set[int]] = {}
        waiting, seen = [question], {question.id}
        while waiting and steps < _MOST_STEPS:
            for other, answers in waiting.pop().ask_if:
                steps += 1
                before = allowed.get(other, possible.get(other))
                allowed[other] = set(answers) if before is None else before & set(answers)
                if not allowed[other]:
                    yield question, _reason(questions[other], before, possible.get(other))
                    waiting.clear()
                    break
                if other == question.id:
                    yield question, "it waits for itself"
                    waiting.clear()
                    break
                if other not in seen:
                    seen.add(other)
                    waiting.append(questions[other])
        if steps >= _MOST_STEPS:
            return


def _reason(other: BankQuestion, before: set[int] | None, possible: set[int] | None) -> str:
    if possible is not None and before == possible:
        return f"no number within the range of {other.id!r} gives the answer it waits for"
    needed = listed(other.answers[index].label for index in sorted(before or ()))
    return f"it would need another answer of {other.id!r} than {needed}, which it needs as well"


def _possible_answers(question: BankQuestion) -> set[int]:
    """The intervals of a number question that its range reaches."""
    low, high = question.range or (float("-inf"), float("inf"))
    edges = (float("-inf"), *question.thresholds, float("inf"))
    return {k for k in range(len(edges) - 1) if low <= edges[k + 1] and high > edges[k]}
