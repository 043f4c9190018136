"""`state status` and `state verify`: tables, references, seals, and every page of the file."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import quoted
from ordermade.files.private import sha256_of
from ordermade.privacy.least_k import numbered
from ordermade.progress.waiting import Notice
from ordermade.records.printed import printed
from ordermade.state.authority import Authority
from ordermade.state.connection import IN_MEMORY, connect
from ordermade.state.database import opened, status
from ordermade.state.faults import is_damage
from ordermade.state.migrations import Applied, Migration, applied_migrations, known_migrations, make_tables
from ordermade.state.seals import Finding, broken_chain, unlike_their_seals
from ordermade.state.statements import rows
from ordermade.state.tables import TABLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ordermade.state.connection import StateConnection

_PUT_BACK = "put back a copy made by `ordermade state backup`"

NOT_COUNTED = ("migrations", "audit_head", "seals")
"""The tables that are about the others."""


@dataclass(frozen=True, slots=True)
class StateStatus:
    """The state, its migrations and the rows of its tables."""

    path: Path
    """The file of the state."""
    version: int
    """The number of migrations that it has."""
    pending: tuple[str, ...]
    """The migrations that `state migrate` would apply."""
    counts: Mapping[str, int] = field(metadata=printed("rows"))
    """The number of rows of each table."""
    size: int = field(metadata=printed("bytes"))
    """The size of the file."""


def state_status(
    path: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> StateStatus:
    """The figures of a state, an older one included, for the provider. Writes nothing.

    Raises Refused for others, StateMissing, StateNewer, StateDamaged, StateLocked.
    """
    migrations = status(path, authority, wait_seconds=wait_seconds, notice=notice)
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        present = {str(row[0]) for row in rows(connection, "state/tables")}
        counts = {
            name: table.count(connection)
            for name, table in TABLES.items()
            if name in present and name not in NOT_COUNTED
        }
    return StateStatus(path, len(migrations.applied), migrations.pending, counts, path.stat().st_size)


def verify(
    path: Path, authority: Authority, *, files: bool = True, wait_seconds: float = 30.0, notice: Notice | None = None
) -> tuple[Finding, ...]:
    """Everything wrong with a state; empty if it is sound. Writes nothing.

    Looked for: migrations that are not this engine's, pages that cannot be read, tables that are missing or otherwise
    than the migrations make them, references that lead nowhere, rows and entries of the audit that were edited by hand,
    releases and certificates whose files were (with `files`).

    Raises Refused for others than the provider, StateMissing, StateLocked, and StateDamaged if it does not open at all
    or is no state.
    """
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        findings = [*findings_in(connection, path)]
        if files and not findings:
            findings += _file_findings(connection, path)
        return tuple(findings)


def findings_in(connection: StateConnection, path: Path) -> tuple[Finding, ...]:
    """The faults of the tables of the open state, as `verify` finds them. Raises StateDamaged if it is no state."""
    try:
        return tuple(_findings(connection, path))
    except (ValueError, OverflowError):  # a value that no column of its type has
        return (_DAMAGED,)
    except sqlite3.Error as error:
        if not (is_damage(error) or getattr(error, "sqlite_errorcode", None) in _UNREADABLE):
            raise
        return (_DAMAGED,)


_DAMAGED = Finding("file", f"part of it is damaged: {_PUT_BACK}")
_UNREADABLE = (None, sqlite3.SQLITE_ERROR, sqlite3.SQLITE_MISMATCH)
"""The codes of errors of SQLite about a value: a text that is no text, a document that is none."""


def _findings(connection: StateConnection, path: Path) -> list[Finding]:
    if [str(line) for (line,) in rows(connection, "state/integrity")] != ["ok"]:
        return [_DAMAGED]
    applied, known = applied_migrations(connection, path), known_migrations()
    findings = _migration_findings(applied, known)
    if len(applied) == len(known):
        findings += _shape_findings(connection, path)
    # What is looked for in the rows needs all of the tables: it would only repeat what is wrong with them.
    if not findings:
        findings += _reference_findings(connection)
        findings += [*unlike_their_seals(connection), *broken_chain(connection)]
    return findings


def _migration_findings(applied: Sequence[Applied], known: Sequence[Migration]) -> list[Finding]:
    findings = []
    if [each.number for each in applied] != list(range(1, len(applied) + 1)):
        findings.append(Finding("migrations", "the list of applied migrations has gaps"))
    if len(applied) > len(known):
        findings.append(Finding("migrations", "the state was written by a newer engine: upgrade ordermade"))
    if len(applied) < len(known):
        findings.append(Finding("migrations", "the state is older than this engine: run `ordermade state migrate`"))
    by_number = {each.number: each for each in known}
    findings += [
        Finding("migrations", f"{quoted(each.name)} is not the migration of this engine: its checksum differs")
        for each in applied
        if each.number in by_number and by_number[each.number].checksum != each.checksum
    ]
    return findings


def _shape_findings(connection: StateConnection, path: Path) -> list[Finding]:
    """Tables, indexes, views and triggers that no migration makes, or makes otherwise, and those that are missing."""
    with closing(connect(IN_MEMORY)) as made:
        make_tables(made, known_migrations(), path)
        wanted = _shapes(made)
    found = _shapes(connection)
    findings = []
    for part in sorted(found.keys() | wanted.keys()):
        kind, name = part
        if part not in wanted:
            findings.append(Finding(name, f"no command of ordermade made this {kind}"))
        elif part not in found:
            findings.append(Finding(name, f"the {kind} is missing"))
        elif found[part] != wanted[part]:
            findings.append(Finding(name, f"the {kind} is not as ordermade makes it"))
    return findings


def _shapes(connection: StateConnection) -> dict[tuple[str, str], tuple[str, str | None]]:
    """The statement that made each part, and the table that it is of."""
    found = rows(connection, "state/parts_of_schema")
    return {(kind, name): (table, text) for kind, name, table, text in found}


def _reference_findings(connection: StateConnection) -> list[Finding]:
    broken = Counter((str(table), str(parent)) for table, _, parent, _ in rows(connection, "state/foreign_keys"))
    return [
        Finding(f"{table} of {parent}", f"{numbered(number, 'row does', 'rows do')} not fit what is referred to")
        for (table, parent), number in sorted(broken.items())
    ] + [
        Finding(str(reference), f"{numbered(number, 'row does', 'rows do')} not fit what is referred to")
        for reference, number in rows(connection, "state/orphans")
        if number
    ]


def _file_findings(connection: StateConnection, path: Path) -> Iterator[Finding]:
    """Files and folders of another content than the state noted; one no longer there was moved, which is no fault."""
    for named, noted, digest in rows(connection, "state/noted_files"):
        file = path.parent / noted
        try:
            if file.samefile(path):
                continue  # reading it would let go of the lock on the state
            is_changed = sha256_of(file) != digest
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield Finding(f"{named}: {noted}", f"the file cannot be read ({error.strerror or type(error).__name__})")
            continue
        if is_changed:
            yield Finding(f"{named}: {noted}", "the file is not as it was written")
