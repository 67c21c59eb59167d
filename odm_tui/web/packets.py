"""The packets between the server and a screen process: a type, a length and a payload, as Textual's web driver does it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from typing import Any

READY = b"__GANGLION__\n"
"""The line that a screen process writes before its first packet."""
DATA, META = b"D", b"M"
_PRELUDE_LINES = 20


def encode_packet(kind: bytes, payload: bytes) -> bytes:
    """A packet as bytes.

    >>> encode_packet(DATA, b"y")
    b'D\\x00\\x00\\x00\\x01y'
    """
    return kind + len(payload).to_bytes(4, "big") + payload


def encode_meta(message: Mapping[str, object]) -> bytes:
    """A packet about the terminal: its size, its focus, its end."""
    return encode_packet(META, json.dumps(message).encode())


async def wait_until_ready(stream: asyncio.StreamReader) -> bool:
    """Read up to the ready line; whether it came."""
    for _ in range(_PRELUDE_LINES):
        try:
            line = await stream.readline()
        except ValueError:  # a line without end
            return False
        if not line:
            return False
        if line == READY:
            return True
    return False


async def read_packets(stream: asyncio.StreamReader) -> AsyncIterator[tuple[bytes, bytes]]:
    """Every packet until the stream ends."""
    try:
        while True:
            kind = await stream.readexactly(1)
            size = int.from_bytes(await stream.readexactly(4), "big")
            yield kind, await stream.readexactly(size)
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return


def parse_meta(payload: bytes) -> dict[str, Any]:
    """The message in a meta packet; empty if it is none."""
    try:
        message = json.loads(payload)
    except ValueError:
        return {}
    return message if isinstance(message, dict) else {}
