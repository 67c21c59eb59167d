"""``odm-tui policies`` lists every policy and stop rule, with what it does."""

from __future__ import annotations

import json

from typer.testing import CliRunner

from odm_tui.cli.commands.policies import app
from odm_tui.engine.policy import policy_from, policy_names
from odm_tui.engine.stopping import STOP_RULES


def test_every_policy_is_listed_with_what_it_does_and_whether_it_explores() -> None:
    done = CliRunner().invoke(app, ["--json"])
    assert done.exit_code == 0
    found = {policy["name"]: policy for policy in json.loads(done.stdout)["policies"]}
    assert list(found) == policy_names()
    for name, policy in found.items():
        assert policy["chooses"].endswith("."), name
        assert policy["stop"] == policy_from(name).stop.name
    assert [name for name in found if not found[name]["explores"]] == [
        *(
            f"{oracle}-{still}"
            for oracle in ("w-ec2", "w-eced", "w-ig", "lookahead")
            for still in ("mean", "map")
        ),
        "random",
        "all",
        "dpp",
    ]


def test_the_tables_have_one_line_for_each_policy_and_stop_rule() -> None:
    lines = CliRunner().invoke(app, []).stdout.splitlines()
    starts = [line.split()[0] for line in lines if line.strip()]
    for name in policy_names():
        assert starts.count(name) == (2 if name in STOP_RULES else 1), name
    assert all(any(rule in line.split() for line in lines) for rule in STOP_RULES)
