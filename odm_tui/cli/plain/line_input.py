"""Read lines and answer sheets, and print messages, in the plain mode."""

from __future__ import annotations

import codecs
import io
import sys
from pathlib import Path
from typing import Any, TextIO

from odm_tui.errors import BadData
from odm_tui.text import clean_text

_LONGEST_LINE = 10_000


def print_message(text: str = "") -> None:
    """Print a line to stderr."""
    sys.stderr.write(f"{text}\n")


class LineInput:
    """The lines that an operator types, or that a pipe or a file contains."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self.at_terminal = source.isatty()

    def ask(self, prompt: str) -> str | None:
        """Print a prompt and read the next line, without white space around it; None at the end of the input."""
        sys.stderr.write(f"{prompt} ")
        sys.stderr.flush()
        try:
            line = self._source.readline(_LONGEST_LINE)
        except UnicodeDecodeError:
            raise BadData("The input is not UTF-8 text.") from None
        if not line:
            print_message()
            return None
        line = line.strip()
        if not self.at_terminal:
            print_message(clean_text(line))  # so that a transcript shows the answers
        return line


def describe_source(answers: str | None) -> str:
    """The name of the source of the answers, for error messages."""
    return "The input" if answers in (None, "-") else str(answers)


def open_answers(answers: str | None) -> tuple[dict[str, Any] | None, LineInput]:
    """Read the answers: a JSON object by question id (an answer sheet), or lines as they would be typed."""
    if answers is None:
        return None, LineInput(sys.stdin)
    name = describe_source(answers)
    try:
        data = sys.stdin.buffer.read() if answers == "-" else Path(answers).read_bytes()
    except OSError as error:
        raise BadData(
            f"Can't read {answers}: {error.strerror}. Check the name and its permissions."
        ) from None
    data = data.removeprefix(codecs.BOM_UTF8)
    if data.lstrip().startswith(b"["):
        raise BadData(f'{name}: the answers must be an object, such as {{"question": "yes"}}, not a list.')
    if not data.lstrip().startswith(b"{"):
        try:
            return None, LineInput(io.StringIO(data.decode("utf-8")))
        except UnicodeDecodeError:
            raise BadData(f"{name} is not UTF-8 text.") from None
    from odm_tui.strict_json import parse_json

    sheet = parse_json(data, name)
    for question, answer in sheet.items():
        if isinstance(answer, bool) or not isinstance(answer, str | int | float):
            raise BadData(f"{name}: the answer to {question!r} must be a text or a number.")
    return sheet, LineInput(io.StringIO(""))
