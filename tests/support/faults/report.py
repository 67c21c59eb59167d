"""The table that ``make soak`` prints: what was tried, how often, and what was lost."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Table:
    """Rows of the reliability figures."""

    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def row(self, what: str, times: int, lost: int, remark: str = "") -> None:
        """Add a figure: how often something was tried, and how often data was lost, doubled or wrong unnoticed."""
        self.rows.append((what, f"{times:,}", str(int(lost)), remark))

    def figure(self, what: str, value: str, remark: str = "") -> None:
        """Add a measurement."""
        self.rows.append((what, value, "", remark))

    def lines(self) -> list[str]:
        """Format the table."""
        head = ("what was done", "N", "lost", "")
        widths = [max(len(row[i]) for row in [head, *self.rows]) for i in range(3)]
        return [
            f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}".rstrip()
            for row in [head, *self.rows]
        ]
