"""A release made from rows as plain as they come, without a search: counted, decided, written, measured, read back."""

from __future__ import annotations

import csv
import gzip
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb

from ordermade.counting.counts import ground_sensitive
from ordermade.counting.coverage import encode_counted
from ordermade.counting.dataset import Dataset, relation
from ordermade.hierarchies.read import parse_yaml
from ordermade.privacy.models import Model
from ordermade.release.files import ending_of, write_statement
from ordermade.release.measure import (
    ExpectedRelease,
    MeasuredRelease,
    ReadingPlan,
    SensitiveColumn,
    check_measured,
    distribution,
    measure_file,
)
from ordermade.release.plan import DECISIONS, Plan
from ordermade.release.rows import ReleaseCounts, count_classes, count_release, written_statement
from ordermade.release.suppress import decide
from ordermade.sources.duckdb_file import DuckDBFile
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from tests.made import Row, Value, write_table

LIMITS = Limits("256MB", 1)
COLUMNS = {"a": "INTEGER", "b": "VARCHAR", "s": "VARCHAR", "keep": "VARCHAR", "person": "INTEGER"}
HIERARCHIES = {
    "a": "mapping:\n" + "".join(f"  {age}: [{'low' if age < 3 else 'high'}, '*']\n" for age in range(1, 5)),
    "b": "mapping:\n  x: ['*']\n  y: ['*']\n  '*': ['*']\n",
}
A = {1: "low", 2: "low", 3: "high", 4: "high"}


@dataclass(frozen=True)
class Asked:
    """A request over the rows (a, b, s, keep, person): a node, k, models, how suppressed rows and persons are shown.

    `keep`: the columns whose names begin so are released as they are.
    """

    node: tuple[int, int] = (0, 0)
    k: int = 2
    models: tuple[Model, ...] = ()
    entity: bool = False
    pseudonym: bool = False
    stars: bool = False
    table: bool = False
    keep: bool = False
    columns: Mapping[str, str] = field(default_factory=lambda: COLUMNS)


@dataclass(frozen=True)
class Made:
    """A release that was written: its plan, its figures, what it measures, and the rows read back from it."""

    plan: Plan
    settled: ReleaseCounts
    written: MeasuredRelease
    rows: list[tuple[Any, ...]]


def label(row: Row, node: tuple[int, int]) -> tuple[Value, Value]:
    """What the quasi-identifiers of a row are released as at a node."""
    age = (row[0], A[int(str(row[0]))], "*")[node[0]]
    return age, row[1] if node[1] == 0 else "*"


def make(folder: Path, rows: Sequence[Row], asked: Asked, ending: str = ".parquet", local: str | None = None) -> Made:
    """The release of the rows as asked, decided by another query (over `persons`) if one is given."""
    source = folder / "s.duckdb"
    write_table(source, asked.columns, rows)
    backend = DuckDBFile(source, writable=False, limits=replace(LIMITS, writes=(folder,)))
    try:
        return _made(backend, folder / f"out{ending}", asked, local)
    finally:
        backend.close()


def plan_of(backend: DuckDBFile, asked: Asked) -> Plan:
    """The plan of what is asked, its attributes grounded in the one table of the source."""
    (table,) = backend.tables()
    entity = "person" if asked.entity else None
    dataset = Dataset("persons", backend, relation(table.reference, None), table.columns, entity)
    attributes = tuple(
        encode_counted(dataset, place, column, parse_yaml(text, column, where=column)[0], 0)
        for place, (column, text) in enumerate(HIERARCHIES.items(), 1)
    )
    return Plan(
        dataset=dataset,
        attributes=attributes,
        node=asked.node,
        kept=tuple(each for each in asked.columns if each.startswith("keep")) if asked.keep else (),
        shape="table" if asked.table else "rows",
        sensitive=(ground_sensitive(dataset, 3, "s", asked.models),) if asked.models else (),
        entity=entity,
        pseudonym="who" if asked.pseudonym else None,
        k=asked.k,
        suppresses=True,
        stars=asked.stars,
    )


def reading_of(plan: Plan, settled: ReleaseCounts) -> ReadingPlan:
    """How the release is measured once it is written."""
    workspace = plan.dataset.backend.workspace
    told = [
        SensitiveColumn(each.column, each.value_type, each.models, distribution(workspace, each))
        for each in plan.sensitive
    ]
    if plan.entity is not None and plan.pseudonym is None:
        told = []
    return ReadingPlan(
        plan.quasi_identifiers, plan.shape, plan.columns if settled.stars else (), plan.pseudonym, tuple(told)
    )


def _made(backend: DuckDBFile, path: Path, asked: Asked, local: str | None = None) -> Made:
    plan = plan_of(backend, asked)
    if local is None:
        count_classes(plan)
        decide(plan)
    else:
        backend.connection.execute(f"CREATE OR REPLACE TEMPORARY TABLE {DECISIONS} AS {local}")
    settled = count_release(plan)
    backend.workspace.rows(Purpose.RELEASE, write_statement(written_statement(plan), path, ending_of(path)))
    written = measure_file(path, reading_of(plan, settled), LIMITS)
    if settled.classes.divisions:
        rows = settled.rows if plan.shape == "rows" else settled.visible.divisions
        check_measured(written, ExpectedRelease(settled.visible, plan.k, rows, settled.stars), "here")
    return Made(plan, settled, written, read(path))


def read(path: Path) -> list[tuple[Any, ...]]:
    """The rows of a written release, in its order, read by other means than the engine's."""
    if path.name.endswith(".parquet"):
        return duckdb.read_parquet(str(path)).fetchall()
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8", newline="") as file:
        return [tuple(row) for row in list(csv.reader(file))[1:]]


@dataclass(frozen=True)
class ByHand:
    """What a release must be, found row by row: rows, what is suppressed, the sizes of the released classes."""

    rows: Counter[tuple[Value, ...]]
    suppressed_rows: int
    suppressed_persons: int
    stars: int
    sizes: list[int]
    released: list[Row]


def by_hand(rows: Sequence[Row], asked: Asked, passes: Any) -> ByHand:
    """The release of the rows, `passes` saying whether a class's values (with the persons who have them) pass."""
    classes: dict[tuple[Value, Value], list[Row]] = {}
    for row in rows:
        classes.setdefault(label(row, asked.node), []).append(row)
    units = {labels: len({row[4] for row in held}) if asked.entity else len(held) for labels, held in classes.items()}
    passing = {labels for labels, held in classes.items() if units[labels] >= asked.k and passes(held)}
    released = [row for row in rows if label(row, asked.node) in passing]
    suppressed = [row for row in rows if label(row, asked.node) not in passing]
    persons = len({row[4] for row in suppressed})
    columns = 2 + bool(asked.models) + asked.keep
    if asked.table:
        found = Counter({(*labels, units[labels]): 1 for labels in passing})
    else:
        found = Counter(
            (*label(row, asked.node), *(row[2:3] if asked.models else ()), *(row[3:4] if asked.keep else ()))
            for row in released
        )
    stars = 0
    if asked.stars and (persons if asked.entity else len(suppressed)) >= asked.k:
        stars = (persons if asked.entity else len(suppressed)) if asked.table else len(suppressed)
        found.update({("*", "*", stars): 1} if asked.table else {("*",) * columns: stars})
    return ByHand(found, len(suppressed), persons, stars, sorted(units[labels] for labels in passing), released)
