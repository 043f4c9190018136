"""The state file: where it is, and how it is opened (late) and closed (early)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError
from ordermade.state.migrations import require_current
from ordermade.state.opening import opened, transaction
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

ENVIRONMENT_VARIABLE = "ORDERMADE_STATE"
DEFAULT_PATH = Path(".ordermade") / "state.duckdb"
CACHE_NAME = "cache.duckdb"


def locate_state(option: str | None = None) -> Path:
    """Where the state is: the option, else ORDERMADE_STATE, else the default under the working directory.

    The default is `.ordermade/state.duckdb`. Always absolute; `~` is expanded. Raises InputError for an
    option that is given but empty.
    """
    if option is not None and not option.strip():
        raise InputError("the path of the state is empty", where="--state", next_step="Give a path, or leave it out.")
    chosen = option or os.environ.get(ENVIRONMENT_VARIABLE) or DEFAULT_PATH
    return Path(chosen).expanduser().absolute()


def cache_path(state: Path) -> Path:
    """Where the cache of a state is: beside it."""
    return state.with_name(f"{state.stem}.{CACHE_NAME}" if state.name != DEFAULT_PATH.name else CACHE_NAME)


@dataclass(frozen=True)
class StateFile:
    """The state at `path`; `wait_seconds` bounds the wait for its lock, `notice` receives a message on a long one."""

    path: Path
    wait_seconds: float = 30.0
    notice: Notice | None = None

    @contextmanager
    def reading(self) -> Iterator[DuckDBPyConnection]:
        """The state open read-only: many processes may read at once, none while one writes. Makes no file.

        Raises StateMissing, StateOlder, StateNewer, StateDamaged, StateLocked, StateFault.
        """
        with self._opened(read_only=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[DuckDBPyConnection]:
        """The state open as one transaction: committed at the end of the block, rolled back on any exception.

        Raises as `reading` does. Must not be nested in another `reading` or `writing` of the same state.
        """
        with self._opened(read_only=False) as connection, transaction(connection):
            yield connection

    @contextmanager
    def _opened(self, *, read_only: bool) -> Iterator[DuckDBPyConnection]:
        with opened(self.path, read_only=read_only, wait_seconds=self.wait_seconds, notice=self.notice) as connection:
            require_current(connection, self.path)
            yield connection
