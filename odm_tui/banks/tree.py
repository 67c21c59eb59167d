"""The question tree that a policy follows: every question, each answer to it, and where it leads.

A tree is a networkx graph whose nodes have a ``kind`` ("question", "outcome" or "more") and a ``label``,
and whose edges have the ``answer``'s label and its probability ``p``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from odm_tui.banks.bank import Bank
from odm_tui.errors import BadArgument
from odm_tui.text import one_line, shortened

if TYPE_CHECKING:
    import networkx as nx

    from odm_tui.engine.interview import Interview
    from odm_tui.engine.policy import Policy

    Graph = nx.DiGraph[str]

MAX_NODES = 5_000
_LONGEST_LABEL = 120


def build_tree(bank: Bank, policy: str | None = None, depth: int = 4, seed: int = 0) -> Graph:
    """The tree of the first ``depth`` questions.

    Without a policy it is the bank's own, led by what is expected rather than by chance: a policy that explores asks
    a little differently in every interview. A policy that is named is followed as it is, with this seed.
    """
    import networkx as nx

    from odm_tui.engine.interview import Interview

    interview = Interview(bank.problem, _policy(bank, policy), seed=seed)
    graph: Graph = nx.DiGraph()
    _grow(graph, bank, interview, depth)
    return graph


def _policy(bank: Bank, name: str | None) -> Policy:
    from odm_tui.engine.exploration import Greedy
    from odm_tui.engine.policy import DEFAULT_POLICY, policy_from

    if name is not None:
        return policy_from(name)
    return replace(policy_from(bank.policy or DEFAULT_POLICY), exploration=Greedy())


def _grow(graph: Graph, bank: Bank, interview: Interview, depth: int) -> str:
    """Add the node for the interview as it stands, and all that can follow; returns its name."""
    from odm_tui.engine.interview import Decide

    if graph.number_of_nodes() >= MAX_NODES:
        raise BadArgument(f"the tree has over {MAX_NODES:,} nodes; choose a smaller --depth")
    node = f"n{graph.number_of_nodes()}"
    upcoming = interview.next
    if isinstance(upcoming, Decide):
        label = f"{bank.outcomes[upcoming.outcome].label} ({100 * upcoming.belief:.0f} %)"
        graph.add_node(node, kind="outcome", label=label)
        return node
    if depth == 0:
        graph.add_node(node, kind="more", label="…")
        return node
    question = bank.questions[upcoming.question]
    graph.add_node(node, kind="question", label=shortened(one_line(question.text), _LONGEST_LABEL))
    chances = interview.belief @ interview.posterior.mean()[upcoming.question]
    for answer, p in zip(question.answers, chances, strict=False):
        interview.answer(answer.id)
        child = _grow(graph, bank, interview, depth - 1)
        interview.undo()
        graph.add_edge(node, child, answer=shortened(answer.label, _LONGEST_LABEL), p=float(p))
    return node


def draw_tree(graph: Graph, form: Literal["dot", "mermaid"]) -> str:
    """The tree as text for Graphviz or Mermaid."""
    return _dot(graph) if form == "dot" else _mermaid(graph)


def _dot(graph: Graph) -> str:
    shapes = {"question": "box", "outcome": "ellipse", "more": "plaintext"}
    lines = ["digraph questions {", '  node [fontname="sans-serif"];', '  edge [fontname="sans-serif"];']
    for node, about in graph.nodes(data=True):
        lines.append(f"  {node} [shape={shapes[about['kind']]}, label={_dot_text(about['label'])}];")
    for start, end, about in graph.edges(data=True):
        lines.append(f"  {start} -> {end} [label={_dot_text(_edge_label(about['answer'], about['p']))}];")
    return "\n".join([*lines, "}", ""])


def _mermaid(graph: Graph) -> str:
    shapes = {"question": ('["', '"]'), "outcome": ('(["', '"])'), "more": ('["', '"]')}
    lines = ["flowchart TD"]
    for node, about in graph.nodes(data=True):
        opening, closing = shapes[about["kind"]]
        lines.append(f"  {node}{opening}{_mermaid_text(about['label'])}{closing}")
    for start, end, about in graph.edges(data=True):
        lines.append(f'  {start} -->|"{_mermaid_text(_edge_label(about["answer"], about["p"]))}"| {end}')
    return "\n".join([*lines, ""])


def _edge_label(answer: str, p: float) -> str:
    return f"{answer} ({100 * p:.0f} %)"


def _dot_text(text: str) -> str:
    r"""A quoted DOT string: inside quotes only the backslash and the quote mean something.

    >>> print(_dot_text('a "b" <c>'))
    "a \"b\" <c>"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _mermaid_text(text: str) -> str:
    """Text in which everything that Mermaid, Markdown or HTML could take for a sign is a number code.

    >>> _mermaid_text("Is it <b>?")
    'Is it #60;b#62;?'
    """
    return "".join(c if c.isalnum() or c in " ?!,'…" else f"#{ord(c)};" for c in text)
