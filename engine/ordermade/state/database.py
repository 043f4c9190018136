"""The state file: located, migrated, opened late and closed early.

A SQLite database with a rollback journal: readers see the state of before while a process writes, and wait for the
moment in which it commits. Nothing stays beside the file: what is erased is erased at once. No code but SQLite's opens
it: closing any other handle on it would let go of the locks of this process.

That wait was measured by `tests/faults/test_state_shared.py`, eight writers and eight readers that are killed at random
on two busy processors, beside the opening of a state that nobody writes to. Milliseconds:

| journal | a reader, p50, p99, p99.9 | nobody writes, the same | a writer, p50, p99, p99.9 |
|---|---|---|---|
| rollback (DELETE) | 35, 281, 453 | 3, 74, 119 | 225, 1304, 1716 |
| rollback (TRUNCATE) | 37, 441, 598 | 2, 130, 234 | 240, 1980, 4182 |
| rollback, tried every 2 to 5 ms | 48, 453, 634 | 4, 113, 143 | 340, 1881, 3167 |
| WAL, no checkpoints | 2, 99, 216 | 2, 115, 220 | 150, 1253, 1901 |

Three quarters of the longest waits are for the lock, a quarter for the processor; with a WAL all of them are for the
processor. A WAL needs checkpoints one at a time, under a lock that writers take, and an erasure that ends only once a
checkpoint could truncate it: until the state has those, the journal stays.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, TypeVar

from ordermade.errors import OrdermadeError, StateFault
from ordermade.files.private import SPILL, remove_abandoned, write_private_file
from ordermade.files.resources import statement
from ordermade.progress.waiting import Notice
from ordermade.records.printed import NOT_PRINTED
from ordermade.state import users
from ordermade.state.authority import Authority, accepting
from ordermade.state.connection import (
    Locking,
    StateConnection,
    connect,
    file_address,
    snapshot,
    transaction,
)
from ordermade.state.faults import needs_recovery, state_fault
from ordermade.state.files import WORKSHOP, beside, make_folder, put_in_place, require, when_free
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
from ordermade.state.runs import abandoned, remove_if_empty, run_folders
from ordermade.state.statements import bound
from ordermade.state.table import sealing

if TYPE_CHECKING:
    from ordermade.state.runs import AbandonedRun

Done = TypeVar("Done")

_LONGEST_PAUSE = 0.02
"""Seconds between two tries to lock the state, which is locked for milliseconds."""


@dataclass(frozen=True, slots=True)
class MigrationStatus:
    """The migrations of a state: those applied, and the names of those this engine would still apply."""

    applied: tuple[Applied, ...]
    pending: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Initialised:
    """The state was made, or was there."""

    path: Path
    """The file of the state."""
    created: bool
    """Whether it was made now."""
    message: str = field(metadata=NOT_PRINTED)
    """The outcome in one sentence."""


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

    A second process waits meanwhile, then finds nothing to do. Raises Refused for others than
    the provider, StateNewer, StateDamaged (an applied migration is not this engine's) and StateFault (one failed; it
    and all after it are not applied).
    """
    known = known_migrations(migrations_folder)
    with opened(path, authority, read_only=False, wait_seconds=wait_seconds, notice=notice) as connection:
        applied = applied_migrations(connection, path)
        require_known(applied, known, path)
        when_free = until_free(path, wait_seconds=wait_seconds, notice=notice)
        return tuple(each.name for each in known[len(applied) :] if apply_migration(connection, each, path, when_free))


def initialise(
    path: Path,
    authority: Authority,
    *,
    wait_seconds: float = 30.0,
    notice: Notice | None = None,
    migrations_folder: Path | None = None,
) -> Initialised:
    """Make a state at `path` (mode 0600; its folder, if made, 0700), or say that it is there already.

    The file is built beside and put in place whole, so no process ever sees half a state. A state that exists
    must be current: raises StateOlder, StateNewer, StateDamaged. Raises StateFault if it cannot be written, Refused for
    others than the provider: a token is not accepted where there is no state.
    """
    known = known_migrations(migrations_folder)
    require_provider(path, authority, wait_seconds=wait_seconds, notice=notice)
    try:
        if not path.exists():
            make_folder(path.parent)
            with beside(path) as made:
                write_private_file(made, "")
                with closing(connect(file_address(made, read_only=False))) as connection:
                    make_tables(connection, known, path)
                if put_in_place(made, path):
                    return Initialised(path, True, f"made the state {path}")
    except (FileNotFoundError, FileExistsError, NotADirectoryError) as error:
        raise StateFault(
            "no state can be made here: the file system has no place for it, or a file is in the way of its folder",
            where=str(path),
            next_step="Name a file in a folder that can be written to, with --state or ORDERMADE_STATE.",
        ) from error
    except (sqlite3.Error, OSError) as error:
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
) -> Iterator[StateConnection]:
    """The state file at `path` as a whole, open for as long as the block runs, for the provider alone.

    Errors of SQLite become StateFault. Raises Refused for others, StateMissing if there is no file (none is made),
    StateLocked after the wait, StateDamaged, StateFault; for a token StateOlder and StateNewer, too.
    """
    with _connected(path, read_only=read_only, wait_seconds=wait_seconds, notice=notice) as connection:
        if authority.is_looked_up:
            require_current(connection, path)
        authority.require_provider(connection)
        yield connection


@contextmanager
def _connected(path: Path, *, read_only: bool, wait_seconds: float, notice: Notice | None) -> Iterator[StateConnection]:
    """The state at `path`, for as long as the block runs; to read, as it is at the start. Errors become StateFault.

    Nothing is locked where it is open to write. Raises StateMissing if there is no file (none is made), StateLocked
    after the wait, StateDamaged, StateOlder for the file of an earlier engine, StateFault.
    """
    require(path)
    open_when_free = until_free(path, wait_seconds=wait_seconds, notice=notice)
    try:
        with closing(open_when_free(lambda: _opened(path, read_only=read_only))) as connection:
            yield connection
    except sqlite3.Error as error:
        raise state_fault(error, path) from error


def until_free(path: Path, *, wait_seconds: float, notice: Notice | None) -> Locking:
    """Tries a step until no other process has the state at `path` locked; raises StateLocked after the wait."""

    def tried(step: Callable[[], Done]) -> Done:
        return when_free(
            step, path, what="state", wait_seconds=wait_seconds, notice=notice, longest_pause=_LONGEST_PAUSE
        )

    return tried


def _opened(path: Path, *, read_only: bool) -> StateConnection:
    """A connection to the state, which is read from its start on if it is `read_only`. Raises sqlite3.Error."""
    try:
        return _begun(path, read_only=read_only)
    except sqlite3.OperationalError as error:
        if not read_only or not needs_recovery(error):
            raise
    with closing(_begun(path, read_only=False)):  # which undoes what a process that was killed had begun
        pass
    return _begun(path, read_only=True)


def _begun(path: Path, *, read_only: bool) -> StateConnection:
    connection = connect(file_address(path, read_only=read_only))
    try:
        if read_only:
            connection.execute(statement("state/begin_reading"))
        connection.execute(statement("state/schema_read")).fetchall()
    except BaseException:
        connection.close()
        raise
    return connection


def located(state: Path | str | None) -> Path:
    """The place of a state: an absolute path is there, any other is looked for from the working directory.

    Raises InputError as `locate_state`.
    """
    return state if isinstance(state, Path) and state.is_absolute() else locate_state(state)


@dataclass(slots=True)
class SharedConnection:
    """The connection that the transactions of one request share, opened by the first of them.

    `file`: device and inode of the state that it is open on. `in_use`: by a transaction; one within it takes a
    connection of its own, as all do once it `ended`. `current`: the version of the data whose tables were found to be
    this engine's.
    """

    connection: StateConnection | None = None
    file: tuple[int, int] | None = None
    in_use: bool = False
    ended: bool = False
    current: int | None = None

    def require_current(self, connection: StateConnection, path: Path) -> None:
        """Raises as `migrations.require_current` does, which reads again what another connection has written since."""
        (version,) = connection.execute(statement("state/data_version")).fetchone()
        if version != self.current:
            require_current(connection, path)
            self.current = version

    def close(self) -> None:
        """Closes it, if it is open."""
        if self.connection is not None:
            self.connection.close()
            self.connection = None


def _of_shared(shared: SharedConnection, path: Path) -> StateConnection:
    """The connection to the state at `path`: another one where another file is there by now."""
    found = path.stat()
    if shared.connection is None or shared.file != (found.st_dev, found.st_ino):
        shared.close()
        shared.connection, shared.current = connect(file_address(path, read_only=False)), None
        shared.file = (found.st_dev, found.st_ino)
    return shared.connection


@contextmanager
def shared_connection() -> Iterator[SharedConnection]:
    """A connection for transactions of one thread to share until the end of the block. Opens nothing yet."""
    shared = SharedConnection()
    try:
        yield shared
    finally:
        shared.ended = True
        shared.close()


class LockWait(TypedDict):
    """How long to wait for the lock of a state, and who receives a message on a long wait."""

    wait_seconds: float
    notice: Notice | None


@dataclass(frozen=True)
class StateFile:
    """The state at `path`; `wait_seconds` bounds the wait for its lock, `notice` receives a message on a long one.

    `authority` opens it: each opening checks that it may.
    """

    path: Path
    authority: Authority = field(repr=False)
    wait_seconds: float = field(default=30.0, repr=False)
    notice: Notice | None = field(default=None, repr=False)
    shared: SharedConnection | None = field(default=None, repr=False, compare=False)

    @contextmanager
    def sharing(self) -> Iterator[StateFile]:
        """The state whose transactions, until the end of the block, share one connection. Opens nothing yet."""
        with shared_connection() as shared:
            yield replace(self, shared=shared)

    @contextmanager
    def reading(self) -> Iterator[StateConnection]:
        """The state open read-only, as it is at the start: many processes may read at once. Makes no file.

        Raises StateMissing, StateOlder, StateNewer, StateDamaged, StateLocked, StateFault; Refused where the authority
        does not open it.
        """
        with self._opened(read_only=True) as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[StateConnection]:
        """The state open as one transaction: committed at the end of the block, rolled back on any exception.

        Raises as `reading` does. Must not be nested in another `reading` or `writing` of the same state.
        """
        with self._opened(read_only=False) as connection:
            yield connection

    def of_visit(self, visit: str) -> StateFile:
        """The state as it is opened for a visit of the portal, whose id its audit has."""
        return replace(self, authority=self.authority.of_visit(visit))

    def of_submission(self, number: int) -> StateFile:
        """The state as the steps of a submission open it."""
        return replace(self, authority=self.authority.of_submission(number))

    def _by(self, connection: StateConnection) -> str | None:
        """The user of the token, whatever became of it: what it began is noted under its name to the end."""
        if self.authority.token_hash is None:
            return None

        found = users.presented(connection, self.authority.token_hash)
        return None if found is None else found.name

    @contextmanager
    def _opened(self, *, read_only: bool) -> Iterator[StateConnection]:
        with self._begun(read_only=read_only) as connection, accepting(connection, once=read_only):
            self.authority.require(connection)
            with (
                bound(connection, self.authority.bounds(connection)),
                nullcontext() if read_only else sealing(connection, self._by(connection), self.authority.visit),
            ):
                yield connection

    @contextmanager
    def _begun(self, *, read_only: bool) -> Iterator[StateConnection]:
        """A transaction on the state, whose tables are this engine's."""
        options: LockWait = {"wait_seconds": self.wait_seconds, "notice": self.notice}
        if self.shared is not None and not self.shared.in_use and not self.shared.ended:
            with self._begun_shared(self.shared, until_free(self.path, **options), read_only=read_only) as connection:
                yield connection
            return
        with (
            _connected(self.path, read_only=read_only, **options) as connection,
            nullcontext() if read_only else transaction(connection, until_free(self.path, **options)),
        ):
            require_current(connection, self.path)
            yield connection

    @contextmanager
    def _begun_shared(
        self, shared: SharedConnection, when_free: Locking, *, read_only: bool
    ) -> Iterator[StateConnection]:
        def is_current(connection: StateConnection) -> None:
            shared.require_current(connection, self.path)

        require(self.path)
        shared.in_use = True
        try:
            connection = when_free(lambda: _of_shared(shared, self.path))  # to open it reads the file
            if read_only:
                with snapshot(connection, is_current, when_free):
                    yield connection
            else:
                with transaction(connection, when_free):
                    is_current(connection)
                    yield connection
        except sqlite3.Error as error:
            raise state_fault(error, self.path) from error
        finally:
            shared.in_use = False


def recovered(file: StateFile, put_in_order: Callable[[StateFile, AbandonedRun], None]) -> StateFile:
    """The state, not opened yet; what killed processes left on this machine and beside it is gone.

    By the service nothing is: it acts for one user. `put_in_order` ends a run. Where it cannot now, a notice says why,
    and the next command tries again.
    """
    if file.authority.is_bound:
        return file
    remove_abandoned(Path(tempfile.gettempdir()), SPILL)
    remove_abandoned(file.path.parent, WORKSHOP)
    if not os.access(runs_folder(file.path), os.R_OK) or not file.path.exists():  # mostly no run is under way
        return file
    for each in run_folders(file.path):
        try:
            with abandoned(each) as run:
                if run is not None:
                    put_in_order(file, run)
        except OrdermadeError as error:
            if file.notice is not None:
                file.notice(f"an interrupted request could not be put in order: {error.message}")
    remove_if_empty(runs_folder(file.path))  # a run that was killed as it ended may have left it
    return file
