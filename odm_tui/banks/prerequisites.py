"""Find questions that can never be asked: cycles of prerequisites, and conditions that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.text import quote_names

_MOST_STEPS = 500_000
"""The limit on conditions to follow in all, so that long chains of prerequisites take little time."""


def find_cycles(bank: Bank) -> list[list[str]]:
    """Return one cycle of question ids for each group of questions that depend on each other."""
    # A question that has a way around a cycle is left to find_unreachable.
    needed = {q.id: [other for other, _ in q.ask_if] for q in bank.questions if q.ask_if}
    if not needed:
        return []
    import networkx as nx

    graph = nx.DiGraph([(id, other) for id, others in needed.items() for other in others])
    order = {question.id: i for i, question in enumerate(bank.questions)}
    found = []
    for group in nx.strongly_connected_components(graph):
        if len(group) > 1:
            # Start from the first question of the group in the bank, so that the result is always the same.
            start = min(group, key=order.__getitem__)
            found.append([edge[0] for edge in nx.find_cycle(graph.subgraph(group), start)])
    return sorted(found, key=lambda cycle: order[cycle[0]])


def find_unreachable(bank: Bank) -> Iterator[tuple[BankQuestion, str]]:
    """Yield the questions whose prerequisites can't all hold, each with the reason.

    A question needs all conditions of the questions that it depends on, since those must have been asked.
    """
    questions = {question.id: question for question in bank.questions}
    possible = {q.id: _possible_answers(q) for q in bank.questions if q.thresholds and q.range}
    steps = 0
    for question in bank.questions:
        allowed: dict[str, set[int]] = {}
        to_follow, seen = [question], {question.id}
        while to_follow and steps < _MOST_STEPS:
            for other, answers in to_follow.pop().ask_if:
                steps += 1
                before = allowed.get(other, possible.get(other))
                allowed[other] = set(answers) if before is None else before & set(answers)
                if not allowed[other]:
                    yield question, _describe_conflict(questions[other], before, possible.get(other))
                    to_follow.clear()
                    break
                if other == question.id:
                    yield question, "it depends on itself"
                    to_follow.clear()
                    break
                if other not in seen:
                    seen.add(other)
                    to_follow.append(questions[other])
        if steps >= _MOST_STEPS:
            return


def _describe_conflict(other: BankQuestion, before: set[int] | None, possible: set[int] | None) -> str:
    if possible is not None and before == possible:
        return f"no number in the range of {other.id!r} gives the answer that it needs"
    labels = quote_names(other.answers[index].label for index in sorted(before or ()))
    return f"its other conditions need the answer {labels} to {other.id!r}"


def _possible_answers(question: BankQuestion) -> set[int]:
    """Return the intervals of a number question that its range includes."""
    low, high = question.range or (float("-inf"), float("inf"))
    edges = (float("-inf"), *question.thresholds, float("inf"))
    return {k for k in range(len(edges) - 1) if low <= edges[k + 1] and high > edges[k]}
