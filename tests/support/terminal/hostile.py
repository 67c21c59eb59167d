"""A bank whose every text attacks the terminal, the markup or the layout."""

from __future__ import annotations

import json
from pathlib import Path

PAYLOADS = (
    "\x1b]52;c;aGFjaw==\x07",  # the clipboard
    "\x1b]52;p;aGFjaw==\x1b\\",
    "\x1b]0;owned\x07",  # the window's title
    "\x1b]2;owned\x07",
    "\x1b]8;;http://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x1b]9;owned\x07",  # notifications
    "\x1b]777;notify;owned;owned\x07",
    "\x1b]1337;File=inline=1:AAAA\x07",
    "\x1b]4;1;rgb:ff/00/00\x07",  # the palette
    "\x1b]104\x07",
    "\x1bP+q544e\x1b\\",  # device control strings
    "\x1b_Gf=100;AAAA\x1b\\",
    "\x1b^owned\x1b\\",
    "\x1bX owned\x1b\\",
    "\x1bc",  # reset
    "\x1b[2J\x1b[H",
    "\x1b[3J",
    "\x1b[31mred\x1b[0m",
    "\x1b[6n",  # questions that the terminal would answer on stdin
    "\x1b[c",
    "\x1b[>q",
    "\x1b[21t",
    "\x1b[?1049l",
    "\x1b[?1005h",
    "\x1b[?25l\x1b[5m",
    "\x1b#8",
    "\x1b(0qqq",
    "\x1b%G",
    "\x9b31m",  # the same with one byte
    "\x9d0;owned\x9c",
    "\x90+q544e\x9c",
    "\x85\x84\x8d",
    "a\x08\x08\x08b\x7f",
    "a\x00b\x01\x02\x03\x04\x05\x06\x0e\x0f",
    "safe\rEVIL",
    "safe\x0b\x0cEVIL",
    "abc\u202egpj.exe\u2066x\u2069",
    "a\u2028b\u2029c",
    "[@click=app.quit]quit[/] [link=http://evil.example]x[/link] [/]",
    "[bold red on blue]$accent[/] {markup} %s \\",
)

CONTROL = tuple(p for p in PAYLOADS if any(ord(c) < 32 or 127 <= ord(c) < 160 for c in p))


def quoted(*numbers: int, word: str = "") -> str:
    """Some payloads in one TOML string."""
    return json.dumps(" ".join([word, *(PAYLOADS[n % len(PAYLOADS)] for n in numbers)]).strip()).replace(
        "\x7f", "\\u007f"
    )


def write_hostile_bank(folder: Path) -> Path:
    """The bank, in a file; every text of it holds payloads, and together they hold all."""
    lines = [
        "format = 1",
        f"title = {quoted(0, 2, word='Hostile')}",
        f"description = {quoted(3, 4)}",
        f"notice = {quoted(5, 6, 7)}",
        f"cost_unit = {quoted(3, word='s')}",
        'policy = { oracle = "w-ec2", exploration = "mean", stop = { confidence = 0.999 } }',
    ]
    for at in range(3):
        lines += [
            "[[outcomes]]",
            f'id = "o{at}"',
            f"label = {quoted(at, at + 3, at + 38, word=f'Outcome{at}')}",
            f"advice = {quoted(at + 6, at + 9, at + 12)}",
        ]
        if at == 0:
            for number, yes in enumerate((0.9, 0.1)):
                lines += [
                    "[[outcomes.variants]]",
                    f'id = "v{number}"',
                    f"label = {quoted(number, number + 5, word=f'Form{number}')}",
                    f"expected = {{ q0 = {yes}, q3 = {1 - yes} }}",
                ]
    for at in range(len(PAYLOADS) // 2):
        lines += [
            "[[questions]]",
            f'id = "q{at}"',
            f"text = {quoted(2 * at, 2 * at + 1, word=f'Ask{at}')}",
            f"help = {quoted(2 * at + 2, 2 * at + 3, word='Help')}",
        ]
        if at % 3 == 1:
            replies = ", ".join(
                f'{{ id = "a{k}", label = {quoted(2 * at + k, 38, word=f"Reply{k}")} }}' for k in range(3)
            )
            lines += ['type = "choice"', f"answers = [{replies}]"]
        elif at % 3 == 2:
            lines += [
                'type = "number"',
                f"unit = {quoted(14, 17, word='ms')}",
                "range = [0, 100]",
                "thresholds = [10]",
            ]
    path = folder / "hostile.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
