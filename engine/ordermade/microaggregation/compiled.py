"""The one way a function is compiled: when first called, kept on disk, without Python's lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from ordermade.errors import InputError

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
except ModuleNotFoundError:
    raise InputError(
        "microaggregation needs the package numba, which is not installed",
        next_step="Install it with `pip install 'ordermade[microaggregation]'`.",
    ) from None


def compiled(function: Function) -> Function:
    """The function, compiled by numba at its first call and cached beside its module (or in the user's cache).

    Arithmetic is as written: no operation is reordered or contracted, so that ties stay ties.
    """
    return cast(Function, numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")(function))


def inlined(function: Function) -> Function:
    """As `compiled`, for a small function that other compiled ones call in their innermost loops."""
    return cast(
        Function, numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy", inline="always")(function)
    )
