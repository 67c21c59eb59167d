"""Build and draw the question tree of a policy: each question, its answers, and what comes next.

A tree is a networkx graph whose nodes have a ``kind`` ("question", "outcome" or "more") and a ``label``,
and whose edges have the ``answer``'s label and its probability ``p``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from odm_tui.banks.bank import Bank
from odm_tui.errors import BadArgument
from odm_tui.text import one_line, shorten

if TYPE_CHECKING:
    import networkx as nx

    from odm_tui.engine.interview import Interview
    from odm_tui.engine.policy import Policy

    Graph = nx.DiGraph[str]

MAX_NODES = 5_000
_LONGEST_LABEL = 120


def build_tree(bank: Bank, policy: str | None = None, depth: int = 4, seed: int = 0) -> Graph:
    """Return the tree of the first ``depth`` questions.

    By default the tree follows the bank's own policy without exploration, because exploration changes the questions
    from interview to interview. A named policy is followed as it is, with this seed.
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
    """Add a node for the current state of the interview and all nodes below it; return its name."""
    from odm_tui.engine.interview import Decide

    if graph.number_of_nodes() >= MAX_NODES:
        raise BadArgument(f"The tree has more than {MAX_NODES:,} nodes. Choose a smaller --depth.")
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
    graph.add_node(node, kind="question", label=shorten(one_line(question.text), _LONGEST_LABEL))
    chances = interview.answer_chances(upcoming.question)
    for answer, p in zip(question.answers, chances, strict=False):
        interview.answer(answer.id)
        child = _grow(graph, bank, interview, depth - 1)
        interview.undo()
        graph.add_edge(node, child, answer=shorten(answer.label, _LONGEST_LABEL), p=float(p))
    return node


def draw_tree(graph: Graph, form: Literal["dot", "mermaid"]) -> str:
    """Return the tree as text for Graphviz or Mermaid."""
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
    r"""Return a quoted DOT string; only the backslash and the quote need escapes.

    >>> print(_dot_text('a "b" <c>'))
    "a \"b\" <c>"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def _mermaid_text(text: str) -> str:
    """Return the text with a numeric code for every character that has a meaning in Mermaid, Markdown or HTML.

    >>> _mermaid_text("Is it <b>?")
    'Is it #60;b#62;?'
    """
    return "".join(c if c.isalnum() or c in " ?!,'…" else f"#{ord(c)};" for c in text)
