"""What is wrong or unwise in a bank file: each finding with its place and its remedy, all at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from odm_tui.errors import BadData
from odm_tui.text import nearest_name, one_line, shortened

MAX_FINDINGS = 200
"""A file with more mistakes than this is not read on: nobody would read the rest either."""
SHOWN_IN_ONE_MESSAGE = 20
_COMPARISONS = 20_000
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake or one warning: where it is, whom it concerns, and what would be right."""

    path: str
    message: str
    about: str = ""
    line: int | None = None

    def __str__(self) -> str:
        where = f"{self.path} ({self.about})" if self.about and self.path else self.path or self.about
        placed = f"{where}: {self.message}" if where else self.message
        return f"line {self.line}: {placed}" if self.line else placed


class BadBank(BadData):
    """A bank file that can't be used; ``findings`` holds everything that is wrong with it."""

    def __init__(self, path: Path | str, findings: Iterable[Finding], more: bool = False) -> None:
        self.path = path
        self.findings = tuple(findings)
        self.more = more
        """True where the file was not read to its end, because it had too many mistakes already."""
        super().__init__(self._sentence())

    def _sentence(self) -> str:
        file = one_line(str(self.path))
        if len(self.findings) == 1 and not self.more:
            finding = self.findings[0]
            if not file:
                return str(finding)
            return f"{file}, {finding}" if finding.line else f"{file}: {finding}"
        lines = [f"  {finding}" for finding in self.findings[:SHOWN_IN_ONE_MESSAGE]]
        hidden = len(self.findings) - len(lines)
        if hidden:
            lines.append(f"  … and {hidden} more; `odm-tui check` shows them all")
        count = f"more than {len(self.findings)}" if self.more else f"{len(self.findings)}"
        return "\n".join([f"{file} has {count} mistakes:", *lines])


class TooManyFindings(Exception):  # noqa: N818 - a way out of the checks, not an error
    """Raised inside the checks to leave a file that has more mistakes than anyone would read."""


@dataclass(slots=True)
class Report:
    """Collects the findings of one file and proposes near misses of misspelt names."""

    findings: list[Finding] = field(default_factory=list)
    unshowable: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _comparisons_left: int = _COMPARISONS

    def add(self, finding: Finding) -> None:
        """Keep one finding; the one after the last that is kept ends the checks."""
        if len(self.findings) == MAX_FINDINGS:
            raise TooManyFindings
        self.findings.append(finding)

    def nearest(self, word: str, names: Iterable[str]) -> str:
        """ "; did you mean 'x'?" where one of the names is close, else nothing.

        Comparing costs time, so a file full of mistakes gets proposals for the first of them only.
        """
        names = list(names)
        self._comparisons_left -= len(names)
        near = None if self._comparisons_left < 0 else nearest_name(word, names)
        return "" if near is None else f"; did you mean {near!r}?"


class Place:
    """A place in the document, such as ``questions[3].cost.yes``, that errors can be reported at.

    There is one for every value of a bank, and hardly any is ever named: so the name is made when needed.
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
        """The name of the place, as an error shows it."""
        before = self.parent.path if self.parent else ""
        key = self.key
        if isinstance(key, int):
            return f"{before}[{key}]"
        named = key if len(key) <= 64 and _BARE_KEY.fullmatch(key) else f'"{shortened(one_line(key), 40)}"'
        return f"{before}.{named}" if before else named if key else ""

    def at(self, key: str | int) -> Place:
        """The place of a key of this table, or of an item of this list."""
        return Place(self.report, self, key, self.about)

    def of(self, about: str) -> Place:
        """The same place, with the name of the question or outcome it belongs to."""
        return Place(self.report, self.parent, self.key, about)

    def error(self, message: str) -> None:
        """Report a mistake here."""
        self.report.add(Finding(self.path, message, self.about))

    def note_unshowable(self, characters: list[str]) -> None:
        """Remember that the text here holds characters that had to be replaced by a mark."""
        self.report.unshowable[self.path] = tuple(characters)
