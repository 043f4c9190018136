"""A well-filled state, damaged in one place after the other: what `state verify` says of it, and what is still true.

Run by `test_state_damage.py` in a process of its own, since a damaged file may end the process that reads it:
prints a line of JSON for each damage.
"""

from __future__ import annotations

import hashlib
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb

from ordermade import initialise
from ordermade.errors import StateFault
from ordermade.state.authority import SHELL
from ordermade.state.database import bare_connection
from ordermade.state.inspection import EVIDENCE, TABLES, verify
from ordermade.state.seals import seal_existing

BLOCK = 16384
HEADERS = 3 * 4096
"""The main header and the two that take turns; blocks begin after them."""

ROWS = 400
KINDS = ("flipped", "zeroed", "cut")
FITTING = {
    "how": "'superseded'",
    "status": "'released'",
    "role": "'keep'",
    "query_text": "NULL",
    "query_hash": "NULL",
    "path": "NULL",
    "vote": "'approve'",
}
"""Columns that only take certain values."""


def filled(path: Path) -> None:
    """A new state at `path` with many rows in every table, and blocks that nothing uses any more."""
    initialise(path)
    with bare_connection(str(path)) as connection:
        for table in (each for each in TABLES if each not in EVIDENCE):
            columns = connection.execute(
                "SELECT column_name, data_type FROM duckdb_columns() WHERE table_name = ? AND NOT internal", [table]
            ).fetchall()
            values = ", ".join(_value(table, name, kind) for name, kind in columns)
            connection.execute(f'INSERT INTO "{table}" SELECT {values} FROM range(1, {ROWS + 1}) AS r(i)')
        seal_existing(connection)
        connection.execute("CREATE TABLE gone AS SELECT sha256(i::VARCHAR) AS a FROM range(4_000) AS r(i)")
        connection.execute("CHECKPOINT")
        connection.execute("DROP TABLE gone")
        connection.execute("CHECKPOINT")


def _value(table: str, name: str, kind: str) -> str:
    if name in FITTING and table != "certificates":
        return FITTING[name]
    if (table, name) == ("observations", "node_hash"):
        column, level = (_value("observation_levels", each, "VARCHAR") for each in ("column_name", "level_hash"))
        return f"sha256('64:' || {column} || '=' || {level} || chr(10))"
    match kind:
        case "VARCHAR":
            return f"sha256('{table}{name}' || i)"
        case "BOOLEAN":
            return "i % 2 = 0"
        case "TIMESTAMP":
            return "TIMESTAMP '2026-01-01' + to_seconds(i * 7919)"
        case "BIGINT[]":
            return "[i, i + 1, hash(i) >> 3]"
        case "VARCHAR[]":
            return "[i::VARCHAR, (i + 1)::VARCHAR]"
        case "BIGINT":
            return "i"
        case "DOUBLE":
            return "i / 7.0"
    return f"i::{kind}"


def content(path: Path) -> str:
    """A hash of all that is in a state: every row of every table, the schema with its comments, the sequences."""
    digest = hashlib.sha256()
    with duckdb.connect(str(path), read_only=True) as connection:
        for query in (
            "SELECT table_name, comment, sql FROM duckdb_tables() ORDER BY table_name",
            "SELECT * EXCLUDE (database_oid, table_oid, schema_oid) FROM duckdb_columns() WHERE NOT internal",
            "SELECT table_name, constraint_text FROM duckdb_constraints() ORDER BY ALL",
            "SELECT sequence_name, start_value, last_value FROM duckdb_sequences() ORDER BY sequence_name",
            *(f'SELECT * FROM "{table}" ORDER BY ALL' for table in (*TABLES, "migrations")),
        ):
            digest.update(repr(connection.execute(query).fetchall()).encode())
    return digest.hexdigest()


def places(data: bytes) -> list[tuple[int, int]]:
    """From where up to where each header and each block reaches."""
    headers = [(at, at + 4096) for at in range(0, HEADERS, 4096)]
    return headers + [(at, min(at + BLOCK, len(data))) for at in range(HEADERS, len(data), BLOCK)]


def damaged(data: bytes, kind: str, place: int, chance: random.Random) -> bytes:
    """The file with one place damaged."""
    start, end = places(data)[place]
    changed = bytearray(data)
    match kind:
        case "flipped":
            changed[chance.randrange(start, end)] ^= 1 << chance.randrange(8)
        case "zeroed":
            changed[start:end] = bytes(end - start)
        case "cut":
            del changed[chance.randrange(start, end) :]
    return bytes(changed)


def said(path: Path) -> str:
    """What verify says of a state: nothing, its findings, or the fault that it raises."""
    try:
        return "; ".join(f"{each.where}: {each.what}" for each in verify(path, SHELL, wait_seconds=0))
    except StateFault as fault:
        return type(fault).__name__


def still_true(path: Path, whole: str) -> bool:
    """Whether all that is in the state can be read and is what it was."""
    try:
        return content(path) == whole
    except (duckdb.Error, UnicodeDecodeError):
        return False


def outcomes(folder: Path, seed: int, every: int) -> Iterator[dict[str, Any]]:
    """Each damage with what verify says and whether the content is whole; of the places, each `every`-th."""
    chance, path = random.Random(seed), folder / "state.duckdb"
    filled(path)
    data, whole = path.read_bytes(), content(path)
    yield {"kind": "none", "place": -1, "of": len(places(data)), "said": said(path), "whole": True}
    for place, kind in ((place, kind) for place in range(len(places(data))) for kind in KINDS):
        if place >= 3 and chance.randrange(every):
            continue
        hurt = damaged(data, kind, place, chance)
        path.write_bytes(hurt)
        if hurt != data:
            print(json.dumps({"about_to": [kind, place]}), file=sys.stderr, flush=True)
            yield {"kind": kind, "place": place, "said": said(path), "whole": still_true(path, whole)}
        Path(f"{path}.wal").unlink(missing_ok=True)


if __name__ == "__main__":
    for outcome in outcomes(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
        print(json.dumps(outcome), flush=True)
