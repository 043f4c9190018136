"""`state status` and `state verify`: tables, and every block against its checksum.

DuckDB checks a block when it reads it, and reads only what a statement needs: neither the index of a key nor the header
that is not in turn. Every header and block begins with the checksum of the rest of it, computed here once more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import duckdb
import numpy as np

from ordermade import sql
from ordermade.errors import quoted
from ordermade.least_k import numbered
from ordermade.private_files import sha256_of
from ordermade.state.authority import Authority
from ordermade.state.database import opened, status
from ordermade.state.faults import is_damage
from ordermade.state.keys import KEYS
from ordermade.state.migrations import Applied, Migration, applied_migrations, known_migrations, make_tables
from ordermade.state.seals import Finding, broken_chain, unlike_their_seals
from ordermade.state.statements import rows
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection
    from numpy.typing import NDArray

_HEADER_BYTES = 4096
_HEADERS = 3
"""The main header, and the two of the database that take turns."""

_CHECKSUM_BYTES = 8
_MULTIPLIER = np.uint64(0xBF58476D1CE4E5B9)
_SEED = np.uint64(5381)
_BLOCKS_AT_ONCE = 256


def unlike_their_checksums(path: Path, block_bytes: int) -> int:
    """The number of headers and blocks of the file that are not what was written; a last block that is cut is one.

    0 where the main header, which DuckDB has accepted, is of another checksum: then the version of DuckDB is a newer
    one, and nothing is known. Closing the file releases this process's lock on it: call this last. Raises OSError.
    """
    with path.open("rb") as file:
        headers = file.read(_HEADERS * _HEADER_BYTES)
        found = _unlike(headers, _HEADER_BYTES)
        if not found.size or found[0]:
            return 0
        return int(found.sum()) + sum(_counted(each, block_bytes) for each in _stretches(file, block_bytes))


def _stretches(file: IO[bytes], block_bytes: int) -> Iterator[bytes]:
    while stretch := file.read(_BLOCKS_AT_ONCE * block_bytes):
        yield stretch


def _counted(stretch: bytes, block_bytes: int) -> int:
    return int(_unlike(stretch, block_bytes).sum()) + (len(stretch) % block_bytes > 0)


def _unlike(stretch: bytes, size: int) -> NDArray[np.bool_]:
    """For each whole piece of the stretch, whether its checksum is not that of its content."""
    whole = len(stretch) // size * size
    words = np.frombuffer(stretch[:whole], dtype="<u8").reshape(-1, size // _CHECKSUM_BYTES)
    computed = np.bitwise_xor.reduce(words[:, 1:] * _MULTIPLIER, axis=1) ^ _SEED
    return np.asarray(computed != words[:, 0])


_PUT_BACK = "put back a copy made by `ordermade state backup`"

EVIDENCE = ("audit_head", "seals")
"""The tables that are about the others."""

TABLES = (*(table for table in KEYS if table != "migrations"), "audit", *EVIDENCE)
"""The tables of the state that this engine reads and writes, besides `migrations`."""


@dataclass(frozen=True, slots=True)
class StateStatus:
    """A state in figures: number of migrations (`version`), rows of each table (`counts`), bytes (`size`).

    `pending` names the migrations that `state migrate` would apply.
    """

    path: Path
    version: int
    pending: tuple[str, ...]
    counts: tuple[tuple[str, int], ...]
    size: int


def state_status(
    path: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> StateStatus:
    """The figures of a state, an older one included, for the provider. Writes nothing.

    Raises Refused for others, StateMissing, StateNewer, StateDamaged, StateLocked.
    """
    migrations = status(path, authority, wait_seconds=wait_seconds, notice=notice)
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        present = {str(row[0]) for row in rows(connection, "state/tables")}
        counts = tuple(
            (table, _read(connection, table)) for table in TABLES if table in present and table not in EVIDENCE
        )
    return StateStatus(path, len(migrations.applied), migrations.pending, counts, path.stat().st_size)


def verify(
    path: Path, authority: Authority, *, files: bool = True, wait_seconds: float = 30.0, notice: Notice | None = None
) -> tuple[Finding, ...]:
    """Everything wrong with a state; empty if it is sound. Writes nothing.

    Looked for: migrations that are not this engine's, tables that are missing or unreadable (every value of every
    table is read), references that lead nowhere, rows and entries of the audit that were edited by hand, releases and
    certificates whose files were (with `files`), and blocks of the file, used or not, that are not what was written.

    Raises Refused for others than the provider, StateMissing, StateLocked, and StateDamaged if it does not open at all
    or is no state.
    """
    with opened(path, authority, read_only=True, wait_seconds=wait_seconds, notice=notice) as connection:
        findings = [*findings_in(connection, path)]
        if files and not findings:
            findings += _file_findings(connection, path)
        return tuple(findings + _block_findings(connection, path))


def findings_in(connection: DuckDBPyConnection, path: Path) -> tuple[Finding, ...]:
    """The faults of the tables of the open state, as `verify` finds them; the state stays locked.

    Raises StateDamaged if it is no state.
    """
    applied, known = applied_migrations(connection, path), known_migrations()
    findings = _migration_findings(applied, known)
    unreadable = _table_findings(connection, pending=len(applied) < len(known))
    # A statement over all tables needs all of them: it would only repeat what is unreadable.
    if not unreadable and not findings:
        findings += _shape_findings(connection, path)
    if not unreadable and not findings:
        findings += _reference_findings(connection)
        findings += [*unlike_their_seals(connection), *broken_chain(connection)]
    return tuple(findings + unreadable)


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


def _table_findings(connection: DuckDBPyConnection, *, pending: bool) -> list[Finding]:
    """Find faults in the tables; a pending migration may be the one that makes a table that is missing."""
    present = {str(row[0]) for row in rows(connection, "state/tables")}
    findings = []
    if not pending:
        findings += [Finding(table, "the table is missing") for table in TABLES if table not in present]
        others = [("table", table) for table in sorted(present.difference(TABLES, KEYS))]
        others += [(str(kind), str(name)) for kind, name in rows(connection, "state/made_by_others")]
        findings += [Finding(name, f"no command of ordermade made this {kind}") for kind, name in dict.fromkeys(others)]
    for table in sorted(present):
        try:
            _read(connection, table)
        except (duckdb.Error, UnicodeDecodeError) as error:
            damage = "its part of the file is damaged" if is_damage(error) else "it cannot be read"
            findings.append(Finding(table, f"{damage}: {_PUT_BACK}"))
    return findings


def _shape_findings(connection: DuckDBPyConnection, path: Path) -> Iterator[Finding]:
    """Parts of tables that no migration makes, or makes otherwise: no row of theirs is sealed or carried."""
    with duckdb.connect() as made:
        make_tables(made, known_migrations(), path, comments=False)
        wanted = _shapes(made)
    found = _shapes(connection)
    for part in sorted(found.keys() | wanted.keys()):
        table, kind, name = part
        if part not in wanted:
            yield Finding(table, f"no command of ordermade made its {kind} {quoted(name)}")
        elif part not in found:
            yield Finding(table, f"its {kind} {quoted(name)} is missing")
        elif found[part] != wanted[part]:
            yield Finding(table, f"its {kind} {quoted(name)} is not as ordermade makes it")


def _shapes(connection: DuckDBPyConnection) -> dict[tuple[str, str, str], str]:
    return {(table, kind, name): made for table, kind, name, made in rows(connection, "state/shapes")}


def _block_findings(connection: DuckDBPyConnection, path: Path) -> list[Finding]:
    """Verify the checksums of the file. It releases the lock on the file: run it last."""
    ((size,),) = rows(connection, "state/block_size")
    unlike = unlike_their_checksums(path, int(size))
    return (
        [Finding("file", f"{numbered(unlike, 'block of it is', 'blocks of it are')} not as written: {_PUT_BACK}")]
        if unlike
        else []
    )


def _reference_findings(connection: DuckDBPyConnection) -> list[Finding]:
    return [
        Finding(str(reference), f"{numbered(broken, 'row does', 'rows do')} not fit what is referred to")
        for reference, broken in rows(connection, "state/orphans")
        if broken
    ]


def _file_findings(connection: DuckDBPyConnection, path: Path) -> Iterator[Finding]:
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


def _read(connection: DuckDBPyConnection, table: str) -> int:
    """Read every value of a table; its number of rows."""
    row: Any = connection.execute(_reading(table)).fetchone()
    return int(row[0])


@cache
def _reading(table: str) -> str:
    return sql.text(sql.with_relations(sql.select("state/table_read"), {"requests": sql.table(table)}))
