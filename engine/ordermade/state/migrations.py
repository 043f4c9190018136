"""The migrations of a state: those that this engine brings, those that a state has gone through, and applying them."""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

from ordermade.errors import StateDamaged, StateFault, StateNewer, StateOlder, quoted
from ordermade.files.resources import folder
from ordermade.state.connection import Locking, StateConnection, run_script, transaction
from ordermade.state.faults import state_fault
from ordermade.state.statements import run, utc_now
from ordermade.state.table import Table, sealing

_FILE_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of `migrations/`: its number, file name, SHA-256 and text."""

    number: int
    name: str
    checksum: str
    text: str


@dataclass(frozen=True, slots=True)
class Applied:
    """One migration that a state has gone through."""

    number: int
    name: str
    checksum: str


@dataclass(frozen=True, slots=True)
class MigrationRow:
    """The row of a migration that was applied."""

    number: int
    name: str
    checksum: str
    applied_at: datetime


MIGRATIONS = Table("migrations", MigrationRow, key=("number",))


def known_migrations(migrations_folder: Path | None = None) -> tuple[Migration, ...]:
    """The migrations this engine brings, in order: numbered 1, 2, 3 … without a gap (else a RuntimeError)."""
    return _own_migrations() if migrations_folder is None else _migrations_in(migrations_folder)


@cache
def _own_migrations() -> tuple[Migration, ...]:
    return _migrations_in(folder("migrations"))


def _migrations_in(migrations_folder: Path) -> tuple[Migration, ...]:
    found = []
    for file in sorted(migrations_folder.glob("*.sql")):
        match = _FILE_NAME.fullmatch(file.name)
        if match is None:
            raise RuntimeError(f"{file.name} is not named like a migration (0001_name.sql)")
        content = file.read_bytes()
        checksum = hashlib.sha256(content).hexdigest()
        found.append(Migration(int(match[1]), file.name, checksum, content.decode("utf-8")))
    if [each.number for each in found] != list(range(1, len(found) + 1)):
        raise RuntimeError("migrations must be numbered 0001, 0002, … without a gap")
    return tuple(found)


def applied_migrations(connection: StateConnection, path: Path) -> tuple[Applied, ...]:
    """The migrations the open state at `path` has gone through. Raises StateDamaged if it is not a state."""
    try:
        found = MIGRATIONS.read(connection, ("number", "name", "checksum"), order_by=("number",))
    except sqlite3.OperationalError as error:
        if "no such table" not in str(error):
            raise
        raise StateDamaged(
            "this database is not a state of ordermade",
            where=str(path),
            next_step="Name another file with --state, or make a state with `ordermade init`.",
        ) from None
    return tuple(Applied(*row) for row in found)


def require_current(connection: StateConnection, path: Path, known: Iterable[Migration] | None = None) -> None:
    """Raise StateOlder, StateNewer or StateDamaged unless the state has this engine's migrations."""
    migrations = tuple(known_migrations() if known is None else known)
    applied = applied_migrations(connection, path)
    require_known(applied, migrations, path)
    if len(applied) < len(migrations):
        raise StateOlder(
            f"the state is at migration {len(applied)} and this engine needs {len(migrations)}",
            where=str(path),
            next_step="Run `ordermade state migrate`.",
        )


def make_tables(connection: StateConnection, known: Sequence[Migration], path: Path) -> None:
    """Applies all migrations in one transaction."""
    with transaction(connection), sealing(connection):
        run(connection, "state/create_migrations")
        for migration in known:
            with _naming(migration, path):
                run_script(connection, migration.text)
            _note(connection, migration)


def apply_migration(connection: StateConnection, migration: Migration, path: Path, when_free: Locking) -> bool:
    """Applies a migration in a transaction of its own; whether it did, or another process had meanwhile.

    Raises StateFault, which names it, and StateLocked after the wait; it is not applied then.
    """
    with _naming(migration, path), transaction(connection, when_free), sealing(connection):
        if len(applied_migrations(connection, path)) >= migration.number:
            return False
        run_script(connection, migration.text)
        _note(connection, migration)
        return True


def _note(connection: StateConnection, migration: Migration) -> None:
    MIGRATIONS.add(connection, MigrationRow(migration.number, migration.name, migration.checksum, utc_now()))


@contextmanager
def _naming(migration: Migration, path: Path) -> Iterator[None]:
    """Errors of SQLite become StateFault, which names the migration."""
    try:
        yield
    except sqlite3.Error as error:
        cause = state_fault(error, path)
        raise StateFault(
            f"migration {quoted(migration.name)} failed and was rolled back: {cause.what}",
            where=str(path),
            next_step="The state is as it was before this migration. " + cause.next_step,
        ) from error


def require_known(applied: tuple[Applied, ...], known: tuple[Migration, ...], path: Path) -> None:
    """Raises StateDamaged or StateNewer unless the migrations applied are the first of those known."""
    numbers = [each.number for each in applied]
    if numbers != list(range(1, len(applied) + 1)):
        raise StateDamaged(
            "its list of migrations has gaps",
            where=str(path),
            next_step="Put back a copy made by `state backup`.",
        )
    if len(applied) > len(known):
        raise StateNewer(
            f"the state is at migration {len(applied)} and this engine knows {len(known)}",
            where=str(path),
            next_step="Upgrade ordermade.",
        )
    for was, now in zip(applied, known, strict=False):
        if was.checksum != now.checksum:
            raise StateDamaged(
                f"migration {quoted(was.name)} is not the one this state went through",
                where=str(path),
                next_step="Use the version of ordermade that made the state, or put back a backup.",
            )
