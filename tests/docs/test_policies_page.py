"""docs/policies.md describes every policy, oracle, exploration and stop rule there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from odm_tui.engine.exploration import EXPLORATIONS
from odm_tui.engine.oracles import ORACLES
from odm_tui.engine.policy import DEFAULT_POLICY, policy_from, policy_names
from odm_tui.engine.stopping import StopRule

PAGE = (Path(__file__).parents[2] / "docs" / "policies.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Return the text of a second-level section of the page."""
    found = re.search(rf"^## {title}$(.*?)(?=^## |\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found is not None, f"docs/policies.md has no section {title!r}"
    return found.group(1)


def described(title: str) -> set[str]:
    """Return the names that have a heading of their own in a section."""
    return set(re.findall(r"^### `([a-z0-9_-]+)`$", section(title), re.MULTILINE))


def stop_rules(kind: type[StopRule] = StopRule) -> Iterator[str]:
    """Yield the name of every stop rule of this package."""
    for rule in kind.__subclasses__():
        if rule.__module__.startswith("odm_tui."):
            yield rule.name
        yield from stop_rules(rule)


def own(registered: object) -> bool:
    """Tell whether something registered belongs to this package, and not to a plugin."""
    kind = registered if isinstance(registered, type) else type(registered)
    return kind.__module__.startswith("odm_tui.")


def test_every_oracle_has_its_heading() -> None:
    assert described("Oracles") == {name for name, oracle in ORACLES.items() if own(oracle)}


def test_every_exploration_has_its_heading() -> None:
    registered = {name for name, exploration in EXPLORATIONS.items() if own(exploration)}
    assert described("Explorations") == registered


def test_every_stop_rule_has_its_heading() -> None:
    assert described("Stop rules") == set(stop_rules())


def test_every_policy_is_named() -> None:
    named = set(re.findall(r"`([a-z0-9-]+)`", PAGE.partition("## Which policy to take")[0]))
    ours = [
        name
        for name in policy_names()
        if own(policy_from(name).oracle) and own(policy_from(name).exploration)
    ]
    assert [name for name in ours if name not in named] == []


@pytest.mark.parametrize("name", ["mean", "map"])
def test_an_exploration_that_does_not_explore_says_so(name: str) -> None:
    text = section("Explorations").partition(f"### `{name}`")[2].partition("###")[0]
    assert "**No exploration.**" in text


def test_the_default_policy_is_the_one_that_is_used() -> None:
    assert f"A bank without `policy` uses `{DEFAULT_POLICY}`" in section("Set the policy")


@pytest.mark.parametrize("name", sorted(ORACLES))
def test_the_default_stop_rule_of_an_oracle_is_the_one_that_is_used(name: str) -> None:
    oracle = ORACLES[name]
    if not own(oracle):
        pytest.skip("an oracle of another package documents itself")
    policy = policy_from(f"{name}-ts" if oracle.uses_theta else name)
    text = section("Oracles").partition(f"### `{name}`")[2].partition("\n### ")[0]
    assert re.search(rf"Default stop rule:\s+`{policy.stop.name}`", text)
