"""`state backup`: a copy of the state in a new private file. `state restore`: such a copy in its place."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError, StateDamaged, StateMissing, StateNewer
from ordermade.files.private import FILE_MODE, flush, write_private_file
from ordermade.files.resources import statement
from ordermade.progress.waiting import Notice
from ordermade.state.authority import SHELL, Authority
from ordermade.state.connection import connect, file_address, transaction
from ordermade.state.database import LockWait, initialise, opened, require_provider, until_free
from ordermade.state.faults import state_fault
from ordermade.state.files import beside, make_folder
from ordermade.state.inspection import findings_in, verify
from ordermade.state.migrations import require_current
from ordermade.state.new_files import new_file, require_new
from ordermade.state.old_states import name_of_before
from ordermade.state.restore_merge import Account, RestoredOptOuts, lock, merge, opted_out
from ordermade.state.runs import alive
from ordermade.state.statements import rows
from ordermade.state.table import all_of, dropping, emptying, inserting

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection


def backup(
    path: Path, destination: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> Path:
    """Copy the state at `path` to the new file `destination` (mode 0600); gives `destination`.

    The copy is one snapshot, made by SQLite, written beside its name and put in place whole. Raises Refused for others
    than the provider, InputError if `destination` exists or has no folder, StateMissing, StateOlder, StateNewer,
    StateDamaged, StateLocked, StateFault (a full disk leaves nothing behind).
    """
    require_provider(path, authority, wait_seconds=wait_seconds, notice=notice)
    require_new(destination, "backup")
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        require_current(connection, path)
        with new_file(destination, "backup") as made:
            _copy(connection, made)
    return destination


def _copy(connection: StateConnection, made: Path) -> None:
    """Copies the open state to a new file."""
    write_private_file(made, "")
    with closing(connect(file_address(made, read_only=False))) as copy:
        connection.backup(copy)


def rewrite(path: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None) -> None:
    """Writes the state at `path` anew: what was erased is on no page of it afterwards.

    What is erased is overwritten with zeros at once; but a page may have what SQLite moved from it to others.
    A process that is killed leaves the state as it was. Raises Refused for others than the provider, StateMissing,
    StateOlder, StateNewer, StateDamaged, StateLocked, StateFault (a full disk leaves the state as it was).
    """
    options: LockWait = {"wait_seconds": wait_seconds, "notice": notice}
    with opened(path, authority, read_only=False, **options) as connection:
        require_current(connection, path)
        until_free(path, **options)(lambda: connection.execute(statement("state/vacuum")))


def _give_owner(made: Path, path: Path) -> None:
    """Makes a new file its owner's alone: the owner of the state whose place it takes, where root is at work."""
    made.chmod(FILE_MODE)
    if path.exists():
        before, now = path.stat(), made.stat()
        if (before.st_uid, before.st_gid) != (now.st_uid, now.st_gid):
            os.chown(made, before.st_uid, before.st_gid)


@dataclass(frozen=True, slots=True)
class Restored:
    """A backup that was put in the place of a state."""

    path: Path
    """The file of the state."""
    backup: Path
    """The backup."""
    kept: Path | None
    """The file that the state of before is kept in; null where there was none."""
    carried: tuple[str, ...] = ()
    """What was made since the backup and holds on, in words: releases, refusals, opt-outs, revoked tokens."""
    undone: tuple[str, ...] = ()
    """What was made since the backup and is undone, in words: registrations, approvals, measured nodes."""
    locked: str | None = None
    """Why every token was revoked and every open request is in review; null where the state of before was compared."""


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
    request that is not settled is in review, no release is in the catalogue, and only opt-outs are carried, where they
    can be read.

    Nobody writes to the state meanwhile, and a process that waits for it finds the restored one: it is one transaction.
    A process that is killed leaves the old state or the restored one in place, never a part. Raises Refused for others
    than the provider of the state in place, and for any token where there is none; InputError while requests run on the
    state, and for a backup of another state unless `unrelated`; StateOlder, StateNewer, StateDamaged where the backup
    is none of this engine or is not sound, and where the file in its place is no state or an older one, StateMissing
    where there is no backup, StateLocked, StateFault.
    """
    options: LockWait = {"wait_seconds": wait_seconds, "notice": notice}
    require_provider(path, authority, **options)
    if path.exists() and source.exists() and path.samefile(source):
        raise InputError("this is the state itself, not a backup of it", where=str(source), next_step="Name a backup.")
    _require_sound(source, options)
    path = path.resolve()  # a link goes on leading to it
    try:
        make_folder(path.parent)
        with beside(path) as made:
            copy = made.with_name("backup.sqlite.copy")
            backup(source, copy, SHELL, **options)
            return _Restoring(path, source, copy, made, unrelated, options).restored()
    except sqlite3.Error as error:
        raise state_fault(error, path) from error
    except OSError as error:
        raise state_fault(error, path) from error


@dataclass(frozen=True, slots=True)
class _Restoring:
    """A `copy` of the backup `source` on its way into the place of the state at `path`, as the new state `made`."""

    path: Path
    source: Path
    copy: Path
    made: Path
    unrelated: bool
    options: LockWait

    def restored(self) -> Restored:
        """Puts it in place of what is there, a state or not."""
        with ExitStack() as opening:
            try:
                connection = opening.enter_context(opened(self.path, SHELL, read_only=False, **self.options))
            except StateMissing:
                return self._beside("there was no state")
            except StateDamaged:
                with self.path.open("rb") as file:
                    begins = file.read(len(_MARK))
                if begins and begins != _MARK:
                    raise _no_state(self.path) from None
            else:
                with suppress(_Unreadable):
                    return self._over(connection)
        return self._beside("the state of before cannot be read")

    def _over(self, connection: StateConnection) -> Restored:
        """Puts it in the place of the content of a state, in one transaction."""
        connection.execute(statement("state/references_off"))  # tables are dropped with what refers to them
        with transaction(connection, until_free(self.path, **self.options)):
            unlike = _unlike(connection, self.path)
            _require_none_running(self.path)
            kept = name_of_before(self.path)
            with opened(self.path, SHELL, read_only=True, **self.options) as before:
                _copy(before, kept)
            try:
                account, locked = self._written(kept, unlike)
                _replace_content(connection, self.made)
            except BaseException:
                kept.unlink()
                raise
            flush(self.path.parent)
        return Restored(self.path, self.source, kept, tuple(account.carried), tuple(account.undone), locked)

    def _beside(self, locked: str) -> Restored:
        """Puts it where no state can be opened; what is there keeps another name."""
        _require_none_running(self.path)
        account = self._locked(locked, {})
        _give_owner(self.made, self.path)
        kept = name_of_before(self.path) if self.path.exists() else None
        if kept is not None:
            journal = self.path.with_name(f"{self.path.name}-journal")
            if journal.exists():  # which would be taken into the restored state
                journal.rename(kept.with_name(f"{kept.name}-journal"))
            self.path.rename(kept)
        self.made.replace(self.path)
        flush(self.path.parent)
        return Restored(self.path, self.source, kept, tuple(account.carried), tuple(account.undone), locked)

    def _written(self, replaced: Path, unlike: str) -> tuple[Account, str]:
        """Writes the new state, of the one it replaced unless that is unlike; its account, and why it is locked."""
        if not unlike:
            initialise(self.made, SHELL)
            with closing(connect(file_address(self.made, read_only=False))) as connection:
                account = merge(connection, replaced, self.copy, self.source.name)
            if account is not None:
                _require_merged(self.made, self.source, self.options)
                return account, ""
            self.made.unlink()
            if not self.unrelated:
                raise InputError(
                    "this is no backup of the state in place: the last entry of its audit is not in that of the state",
                    where=str(self.source),
                    next_step="--unrelated puts it there all the same: tokens are revoked, and requests reviewed anew.",
                )
            unlike = "the backup is of another state"
        with closing(connect(file_address(replaced, read_only=True))) as before:
            opt_outs = opted_out(before)
        account = self._locked(unlike, opt_outs)
        account.undone.insert(0, "all else of the state of before")
        return account, unlike

    def _locked(self, reason: str, opt_outs: Mapping[str, RestoredOptOuts]) -> Account:
        """Writes the new state as the backup is, but that nobody may act on it."""
        account = Account()
        self.copy.replace(self.made)
        with closing(connect(file_address(self.made, read_only=False))) as connection:
            lock(connection, self.source.name, reason, account, opt_outs)
        return account


class _Unreadable(Exception):
    """A file that is a SQLite database, whose content cannot be read or replaced."""


def _no_state(path: Path) -> StateDamaged:
    return StateDamaged(
        "this file is no state of ordermade",
        where=str(path),
        next_step="Name the file of the state with --state, or move this one away.",
    )


def _require_none_running(path: Path) -> None:
    if alive(path):
        step = "Wait until they have ended."
        raise InputError("requests are running on this state", where=str(path), next_step=step)


def _unlike(connection: StateConnection, path: Path) -> str:
    """Why the open state cannot be compared with a backup; empty where it can. Raises StateDamaged, StateOlder."""
    try:
        tables = {str(table) for (table,) in rows(connection, "state/tables")}
        if tables and "migrations" not in tables:
            raise _no_state(path)
        if not tables:
            raise _Unreadable
        require_current(connection, path)
        findings = findings_in(connection, path)
    except StateNewer:
        return "the state of before is of a newer ordermade"
    except sqlite3.DatabaseError as error:
        raise _Unreadable from error
    return f"the state of before is not sound: {findings[0].where}: {findings[0].what}" if findings else ""


def _replace_content(connection: StateConnection, made: Path) -> None:
    """Puts the tables of the new state in the place of those of the open one, within the transaction under way."""
    try:
        for kind, name, _, _ in rows(connection, "state/parts_of_schema"):
            if kind in ("table", "view"):  # the rest goes with its table
                connection.execute(dropping(kind, name))
        with closing(sqlite3.connect(file_address(made, read_only=True), uri=True)) as source:
            parts = source.execute(statement("state/parts_of_schema")).fetchall()
            for kind, name, _, text in sorted(parts, key=lambda part: part[0] != "table"):
                if text is None:
                    continue  # what keeps a key unique comes with its table
                connection.execute(text)
                if kind == "table":
                    _copy_rows(source, connection, name)
    except sqlite3.DatabaseError as error:
        if isinstance(error, sqlite3.OperationalError):
            raise
        raise _Unreadable from error


def _copy_rows(source: sqlite3.Connection, connection: StateConnection, table: str) -> None:
    found = source.execute(all_of(table))
    connection.execute(emptying(table))
    connection.executemany(inserting(table, tuple(each[0] for each in found.description)), found)


def _require_merged(made: Path, source: Path, options: LockWait) -> None:
    """Raises StateDamaged where backup and state do not fit together, before anything is replaced."""
    with opened(made, SHELL, read_only=True, **options) as connection:
        findings = findings_in(connection, made)
    if findings:
        raise StateDamaged(
            f"the backup and the state in place do not fit together: {findings[0].where}: {findings[0].what}",
            where=str(source),
            next_step="Nothing was changed. Report this; a state that is moved away is not compared with the backup.",
        )


_MARK = b"SQLite format 3\0"
"""What a SQLite database begins with."""


def _require_sound(source: Path, options: LockWait) -> None:
    with opened(source, SHELL, read_only=True, **options) as connection:
        require_current(connection, source)
    findings = verify(source, SHELL, files=False, **options)  # a file of a release may be a later one by now
    if findings:
        raise StateDamaged(
            f"the backup is not sound: {findings[0].where}: {findings[0].what}",
            where=str(source),
            next_step="`ordermade --state FILE state verify` shows every fault. Name another backup.",
        )
