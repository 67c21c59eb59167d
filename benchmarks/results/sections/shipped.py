"""The policies, stakes and horizons of the banks that come with odm-tui, beside others, in interviews that learn."""

from __future__ import annotations

from benchmarks.results.contenders import format_difference, format_table
from benchmarks.results.section import Rows, Section, Settings, Work
from odm_tui.banks import load_bank
from odm_tui.evaluation.bank.learning_runs import compare_learning

BANKS = ["navigation", "led", "home-network", "lung", "breast-cancer", "troubleshooting"]


def compute(settings: Settings, work: Work) -> Rows:
    """Return the rows of the command for each bank."""
    rows = []
    for name in settings["banks"]:
        bank = load_bank(name)
        found = compare_learning(
            bank, runs=settings["runs"], interviews=settings["interviews"], jobs=work.jobs
        )
        stakes = bank.problem.effective_stakes
        rows += [{"bank": name, "stakes": stakes, **row.as_dict()} for row in found]
    return rows


def render(settings: Settings, rows: Rows) -> str:
    """Return the table."""
    header = ["bank", "policy", "stakes", "horizon", "questions", "cost", "right", "value", "last quarter"]
    lines = [
        [
            row["bank"],
            f"{row['policy']} (this bank)" if row["is_own"] else row["policy"],
            f"{row['stakes']:g}",
            "" if row["horizon"] is None else f"{row['horizon']:g}",
            f"{row['questions']:.1f}",
            f"{row['cost']:.4g}",
            f"{row['right']:.3f}",
            f"{row['value']:.4g}",
            f"{row['late']:.4g}",
            "" if row["is_own"] else format_difference([row["gap"], row["gap_low"], row["gap_high"]]),
        ]
        for row in rows
    ]
    return format_table([*header, "more than the bank's"], lines, texts=2)


SECTION = Section(
    "shipped",
    "The policies of the shipped banks",
    {"banks": BANKS, "runs": 40, "interviews": 40},
    {"banks": ["led"], "runs": 2, "interviews": 4},
    compute,
    render,
    needs_data=False,
)
