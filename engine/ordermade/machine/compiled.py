"""The one way a function is compiled: when first called, kept on disk, without Python's lock."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

from ordermade.errors import InputError
from ordermade.progress.waiting import report_compiling

Function = TypeVar("Function", bound=Callable[..., Any])

try:
    import numba
    import scipy  # noqa: F401  # the same methods use it, where they need it
    from numba.core import event
    from numba.core.caching import IndexDataCacheFile
except ModuleNotFoundError as error:
    raise InputError(
        f"grouping records needs the package {(error.name or '').partition('.')[0]}, which is not installed",
        next_step="Install it with `pip install 'ordermade[microaggregation]'` (or [mondrian], [history]).",
    ) from None


OPTIONS: Mapping[str, Any] = {
    "cache": True,
    "nogil": True,
    "fastmath": False,
    "error_model": "numpy",
    "_nrt": False,
    "no_cfunc_wrapper": True,
}
"""No operation is reordered or contracted, so that ties stay ties. Nothing counts references (`_nrt`);
nothing but Python and compiled code calls them, so that no third way in (`cfunc`) is compiled."""
INNER: Mapping[str, Any] = {**OPTIONS, "no_cpython_wrapper": True}


_PACKAGE = Path(__file__).resolve().parents[1]
ROOMS = tuple(f"methods/{method}/algorithm" for method in ("histories", "microaggregation", "mondrian"))
"""The rooms whose functions are compiled."""


def _sources() -> str:
    """The SHA-256 of all that is compiled."""
    found = hashlib.sha256()
    for room in ROOMS:
        modules = (each for each in (_PACKAGE / room).iterdir() if each.suffix == ".py")  # raises where a room is gone
        for module in sorted(modules):
            found.update(module.read_bytes())
    return found.hexdigest()


SOURCES = _sources()


class _CompilerEvents(event.Listener):
    """Reports when functions of ours are compiled; a function compiled within another one is part of it.

    numba sends these events under its own lock, and sends none for a function that it finds on disk.
    """

    def __init__(self) -> None:
        self._depth = 0

    def on_start(self, event: Any) -> None:
        """A function begins to be compiled."""
        if _is_own(event):
            self._depth += 1
            if self._depth == 1:
                report_compiling(True)

    def on_end(self, event: Any) -> None:
        """A function is compiled."""
        if _is_own(event):
            self._depth -= 1
            if self._depth == 0:
                report_compiling(False)


def _is_own(compiled_now: Any) -> bool:
    """Whether an event is of a function that `compiled` made: only such a one has the stamp of all sources."""
    cache = getattr(compiled_now.data["dispatcher"], "_cache", None)
    return getattr(getattr(cache, "_cache_file", None), "_source_stamp", None) == SOURCES


event.register("numba:compile", _CompilerEvents())  # type: ignore[no-untyped-call]


class _FileAKey(IndexDataCacheFile):
    """The compiled functions of one function on disk, each in a file that is named by what it was compiled for.

    numba numbers the files by an index, and two processes that compile a function for different types at once give both
    the same number: from then on one signature loads what was compiled for the other. Here such processes lose an entry
    of the index at worst, and compile again. A file is whole before the index names it.
    """

    def save(self, key: Any, data: Any) -> None:
        """Keeps what was compiled for `key`: the types, the processor, and the function's code."""
        name = self._data_name_pattern.format(number=hashlib.sha256(repr(key).encode()).hexdigest()[:16])
        self._save_data(name, data)  # type: ignore[no-untyped-call]
        self._save_index({**self._load_index(), key: name})  # type: ignore[no-untyped-call]


def _cached(function: Function, options: Mapping[str, Any]) -> Function:
    """The function, compiled when first called; what is kept on disk counts only while all sources are as they were.

    numba by itself looks at the module of the function alone, and would go on with the compiled functions of other
    modules that were built into it, though an upgrade changed them.
    """
    found = numba.njit(**options)(function)
    file = found._cache._cache_file
    file._source_stamp = SOURCES
    # An index names the modules of its functions, and cannot be read once an upgrade took one of them away: so each
    # state of the sources has files of its own.
    file._index_path = f"{file._index_path.removesuffix('.nbi')}-{SOURCES[:12]}.nbi"
    file._data_name_pattern = file._data_name_pattern.replace("{number:d}", SOURCES[:12] + ".{number}")
    file.__class__ = _FileAKey
    return cast("Function", found)


def compiled(function: Function) -> Function:
    """The function, compiled by numba at its first call and cached beside its module (or in the user's cache).

    It makes no arrays: what it writes to is given to it (else numba refuses to compile it). Without references to count
    it compiles in half the time. Whole numbers are best of 64 bits, as every type of an argument is compiled anew.
    """
    return _cached(function, OPTIONS)


def inner(function: Function) -> Function:
    """As `compiled`, for what is called by compiled functions alone, never from Python: it has no way in from there."""
    return _cached(function, INNER)
