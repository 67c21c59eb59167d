"""Find what is valid in a bank, but probably not what its author wants."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

import numpy as np

from odm_tui.banks.bank import Bank, BankQuestion
from odm_tui.banks.cases import find_places
from odm_tui.banks.parsing.findings import Finding
from odm_tui.banks.prerequisites import find_cycles, find_unreachable
from odm_tui.engine.posterior import Posterior
from odm_tui.text import quote_names, shorten

MAX_OF_A_KIND = 20
COST_FACTOR = 1_000
PRIOR_TOLERANCE = 0.05
NOISY = 0.8
"""If the likeliest answer has a lower probability than this on average, knowledge is noisy."""


def find_warnings(bank: Bank) -> list[Finding]:
    """Return all warnings about a bank, at most MAX_OF_A_KIND of each kind."""
    cyclic = find_cycles(bank)
    kinds: tuple[Iterable[Finding], ...] = (
        _priors(bank),
        _thresholds(bank),
        _costs(bank),
        _cycles(bank, cyclic),
        _never_asked(bank, {id for cycle in cyclic for id in cycle}),
        _same_texts(bank),
        _alike(bank),
        _alike_variants(bank),
        _unwanted(bank),
        _without_expectation(bank),
        _region_on_noise(bank),
        _lost_cases(bank),
        _marks(bank),
    )
    return [finding for kind in kinds for finding in _first(kind)]


def _first(findings: Iterable[Finding]) -> Iterator[Finding]:
    for number, finding in enumerate(findings):
        if number == MAX_OF_A_KIND:
            return
        yield finding


def _at(bank: Bank, question: BankQuestion, key: str, message: str) -> Finding:
    index = bank.problem.positions[question.id]
    return Finding(f"questions[{index}].{key}", message, f"question {question.id!r}")


def _priors(bank: Bank) -> Iterator[Finding]:
    if abs(bank.prior_sum - 1) > PRIOR_TOLERANCE:
        yield Finding(
            "outcomes",
            f"the priors sum to {bank.prior_sum:.4g}, not to 1, and were scaled; correct them, or add the missing one.",
        )
    for i, outcome in enumerate(bank.outcomes):
        if outcome.prior == 0:
            message = "a prior of 0 rules this outcome out; give it a small prior, such as 0.001."
            yield Finding(f"outcomes[{i}].prior", message, f"outcome {outcome.id!r}")


def _thresholds(bank: Bank) -> Iterator[Finding]:
    for question in bank.questions:
        if question.range is None:
            continue
        low, high = question.range
        outside = [cut for cut in question.thresholds if not low <= cut < high]
        if outside:
            named = ", ".join(f"{cut:.10g}" for cut in outside[:5])
            verb, them = ("separates", "it") if len(outside) == 1 else ("separate", "them")
            limits = f"the range from {low:.10g} to {high:.10g}"
            message = f"{named} {verb} nothing within {limits}; remove {them}, or widen the range."
            yield _at(bank, question, "thresholds", message)


def _costs(bank: Bank) -> Iterator[Finding]:
    """Warn of costs that differ by more than COST_FACTOR: probably one of them is in another unit."""
    cost = bank.problem.cost
    positive = np.where(cost > 0, cost, np.inf)
    lowest, highest = positive.min(), cost.max()
    if not highest > COST_FACTOR * lowest:
        return
    cheap = bank.questions[int(positive.min(axis=(1, 2)).argmin())]
    expensive = bank.questions[int(cost.max(axis=(1, 2)).argmax())]
    yield _at(
        bank,
        expensive,
        "cost",
        f"costs up to {highest:.6g}, over {COST_FACTOR:,} times the {lowest:.6g} of {cheap.id!r}; "
        f"check that both are in {bank.cost_unit}.",
    )


def _cycles(bank: Bank, found: list[list[str]]) -> Iterator[Finding]:
    for cycle in found:
        shown = [*cycle[:6], "…"] if len(cycle) > 6 else [*cycle, cycle[0]]
        message = (
            f"depends on itself, so it is never asked: {' -> '.join(shown)}. Remove one of these conditions."
        )
        yield _at(bank, bank.question(cycle[0]), "ask_if", message)


def _never_asked(bank: Bank, in_cycles: set[str]) -> Iterator[Finding]:
    for question, reason in find_unreachable(bank):
        if question.id not in in_cycles:
            yield _at(bank, question, "ask_if", f"is never asked: {reason}. Change the conditions.")


def _same_texts(bank: Bank) -> Iterator[Finding]:
    texts = ((f"questions[{i}].text", q.text, f"question {q.id!r}") for i, q in enumerate(bank.questions))
    labels = ((f"outcomes[{j}].label", o.label, f"outcome {o.id!r}") for j, o in enumerate(bank.outcomes))
    for kind in (texts, labels):
        first: dict[str, str] = {}
        for path, text, about in kind:
            folded = " ".join(text.casefold().split())
            if folded in first:
                yield Finding(path, f"has the same text as {first[folded]}; change one of them.", about)
            else:
                first[folded] = about
    for question in bank.questions:
        if len({answer.label.casefold() for answer in question.answers}) < len(question.answers):
            yield _at(bank, question, "answers", "two answers have the same label; change one of them.")


def _alike(bank: Bank) -> Iterator[Finding]:
    """Warn of outcomes for which every question has the same expected answers."""
    named = any(outcome.variants for outcome in bank.outcomes)
    if bank.cases is None and not named and not any(question.expected for question in bank.questions):
        yield Finding(
            "expected",
            "nothing is known beforehand, so the first decisions are guesses; add an [expected] table.",
        )
        return
    mean = np.ascontiguousarray(Posterior.of(bank.problem).mean().round(9).transpose(1, 0, 2))
    groups: dict[bytes, list[str]] = defaultdict(list)
    for outcome, row in zip(bank.outcomes, mean, strict=True):
        if outcome.variants:
            continue  # its variants have other answers than what is expected of the outcome
        groups[row.tobytes()].append(outcome.id)
    for group in groups.values():
        if len(group) > 1:
            message = f"no question can tell {quote_names(group)} apart; give them different expected answers, or merge them."
            yield Finding("outcomes", message)


def _alike_variants(bank: Bank) -> Iterator[Finding]:
    """Warn of variants of one outcome with the same expected answers."""
    for i, outcome in enumerate(bank.outcomes):
        for number, variant in enumerate(outcome.variants):
            same = next((v.id for v in outcome.variants[:number] if v.expected == variant.expected), None)
            if same is not None:
                yield Finding(
                    f"outcomes[{i}].variants[{number}].expected",
                    f"has the same answers as the variant {same!r}; give it different ones, or remove it.",
                    f"outcome {outcome.id!r}",
                )


def _unwanted(bank: Bank) -> Iterator[Finding]:
    """Warn of questions that cost more than a wrong decision: the default policy never asks them."""
    problem = bank.problem
    if bank.stakes is None and bank.pair_stakes is None:
        return
    if problem.effective_stakes == 0:
        yield Finding(
            "stakes", "a wrong outcome costs nothing, so no question is worth asking; say what it costs."
        )
        return
    for i, question in enumerate(bank.questions):
        cheapest = float(problem.cost[i][:, problem.valid[i]].min())
        if cheapest > problem.effective_stakes and not question.always_ask:
            message = (
                f"costs at least {cheapest:.6g}, more than the stakes of {problem.effective_stakes:.6g}, so it is never "
                "worth asking; raise the stakes, or correct the cost."
            )
            yield _at(bank, question, "cost", message)


def _without_expectation(bank: Bank) -> Iterator[Finding]:
    """Warn of questions that nothing is known about, beside others: they are asked in order to learn."""
    counted = set(bank.cases.answers) if bank.cases is not None else set()
    counted |= {id for outcome in bank.outcomes for variant in outcome.variants for id in variant.expected}
    known = [q for q in bank.questions if q.expected or q.id in counted]
    if not known:
        return
    others = [q.id for q in bank.questions if q not in known and not counted & set(q.aliases)]
    if others:
        verb, them = ("has", "it") if len(others) == 1 else ("have", "they")
        yield Finding(
            "expected",
            f"{quote_names(others)} {verb} no expected answers, while other questions have; {them} will be asked in "
            "order to learn. Add what you know, or leave it so.",
        )


def _region_on_noise(bank: Bank) -> Iterator[Finding]:
    """Warn of the paper's stop rule on answers that are often wrong."""
    from odm_tui.banks.policies import policy_for
    from odm_tui.engine.stopping import Region

    rule = policy_for(bank, None).stop
    if not isinstance(rule, Region) or bank.policy is None:
        return
    mean = Posterior.of(bank.problem).mean()
    if float(mean.max(axis=-1).mean()) < NOISY:
        yield Finding(
            "policy",
            "stops by region, as if answers were never wrong, but what is known is noisy; decisions will often be "
            "wrong. Leave the policy out, or stop by confidence, such as stop = { confidence = 0.95 }.",
        )


def _lost_cases(bank: Bank) -> Iterator[Finding]:
    """Warn of past cases whose outcome or question the bank no longer has."""
    if bank.cases is None:
        return
    outcomes, questions = find_places(bank.outcomes), find_places(bank.questions)
    for id, rows in bank.cases.rows.items():
        if id not in outcomes and rows:
            message = f'{rows:,} cases of the outcome {id!r} no longer count; if it was renamed, add aliases = ["{id}"] to it.'
            yield Finding("cases.rows", message)
    for id in bank.cases.answers:
        if id not in questions:
            message = f'the counts of the question {id!r} no longer count; if it was renamed, add aliases = ["{id}"] to it.'
            yield Finding("cases.answers", message)


def _marks(bank: Bank) -> Iterator[Finding]:
    for path, characters in bank.unshowable.items():
        shown = shorten(", ".join(characters), 80)
        yield Finding(path, f"has characters that can't be shown and are replaced ({shown}); remove them.")
