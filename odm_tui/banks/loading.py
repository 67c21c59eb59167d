"""Load a bank by name or by path."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from odm_tui.banks.bank import Bank
from odm_tui.banks.checks.document import check_bank
from odm_tui.banks.locations import SHARED_LOG_REMEDY, bank_name, find_bank, find_shared_log
from odm_tui.banks.parsing.findings import BadBank, Finding
from odm_tui.banks.parsing.lines import add_line_numbers
from odm_tui.banks.parsing.reading import read_document
from odm_tui.text import one_line


@dataclass(frozen=True, slots=True)
class Examination:
    """The errors and warnings about a bank file; ``bank`` is None if there are errors."""

    path: Path
    bank: Bank | None
    errors: tuple[Finding, ...] = ()
    warnings: tuple[Finding, ...] = ()
    more: bool = False
    """True if the checks stopped early because of too many errors."""


def load_bank(name_or_path: str | os.PathLike[str]) -> Bank:
    """Return the bank with this name, or in this file.

    Raise BadBank if it has errors; the message names the file and each error with its place and remedy.
    """
    path = find_bank(name_or_path)
    document, text = read_document(path)
    try:
        return check_bank(document, bank_name(path), path)
    except BadBank as error:
        raise BadBank(path, add_line_numbers(error.findings, document, text), error.more) from None


def examine_bank(name_or_path: str | os.PathLike[str]) -> Examination:
    """Return all errors and warnings about the bank with this name, or in this file."""
    path = Path(name_or_path)
    try:
        path = find_bank(name_or_path)
        bank = load_bank(path)
    except BadBank as error:
        return Examination(path, None, error.findings, more=error.more)
    warnings = (*bank.warnings, *_warn_of_shared_log(bank))
    if warnings:
        document, text = read_document(path)
        warnings = tuple(add_line_numbers(warnings, document, text))
    return Examination(path, bank, warnings=warnings)


def _warn_of_shared_log(bank: Bank) -> list[Finding]:
    other = find_shared_log(bank.path)
    if other is None:
        return []
    shares = (
        f"{one_line(other.name)!r} in the same folder keeps its interviews in the same log, {bank.log_name!r}"
    )
    return [Finding("id", f"{shares}; {SHARED_LOG_REMEDY}")]
