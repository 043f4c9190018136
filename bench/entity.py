"""The cost of counting persons beside counting rows, in seconds of CPU: frequency set and k-checks, whole requests.

A million rows of two hundred thousand persons, the members of the demo as visits. The two ends: a person's
quasi-identifiers are the same in every row, or drawn anew in each.
"""

from __future__ import annotations

import random
import shutil
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.resources import as_file
from pathlib import Path

import duckdb

from bench.figure import Figure, median
from bench.members import COARSE, FINE, ROWS, Bench
from ordermade.counting.counts import PLAIN, Counting, units
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation
from ordermade.counting.frequency_set import count_in_source, widen
from ordermade.counting.oracle import CHECKS_PER_STATEMENT, RolledUp
from ordermade.demo.tables import MEMBERS
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.lattice.lattice import Axis, Lattice
from ordermade.progress.waiting import Silent
from ordermade.sources.backend import find_table
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import ExecutedStatement, Purpose
from ordermade.sources.limits import Limits

PERSONS = 200_000
NODES = 100
"""More than most searches ask for: as many as one that must prove its answer."""
K = 10
COUNTING = (Purpose.FREQUENCY_SET, Purpose.ROLL_UP, Purpose.K_CHECK)
REPETITIONS = 3
CASES = {"constant": f"visit.i % {PERSONS} + 1", "by row": "visit.i + 1"}
"""The member whose quasi-identifiers a visit has."""
SEED = 5


def figures(bench: Bench) -> Sequence[Figure]:
    """The ratios, medians of runs taken in turns."""
    path = bench.folder / "visits.duckdb"
    _make_visits(bench.database, path)
    asked = [(case, since, levels) for case in CASES for since, levels in (("month", FINE), ("year", COARSE))]
    found = [_figure(path, case, since, levels) for case, since, levels in asked]
    for case, since, levels in asked:
        found += _requests(bench, path, case, since, levels)
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


def _requests(
    bench: Bench, path: Path, case: str, since: str, levels: Mapping[str, Mapping[str, object]]
) -> list[Figure]:
    """The ratios of whole requests, on a fresh state each, and of what their searches count."""
    runs: dict[bool, list[_Spent]] = {False: [], True: []}
    for number in range(REPETITIONS):
        for of_persons in (False, True):
            runs[of_persons].append(_request(bench, path, _table(case), levels, of_persons, f"{case}-{number}"))
    rows, persons = runs[False], runs[True]
    named = f"columns {case}, {since} of joining"
    counted = [median([each.counting for each in of]) for of in (rows, persons)]
    whole = [median([each.whole for each in of]) for of in (rows, persons)]
    nodes = f"{rows[0].nodes} and {persons[0].nodes} nodes"
    return [
        Figure(
            f"pak search of k = {K}, {named}",
            counted[1] / counted[0],
            target=3.0,
            note=f"frequency set, k-checks, thinking between: {counted[0]:.2f} s and {counted[1]:.2f} s for {nodes}",
        ),
        Figure(
            f"whole request, {named}",
            whole[1] / whole[0],
            target=3.0,
            note=f"{whole[0]:.2f} s and {whole[1]:.2f} s",
        ),
    ]


@dataclass
class _Spent(Silent):
    """The seconds of CPU of a request: all, and those that its frequency set and k-checks took."""

    by_purpose: defaultdict[Purpose, float] = field(default_factory=lambda: defaultdict(float))
    last: float = field(default_factory=time.process_time)
    whole: float = 0.0
    nodes: int = 0

    @property
    def counting(self) -> float:
        return sum(self.by_purpose[each] for each in COUNTING)

    def step(self, name: str) -> None:  # noqa: ARG002
        self.last = time.process_time()

    def nodes_left(self, count: int) -> None:  # noqa: ARG002
        self.last = time.process_time()

    def statement(self, statement: ExecutedStatement) -> None:
        now = time.process_time()
        self.by_purpose[statement.purpose] += now - self.last
        self.last = now


def _request(
    bench: Bench, path: Path, table: str, levels: Mapping[str, Mapping[str, object]], of_persons: bool, name: str
) -> _Spent:
    engine = bench.engine(name)
    engine.sources.add("visits", str(path))
    engine.datasets.add("visits", "visits", table=table, entity="person" if of_persons else None, least_k=2)
    identifiers = [] if of_persons else ["person"]
    request = bench.request(levels, name, K) | {"dataset": "visits", "identifiers": identifiers}
    spent = _Spent()
    started = time.process_time()
    spent.nodes = replace(engine, progress=spent).run(request, again=True).search.nodes_measured
    spent.whole = time.process_time() - started
    shutil.rmtree(bench.folder / name)
    return spent


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
            encode_counted(asked, position, column, hierarchies[column], base)
            for position, (column, base) in enumerate(bases.items(), start=1)
        )
        axes = [Axis(each.column, each.hierarchy.order, (*each.levels, each.hierarchy.top)) for each in attributes]
        lattice = Lattice(tuple(axes))
        nodes = random.Random(SEED).sample([node for node in lattice.nodes() if node != lattice.top], NODES)
        started = time.process_time()
        counting = Counting(entity="person", persons=units(asked).persons) if of_persons else PLAIN
        numbered = time.process_time()
        count_in_source(asked, attributes, counting)
        stored = widen(asked, attributes, counting)
        loaded = time.process_time()
        measurer = RolledUp(asked, attributes, lattice, lambda: stored, counting)
        for start in range(0, NODES, CHECKS_PER_STATEMENT):
            measurer.measure(nodes[start : start + CHECKS_PER_STATEMENT])
        ended = time.process_time()
        return numbered - started, loaded - numbered, ended - loaded
    finally:
        backend.close()


def _hierarchies() -> Mapping[str, Hierarchy]:
    with as_file(MEMBERS) as data:
        return {
            file.stem: read_hierarchy(file, file.stem).hierarchy for file in sorted((data / "hierarchies").iterdir())
        }


def _base(hierarchy: Hierarchy, levels: Mapping[str, object]) -> int:
    named = levels.get("from", 0)
    number = hierarchy.level_number(named) if isinstance(named, int | str) else None
    return number or 0
