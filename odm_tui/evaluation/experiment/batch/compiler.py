"""How kernels are compiled: with numba, strictly by IEEE arithmetic, and kept on disk."""

from __future__ import annotations

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code, compiled at its first call.

    numba checks only the file of a function when it looks for a kept version, not the files of what the function
    calls. So a kernel and everything compiled that it calls stand in one file.
    """
    return cast("Callable[P, R]", numba.njit(function, cache=True, error_model="numpy"))
