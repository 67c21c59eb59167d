"""The small faults: what can be changed in a module, and a sample of it."""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.results.provenance import ROOT

PARTS = ("odm_tui/engine", "odm_tui/evaluation/replay", "odm_tui/store")
"""The folders whose modules are mutated."""
SWAPPED: dict[type[ast.AST], str] = {
    ast.Lt: "<=",
    ast.LtE: "<",
    ast.Gt: ">=",
    ast.GtE: ">",
    ast.Eq: "!=",
    ast.NotEq: "==",
    ast.Add: "-",
    ast.Sub: "+",
    ast.Mult: "/",
    ast.Div: "*",
    ast.And: "or",
    ast.Or: "and",
    ast.BitAnd: "|",
    ast.BitOr: "&",
}
SIGNS: dict[type[ast.AST], str] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.And: "and",
    ast.Or: "or",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}


@dataclass(frozen=True)
class Mutant:
    """One change of a module's text, from ``start`` to ``end``."""

    path: str
    line: int
    start: int
    end: int
    before: str
    after: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.before} -> {self.after}"

    def apply(self, source: str) -> str:
        """Return the changed text."""
        return source[: self.start] + self.after + source[self.end :]


def find_mutants(path: str, source: str) -> Iterator[Mutant]:
    """Yield every change that could be made to a module."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line.encode()))
    encoded = source.encode()

    def place(line: int, column: int) -> int:
        return len(encoded[: starts[line - 1] + column].decode())

    def between(left: ast.AST, right: ast.AST, operator: ast.AST) -> Iterator[Mutant]:
        sign = SIGNS.get(type(operator))
        if sign is None:
            return
        after_left = place(left.end_lineno, left.end_col_offset)  # type: ignore[attr-defined]  # an expression
        before_right = place(right.lineno, right.col_offset)  # type: ignore[attr-defined]
        at = source.find(sign, after_left, before_right)
        if at >= 0:
            yield Mutant(
                path, source.count("\n", 0, at) + 1, at, at + len(sign), sign, SWAPPED[type(operator)]
            )

    for node in _walk(ast.parse(source)):
        if isinstance(node, ast.Compare):
            operands = [node.left, *node.comparators]
            for at, operator in enumerate(node.ops):
                yield from between(operands[at], operands[at + 1], operator)
        elif isinstance(node, ast.BinOp):
            yield from between(node.left, node.right, node.op)
        elif isinstance(node, ast.BoolOp):
            yield from between(node.values[0], node.values[1], node.op)
        elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
            start = place(node.lineno, node.col_offset)
            end = place(node.end_lineno or node.lineno, node.end_col_offset or 0)
            yield Mutant(path, node.lineno, start, end, source[start:end], _other(node.value))
        elif isinstance(node, (ast.If, ast.While, ast.IfExp)):
            start = place(node.test.lineno, node.test.col_offset)
            end = place(node.test.end_lineno or 0, node.test.end_col_offset or 0)
            text = source[start:end]
            yield Mutant(path, node.test.lineno, start, end, text, f"(not ({text}))")


def _other(value: float) -> str:
    if isinstance(value, bool):
        return str(not value)
    return str(value + 1) if isinstance(value, int) else repr(value * 1.5 if value else 1.0)


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a module, without annotations, decorators and assertions."""
    skipped = ("annotation", "returns", "decorator_list", "type_params")
    for name, value in ast.iter_fields(node):
        if name in skipped:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not isinstance(child, ast.Assert):
                yield child
                yield from _walk(child)


def sample(count: int, seed: int, only: Sequence[str] = ()) -> list[Mutant]:
    """Return so many mutants of all parts, drawn at random; the first ones are the same for any count."""
    found = []
    for part in PARTS:
        for path in sorted((ROOT / part).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not only or any(name.startswith(each) for each in only):
                found += list(find_mutants(name, path.read_text(encoding="utf-8")))
    random.Random(seed).shuffle(found)
    return found[:count]
