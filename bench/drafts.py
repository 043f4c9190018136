"""Adult with drafted hierarchies: its least Loss beside that with the hierarchies that ARX ships for it.

Full-domain generalisation, at most 2 % of the rows suppressed, the node of the least Loss, proved. Loss counts a
label's share of the values under its own hierarchy: ARX's lists 100 ages, the drafted one takes those that occur.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import yaml

from bench.figure import Figure, print_rows
from bench.local import COLUMNS, DATA
from ordermade import Engine, initialise
from ordermade.drafts.hierarchies import DraftedHierarchy

ALL_COLUMNS = (*COLUMNS, "salary-class")
KS = (5, 10, 50)
LIMIT = 0.02
TARGET = 1.15
SHIPPED, DRAFTED = "shipped", "drafted"


@dataclass(frozen=True)
class Compared:
    """The least Loss with each kind of hierarchies, for so many quasi-identifiers and a k; nodes and seconds."""

    columns: int
    k: int
    shipped: float
    drafted: float
    nodes: int
    seconds: float

    @property
    def ratio(self) -> float:
        return self.drafted / self.shipped


def show() -> Sequence[Figure]:
    """Prints the table; Loss with drafted hierarchies as a share of that with ARX's."""
    if not DATA.exists():
        print(f"\ndrafts: no data in {DATA}")
        return []
    with tempfile.TemporaryDirectory() as folder:
        found = list(compared(Path(folder)))
    headings = ("quasi-identifiers", "k", "Loss, ARX's", "Loss, drafted", "ratio", "nodes, drafted", "seconds, drafted")
    rows = [(each.columns, each.k, each.shipped, each.drafted, each.ratio, each.nodes, each.seconds) for each in found]
    print_rows("Adult with drafted hierarchies", headings, rows)
    return [
        Figure(f"Loss of drafts / of ARX's, {each.columns} columns, k = {each.k}", each.ratio, TARGET) for each in found
    ]


def compared(folder: Path, columns: Sequence[int] = (8, 9)) -> Iterator[Compared]:
    """The comparisons for the first so many quasi-identifiers, and for each k."""
    engine = registered(folder)
    for number in columns:
        for k in KS:
            losses, nodes, seconds = {}, 0, 0.0
            for kind in (SHIPPED, DRAFTED):
                request = folder / "request.yaml"
                request.write_text(asked(kind, ALL_COLUMNS[:number], k, folder), encoding="utf-8")
                started = time.perf_counter()
                result = engine.run(request)
                seconds = time.perf_counter() - started
                assert result.search.certified
                losses[kind], nodes = result.loss["loss"], result.search.nodes_in_lattice
            yield Compared(number, k, losses[SHIPPED], losses[DRAFTED], nodes, seconds)


def registered(folder: Path) -> Engine:
    """A state with Adult and a hierarchy of each kind for every column."""
    database = folder / "adult.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"CREATE TABLE adult AS FROM read_csv('{DATA / 'adult.csv'}', delim = ';')")
    engine = Engine(folder / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("source", str(database))
    engine.datasets.add("adult", "source", table="adult", least_k=2)
    for each in engine.hierarchies.suggest_all("adult", least_rows=min(KS)):
        assert isinstance(each, DraftedHierarchy)
        file = folder / f"{each.column}.yaml"
        file.write_text(each.text, encoding="utf-8")
        engine.hierarchies.add(f"{DRAFTED} {each.column}", file)
        engine.hierarchies.add(f"{SHIPPED} {each.column}", DATA / f"adult_hierarchy_{each.column}.csv", "arx")
    return engine


def asked(kind: str, columns: Sequence[str], k: int, folder: Path) -> str:
    """The request with the hierarchies of one kind."""
    request = {
        "dataset": "adult",
        "k": k,
        "suppression_limit": LIMIT,
        "quasi_identifiers": {column: {"hierarchy": f"{kind} {column}"} for column in columns},
        "search": {"objective": "loss"},
        "release": {"to": str(folder / "release.csv"), "replace": True},
    }
    return yaml.safe_dump(request, sort_keys=False)
