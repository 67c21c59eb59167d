"""Find the examples of a documentation page, and run them.

An example is a fenced block. Its language says what happens to it, in the order of the page:

``console``
    A line that begins with ``$`` and a blank is a command for ``sh``; lines that begin with ``>`` and a blank
    continue it. The lines below it are what it prints, stdout and stderr together. A command with nothing below it must
    succeed, and what it prints is not compared. Every command must end with the exit code 0: an example of another one
    is written ``odm-tui …; echo $?``.
``python``
    A doctest if it contains ``>>>``. The blocks of a page share their names.
``toml`` and ``json``
    Must parse. In JSON a ``…`` stands for what was left out.
any language with ``title="name"``
    Is written to the file of that name first.

In what a command prints, ``...`` and ``…`` match anything. Dates and times match all others. An interview's id matches every id;
from then on the documented id stands for the real one, in later commands too.
"""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
LANGUAGES = {"", "console", "python", "toml", "json", "csv", "text"}
"""What a block may be; a shell example is a console block, so that it is run."""
_FENCE = re.compile(r"^(?P<indent> *)(?P<fence>`{3,}|~{3,}) *(?P<language>[\w+-]*)(?P<options>.*)$")
_TITLE = re.compile(r'title="([^"]+)"')
_VOLATILE = re.compile(
    r"(?P<any>\.\.\.|…)"
    r"|(?P<date>\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?)"
    r"|(?P<time>\b\d\d:\d\d:\d\d\b)"
    r"|(?P<id>\b(?:[0-9a-f]{16}|[0-9a-f]{8})\b)"
)
_DATE = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z?"
_PREFIX = 8
"""How many characters of an interview's id lists show."""
_SECONDS = 60


class ExampleError(AssertionError):
    """An example that does not do what its page says."""


@dataclass(frozen=True)
class Block:
    """One fenced block of a page: where its text begins, its language, the file it is, and its text."""

    page: Path
    line: int
    language: str
    title: str
    text: str

    @property
    def place(self) -> str:
        """The page and the line of its first line of text."""
        return f"{self.page.name}:{self.line}"


@dataclass(frozen=True)
class Command:
    """A command of a console block, and the lines that it must print."""

    place: str
    text: str
    expected: str


def blocks_of(page: Path) -> Iterator[Block]:
    """Give every fenced block of a page, in order."""
    lines = iter(enumerate(page.read_text(encoding="utf-8").splitlines(), start=1))
    for number, line in lines:
        opened = _FENCE.match(line)
        if opened is None:
            continue
        indent, fence = len(opened["indent"]), opened["fence"]
        title = _TITLE.search(opened["options"])
        text: list[str] = []
        for _, inner in lines:
            if inner.strip().startswith(fence) and not inner.strip().strip(fence[0]):
                break
            text.append(inner[indent:] if not inner[:indent].strip() else inner)
        else:
            raise ExampleError(f"{page.name}:{number}: the block is not closed")
        yield Block(page, number + 1, opened["language"], title[1] if title else "", "\n".join(text) + "\n")


def commands_of(block: Block) -> Iterator[Command]:
    """Give the commands of a console block, each with what it must print."""
    place, command, expected = "", "", list[str]()
    for number, line in enumerate(block.text.splitlines(), start=block.line):
        if line.startswith("$ "):
            if command:
                yield Command(place, command, "\n".join(expected))
            place, command, expected = f"{block.page.name}:{number}", line[2:], []
        elif line.startswith("> ") and command and not expected:
            command += f"\n{line[2:]}"
        elif not command:
            raise ExampleError(f"{block.page.name}:{number}: a console block begins with a command: $ …")
        else:
            expected.append(line)
    if command:
        yield Command(place, command, "\n".join(expected))


@dataclass
class Runner:
    """Run the examples of one page in a folder of its own."""

    folder: Path
    ids: dict[str, str] = field(default_factory=dict)
    """Documented ids and the real ones that they stand for."""
    names: dict[str, Any] = field(default_factory=dict)
    """What the python blocks of the page have defined."""
    printed: list[str] = field(default_factory=list)
    """What the commands have printed, one after the other."""

    @property
    def environment(self) -> dict[str, str]:
        """What a command sees: nothing of the machine that runs the tests except its programs."""
        programs = [str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)]
        return {
            "PATH": os.pathsep.join(programs),
            "HOME": str(self.folder / "home"),
            "ODM_TUI_STATE_DIR": str(self.folder / "state"),
            "ODM_TUI_CONFIG": str(self.folder / "home" / "config.toml"),
            "LC_ALL": "C.UTF-8",
            "TERM": "dumb",
            "COLUMNS": "110",
        }

    def run_page(self, page: Path) -> None:
        """Run all examples of a page, in order."""
        for block in blocks_of(page):
            if block.language not in LANGUAGES:
                raise ExampleError(f"{block.place}: {block.language} is not run; write console")
            self.run(block)

    def run(self, block: Block) -> None:
        """Do what the language of a block asks for; raise ExampleError if that fails."""
        if block.title:
            target = self.folder / block.title
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(block.text, encoding="utf-8")
        if block.language == "console":
            for command in commands_of(block):
                self.run_command(command)
        elif block.language == "python":
            self._run_doctest(block)
        elif block.language == "toml":
            parsed_toml(block)
        elif block.language == "json":
            parsed_json(block)

    def run_command(self, command: Command) -> str:
        """Run a command and compare what it prints; give that back."""
        text = _VOLATILE.sub(lambda found: self.ids.get(found[0], found[0]), command.text)
        (self.folder / "home").mkdir(exist_ok=True)
        done = subprocess.run(
            ["sh", "-c", text],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=_SECONDS,
        )
        self.printed.append(done.stdout)
        if done.returncode:
            raise ExampleError(
                f"{command.place}: exit code {done.returncode} of: {command.text}\n{done.stdout}"
            )
        if command.expected and not self._matches(command.expected, done.stdout):
            raise ExampleError(
                f"{command.place}: {command.text}\n-- the page says\n{command.expected}\n-- but it is\n{done.stdout}"
            )
        return done.stdout

    def _matches(self, expected: str, printed: str) -> bool:
        """Compare what was printed with the page, and learn which ids the documented ones stand for."""
        pattern, documented, at = "", list[str](), 0
        wanted = _trimmed(expected)
        for found in _VOLATILE.finditer(wanted):
            pattern += re.escape(wanted[at : found.start()])
            if found["any"]:
                pattern += ".*?"
            elif found["date"]:
                pattern += _DATE
            elif found["time"]:
                pattern += r"\d\d:\d\d:\d\d"
            elif found["id"] in documented:
                pattern += f"(?P=id{documented.index(found['id'])})"
            else:
                name = found["id"]
                known = self.ids.get(name) or self.ids.get(name[:_PREFIX], "")
                rest = f"[0-9a-f]{{{len(name) - len(known)}}}"
                pattern += f"(?P<id{len(documented)}>{known}{rest})"
                documented.append(found["id"])
            at = found.end()
        matched = re.fullmatch(pattern + re.escape(wanted[at:]), _trimmed(printed), re.DOTALL)
        if matched is None:
            return False
        for number, name in enumerate(documented):
            real = matched[f"id{number}"]
            self.ids.setdefault(name, real)
            self.ids.setdefault(name[:_PREFIX], real[:_PREFIX])
        return True

    def _run_doctest(self, block: Block) -> None:
        options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        name = str(block.page.relative_to(ROOT))
        test = doctest.DocTestParser().get_doctest(block.text, self.names, name, name, block.line - 1)
        printed: list[str] = []
        runner = doctest.DocTestRunner(optionflags=options)
        runner.run(test, out=printed.append, clear_globs=False)
        if runner.failures:
            raise ExampleError("".join(printed))
        self.names.update(test.globs)


def parsed_toml(block: Block) -> dict[str, Any]:
    """Parse a TOML block."""
    try:
        return tomllib.loads(block.text)
    except tomllib.TOMLDecodeError as error:
        raise ExampleError(f"{block.place}: not TOML: {error}") from None


def parsed_json(block: Block) -> Any:
    """Parse a JSON block in which ``…`` stands for what was left out."""
    text = re.sub(r":\s*…", ": null", block.text)
    text = re.sub(r",\s*…|…\s*,|…", "", text)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ExampleError(f"{block.place}: not JSON: {error}") from None


def first_table(text: str, heading: str) -> list[list[str]]:
    """Read the first table below a heading: its cells, without its head."""
    table = re.search(r"(?:^\|.*\n)+", text.split(f"\n{heading}\n", 1)[1], re.MULTILINE)
    if table is None:
        raise ExampleError(f"there is no table below {heading!r}")
    lines = table[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def in_code(text: str) -> list[str]:
    """Give what stands in backticks, outside fenced blocks."""
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.findall(r"`([^`]+)`", prose)


def _trimmed(text: str) -> str:
    """Drop blanks at the ends of lines, and empty lines at the end."""
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip("\n")
