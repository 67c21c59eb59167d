"""Collect the errors and warnings about a bank file: each with its place and its remedy.

A finding reads ``questions[3].cost (question 'ping'): must be a number, 0 or more, not -4.`` After a place the
message starts with a small letter, as in a compiler; it always ends with a full stop or a question mark.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from odm_tui.errors import BadData
from odm_tui.formatting import format_count
from odm_tui.text import find_nearest_name, one_line, quote_names, shorten

MAX_FINDINGS = 200
"""The checks stop after this many errors in one file."""
SHOWN_IN_ONE_MESSAGE = 20
_COMPARISONS = 20_000
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_UNKNOWN_NAME = re.compile(r"""unknown (outcome|question|answer) (?:'.*?'|".*?")\.""")


@dataclass(frozen=True, slots=True)
class Finding:
    """One error or warning: its place in the document, the question or outcome there, and the remedy."""

    path: str
    message: str
    about: str = ""
    line: int | None = None
    further: int = 0
    """In how many further places the same unknown name stands."""

    def __str__(self) -> str:
        where = f"{self.path} ({self.about})" if self.about and self.path else self.path or self.about
        again = f" The same in {format_count(self.further, 'further place')}." if self.further else ""
        placed = f"{where}: {self.message}{again}" if where else f"{self.message}{again}"
        return f"line {self.line}: {placed}" if self.line else placed


class BadBank(BadData):
    """A bank file that can't be used; ``findings`` holds all its errors."""

    def __init__(self, path: Path | str, findings: Iterable[Finding], more: bool = False) -> None:
        self.path = path
        self.findings = tuple(findings)
        self.more = more
        """True if the checks stopped early because of too many errors."""
        super().__init__(self._message())

    def _message(self) -> str:
        file = one_line(str(self.path))
        if len(self.findings) == 1 and not self.more:
            finding = self.findings[0]
            if not file:
                return str(finding)
            return f"{file}, {finding}" if finding.line else f"{file}: {finding}"
        lines = [f"  {finding}" for finding in self.findings[:SHOWN_IN_ONE_MESSAGE]]
        hidden = len(self.findings) - len(lines)
        if hidden:
            lines.append(f"  … and {hidden} more. `odm-tui check` shows them all.")
        count = f"more than {len(self.findings)}" if self.more else f"{len(self.findings)}"
        return "\n".join([f"{file} has {count} errors:", *lines])


OTHER_WORDS = {
    "options": "answers",
    "choices": "answers",
    "price": "cost",
    "depends_on": "ask_if",
    "requires": "ask_if",
    "condition": "ask_if",
    "required": "always_ask",
    "hint": "help",
    "description": "help",
    "question": "text",
    "name": "label",
    "probability": "prior",
    "weight": "worth",
    "red_flags": "stop",
    "red_flag": "stop",
    "unit": "cost_unit",
    "boolean": "yes_no",
    "bool": "yes_no",
    "select": "choice",
    "integer": "number",
    "int": "number",
    "float": "number",
    "numeric": "number",
}
"""What other formats call a key or a type of a bank."""


class TooManyFindings(Exception):  # noqa: N818 - ends the checks; never reaches a caller
    """Raised inside the checks to stop after MAX_FINDINGS errors."""


@dataclass(slots=True)
class Report:
    """The findings of one file; also suggests corrections of misspelt names."""

    findings: list[Finding] = field(default_factory=list)
    unshowable: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _comparisons_left: int = _COMPARISONS
    _unknown_names: dict[tuple[str, str], int] = field(default_factory=dict)
    """The index of the finding about each unknown name."""

    def add(self, finding: Finding) -> None:
        """Add a finding; raise TooManyFindings if there are too many already.

        One wrong id is often used in many places: an unknown name is reported once, and its further places are counted.
        """
        name = _identify_unknown_name(finding)
        if name in self._unknown_names:
            at = self._unknown_names[name]
            self.findings[at] = replace(self.findings[at], further=self.findings[at].further + 1)
            return
        if len(self.findings) == MAX_FINDINGS:
            raise TooManyFindings
        if name is not None:
            self._unknown_names[name] = len(self.findings)
        self.findings.append(finding)

    def drop_unknown(self, kind: str) -> None:
        """Drop what follows from missing outcomes or questions: that none of them is known."""
        self.findings = [each for each in self.findings if not each.message.startswith(f"unknown {kind}")]
        self._unknown_names = {}

    def suggest(self, word: str, names: Iterable[str]) -> str:
        """Return " Did you mean 'x'?" if one of the names is close to the word, else an empty text.

        Comparing takes time, so only the first errors of a file get suggestions.
        """
        names = list(names)
        other = OTHER_WORDS.get(word.casefold())
        if other in names:
            return f" Did you mean {other!r}?"
        self._comparisons_left -= len(names)
        near = None if self._comparisons_left < 0 else find_nearest_name(word, names)
        return "" if near is None else f" Did you mean {near!r}?"

    def describe_unknown(self, kind: str, word: str, names: Collection[str], remedy: str = "") -> str:
        """Return the message for an unknown name: a suggestion, or else the remedy or the names to choose from."""
        shown = repr(shorten(one_line(word[:200]), 64))
        other = f" {remedy}" if remedy else f" Choose one of {quote_names(names, 20)}."
        return f"unknown {kind} {shown}.{self.suggest(word, names) or other}"


def _identify_unknown_name(finding: Finding) -> tuple[str, str] | None:
    """Return the unknown name that a finding is about, and for an answer its question; None if it is about none."""
    name = _UNKNOWN_NAME.match(finding.message)
    if name is None:
        return None
    return name[0], finding.about if name[1] == "answer" else ""


class Place:
    """A place in the document, such as ``questions[3].cost.yes``, to report errors at.

    Every value of a bank has one, and few have errors, so the path is only built for an error.
    """

    __slots__ = ("about", "key", "parent", "report")

    def __init__(
        self, report: Report, parent: Place | None = None, key: str | int = "", about: str = ""
    ) -> None:
        self.report = report
        self.parent = parent
        self.key = key
        self.about = about

    @property
    def path(self) -> str:
        """The path to the place, as an error shows it."""
        before = self.parent.path if self.parent else ""
        key = self.key
        if isinstance(key, int):
            return f"{before}[{key}]"
        named = key if len(key) <= 64 and _BARE_KEY.fullmatch(key) else f'"{shorten(one_line(key), 40)}"'
        return f"{before}.{named}" if before else named if key else ""

    def at(self, key: str | int) -> Place:
        """Return the place of a key of this table, or of an item of this list."""
        return Place(self.report, self, key, self.about)

    def of(self, about: str) -> Place:
        """Return the same place with the name of the question or outcome that it belongs to."""
        return Place(self.report, self.parent, self.key, about)

    def error(self, message: str) -> None:
        """Report an error at this place."""
        self.report.add(Finding(self.path, message, self.about))

    def note_unshowable(self, characters: list[str]) -> None:
        """Record that the text at this place has characters that were replaced."""
        self.report.unshowable[self.path] = tuple(characters)
