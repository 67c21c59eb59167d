"""Check every line of a log: its CRC, its fields, its sequence number and its place in the chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from odm_tui.errors import BadData
from odm_tui.store.integrity.chain import digest_line, previous_digest
from odm_tui.store.log_codec import decode_event
from odm_tui.store.log_file import LogFile, RawLine

_LEAST_FOR_FAST_DECODER = 1 << 20
"""Bytes; loading the fast decoder takes as long as decoding this much."""


def find_problems(path: Path, misfits: Mapping[int, str] | None = None) -> Iterator[str]:
    """Find everything that is wrong with the lines of a log, one sentence each.

    ``misfits`` says for offsets of lines why their events do not fit.
    """
    last, chained, damaged, end, number = "", False, False, 0, 0
    with LogFile(path) as log:
        is_long = log.size > _LEAST_FOR_FAST_DECODER
        for line in log.lines():
            end, number = line.end, line.number
            place = f"{path}, line {line.number}"
            try:
                seq = _read_number(line, is_long)
            except BadData as error:
                yield f"{place}{error}"
                damaged = True
            else:
                previous = previous_digest(line.data)
                if seq != line.number:
                    yield f"{place} has the sequence number {seq}: lines were removed, added or moved by hand."
                elif previous is None and chained:
                    yield f"{place} is not chained to the line before it: it was added by hand or by an old odm-tui."
                elif previous is not None and previous != last and not damaged:
                    yield f"{place} does not follow the line before it: lines were removed, added or replaced."
                chained, damaged = chained or previous is not None, False
                if misfits and line.offset in misfits:
                    yield f"{path}, line {line.number}: {misfits[line.offset]}."
            last = digest_line(line.data)
        if log.size > end:
            yield f"{path}, line {number + 1} is unfinished."


def _read_number(line: RawLine, is_long: bool) -> int:
    """Return the sequence number of a line; raise BadData if it is damaged."""
    if is_long:
        from odm_tui.store.index.fast_decoder import decode_fast

        event = decode_fast(line.data)
        if event is not None:
            return event.seq
    return decode_event(line.data, "")[0]
