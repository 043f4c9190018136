"""What tests make to ask of: a state with a DuckDB source, hierarchies written as CSV, and an independent count."""

from __future__ import annotations

import csv
import hashlib
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import duckdb

from ordermade import Engine, initialise
from ordermade.files.private import FILE_MODE
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Observation
from ordermade.state.files import make_folder

Value = str | int | None
Row = tuple[Value, ...]


@cache
def _empty_state() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.sqlite"
        initialise(path)
        return path.read_bytes()


def new_state(path: Path) -> Path:
    """A fresh state at `path`, its folder made if missing: a copy of one that went through every migration."""
    make_folder(path.parent)
    path.touch(FILE_MODE, exist_ok=False)
    path.write_bytes(_empty_state())
    return path


def new_engine(folder: Path, **options: Any) -> Engine:
    """An engine on a fresh state in `folder`."""
    return Engine(new_state(folder / "state" / "state.sqlite"), **options)


def registered(engine: Engine, source: str, query: str) -> str:
    """The name of a dataset that is this query of a source and takes every k; registered if it is not yet."""
    name = hashlib.sha256(query.encode()).hexdigest()[:12]
    if all(each.name != name for each in engine.datasets.list()):
        engine.datasets.add(name, source, query=query, least_k=2)
    return name


def write_table(database: Path, columns: Mapping[str, str], rows: Sequence[Row], table: str = "persons") -> None:
    """The rows as a table of a DuckDB file; `columns` are names and types."""
    with duckdb.connect(str(database)) as connection:
        described = ", ".join(f'"{name}" {kind}' for name, kind in columns.items())
        connection.execute(f'CREATE OR REPLACE TABLE "{table}" ({described})')
        if rows:
            # A list a column: row by row it takes minutes where there are thousands.
            lists = ", ".join(f"unnest(?::{kind}[])" for kind in columns.values())
            cells = [list(each) for each in zip(*rows, strict=True)]
            connection.execute(f'INSERT INTO "{table}" SELECT {lists}', cells)


def write_hierarchy(file: Path, header: Sequence[str], paths: Sequence[Sequence[Value]]) -> Path:
    """A CSV hierarchy with a header; None as a leaf is the path of NULL."""
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(header)
        writer.writerows(["" if cell is None else cell for cell in path] for path in paths)
    return file


def label(hierarchy: ExplicitHierarchy, value: Value, level: int) -> Value:
    """What a value is released as at a level, read off the hierarchy by hand."""
    if level == hierarchy.top:
        return "*"
    if level == 0:
        return value
    leaf = None if value is None else str(value)
    return hierarchy.labels[level - 1][hierarchy.leaves.index(leaf)] if leaf in hierarchy.leaves else None


def counted(rows: Sequence[Row], hierarchies: Sequence[ExplicitHierarchy], node: Node) -> Counter[Row]:
    """The classes of a node, counted row by row."""
    return Counter(
        tuple(label(each, value, level) for each, value, level in zip(hierarchies, row, node, strict=False))
        for row in rows
    )


def observed(rows: Sequence[Row], hierarchies: Sequence[ExplicitHierarchy], node: Node) -> Observation:
    """The observation of a node, counted row by row."""
    return Observation.from_histogram(Counter(counted(rows, hierarchies, node).values()).items())
