"""Check every line of a log: its CRC, its fields, its sequence number and its place in the chain."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from odm_tui.store.integrity.chain import digest_line, previous_digest
from odm_tui.store.log import Damage, decode_line, read_lines


def find_problems(path: Path) -> Iterator[str]:
    """Find everything that is wrong with the lines of a log, one sentence each."""
    last, chained, damaged = "", False, False
    for line in read_lines(path):
        found = decode_line(path, line)
        if isinstance(found, Damage):
            yield found.reason
            damaged = True
        else:
            place = f"{path}, line {found.line}"
            previous = previous_digest(line.data)
            if found.seq != found.line:
                yield (
                    f"{place} has the sequence number {found.seq}: lines were removed, added or moved by hand."
                )
            elif previous is None and chained:
                yield f"{place} is not chained to the line before it: it was added by hand or by an old odm-tui."
            elif previous is not None and previous != last and not damaged:
                yield f"{place} does not follow the line before it: lines were removed, added or replaced."
            chained, damaged = chained or previous is not None, False
        last = digest_line(line.data)
