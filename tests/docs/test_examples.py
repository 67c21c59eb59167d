"""Every example of the documentation runs and prints what its page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.examples import PAGES, Block, ExampleError, Runner, blocks_of, commands_of, parsed_json

RUN_ELSEWHERE = {"json.md"}
"""Pages whose own test runs them, because it looks at what the commands print."""


@pytest.mark.parametrize(
    "page", [p for p in PAGES if p.name not in RUN_ELSEWHERE], ids=lambda page: page.name
)
def test_the_examples_of_a_page_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runner = Runner(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, value in runner.environment.items():
        monkeypatch.setenv(name, value)
    runner.run_page(page)


def _block(language: str, text: str, title: str = "") -> Block:
    return Block(Path(__file__).parents[2] / "page.md", 1, language, title, text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("console", "$ echo one\ntwo\n"),
        ("console", "$ echo one\n...two\n"),
        ("console", "$ false\n"),
        ("console", "$ exit 3\n"),
        ("console", "no command\n"),
        ("console", "$ echo 2026-01-15\n2026-01-16\n"),
        ("console", "$ echo 0123456g\n01234567\n"),
        ("python", ">>> 1 + 1\n3\n"),
        ("python", ">>> no_such_name\n"),
        ("toml", "key = \n"),
        ("json", "{,}\n"),
    ],
)
def test_an_example_that_does_not_hold_fails(language: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(ExampleError):
        Runner(tmp_path).run(_block(language, text))


@pytest.mark.parametrize(
    "text",
    [
        "$ echo one; echo two >&2\none\ntwo\n",
        "$ printf 'a\\nb\\nc\\n'\na\n...\nc\n",
        "$ echo 'blanks  '\nblanks\n",
        "$ echo anything\n",
        "$ false; echo $?\n1\n",
        "$ echo one \\\n> two\none two\n",
        "$ echo 2026-11-16 17:37\n2025-01-01 00:00\n",
        "$ cat here.txt\nin the file\n",
        "$ pwd\n…/test_an_example…\n",
    ],
)
def test_an_example_that_holds_passes(text: str, tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    runner.run(_block("text", "in the file\n", title="here.txt"))
    runner.run(_block("console", text))


def test_a_language_that_is_not_run_fails(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("```bash\nfalse\n```\n", encoding="utf-8")
    with pytest.raises(ExampleError, match="bash"):
        Runner(tmp_path).run_page(page)


def test_a_documented_id_stands_for_the_real_one(tmp_path: Path) -> None:
    runner = Runner(tmp_path)
    runner.run(_block("console", "$ echo id: fedcba9876543210\nid: 0123456789abcdef\n"))
    # A command of the page names the documented id, and the real one is used.
    printed = runner.run_command(next(commands_of(_block("console", "$ echo 01234567 0123456789abcdef\n"))))
    assert printed == "fedcba98 fedcba9876543210\n"
    with pytest.raises(ExampleError):
        runner.run(_block("console", "$ echo aaaaaaaaaaaaaaaa\n0123456789abcdef\n"))


def test_what_is_left_out_of_json_is_an_ellipsis() -> None:
    text = '{"a": […], "b": {…}, "c": …, "d": [1, …], …}'
    assert parsed_json(_block("json", text)) == {"a": [], "b": {}, "c": None, "d": [1]}


def test_a_block_may_be_indented_and_hold_shorter_fences(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text('  ````toml title="a.toml"\n  x = """\n  ```\n  """\n  ````\n', encoding="utf-8")
    assert [(b.language, b.title, b.text) for b in blocks_of(page)] == [
        ("toml", "a.toml", 'x = """\n```\n"""\n')
    ]
