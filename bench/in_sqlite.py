"""A request of a SQLite file up to its decision, against SQLite's own hand-written GROUP BY of the same columns."""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import time
from collections.abc import Mapping, Sequence
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import duckdb

from bench.figure import Figure, median
from bench.members import Bench, Run, timed
from ordermade import Engine, initialise
from ordermade.demo.tables import MEMBERS
from ordermade.sources.executor import Purpose

REPETITIONS = 5
Columns = Mapping[str, Mapping[str, Any]]
FOUR: Columns = {"sex": {}, "age": {}, "prefecture": {}, "occupation": {}}
SIX: Columns = {**FOUR, "plan": {}, "joined": {"from": "year"}}
MOST = 3.0
"""So many times the hand-written GROUP BY the request may take up to its decision."""


def four(bench: Bench) -> Sequence[Figure]:
    """The figures of four columns of a million members, the row hash and the opening apart."""
    found = _measured(bench, FOUR)
    hand, decided, version, opening = (median(each) for each in found)
    return [
        Figure(
            "request up to its decision / GROUP BY written by hand",
            decided / hand,
            target=MOST,
            note=f"GROUP BY {hand:.3f} s, up to the decision {decided:.3f} s; row hash and opening not in it",
        ),
        Figure("row hash / GROUP BY written by hand", version / hand, note=f"{version:.3f} s"),
        Figure("opening: types of what is stored, state", opening / hand, note=f"{opening:.3f} s"),
    ]


def six(bench: Bench) -> Sequence[Figure]:
    """The figures of six columns, from the version to the decision."""
    found = _measured(bench, SIX)
    hand, decided, version, opening = (median(each) for each in found)
    return [
        Figure(
            "row hash to decision / GROUP BY written by hand",
            (version + decided) / hand,
            target=MOST,
            note=f"GROUP BY {hand:.3f} s, row hash {version:.3f} s, from it to the decision {decided:.3f} s; "
            f"opening {opening:.3f} s not in it",
        )
    ]


def _measured(bench: Bench, columns: Columns) -> tuple[list[float], list[float], list[float], list[float]]:
    """The seconds by hand, up to the decision, of the row hash and of the opening, of runs taken in turns."""
    path = bench.folder / "members.sqlite"
    if not path.exists():
        _copy(bench.database, path)
    by_hand, decided, version, opening = [], [], [], []
    for number in range(REPETITIONS):
        name = f"sqlite-{number}"
        by_hand.append(_grouped(path, columns))
        run = timed(_engine(bench, path, name), bench.request(columns, name))
        parts = _parts(run)
        decided.append(parts["decision"])
        version.append(parts["version"])
        opening.append(parts["opening"])
        shutil.rmtree(bench.folder / name)
    return by_hand, decided, version, opening


def _copy(database: Path, path: Path) -> None:
    """The members as a SQLite file."""
    with duckdb.connect(str(database), read_only=True) as source, contextlib.closing(sqlite3.connect(path)) as made:
        described = source.execute("DESCRIBE members").fetchall()
        declared = ", ".join(f'"{name}" {kind}' for name, kind, *_ in described)
        made.execute(f"CREATE TABLE members ({declared})")
        listed = ", ".join(
            f'CAST("{name}" AS VARCHAR)' if kind == "DATE" else f'"{name}"' for name, kind, *_ in described
        )
        answer = source.execute(f"SELECT {listed} FROM members")
        places = ", ".join("?" * len(described))
        while rows := answer.fetchmany(100_000):
            made.executemany(f"INSERT INTO members VALUES ({places})", rows)
        made.commit()


def _engine(bench: Bench, path: Path, name: str) -> Engine:
    engine = Engine(bench.folder / name / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("shop", str(path))
    engine.datasets.add("members", "shop", table="members", least_k=2)
    with as_file(MEMBERS) as data:
        for file in sorted((data / "hierarchies").iterdir()):
            engine.hierarchies.add(file.stem, file)
    return engine


def _grouped(path: Path, names: Columns) -> float:
    columns = ", ".join(f'"{name}"' for name in names)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        started = time.perf_counter()
        connection.execute(f"SELECT {columns}, COUNT(*) FROM members GROUP BY {columns}").fetchall()
        return time.perf_counter() - started


def _parts(run: Run) -> dict[str, float]:
    steps = dict(run.timeline.steps)
    begun = run.ended - run.seconds
    hashed = next(at for each, at in run.timeline.statements if each.purpose is Purpose.VERSION)
    return {
        "opening": steps["dataset version"] - begun,
        "version": hashed - steps["dataset version"],
        "decision": steps["release"] - hashed,
    }
