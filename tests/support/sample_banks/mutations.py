"""Bank files with random damage, for fuzzing; the same seed gives the same files."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from tests.support.sample_banks import SMALL, generated

_SHIPPED = Path(__file__).parents[3] / "question_banks"
_NASTY = (
    b"nan",
    b"-inf",
    b"1e400",
    b"0x" + b"f" * 50,
    b"9" * 400,
    b"true",
    b'""',
    b'"""',
    b"'''",
    b"[[questions]]\n",
    b"[expected]\n",
    b"[a.b.c]\n",
    b"{ a = 1 }",
    b"[[[[",
    b"{{{",
    b"]",
    b"}",
    b"=",
    b"#",
    b"\\",
    b"\n",
    b"\r",
    b"\x00",
    b"\xff",
    b"\x1b]0;owned\x07",
    "\u202e".encode(),
    b'"*"',
    b"*",
    b'id = "lights"\n',
    b"1979-05-27T07:32:00Z",
    b"-1",
    b"0.5",
    b"a" * 2_000,
)


def seeds() -> list[bytes]:
    """Return the valid banks to start from: the small one, a generated one, and the shipped ones."""
    shipped = [path.read_bytes() for path in sorted(_SHIPPED.glob("*.toml"))]
    return [SMALL.encode(), generated(12, 40).encode(), *shipped]


def mutated(count: int, seed: int = 0) -> Iterator[bytes]:
    """Yield this many damaged bank files, each with one to eight changes."""
    rng = random.Random(seed)
    originals = seeds()
    for _ in range(count):
        content = bytearray(rng.choice(originals))
        for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
            _wound(content, rng, originals)
        yield bytes(content)


def _wound(content: bytearray, rng: random.Random, others: Sequence[bytes]) -> None:
    start = rng.randrange(len(content) + 1)
    end = min(len(content), start + rng.choice((1, 1, 2, 5, 20, 200)))
    match rng.randrange(7):
        case 0:  # one byte is another
            content[start : start + 1] = bytes([rng.randrange(256)])
        case 1:  # a passage is missing
            del content[start:end]
        case 2:  # a passage is there twice
            content[start:start] = content[start:end]
        case 3:  # something nasty comes in between
            content[start:start] = rng.choice(_NASTY)
        case 4:  # something nasty takes the place of a passage
            content[start:end] = rng.choice(_NASTY)
        case 5:  # a passage of another bank comes in between
            other = rng.choice(others)
            at = rng.randrange(len(other))
            content[start:start] = other[at : at + rng.choice((5, 50, 500))]
        case _:  # the end is missing
            del content[start:]
