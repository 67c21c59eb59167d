"""Chain the lines of a log: each one has a digest of the line before it, so the last one vouches for all.

The digest covers the whole line, chain included, so it belongs to one file. What an event is, in whichever log it
stands, its identity says: a digest without the sequence number, the chain and the CRC.
"""

from __future__ import annotations

import hashlib
import os
import re

from odm_tui.store.events import Event
from odm_tui.store.log_codec import LONGEST_LINE, encode_body

_PREVIOUS = re.compile(rb',"prev":"([0-9a-f]{16})","crc":"[0-9a-f]{8}"\}')
_LENGTH = len(b',"prev":"0123456789abcdef","crc":"01234567"}')
_CHUNK = 4096


def digest_line(line: bytes) -> str:
    """Compute the digest of a line without its newline.

    >>> digest_line(b"{}")
    '01e7b720ff566d53'
    """
    return hashlib.blake2b(line, digest_size=8).hexdigest()


def previous_digest(line: bytes) -> str | None:
    """Return the digest that a line gives for the one before it; None if the line is not chained."""
    found = _PREVIOUS.fullmatch(line, max(0, len(line) - _LENGTH))
    return None if found is None else found.group(1).decode()


def identify(event: Event) -> str:
    """Compute the identity of an event, which is the same in every log that has it."""
    return hashlib.blake2b(encode_body(event), digest_size=6).hexdigest()


def digest_before(descriptor: int, offset: int) -> str:
    """Compute the digest of the line that ends right before an offset; empty at the start or if there is none."""
    if offset == 0:
        return ""
    start, tail = offset, b""
    while start > 0 and len(tail) <= LONGEST_LINE + _CHUNK and b"\n" not in tail[:-1]:
        begin = max(0, start - _CHUNK)
        tail = read_between(descriptor, begin, start) + tail
        start = begin
    if len(tail) < offset - start or not tail.endswith(b"\n"):
        return ""  # the file is shorter, or no line ends here
    return digest_line(tail[tail.rfind(b"\n", 0, -1) + 1 : -1])


def read_between(descriptor: int, start: int, stop: int) -> bytes:
    """Read the bytes between two offsets of an open file; fewer if it is shorter."""
    os.lseek(descriptor, start, os.SEEK_SET)
    found = b""
    while len(found) < stop - start:
        more = os.read(descriptor, stop - start - len(found))
        if not more:
            break
        found += more
    return found
