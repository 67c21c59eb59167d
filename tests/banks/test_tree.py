"""The question tree that a policy follows, drawn for other programs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from odm_tui.banks import load_bank
from odm_tui.banks.question_tree import build_tree, draw_tree
from odm_tui.engine.interview import Ask, Interview
from odm_tui.errors import BadArgument
from tests.support.sample_banks import SMALL, loaded

LUNG = Path(__file__).parents[2] / "question_banks" / "lung.toml"


def test_the_tree_asks_what_an_interview_would_ask() -> None:
    bank = load_bank(LUNG)
    graph = build_tree(bank, "w-ig-ts", depth=4, seed=5)
    interview = Interview(bank.problem, "w-ig-ts", seed=5)
    node = "n0"
    while isinstance(interview.next, Ask):
        question = bank.questions[interview.next.question]
        assert graph.nodes[node] == {"kind": "question", "label": question.text}
        interview.answer("yes")
        (node,) = (child for child in graph.successors(node) if graph.edges[node, child]["answer"] == "Yes")
    assert graph.nodes[node]["kind"] == "outcome"
    assert graph.nodes[node]["label"].startswith(bank.outcomes[interview.next.outcome].label)


def test_every_question_has_one_branch_an_answer_and_their_chances_sum_to_one() -> None:
    graph = build_tree(load_bank(LUNG), depth=3)
    for node, about in graph.nodes(data=True):
        branches = [graph.edges[node, child] for child in graph.successors(node)]
        if about["kind"] == "question":
            assert [branch["answer"] for branch in branches] == ["No", "Yes"]
            assert sum(branch["p"] for branch in branches) == pytest.approx(1)
        else:
            assert branches == []


def test_the_tree_is_cut_at_its_depth() -> None:
    graph = build_tree(load_bank(LUNG), depth=1)
    assert graph.number_of_nodes() == 3
    assert sum(about["kind"] == "question" for _, about in graph.nodes(data=True)) == 1


def test_a_tree_that_is_too_large_says_so() -> None:
    with pytest.raises(BadArgument, match="Choose a smaller --depth"):
        build_tree(load_bank(LUNG.with_name("troubleshooting.toml")), "all", depth=13)


def test_dot_is_drawn_line_by_line() -> None:
    text = draw_tree(build_tree(load_bank(LUNG), depth=1), "dot")
    assert text.splitlines()[0] == "digraph questions {"
    assert re.search(r'^  n0 \[shape=box, label="Is the CT scan positive\?"\];$', text, re.MULTILINE)
    assert re.search(r'^  n0 -> n1 \[label="No \(\d+ %\)"\];$', text, re.MULTILINE)
    assert text.endswith("}\n")


def test_mermaid_is_drawn_line_by_line() -> None:
    lines = draw_tree(build_tree(load_bank(LUNG), depth=1), "mermaid").splitlines()
    assert lines[:2] == ["flowchart TD", '  n0["Is the CT scan positive?"]']
    assert any(re.fullmatch(r'  n0 -->\|"No #40;\d+ #37;#41;"\| n1', line) for line in lines)


HOSTILE = r"a\"]; evil -> n0 [label=\"x\\\\ <b> %%{init: {}}%% `1. x` |#"


def test_hostile_labels_stay_inside_their_quotes(tmp_path: Path) -> None:
    text = SMALL.replace("Is the internet light green?", HOSTILE).replace(
        'answers = ["red", ', f'answers = ["red{HOSTILE}", '
    )
    text = text.replace('ask_if = { colour = ["red", "amber"] }\n', "").replace("cost = { red = 1 }\n", "")
    bank = loaded(tmp_path, re.sub(r"^colour = .*$", "", text, flags=re.MULTILINE))
    graph = build_tree(bank, depth=3)
    for line in draw_tree(graph, "dot").splitlines()[3:-1]:
        assert re.fullmatch(r'  n\d+ (-> n\d+ \[|\[shape=\w+, )label="(?:[^"\\]|\\.)*"\];', line), line
    for line in draw_tree(graph, "mermaid").splitlines()[1:]:
        assert re.fullmatch(r"""  n\d+(\(?\["[\w #;?!,'…]*"\]\)?| -->\|"[\w #;?!,'…]*"\| n\d+)""", line), line
