"""A well-filled state, damaged in one page after the other: what `state verify` says of it, and what is still true.

Run by `test_state_damage.py` in a process of its own, since a damaged file may end the process that reads it:
prints a line of JSON for each damage.
"""

from __future__ import annotations

import hashlib
import json
import random
import sqlite3
import sys
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from ordermade import initialise
from ordermade.errors import StateFault
from ordermade.state.authority import SHELL
from ordermade.state.connection import bindable
from ordermade.state.inspection import NOT_COUNTED, verify
from ordermade.state.observations import node_hash
from ordermade.state.seals import seal_rows
from ordermade.state.table import inserting
from ordermade.state.tables import TABLES
from tests.state_by_hand import by_hand, chain_anew

PAGE = 4096

ROWS = 400
KINDS = ("flipped", "zeroed", "cut")
FITTING: dict[str, Any] = {
    "how": "superseded",
    "status": "released",
    "role": "keep",
    "query_text": None,
    "query_hash": None,
    "path": None,
    "vote": "approve",
}
"""Columns that only take certain values."""


def filled(path: Path) -> None:
    """A new state at `path` with many rows in every table, and pages that nothing uses any more."""
    initialise(path)
    with by_hand(path) as connection:
        connection.execute("BEGIN")
        for table in (each for each in TABLES if each not in NOT_COUNTED):
            columns = {str(each[1]): str(each[2]) for each in connection.execute(f"PRAGMA table_info({table})")}
            rows = (
                [bindable(_value(table, *each, number)) for each in columns.items()] for number in range(1, ROWS + 1)
            )
            connection.executemany(inserting(table, list(columns)), rows)
        chain_anew(connection)
        seal_rows(connection)
        connection.execute("CREATE TABLE gone AS SELECT * FROM observation_models, (SELECT id FROM users LIMIT 9)")
        connection.execute("DROP TABLE gone")
        connection.execute("COMMIT")


def _value(table: str, name: str, kind: str, number: int) -> Any:
    if name in FITTING and table != "certificates":
        return FITTING[name]
    if (table, name) == ("observations", "node_hash"):
        column, level = (_value("measured_levels", each, "TEXT", number) for each in ("column_name", "level_hash"))
        return node_hash([(column, level)])
    if (table, name) == ("observations", "levels"):
        return [number]
    match kind:
        case "TEXT":
            return hashlib.sha256(f"{table}{name}{number}".encode()).hexdigest()
        case "BOOLEAN":
            return number % 2 == 0
        case "TIMESTAMP":
            return datetime(2026, 1, 1) + timedelta(seconds=number * 7919)
        case "LIST_TEXT":
            return [number, number + 1, number * 7919**4]
        case "REAL":
            return number / 7
    return number


def content(path: Path) -> str:
    """A hash of all that is in a state: every row of every table, and the statements that made the tables."""
    digest = hashlib.sha256()
    with by_hand(path) as connection:
        for query in (
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
            *(f'SELECT * FROM "{table}" ORDER BY 1, 2' for table in TABLES),
        ):
            digest.update(repr(connection.execute(query).fetchall()).encode())
    return digest.hexdigest()


def places(data: bytes) -> list[tuple[int, int]]:
    """From where up to where each page reaches."""
    return [(at, at + PAGE) for at in range(0, len(data), PAGE)]


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
    except (sqlite3.Error, ValueError, OverflowError):
        return False


def outcomes(folder: Path, seed: int, every: int) -> Iterator[dict[str, Any]]:
    """Each damage with what verify says and whether the content is whole; of the places, each `every`-th."""
    chance, path = random.Random(seed), folder / "state.sqlite"
    filled(path)
    data, whole = path.read_bytes(), content(path)
    yield {"kind": "none", "place": -1, "of": len(places(data)), "said": said(path), "whole": True}
    for place, kind in ((place, kind) for place in range(len(places(data))) for kind in KINDS):
        if place and chance.randrange(every):
            continue
        hurt = damaged(data, kind, place, chance)
        path.write_bytes(hurt)
        if hurt != data:
            print(json.dumps({"about_to": [kind, place]}), file=sys.stderr, flush=True)
            yield {"kind": kind, "place": place, "said": said(path), "whole": still_true(path, whole)}
        Path(f"{path}-journal").unlink(missing_ok=True)


if __name__ == "__main__":
    for outcome in outcomes(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])):
        print(json.dumps(outcome), flush=True)
