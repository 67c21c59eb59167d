"""The table that ``make soak`` prints: what was tried, how often, and what was lost."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

Row = tuple[str, str, str, str]


@dataclass(frozen=True)
class Table:
    """Rows of the reliability figures, in a file to which several processes add."""

    file: Path

    def row(self, what: str, times: int, lost: int, remark: str = "") -> None:
        """Add a figure: how often something was tried, and how often data was lost, doubled or wrong unnoticed."""
        self._add((what, f"{times:,}", str(int(lost)), remark))

    def figure(self, what: str, value: str, remark: str = "") -> None:
        """Add a measurement."""
        self._add((what, value, "", remark))

    def _add(self, row: Row) -> None:
        descriptor = os.open(self.file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, json.dumps(row).encode() + b"\n")
        finally:
            os.close(descriptor)

    @property
    def rows(self) -> list[Row]:
        """All rows, those of the same kind of trial together."""
        if not self.file.exists():
            return []
        found = [json.loads(line) for line in self.file.read_text("utf-8").splitlines()]
        return sorted((row[0], row[1], row[2], row[3]) for row in found)

    def lines(self) -> list[str]:
        """Format the table, with a last line that adds up what was tried and what was lost."""
        rows = self.rows
        counted = [row for row in rows if row[2]]
        tried = sum(int(row[1].replace(",", "")) for row in counted)
        total = ("together", f"{tried:,}", str(sum(int(row[2]) for row in counted)), "")
        shown = [("what was done", "N", "lost", ""), *rows, total]
        widths = [max(len(row[i]) for row in shown) for i in range(3)]
        return [
            f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip()
            for row in shown
        ]
