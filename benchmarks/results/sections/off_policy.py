"""Off-policy estimates of replay against a known truth: bias, coverage of the intervals, and how the error falls."""

from __future__ import annotations

from dataclasses import asdict

from benchmarks import off_policy
from benchmarks.results.section import Rows, Section, Settings, Work


def compute(settings: Settings, work: Work) -> Rows:
    """Simulate the logs and estimate every target from each."""
    bank, interviews = off_policy.small_bank(), settings["interviews"]
    sizes = (interviews // 4, interviews)
    calls = [(off_policy.trials, (bank, interviews, sizes, seed)) for seed in range(1, settings["logs"] + 1)]
    trials = [trial for made in work.run_calls(calls) for trial in made]
    return [asdict(line) for line in off_policy.lines(trials)]


def render(settings: Settings, rows: Rows) -> str:
    """Return the table, and what was withheld."""
    lines = [off_policy.Line(**row) for row in rows]
    interviews = settings["interviews"]
    table = off_policy.table(lines, interviews, interviews // 4)
    largest = [line for line in lines if line.interviews == interviews]
    withheld = {line.policy: f"{line.policy} {line.withheld}" for line in largest}
    judged = [line for line in largest if line.estimate != "model"]
    beyond = sum(abs(line.bias) > 2 * line.bias_error for line in judged)
    covered = [line.covered for line in judged]
    return (
        f"{table}\n\n{settings['logs']} logs of {interviews} interviews by {' and '.join(off_policy.LOGGED)} in turn; "
        f"withheld for so many of them: {', '.join(withheld.values())}. Without the model alone: {beyond} of {len(judged)} "
        f"biases lie beyond 2 standard errors; the intervals cover the truth in {min(covered, default=0):.1%} to "
        f"{max(covered, default=0):.1%} of the logs."
    )


SECTION = Section(
    "off-policy",
    "What another policy would have cost",
    {"logs": 200, "interviews": 300},
    {"logs": 2, "interviews": 60},
    compute,
    render,
    needs_data=False,
)
