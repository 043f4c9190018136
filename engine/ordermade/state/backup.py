"""`state backup`: a copy of the state in a new private file. `state restore`: such a copy in its place.

A state from which something was erased is written anew in the same way.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import duckdb

from ordermade.errors import InputError, StateDamaged, StateMissing, StateNewer
from ordermade.private_files import FILE_MODE, flush, write_private_file
from ordermade.state.authority import SHELL, Authority
from ordermade.state.carried_over import Account, lock, merge, opted_out
from ordermade.state.database import opened, require_provider
from ordermade.state.faults import state_fault
from ordermade.state.inspection import findings_in, verify
from ordermade.state.migrations import require_current
from ordermade.state.runs import alive
from ordermade.state.statements import (
    beside,
    make_folder,
    put_in_place,
    refuse_backslash,
    rows,
    run,
)
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def require_new(path: Path, what: str) -> None:
    """Raise InputError if there is a file at `path`, or no folder for it; StateFault if nothing can be written there.

    `what` is what messages call the file: `backup`, `export`.
    """
    refuse_backslash(path)
    try:
        if path.exists() or path.is_symlink():
            raise _exists(path, what)
        if not path.absolute().parent.is_dir():
            raise InputError("there is no such folder", where=str(path.parent), next_step="Make it, or name another.")
        with beside(path):  # permissions alone do not decide, as of /proc
            pass
    except OSError as error:
        raise state_fault(error, path, what) from error


@contextmanager
def new_file(path: Path, what: str) -> Iterator[Path]:
    """A path beside `path` to write the file to; it gets its name (mode 0600) at the end of the block.

    Nothing is left behind if the block raises. Errors of DuckDB and of the file system become StateFault; raises
    InputError if a file of that name was made meanwhile.
    """
    try:
        with beside(path) as made:
            yield made
            if not put_in_place(made, path):
                raise _exists(path, what)
    except (duckdb.Error, OSError) as error:
        raise state_fault(error, path, what) from error


def write_new_file(path: Path, text: str, what: str) -> None:
    """Writes a text as the new file `path` (mode 0600), whole or not at all; `what` and errors as in `new_file`."""
    with new_file(path, what) as made:
        write_private_file(made, text)


def _exists(path: Path, what: str) -> InputError:
    return InputError(
        f"the {what} never replaces a file, and this one exists", where=str(path), next_step="Choose another name."
    )


def backup(
    path: Path, destination: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> Path:
    """Copy the state at `path` to the new file `destination` (mode 0600); gives `destination`.

    The copy is one snapshot, made by DuckDB under its own lock, written beside its name and put in place
    whole. (Copying the bytes would not do: closing any handle on the file lets go of the lock of this
    process.) Raises Refused for others than the provider, InputError if `destination` exists or has no folder,
    StateMissing, StateOlder, StateNewer, StateDamaged, StateLocked, StateFault (a full disk leaves nothing behind).
    """
    require_provider(path, authority, wait_seconds=wait_seconds, notice=notice)
    require_new(destination, "backup")
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        require_current(connection, path)
        with new_file(destination, "backup") as made:
            _copy(connection, made)
    return destination


def _copy(connection: DuckDBPyConnection, made: Path) -> None:
    """Copies the open state to a new file, whose blocks have nothing of what the memory of this process had before."""
    run(connection, "own_blocks")
    run(connection, "state/attach_backup", path=str(made))
    run(connection, "state/copy_to_backup")
    run(connection, "state/checkpoint_backup")
    run(connection, "state/detach_backup")


def rewrite(path: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None) -> None:
    """Writes the state at `path` anew: what was erased is on no page of it afterwards.

    Nobody writes to it meanwhile. A process that is killed leaves the state as it was. Raises Refused for others than
    the provider, StateMissing, StateOlder, StateNewer, StateDamaged, StateLocked, StateFault (a full disk leaves the
    state as it was).
    """
    options: _Waiting = {"wait_seconds": wait_seconds, "notice": notice}
    require_provider(path, authority, **options)
    path = path.resolve()  # a link goes on leading to it
    try:
        with beside(path) as made, _held(path, options) as connection:
            require_current(connection, path)
            _copy(connection, made)
            _give_owner(made, path)
            made.replace(path)
            flush(path.parent)
    except OSError as error:
        raise state_fault(error, path) from error


def _give_owner(made: Path, path: Path) -> None:
    """Makes a new file its owner's alone: the owner of the state whose place it takes, where root is at work."""
    made.chmod(FILE_MODE)
    if path.exists():
        before, now = path.stat(), made.stat()
        if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
            os.chown(made, before.st_uid, before.st_gid)


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup that was put in the place of a state: the state, the backup, and where the old state is kept.

    `kept`: None where there was none. `carried`: in words, what was made since the backup and holds on; `undone`: what
    does not. `locked`: why the old state was not compared with the backup, so that every token was revoked and every
    request that was not settled is in review; empty where it was.
    """

    path: Path
    backup: Path
    kept: Path | None
    carried: tuple[str, ...] = ()
    undone: tuple[str, ...] = ()
    locked: str = ""


def restore(
    path: Path,
    source: Path,
    authority: Authority,
    *,
    unrelated: bool = False,
    wait_seconds: float = 30.0,
    notice: Notice | None = None,
) -> Restored:
    """Puts the backup `source` in the place of the state at `path`, whole; the old state keeps a name beside it.

    The backup is an earlier moment of the state: facts since hold on, what protects is applied again, and the rest is
    undone, by `restored_tables.py`; the audit goes on with an entry on that. A state that is missing, damaged, newer
    or, with `unrelated`, another one than that of the backup is replaced, too: then every token is revoked, every
    request that is not settled is in review, and only opt-outs are carried, where they can be read.

    Nobody writes to the state meanwhile, and whoever waits for it finds the restored one. A process that is killed
    leaves the old state or the restored one in place, never a part. Raises Refused for others than the provider of the
    state in place, and for any token where there is none; InputError while requests run on the state,
    and for a backup of another state unless `unrelated`; StateOlder, StateNewer, StateDamaged where the backup is none
    of this engine or is not sound, and where the file in its place is no state or an older one, StateMissing where
    there is no backup, StateLocked, StateFault.
    """
    options: _Waiting = {"wait_seconds": wait_seconds, "notice": notice}
    require_provider(path, authority, **options)
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError("this is the state itself, not a backup of it", where=str(source), next_step="Name a backup.")
    _require_sound(source, options)
    path = path.resolve()  # a link goes on leading to it
    try:
        make_folder(path.parent)
        with beside(path) as made, ExitStack() as held:
            copy = made.with_name("backup.duckdb.copy")
            backup(source, copy, SHELL, **options)
            before = _before(path, held, options)
            if alive(path):
                step = "Wait until they have ended."
                raise InputError("requests are running on this state", where=str(path), next_step=step)
            account, locked = _written(made, copy, source, before, options, unrelated=unrelated)
            _give_owner(made, path)
            kept = _keep(path)
            made.replace(path)
            flush(path.parent)
    except OSError as error:
        raise state_fault(error, path) from error
    return Restored(path, source, kept, tuple(account.carried), tuple(account.undone), locked)


@dataclass(frozen=True, slots=True)
class _Before:
    """The state in place, which nobody writes to: open where it can be; why it cannot be compared with a backup."""

    connection: DuckDBPyConnection | None
    unlike: str = ""


def _written(
    made: Path, copy: Path, source: Path, before: _Before, options: _Waiting, *, unrelated: bool
) -> tuple[Account, str]:
    """Writes the state to be put in place to `made`, of a `copy` of the backup; its account, and why it is locked."""
    locked = before.unlike
    if before.connection is not None and not locked:
        account = merge(before.connection, copy, made, source.name)
        if account is not None:
            _require_merged(made, source, options)
            return account, ""
        if not unrelated:
            raise InputError(
                "this is no backup of the state in place: the last entry of its audit is not in that of the state",
                where=str(source),
                next_step="--unrelated puts it there all the same: tokens are revoked, and requests reviewed anew.",
            )
        locked = "the backup is of another state"
    account, opt_outs = Account(), {}
    if before.connection is not None:
        account.undone.append("all else of the state of before")
        opt_outs = opted_out(before.connection)
    copy.replace(made)
    with opened(made, SHELL, read_only=False, **options) as connection:
        lock(connection, source.name, locked, account, opt_outs)
        run(connection, "state/checkpoint")
    return account, locked


def _before(path: Path, held: ExitStack, options: _Waiting) -> _Before:
    """The state in place, which nobody writes to while it is `held`. Raises StateDamaged, StateOlder."""
    no_state = StateDamaged(
        "this file is no state of ordermade",
        where=str(path),
        next_step="Name the file of the state with --state, or move this one away.",
    )
    try:
        connection = held.enter_context(_held(path, options))
    except StateMissing:
        return _Before(None, "there was no state")
    except StateDamaged:
        with path.open("rb") as file:
            begins = file.read(_MARK.stop)
        if begins and begins[_MARK] != b"DUCK":
            raise no_state from None
        return _Before(None, "the state of before cannot be read")
    try:
        tables = {str(table) for (table,) in rows(connection, "state/tables")}
        if tables and "migrations" not in tables:
            raise no_state
        require_current(connection, path)
        findings = findings_in(connection, path)
    except StateNewer:
        return _Before(connection, "the state of before is of a newer ordermade")
    except (StateDamaged, duckdb.Error) as error:
        if error is no_state:
            raise
        return _Before(connection, "the state of before cannot be read")
    if findings:
        return _Before(connection, f"the state of before is not sound: {findings[0].where}: {findings[0].what}")
    return _Before(connection)


def _require_merged(made: Path, source: Path, options: _Waiting) -> None:
    """Raises StateDamaged where backup and state do not fit together, before anything is replaced."""
    with opened(made, SHELL, read_only=True, **options) as connection:
        findings = findings_in(connection, made)
    if findings:
        raise StateDamaged(
            f"the backup and the state in place do not fit together: {findings[0].where}: {findings[0].what}",
            where=str(source),
            next_step="Nothing was changed. Report this; a state that is moved away is not compared with the backup.",
        )


@contextmanager
def _held(path: Path, options: _Waiting) -> Iterator[DuckDBPyConnection]:
    """The state open to read, with nothing in a log beside it: no process writes to it until the end of the block.

    A writer would remove the log beside the name when it closes, which is the restored state's by then.
    """
    log = path.with_name(f"{path.name}.wal")
    while True:
        with opened(path, SHELL, read_only=False, **options) as connection:
            run(connection, "state/checkpoint")
        with opened(path, SHELL, read_only=True, **options) as connection:
            if not log.exists():  # else a process was killed in between
                yield connection
                return


def _keep(path: Path) -> Path | None:
    """Gives the state a second name beside its own; that name, None where there is no state.

    A log that a killed process left goes with it, for it would be taken into the restored state.
    """
    stem = f"{path.stem}-replaced-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    log = path.with_name(f"{path.name}.wal")
    for number in count(1):
        kept = path.with_name(f"{stem}{'' if number == 1 else f'-{number}'}{path.suffix}")
        with suppress(FileExistsError):
            if path.exists():
                os.link(path, kept)
            if log.exists():
                log.replace(kept.with_name(f"{kept.name}.wal"))
            return kept if kept.exists() else None
    raise AssertionError("numbers do not end")


_MARK = slice(8, 12)
"""Where a file of DuckDB has its mark."""


class _Waiting(TypedDict):
    wait_seconds: float
    notice: Notice | None


def _require_sound(source: Path, options: _Waiting) -> None:
    with opened(source, SHELL, read_only=True, **options) as connection:
        require_current(connection, source)
    findings = verify(source, SHELL, files=False, **options)  # a file of a release may be a later one by now
    if findings:
        raise StateDamaged(
            f"the backup is not sound: {findings[0].where}: {findings[0].what}",
            where=str(source),
            next_step="`ordermade --state FILE state verify` shows every fault. Name another backup.",
        )
