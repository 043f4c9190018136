"""What counting persons costs beside counting rows: the frequency set and every k-check of a search, side by side.

A million rows of two hundred thousand persons, the members of the demo as visits. The two ends: a person's
quasi-identifiers are the same in every row, or drawn anew in each.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping, Sequence
from importlib.resources import as_file
from pathlib import Path

import duckdb

from bench.figure import Figure, median
from bench.members import COARSE, FINE, ROWS, Bench
from ordermade.demo.members import DATA
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.measuring.counting import PLAIN, Counting
from ordermade.measuring.dataset import Dataset, relation
from ordermade.measuring.entity import units
from ordermade.measuring.grounding import ground
from ordermade.measuring.roll_up import CHECKS_PER_STATEMENT, RolledUp
from ordermade.measuring.stored_set import frequency_set
from ordermade.sources.backend import find_table
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.workspace import Limits

PERSONS = 200_000
NODES = 100
"""As many as a search that must prove its answer asks for."""
REPETITIONS = 3
CASES = {"constant": f"visit.i % {PERSONS} + 1", "by row": "visit.i + 1"}
"""Which member's quasi-identifiers a visit has."""
SEED = 5


def figures(bench: Bench) -> Sequence[Figure]:
    """The ratios, medians of runs taken in turns."""
    path = bench.folder / "visits.duckdb"
    _make_visits(bench.database, path)
    found = [
        _figure(path, case, since, levels) for case in CASES for since, levels in (("month", FINE), ("year", COARSE))
    ]
    path.unlink()
    return found


def _figure(path: Path, case: str, since: str, levels: Mapping[str, Mapping[str, object]]) -> Figure:
    taken: dict[bool, list[Sequence[float]]] = {False: [], True: []}
    for _ in range(REPETITIONS):
        for of_persons in (False, True):
            taken[of_persons].append(_search(path, _table(case), levels, of_persons))
    rows, persons = ([median(part) for part in zip(*taken[each], strict=True)] for each in (False, True))
    return Figure(
        f"persons / rows, columns {case}, {since} of joining",
        sum(persons) / sum(rows),
        target=3.0,
        note="rows: " + _told(rows) + "\npersons: " + _told(persons),
    )


def _told(seconds: Sequence[float]) -> str:
    persons, loading, checks = seconds
    return f"persons {persons:.2f} s, frequency set {loading:.2f} s, {NODES} k-checks {checks:.2f} s"


def _make_visits(members: Path, path: Path) -> None:
    with duckdb.connect(str(path)) as connection:
        connection.execute(f"ATTACH '{members}' AS shop (READ_ONLY)")
        for case, member in CASES.items():
            connection.execute(
                f"CREATE TABLE {_table(case)} AS "
                f"SELECT 'P' || (visit.i % {PERSONS}) AS person, m.* EXCLUDE (member_id, name) "
                f"FROM range({ROWS}) AS visit(i) "
                f"JOIN shop.main.members AS m ON m.member_id = 'M' || lpad(({member})::VARCHAR, 8, '0')"
            )
        connection.execute("DETACH shop")


def _table(case: str) -> str:
    return f"visits_{case.replace(' ', '_')}"


def _search(
    path: Path, table: str, asked_levels: Mapping[str, Mapping[str, object]], of_persons: bool
) -> tuple[float, float, float]:
    """Seconds of numbering the persons, of the frequency set, and of the k-checks."""
    backend = DuckDBFile(path, writable=False, limits=Limits("1GB"))
    try:
        found = find_table(backend, table)
        asked = Dataset(
            table, backend, relation(found.reference, None), found.columns, "person" if of_persons else None
        )
        hierarchies = _hierarchies()
        bases = {column: _base(hierarchies[column], levels) for column, levels in asked_levels.items()}
        attributes = tuple(
            ground(asked, position, column, hierarchies[column], base)
            for position, (column, base) in enumerate(bases.items(), start=1)
        )
        axes = [Axis(each.column, each.hierarchy.order, (*each.levels, each.hierarchy.top)) for each in attributes]
        lattice = Lattice(tuple(axes))
        nodes = random.Random(SEED).sample([node for node in lattice.nodes() if node != lattice.top], NODES)
        started = time.perf_counter()
        counting = Counting(entity="person", persons=units(asked).persons) if of_persons else PLAIN
        numbered = time.perf_counter()
        stored = frequency_set(asked, attributes, None, None, 0, 0, counting)
        loaded = time.perf_counter()
        measurer = RolledUp(asked, attributes, lattice, lambda: stored, counting)
        for start in range(0, NODES, CHECKS_PER_STATEMENT):
            measurer.measure(nodes[start : start + CHECKS_PER_STATEMENT])
        ended = time.perf_counter()
        return numbered - started, loaded - numbered, ended - loaded
    finally:
        backend.close()


def _hierarchies() -> Mapping[str, Hierarchy]:
    with as_file(DATA) as data:
        return {
            file.stem: read_hierarchy(file, file.stem).hierarchy for file in sorted((data / "hierarchies").iterdir())
        }


def _base(hierarchy: Hierarchy, levels: Mapping[str, object]) -> int:
    named = levels.get("from", 0)
    number = hierarchy.level_number(named) if isinstance(named, int | str) else None
    return number or 0
