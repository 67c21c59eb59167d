"""Work in steps: a generator yields before each longer computation, and returns the result."""

from __future__ import annotations

from collections.abc import Generator
from typing import TypeVar

Result = TypeVar("Result")


def finish(steps: Generator[None, None, Result]) -> Result:
    """Take all steps that are left, and return the result.

    >>> def count():
    ...     yield
    ...     return 3
    >>> finish(count())
    3
    """
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: Result = end.value
            return result
