"""Frames on the connection between screen and worker process: an 8-byte length in network byte order, then a pickle.

Both ends belong to the same program over a private socket pair. Nothing that comes from a file or a network is ever
unpickled.
"""

from __future__ import annotations

import pickle
import socket
import struct
from collections.abc import Iterator
from typing import Any

WORK, READING = range(2)
"""Kinds of requests: work on the interview, and reading beside it."""
DONE, FAILED, CRASHED = range(3)
"""Kinds of replies."""
_LENGTH = struct.Struct("!Q")


def encode_frame(value: object) -> bytes:
    data = pickle.dumps(value, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(data)) + data


def send_frame(connection: socket.socket, value: object) -> bool:
    """Send one frame; False if the other end is closed."""
    data = encode_frame(value)
    try:
        connection.sendall(data)
    except OSError:
        return False
    return True


def take_frames(received: bytearray) -> Iterator[Any]:
    """Remove every complete frame from the front of the buffer and yield its value."""
    while len(received) >= _LENGTH.size:
        (length,) = _LENGTH.unpack_from(received)
        end = _LENGTH.size + length
        if len(received) < end:
            return
        data = bytes(received[_LENGTH.size : end])
        del received[:end]
        yield pickle.loads(data)


def receive_frames(connection: socket.socket) -> Iterator[Any]:
    """Yield the value of each frame until the other end is closed; read no further than the current frame."""
    while head := _receive_exactly(connection, _LENGTH.size):
        body = _receive_exactly(connection, *_LENGTH.unpack(head))
        if not body:
            return
        yield pickle.loads(body)


def _receive_exactly(connection: socket.socket, length: int) -> bytes:
    """Receive exactly this many bytes; none at the end of the stream."""
    received = bytearray()
    while len(received) < length:
        try:
            chunk = connection.recv(length - len(received))
        except OSError:
            return b""
        if not chunk:
            return b""
        received += chunk
    return bytes(received)
