"""The state file: located, migrated, opened late and closed early.

It is attached to a database in memory with blocks of its own. DuckDB does not clear the rest of a block that it writes:
up to some hundred bytes of it are what the memory had before, and memory that the process has freed may have had rows
of a source. So the blocks of a state come from memory that its database has mapped for itself, and the state and the
cache never share a database: the cache has values of quasi-identifiers, and may have such a rest.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import duckdb

from ordermade.errors import OrdermadeError, StateFault
from ordermade.private_files import SPILL, private_umask, remove_abandoned
from ordermade.state import users
from ordermade.state.authority import Authority
from ordermade.state.faults import state_fault
from ordermade.state.location import locate_state, runs_folder
from ordermade.state.migrations import (
    Applied,
    applied_migrations,
    apply_migration,
    known_migrations,
    make_tables,
    require_current,
    require_known,
)
from ordermade.state.runs import abandoned, run_folders
from ordermade.state.statements import (
    WORKSHOP,
    beside,
    bound,
    make_folder,
    put_in_place,
    refuse_backslash,
    require,
    run,
    sealing,
    transaction,
    when_free,
)
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.state.runs import AbandonedRun

FileKind = Literal["state", "cache"]

_SPARE: dict[FileKind, list[DuckDBPyConnection]] = {"state": [], "cache": []}
"""Databases in memory that no block uses at the moment, by the files that were attached to them."""
_OWN: list[DuckDBPyConnection] = []
"""The one that writes states, where no block uses it at the moment.

Never more than one is kept: DuckDB maps most of the machine's memory for its blocks, whatever it uses of that, and a
process with two such maps may be too large to be forked.
"""


def bare_connection(database: str = ":memory:") -> DuckDBPyConnection:
    """A DuckDB connection of one thread that never loads an extension by itself; it writes a file from own blocks."""
    connection = duckdb.connect(
        database,
        config={
            "threads": 1,
            "scheduler_process_partial": True,  # so that a Ctrl-C need not wait for a statement's end
            "default_block_size": 16384,  # many small tables: a new file takes kilobytes, not megabytes
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
        },
    )
    if database != ":memory:":
        run(connection, "own_blocks")
    return connection


@contextmanager
def spare_database(kind: FileKind, *, own_blocks: bool = False) -> Iterator[DuckDBPyConnection]:
    """A connection to a database in memory, this block's alone, to attach files to; they are detached in it again.

    DuckDB takes 15 ms to make a database, which is for the most part a catalogue of its functions, and 2 ms to attach
    a file to one. The next block gets this one, unless an exception has ended the block. `own_blocks`: for a state that
    is written; mapping them takes 8 ms.
    """
    database, is_own = _spare(kind)
    try:
        if own_blocks and not is_own:
            # A share of the memory can be named in a database that is open, not where it is opened.
            run(database, "own_blocks")
            is_own = True
        with database.cursor() as connection:
            yield connection
    except BaseException:
        database.close()
        raise
    if not is_own:
        _SPARE[kind].append(database)
    elif _OWN:
        database.close()
    else:
        _OWN.append(database)


def _spare(kind: FileKind) -> tuple[DuckDBPyConnection, bool]:
    """A database that no block uses, new where there is none, and whether its blocks are its own."""
    if kind == "state":
        with suppress(IndexError):
            return _OWN.pop(), True
    with suppress(IndexError):
        return _SPARE[kind].pop(), False
    if kind == "cache":  # which is as private as the source: blocks of a state may end in it, and never the other way
        with suppress(IndexError):
            return _SPARE["state"].pop(), False
    return bare_connection(), False


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """The migrations of a state: those applied, and the names of those this engine would still apply."""

    applied: tuple[Applied, ...]
    pending: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Initialised:
    """The outcome of `initialise`: whether the state was made now, and one sentence to show."""

    path: Path
    created: bool
    message: str


def status(
    path: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> MigrationStatus:
    """The migrations that the state has gone through and those pending, for the provider. Writes nothing.

    Raises as `opened` does.
    """
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        applied = applied_migrations(connection, path)
    known = known_migrations()
    require_known(applied, known, path)
    return MigrationStatus(applied, tuple(each.name for each in known[len(applied) :]))


def migrate(
    path: Path,
    authority: Authority,
    *,
    wait_seconds: float = 30.0,
    notice: Notice | None = None,
    migrations_folder: Path | None = None,
) -> tuple[str, ...]:
    """Apply the pending migrations, each in a transaction of its own; the names of those applied now.

    The file stays locked meanwhile: a second process waits, then finds nothing to do. Raises Refused for others than
    the provider, StateNewer, StateDamaged (an applied migration is not this engine's) and StateFault (one failed; it
    and all after it are not applied).
    """
    known = known_migrations(migrations_folder)
    with opened(path, authority, read_only=False, wait_seconds=wait_seconds, notice=notice) as connection:
        applied = applied_migrations(connection, path)
        require_known(applied, known, path)
        pending = known[len(applied) :]
        for migration in pending:
            apply_migration(connection, migration, path)
    return tuple(each.name for each in pending)


def initialise(
    path: Path,
    authority: Authority,
    *,
    wait_seconds: float = 30.0,
    notice: Notice | None = None,
    migrations_folder: Path | None = None,
    comments: bool = True,
) -> Initialised:
    """Make a state at `path` (mode 0600; its folder, if made, 0700), or say that it is there already.

    The file is built beside and put in place whole, so no process ever sees half a state. A state that exists
    must be current: raises StateOlder, StateNewer, StateDamaged. Raises StateFault if it cannot be written, Refused for
    others than the provider: a token is not accepted where there is no state.
    `comments`: of its tables and columns, for people who open the file; they take more than half of the time.
    """
    known = known_migrations(migrations_folder)
    refuse_backslash(path)
    require_provider(path, authority, wait_seconds=wait_seconds, notice=notice)
    try:
        if not path.exists():
            make_folder(path.parent)
            with beside(path) as made:
                with bare_connection(str(made)) as connection:
                    make_tables(connection, known, path, comments=comments)
                    # Closing would do this too, but keep quiet where the disk is full.
                    run(connection, "state/checkpoint")
                if put_in_place(made, path):
                    return Initialised(path, True, f"made the state {path}")
    except (FileNotFoundError, FileExistsError, NotADirectoryError) as error:
        raise StateFault(
            "no state can be made here: the file system has no place for it, or a file is in the way of its folder",
            where=str(path),
            next_step="Name a file in a folder that can be written to, with --state or ORDERMADE_STATE.",
        ) from error
    except (duckdb.Error, OSError) as error:
        raise state_fault(error, path) from error
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        require_current(connection, path, known)
    return Initialised(path, False, f"the state {path} is there already; nothing was changed")


def require_provider(path: Path, authority: Authority, *, wait_seconds: float, notice: Notice | None) -> None:
    """Raises Refused where the authority is not the provider's in the state at `path`; as `opened` for a token."""
    if authority.is_looked_up:
        with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice):
            return
    authority.require_provider(None)


@contextmanager
def opened(
    path: Path, authority: Authority, *, read_only: bool, wait_seconds: float, notice: Notice | None
) -> Iterator[DuckDBPyConnection]:
    """The state file at `path` as a whole, open for as long as the block runs, for the provider alone.

    Errors of DuckDB become StateFault. Raises Refused for others, StateMissing if there is no file (none is made),
    StateLocked after the wait, StateDamaged, StateFault; for a token StateOlder and StateNewer, too.
    """
    with _attached(path, read_only=read_only, wait_seconds=wait_seconds, notice=notice) as connection:
        if authority.is_looked_up:
            require_current(connection, path)
        authority.require_provider(connection)
        yield connection


@contextmanager
def _attached(
    path: Path, *, read_only: bool, wait_seconds: float, notice: Notice | None
) -> Iterator[DuckDBPyConnection]:
    """The state file at `path`, open for as long as the block runs; errors of DuckDB become StateFault.

    Raises StateMissing if there is no file (none is made), StateLocked after the wait, StateDamaged,
    StateFault.
    """
    require(path)
    attach = "state/attach_state" if read_only else "state/attach_state_to_write"
    is_done = False
    try:
        # The write-ahead log, which is made when something is written, is as private as the file.
        with (
            nullcontext() if read_only else private_umask(),
            spare_database("state", own_blocks=not read_only) as database,
        ):
            when_free(
                lambda: _attach(database, attach, path),
                path,
                what="state",
                wait_seconds=wait_seconds,
                notice=notice,
            )
            with database.cursor() as connection:
                run(connection, "state/use_state")
                yield connection
            is_done = True
            run(database, "state/detach_state")
    except duckdb.Error as error:
        # A full disk may leave in the log what is committed: the next to open the file takes it in.
        if not is_done:
            raise state_fault(error, path) from error


def _attach(database: DuckDBPyConnection, statement: str, path: Path) -> None:
    """Attaches the file at `path`, and not one that `state restore` has put another in the place of meanwhile."""
    while True:
        before = path.stat().st_ino
        run(database, statement, path=str(path))
        if path.stat().st_ino == before:
            return
        run(database, "state/detach_state")


def located(state: Path | str | None) -> Path:
    """The place of a state: an absolute path is there, any other is looked for from the working directory.

    Raises InputError as `locate_state`.
    """
    return state if isinstance(state, Path) and state.is_absolute() else locate_state(state)


@dataclass(frozen=True)
class StateFile:
    """The state at `path`; `wait_seconds` bounds the wait for its lock, `notice` receives a message on a long one.

    `authority` opens it: each opening checks that it may.
    """

    path: Path
    authority: Authority = field(repr=False)
    wait_seconds: float = field(default=30.0, repr=False)
    notice: Notice | None = field(default=None, repr=False)

    @contextmanager
    def reading(self) -> Iterator[DuckDBPyConnection]:
        """The state open read-only: many processes may read at once, none while one writes. Makes no file.

        Raises StateMissing, StateOlder, StateNewer, StateDamaged, StateLocked, StateFault; Refused where the authority
        does not open it.
        """
        with self._opened(read_only=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[DuckDBPyConnection]:
        """The state open as one transaction: committed at the end of the block, rolled back on any exception.

        Raises as `reading` does. Must not be nested in another `reading` or `writing` of the same state.
        """
        with (
            self._opened(read_only=False) as connection,
            transaction(connection),
            sealing(connection, self._by(connection)),
        ):
            yield connection

    def of_submission(self, number: int) -> StateFile:
        """The state as the steps of a submission open it."""
        return replace(self, authority=self.authority.of_submission(number))

    def _by(self, connection: DuckDBPyConnection) -> str | None:
        """The user of the token, whatever became of it: what it began is noted under its name to the end."""
        if self.authority.token_hash is None:
            return None

        found = users.presented(connection, self.authority.token_hash)
        return None if found is None else found.name

    @contextmanager
    def _opened(self, *, read_only: bool) -> Iterator[DuckDBPyConnection]:
        with _attached(
            self.path, read_only=read_only, wait_seconds=self.wait_seconds, notice=self.notice
        ) as connection:
            require_current(connection, self.path)
            self.authority.require(connection)
            with bound(connection, self.authority.bounds(connection)):
                yield connection


def recovered(file: StateFile, put_in_order: Callable[[StateFile, AbandonedRun], None]) -> StateFile:
    """The state, not opened yet; what killed processes left on this machine and beside it is gone.

    By the service nothing is: it acts for one user. `put_in_order` ends a run. Where it cannot now, a notice says why,
    and the next command tries again.
    """
    if file.authority.is_bound:
        return file
    remove_abandoned(Path(tempfile.gettempdir()), SPILL)
    remove_abandoned(file.path.parent, WORKSHOP)
    if not os.access(runs_folder(file.path), os.R_OK):  # mostly no run is under way
        return file
    for each in run_folders(file.path):
        try:
            with abandoned(each) as run:
                if run is not None:
                    put_in_order(file, run)
        except OrdermadeError as error:
            if file.notice is not None:
                file.notice(f"an interrupted request could not be put in order: {error.message}")
    return file
