"""A state with a source, a dataset and hierarchies, made once and copied for each test that changes it."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from tests.made import Row, Value, new_engine, write_hierarchy, write_table

WHERE = "ORDERMADE_TEST_PERSONS"
"""The environment variable that the source's location refers to, so that a copied state finds the copied database."""

Paths = tuple[Sequence[str], Sequence[Sequence[Value]]]


def prepare(
    folder: Path, columns: Mapping[str, str], rows: Sequence[Row], hierarchies: Mapping[str, Paths], *, writable: bool
) -> Path:
    """The folder, with table `persons` in s.duckdb, registered as source `s` and dataset `d`."""
    engine = new_engine(folder)
    write_table(folder / "s.duckdb", columns, rows)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WHERE, str(folder))
        engine.sources.add("s", f"${{{WHERE}}}/s.duckdb", writable=writable, allow_inline=True)
        engine.datasets.add("d", "s", table="persons", least_k=2)
    for name, paths in hierarchies.items():
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", *paths), "header")
    return folder


def copied(prepared: Path, folder: Path, patch: pytest.MonkeyPatch, **options: Any) -> Engine:
    """An engine on a copy of a prepared folder."""
    shutil.copytree(prepared, folder, dirs_exist_ok=True)
    patch.setenv(WHERE, str(folder))
    return Engine(folder / "state" / "state.sqlite", **options)
