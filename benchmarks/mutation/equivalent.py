"""Mutants that no test can notice, because the program does the same."""

from __future__ import annotations

from benchmarks.mutation.mutants import Mutant

_DRAWN = "a number drawn from a continuous distribution is never equal to a limit"
_NEGATIVE = "numpy takes any negative length for the one that follows from the others"

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
        "odm_tui/evaluation/replay/in_step/drawn_interviews.py",
        "left = (rule.cost - state.cost) * (1 + 1e-9)",
        "1.5000000000000002e-09",
    ): "any small number allows for rounding",
    (
        "odm_tui/evaluation/replay/in_step/chances.py",
        "MAX_ROWS = 20_000",
        "20001",
    ): "draws of different paths do not depend on each other, however many are held at once",
    (
        "odm_tui/evaluation/replay/what_if.py",
        "confirmed: float = 0.0",
        "1.0",
    ): "cases without moments count the same at any one that is not before the first",
    (
        "odm_tui/store/team/ledger.py",
        "if len(batch) >= _BATCH:",
        ">",
    ): "a batch of one line more is written just as well",
    (
        "odm_tui/store/index/fast_decoder.py",
        'class FastNoted(FastEvent, tag="noted", gc=False):',
        "True",
    ): "an event holds no other one, so the garbage collector only takes time to look at it",
    (
        "odm_tui/store/state_file.py",
        "return [more - fewer for more, fewer in zip(reached, [*reached[1:], 0], strict=True)]",
        "False",
    ): "both lists have the length of the first",
    (
        "odm_tui/engine/variants/mixture.py",
        "at, chosen = next((v, each) for v, each in enumerate(found) if each is not None and each.score >= enough)",
        ">",
    ): "the best score is above 0, so it is above the limit, and no other one is exactly at it",
    (
        "odm_tui/engine/ucb/optimistic_gains.py",
        "flat = joint.reshape(-1, m)",
        "2",
    ): _NEGATIVE,
    (
        "odm_tui/engine/lookahead/dynamic_program.py",
        "joint = (factors[:, None, :] * joint[None]).reshape(-1, len(belief))",
        "2",
    ): _NEGATIVE,
    (
        "odm_tui/engine/remaining_cost.py",
        "joint = problem.by_outcome(beliefs[:, None, :] * model.by_answer).reshape(len(beliefs), n, width, -1)",
        "2",
    ): _NEGATIVE,
    (
        "odm_tui/store/index/interview_index.py",
        "found[key] = count + by, max(last, summary.began) if by > 0 else last",
        ">=",
    ): "by is 1 or -1",
    (
        "odm_tui/store/index/interview_index.py",
        "return False",
        "True",
    ): "what is no part of a time is looked for in the times and not found there",
    (
        "odm_tui/store/index/opening.py",
        "builder, position = _build(log, database, START, bank, Counts(), is_new=True, inspect=inspect)",
        "False",
    ): "a new index has no interview, which looking for one finds out too",
    (
        "odm_tui/store/index/tracked_interview.py",
        "self.factor = 1.0",
        "1.5",
    ): "the start of an interview sets it, and an interview that begins with another event is read otherwise",
    (
        "odm_tui/store/team/connection.py",
        "if since is not None and time.monotonic() - since > self._seconds:",
        ">=",
    ): "the time that a question takes is never exactly the limit",
    (
        "odm_tui/store/team/ledger.py",
        "_BATCH = 5_000",
        "5001",
    ): "a batch of one line more is written just as well",
    (
        "odm_tui/store/exchange/file_store.py",
        "PAGE = 1_000",
        "1001",
    ): "a page of one event more is read just as well",
    (
        "odm_tui/store/variants/fitted.py",
        "start, step = (FIRST, 25) if interviews < 250 else (250, 50)",
        "<=",
    ): "250 interviews are 150 and four times 25",
    (
        "odm_tui/engine/lookahead/ranking.py",
        "rank = per_cost(np.where(gains > NO_GAIN, gains, 0.0), costs)",
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
