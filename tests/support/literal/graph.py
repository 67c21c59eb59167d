"""W-EC² with a graph: nodes are hypotheses, edges join different regions, answers cut edges.

This is one step of the paper's W-EC² as its authors programmed it: the hypotheses that the answers so
far leave are the nodes of a ``networkx`` graph, an edge for every two of them in different decision
regions weighs P(h | x_P) · P(h' | x_P), and for each question and each of its answers the edges that
touch an inconsistent hypothesis are summed. It is the named rival in the benchmarks, so it is honest:
plain ``networkx`` as its manual teaches it (``add_weighted_edges_from``, ``edges(nbunch, data=…)``),
numpy for the probabilities, everything computed once that can be, and nothing slowed down on purpose.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

import networkx as nx
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.integer]


def posterior_of_outcomes(prior: Floats, theta: Floats, answers_so_far: Mapping[int, int]) -> Floats:
    """P(y | x_P), (m,)."""
    weights = prior.copy()
    for question, answer in answers_so_far.items():
        weights = weights * theta[question, :, answer]
    posterior: Floats = weights / weights.sum()
    return posterior


def hypothesis_graph(
    prior: Floats, theta: Floats, hypotheses: Ints, regions: Ints, answers_so_far: Mapping[int, int]
) -> nx.Graph[int]:
    """The graph of the hypotheses that agree with the answers so far; a node is a row of ``hypotheses``.

    P(h | x_P) = Σ_j P(y = j | x_P) · Π theta_ij(h_i) over the questions not asked yet.
    """
    alive = [
        row
        for row, h in enumerate(hypotheses.tolist())
        if all(h[question] == answer for question, answer in answers_so_far.items())
    ]
    outcomes = posterior_of_outcomes(prior, theta, answers_so_far)
    unasked = [i for i in range(len(theta)) if i not in answers_so_far]
    probability = {
        row: float(outcomes @ theta[unasked, :, hypotheses[row, unasked]].prod(axis=0)) for row in alive
    }
    region = {row: int(regions[row]) for row in alive}
    graph: nx.Graph[int] = nx.Graph()
    graph.add_nodes_from(alive)
    graph.add_weighted_edges_from(
        (a, b, probability[a] * probability[b]) for a, b in combinations(alive, 2) if region[a] != region[b]
    )
    return graph


def weight_cut(graph: nx.Graph[int], hypotheses: Ints, question: int, answer: int) -> float:
    """The weight of the edges that this answer cuts: those that touch an inconsistent hypothesis."""
    column = hypotheses[:, question].tolist()
    inconsistent = [row for row in graph if column[row] != answer]
    edges: Iterable[tuple[int, int, float]] = graph.edges(inconsistent, data="weight")
    return sum(weight for _, _, weight in edges)


def gains(
    prior: Floats,
    theta: Floats,
    cost: Floats,
    hypotheses: Ints,
    regions: Ints,
    answers_so_far: Mapping[int, int],
) -> Floats:
    """eq:gain_ec2 of every question, (n,); 0 for those asked already.

    ``prior`` is (m,), ``theta`` and ``cost`` are (n, m, K), ``hypotheses`` (N, n), ``regions`` (N,).
    """
    graph = hypothesis_graph(prior, theta, hypotheses, regions, answers_so_far)
    outcomes = posterior_of_outcomes(prior, theta, answers_so_far)
    made = np.zeros(len(theta))
    for question in range(len(theta)):
        if question in answers_so_far:
            continue
        chances = outcomes @ theta[question]
        made[question] = sum(
            chance * weight_cut(graph, hypotheses, question, answer)
            for answer, chance in enumerate(chances.tolist())
            if chance > 0
        )
    return made


def expected_costs(prior: Floats, theta: Floats, cost: Floats, answers_so_far: Mapping[int, int]) -> Floats:
    """eq:conditional_test_cost of every question, (n,)."""
    outcomes = posterior_of_outcomes(prior, theta, answers_so_far)
    return np.array([float(((cost[i] * theta[i]).sum(axis=1) * outcomes).sum()) for i in range(len(theta))])


def choose(
    prior: Floats,
    theta: Floats,
    cost: Floats,
    hypotheses: Ints,
    regions: Ints,
    answers_so_far: Mapping[int, int],
) -> int:
    """The question that W-EC² asks next: the highest gain per expected cost (eq:gain_w_ec2).

    The paper does not say what a free question is worth: here it comes before any that costs something,
    if there is anything to gain from it, and the better of two free questions before the other.
    """
    gain = gains(prior, theta, cost, hypotheses, regions, answers_so_far)
    price = expected_costs(prior, theta, cost, answers_so_far)
    best, best_score = -1, (-1.0, -1.0)
    for question in range(len(theta)):
        if question in answers_so_far:
            continue
        if price[question] > 0:
            score = (gain[question] / price[question], 0.0)
        else:
            score = (np.inf, gain[question]) if gain[question] > 0 else (0.0, 0.0)
        if score > best_score:
            best, best_score = question, score
    return best
