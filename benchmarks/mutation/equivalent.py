"""Mutants that no test can notice, because the program does the same."""

from __future__ import annotations

from benchmarks.mutation.mutants import Mutant

_DRAWN = "a number drawn from a continuous distribution is never equal to a limit"

EQUIVALENT: dict[tuple[str, str, str], str] = {
    (
        "odm_tui/engine/remaining_cost.py",
        "answers = (rng.random((count, 1)) > np.cumsum(chances, axis=-1)[:, :-1]).sum(axis=-1)",
        ">=",
    ): _DRAWN,
    (
        "odm_tui/engine/hypotheses.py",
        "return np.asarray(rows @ (np.int64(1) << np.arange(n, dtype=np.int64)))",
        "2",
    ): "keys are only compared, twice each key is as distinct, and 2 · (2^62 - 1) still fits",
    (
        "odm_tui/store/state_file.py",
        "return [more - fewer for more, fewer in zip(reached, [*reached[1:], 0], strict=True)]",
        "False",
    ): "both lists have the length of the first",
    (
        "odm_tui/engine/lookahead/planner.py",
        "gains = np.where(gains > NO_GAIN, gains, 0.0)",
        ">=",
    ): "a computed gain is never exactly the limit below which it is rounding",
    (
        "odm_tui/engine/interview.py",
        "chance = redraw_chance(interviews, len(self.problem.questions)) if exploration.explores else 0.0",
        "1.0",
    ): "an exploration that does not explore has nothing to draw again",
}
"""The reason, by module, text of the line and the text that is put in."""


def find_reason(mutant: Mutant, source: str) -> str | None:
    """Why a mutant is the same program; None if it is not listed."""
    if mutant.before == "TYPE_CHECKING":
        return "imports for type checkers only"
    line = source.splitlines()[mutant.line - 1].strip()
    return EQUIVALENT.get((mutant.path, line, mutant.after))
