"""Declare the options of a command as the fields of a dataclass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, TypeVar, get_type_hints

Options = TypeVar("Options")


def takes_options(
    options: type[Options],
) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Turn a function of one options object into a function of its fields, as typer wants it.

    The fields are annotated like the parameters of a typer command.
    """

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        def call(**values: Any) -> None:
            command(options(**values))

        hints = get_type_hints(options, include_extras=True)
        call.__name__, call.__doc__, call.__module__ = command.__name__, command.__doc__, command.__module__
        call.__annotations__ = {**hints, "return": None}
        call.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # functions may have one
            [
                inspect.Parameter(
                    field.name,
                    inspect.Parameter.KEYWORD_ONLY,
                    default=inspect.Parameter.empty if field.default is MISSING else field.default,
                    annotation=hints[field.name],
                )
                for field in fields(options)  # type: ignore[arg-type]  # a dataclass
            ]
        )
        return call

    return decorate
