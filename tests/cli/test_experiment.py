"""``odm-tui experiment`` as it is called."""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable
from pathlib import Path

import pytest

from odm_tui.cli.app import main
from odm_tui.cli.commands import paper_experiment
from odm_tui.cli.commands.paper_experiment import find_paper_datasets

Run = Callable[..., int]

KEYS = {
    "dataset",
    "protocol",
    "regions",
    "policy",
    "stakes",
    "seeds",
    "scenarios",
    "mean_cost",
    "std_cost",
    "mean_questions",
    "accuracy",
    "utility",
    "undecided",
    "regret",
    "ratio_to_all",
    "microseconds_per_question",
    "per_seed",
}


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "80")

    def run_and_return_code(*arguments: str) -> int:
        with pytest.raises(SystemExit) as end:
            main(["experiment", *arguments])
        return int(end.value.code or 0)

    return run_and_return_code


def test_json_has_the_shape_that_other_programs_rely_on(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(
        "navigation", "--limit", "10", "--seeds", "2", "-p", "w-ec2-ts", "-p", "all", "--jobs", "1", "--json"
    )
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert code == 0
    assert [row["policy"] for row in rows] == ["w-ec2-ts", "all"]
    assert all(row.keys() >= KEYS for row in rows)
    assert [seed["seed"] for seed in rows[0]["per_seed"]] == [130, 131]
    assert rows[0]["per_seed"][0].keys() >= {"seed", "mean_cost", "accuracy", "mean_questions"}
    assert rows[1]["ratio_to_all"] == 1.0


def test_the_scenario_files_work_as_they_are(
    run: Run, shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(
        "compas",
        *("--data", f"{shared_data}/scenarios/compas_seed{{seed}}.csv", "--label", "label"),
        *("--costs", f"{shared_data}/costs/costs_compas.csv", "--first-seed", "130", "--seeds", "2"),
        *("--limit", "20", "--hypotheses", "70", "--protocol", "authors", "--policy", "w-ec2-ts"),
        *("--jobs", "1", "--json"),
    )
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert code == 0
    assert (row["dataset"], row["protocol"], row["regions"], row["scenarios"]) == (
        "compas",
        "authors",
        "known",
        20,
    )


def test_a_data_set_is_called_what_the_caller_calls_it(
    run: Run, shared_data: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = run(
        "breastcancer",
        *("--data", f"{shared_data}/scenarios/{{dataset}}_seed{{seed}}.csv", "--thresholds", "1"),
        *("--costs", f"{shared_data}/costs/costs_{{dataset}}.csv", "--seeds", "1", "--limit", "5"),
        *("--protocol", "authors", "--regions", "unknown", "-p", "w-ec2-ts", "--jobs", "1", "--json"),
    )
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert code == 0
    assert (row["dataset"], row["regions"]) == ("breastcancer", "unknown")


def test_the_table_and_the_plots_fit_80_columns(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("led", "--limit", "10", "--seeds", "1", "--jobs", "1") == 0
    out = capsys.readouterr().out
    assert "µs/q" in out
    assert "mean cost so far" in out
    assert "theorem's bound" in out
    assert max(len(line) for line in out.splitlines()) <= 80


def test_results_are_written_to_a_folder(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "out"
    code = run(
        "led", "--limit", "5", "--seeds", "1", "-p", "all", "--jobs", "1", "--out", str(out), "--no-plot"
    )
    assert code == 0
    assert {path.name for path in out.iterdir()} == {"results.json", "results.csv", "curves.csv", "units"}
    assert json.loads((out / "results.json").read_text())["experiment"]["protocol"] == "paper"


def test_a_folder_that_can_t_be_written_is_refused_before_the_first_run(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*units: object, **options: object) -> None:
        raise AssertionError("a run was started")

    monkeypatch.setattr("odm_tui.evaluation.experiment.runner.run_units", fail)
    taken = tmp_path / "taken"
    taken.write_text("a file")
    assert run("led", "--limit", "5", "-p", "all", "--out", str(taken)) == 73
    assert f"Can't write the results to {taken}" in capsys.readouterr().err


def test_figures_have_intervals_over_seeds(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("led", "--limit", "8", "-p", "w-ec2-ts", "--jobs", "1", "--json")
    assert run(*options, "--seeds", "3") == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    costs = [seed["mean_cost"] for seed in row["per_seed"]]
    half = 4.3027 * statistics.stdev(costs) / 3**0.5
    assert row["mean_cost_interval"] == pytest.approx(
        [row["mean_cost"] - half, row["mean_cost"] + half], rel=1e-4
    )
    for name in ("accuracy", "utility", "regret", "value"):
        low, high = row[f"{name}_interval"]
        assert low <= row[name] <= high
    assert run(*options, "--seeds", "1") == 0
    (row,) = json.loads(capsys.readouterr().out)["rows"]
    assert row["mean_cost_interval"] == [None, None]


def test_costs_by_outcome_change_what_is_paid(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("navigation", "--limit", "8", "-p", "all", "--seeds", "1", "--jobs", "1", "--json")
    paid = []
    for more in ((), ("--costs-by-outcome",)):
        assert run(*options, *more) == 0
        paid.append(json.loads(capsys.readouterr().out)["rows"][0]["mean_cost"])
    assert paid[0] != paid[1]
    assert run("own", "--data", "x.csv", "--costs", "y.csv", "--costs-by-outcome") == 2
    assert "--costs-by-outcome draws costs" in capsys.readouterr().err


def test_the_paper_s_experiments_run_in_one_command(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(
        paper_experiment, "find_paper_datasets", lambda data: (["navigation"], ["fico", "compas"])
    )
    out = tmp_path / "out"
    options = ("--limit", "3", "--seeds", "1", "-p", "w-ec2-ts", "--jobs", "1", "--out", str(out))
    assert run("paper", *options) == 0
    assert "fico and compas can't be shipped" in capsys.readouterr().err
    for regions in ("known", "unknown"):
        folder = out / f"regions-{regions}"
        wanted = {f"{name}.{kind}" for name in ("cost", "utility", "regret") for kind in ("png", "svg")}
        assert wanted <= {path.name for path in folder.iterdir()}
        made = json.loads((folder / "results.json").read_text())
        assert [(row["dataset"], row["regions"]) for row in made["rows"]] == [("navigation", regions)]
        (source,) = made["experiment"]["sources"]
        assert (source["costs_by_outcome"], source["pairs"], source["thresholds"]) == (True, True, 5)


def test_the_paper_s_experiments_find_all_six_files(tmp_path: Path) -> None:
    for name in ("navigation", "led", "fico", "compas", "breastcancer", "troubleshooting"):
        (tmp_path / f"{name}_seed130.csv").write_text("")
    found, missing = find_paper_datasets(str(tmp_path / "{dataset}_seed{seed}.csv"))
    assert found == ["navigation", "led", "fico", "compas", "breastcancer", "troubleshooting"]
    assert missing == []
    assert find_paper_datasets(None) == (
        ["navigation", "led", "breast-cancer", "troubleshooting"],
        ["fico", "compas"],
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "Name a folder"),
        (("--out", "o", "--protocol", "live"), "Leave out"),
        (("--out", "o", "--frontier"), "Leave"),
    ],
)
def test_the_paper_s_experiments_have_their_own_settings(
    run: Run, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], said: str
) -> None:
    assert run("paper", *options) == 2
    assert said in capsys.readouterr().err


def test_charts_are_drawn_as_png_and_svg(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    options = ("--limit", "5", "--seeds", "1", "-p", "all", "--jobs", "1", "--out", str(out), "--charts")
    assert run("led", "navigation", *options) == 0
    drawn = {path.name for path in out.iterdir()}
    assert {f"{name}.{kind}" for name in ("cost", "utility", "regret") for kind in ("png", "svg")} <= drawn


def test_live_takes_regions_as_unknown_unless_told(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        run("led", "--limit", "5", "--seeds", "1", "-p", "all", "--protocol", "live", "--jobs", "1", "--json")
        == 0
    )
    assert json.loads(capsys.readouterr().out)["rows"][0]["regions"] == "unknown"


@pytest.mark.parametrize(
    ("options", "prior"),
    [
        (("--protocol", "live"), "shared"),
        (("--protocol", "live", "--prior", "pooled"), "pooled"),
        (("--protocol", "paper"), "separate"),
        (("--protocol", "authors"), "separate"),
        (("--protocol", "live", "--prior", "separate"), "separate"),
        (("--protocol", "paper", "--prior", "pooled"), "pooled"),
    ],
)
def test_only_live_interviews_pool_what_is_learned_unless_told(
    run: Run, capsys: pytest.CaptureFixture[str], options: tuple[str, ...], prior: str
) -> None:
    assert run("led", "--limit", "3", "--seeds", "1", "-p", "all", *options, "--jobs", "1", "--json") == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"][0]["prior"], told["experiment"]["prior"]) == (prior, prior)


def test_the_value_is_told_beside_the_optimum_s(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--limit", "5", "--seeds", "1", "-p", "all", "--stakes", "30", "--jobs", "1", "--no-plot")
    assert run("led", *options) == 0
    out = capsys.readouterr().out
    assert "value = 30 (stakes)" in out
    assert "/optimum" in out


def test_a_bound_is_called_a_bound(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--limit", "3", "--seeds", "1", "-p", "random", "--jobs", "1", "--no-plot")
    assert run("troubleshooting", *options) == 0
    out = capsys.readouterr().out
    assert "/bound" in out
    assert "for free" in out


FEW = ("--limit", "5", "--seeds", "1", "--jobs", "1", "-p", "lookahead-ts", "-p", "all", "--grid", "30,3")


def test_a_frontier_is_a_line_for_policies_that_weigh_stakes_and_a_point_for_others(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run("led", "--frontier", *FEW, "--json") == 0
    told = json.loads(capsys.readouterr().out)
    (frontier,) = told["frontiers"]
    lines = {line["policy"]: [point["stakes"] for point in line["points"]] for line in frontier["lines"]}
    assert lines == {"lookahead-ts": [3, 30], "all": [None], "optimum": [3, 30]}
    assert (told["experiment"]["protocol"], told["experiment"]["prior"]) == ("live", "shared")


def test_a_frontier_has_no_optimum_where_there_is_only_a_bound(
    run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--limit", "2", "--seeds", "1", "--jobs", "1", "-p", "random", "--json")
    assert run("troubleshooting", "--frontier", *options) == 0
    (frontier,) = json.loads(capsys.readouterr().out)["frontiers"]
    assert [line["policy"] for line in frontier["lines"]] == ["random"]


def test_a_frontier_is_drawn_with_letters_in_80_columns(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("led", "--frontier", *FEW) == 0
    lines = capsys.readouterr().out.splitlines()
    drawn = "".join(line[6:] for line in lines[1:19])
    assert {letter for letter in drawn if letter.isalpha()} == {"A", "B", "C"}
    assert "A lookahead-ts" in "".join(lines[20:])
    assert max(len(line) for line in lines) <= 80


def test_a_frontier_is_written_to_a_folder(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    out = tmp_path / "out"
    assert run("led", "--frontier", *FEW, "--out", str(out), "--charts", "--json") == 0
    written = {path.name for path in out.iterdir()}
    assert written == {"frontier.json", "frontier.csv", "frontier.png", "frontier.svg", "units"}
    lines = (out / "frontier.csv").read_text().splitlines()
    assert lines[0].startswith("dataset,policy,stakes,mean_cost")
    assert len(lines) == 1 + 2 + 1 + 2


def test_a_finished_run_leaves_nothing_behind(run: Run, tmp_path: Path) -> None:
    assert run("led", "--limit", "5", "--seeds", "1", "-p", "all", "--jobs", "1", "--json") == 0
    assert not list((tmp_path / "cache").rglob("*.npz"))


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("nothing",), 2, "Unknown data set 'nothing'"),
        (("fico",), 2, "--data"),
        (("led", "-p", "clever"), 2, "Unknown policy 'clever'"),
        (("led", "--protocol", "other"), 2, "Unknown protocol 'other'"),
        (("led", "--regions", "some"), 2, "Unknown regions 'some'. Choose one of 'known', 'unknown'."),
        (("led", "--eta", "1"), 2, "--eta"),
        (
            ("led", "--prior", "other"),
            2,
            "Unknown prior 'other'. Choose one of 'separate', 'pooled', 'shared'.",
        ),
        (("led", "--protocol", "authors", "--prior", "pooled"), 2, "separate priors only"),
        (("led", "--milliseconds", "0"), 2, "milliseconds"),
        (("led", "--charts"), 2, "--out"),
        (("led", "--frontier", "--protocol", "paper"), 2, "live interviews"),
        (("led", "--frontier", "--stakes", "3"), 2, "--grid"),
        (("led", "--grid", "3"), 2, "--frontier"),
        (("led", "--frontier", "--grid", "3,much"), 2, "3,10,30"),
        (("led", "fico", "--data", "x.csv"), 2, "{dataset}"),
        (("fico", "--data", "absent_{seed}.csv"), 65, "absent_130.csv"),
        (("led", "--costs", "x.csv"), 2, "--costs needs --data"),
    ],
)
def test_what_makes_no_sense_gets_one_sentence(
    run: Run, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], code: int, said: str
) -> None:
    assert run(*arguments, "--jobs", "1") == code
    told = capsys.readouterr().err
    assert said in told
    assert len(told.strip().splitlines()) == 1


def test_all_wrong_options_are_reported_in_one_run(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("led", "--protocol", "papers", "--eta", "2", "--charts", "-p", "clever", "-p", "daring") == 2
    lines = capsys.readouterr().err.strip().splitlines()
    assert len(lines) == 5
    assert "Unknown protocol 'papers'. Did you mean 'paper'?" in lines
    assert "--charts needs --out FOLDER." in lines
