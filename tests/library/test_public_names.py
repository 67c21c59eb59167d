"""The public names are pinned: each loads when it is used, is documented, and is typed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import odm_tui
import odm_tui.testing

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")

PUBLIC = [
    "Archive",
    "Ask",
    "BadArgument",
    "BadData",
    "Bank",
    "CannotWrite",
    "Dataset",
    "Decide",
    "Exploration",
    "Interview",
    "Locked",
    "Model",
    "NextDecision",
    "NextQuestion",
    "OdmError",
    "Oracle",
    "Policy",
    "Posterior",
    "Problem",
    "Progress",
    "Question",
    "ReplayOptions",
    "ReplayResult",
    "Scores",
    "ScoringOracle",
    "Session",
    "Situation",
    "StopRule",
    "Trace",
    "__version__",
    "available_banks",
    "load_bank",
    "next_step",
    "policy_from",
    "policy_names",
    "replay",
    "simulate",
    "stop_rule_from",
]

CHECKS = ["check_exploration", "check_learning", "check_oracle", "check_stop_rule"]


def test_the_public_names_are_these() -> None:
    assert sorted(odm_tui.__all__) == sorted(PUBLIC)
    assert sorted(odm_tui.testing.__all__) == CHECKS


def test_every_public_name_is_listed_before_it_is_loaded() -> None:
    code = "import odm_tui; print(*dir(odm_tui))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(PUBLIC) <= set(done.stdout.split())


@pytest.mark.parametrize("name", [name for name in PUBLIC if name != "__version__"])
def test_a_public_name_loads_and_has_a_docstring(name: str) -> None:
    found = getattr(odm_tui, name)
    assert found.__name__ == name
    assert found.__doc__
    assert found.__doc__.strip()[0].isupper()


@pytest.mark.parametrize("name", CHECKS)
def test_a_check_has_a_docstring(name: str) -> None:
    assert getattr(odm_tui.testing, name).__doc__


@pytest.mark.parametrize("name", [*PUBLIC, *CHECKS])
def test_a_public_name_is_documented(name: str) -> None:
    assert re.search(rf"`(odm_tui\.|odm_tui\.testing\.)?{name}\b", PAGE), (
        f"docs/library.md does not mention {name}"
    )


def test_the_documentation_uses_public_names_only() -> None:
    examples = "\n".join(re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL))
    imported = re.findall(r"from (odm_tui[\w.]*) import", examples) + re.findall(
        r"import (odm_tui[\w.]*)", examples
    )
    assert imported
    assert set(imported) <= {"odm_tui", "odm_tui.testing"}


def test_a_misspelt_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Interveiw'"):
        odm_tui.Interveiw  # type: ignore[attr-defined]  # noqa: B018


SAMPLE = """
from __future__ import annotations

import odm_tui
from odm_tui import Bank, Dataset, Interview, NextDecision, NextQuestion, Problem, next_step, simulate


def first(bank: Bank) -> str:
    step = next_step(bank, {})
    if step["status"] == "question":
        return step["question"]["id"]
    reveal_type(step)
    return step["outcome"]


problem = Problem.build(["fever"], ["flu", "cold"])
reveal_type(Interview(problem).belief)
reveal_type(odm_tui.policy_names())
reveal_type(simulate(Dataset.load("led"), "all").cost)
odm_tui.Interveiw
step: NextQuestion | NextDecision = {"status": "decision"}
"""


def test_the_lazy_names_are_typed(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text(SAMPLE, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--no-pretty", str(sample)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    said = done.stdout
    assert re.search(r"Revealed type is .TypedDict\(.?odm_tui.session.next_step.NextDecision", said)
    assert len(re.findall(r"Revealed type is .numpy.ndarray\[.*float64", said)) == 2
    assert re.search(r"Revealed type is .(builtins.)?list\[(builtins.)?str\]", said)
    errors = [line for line in said.splitlines() if ": error:" in line]
    assert len(errors) == 2, said
    assert 'Module has no attribute "Interveiw"' in errors[0]
    assert "NextDecision" in errors[1] or "NextQuestion" in errors[1]
