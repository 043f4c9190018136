"""Map each released row to its original row, and each pseudonym to its customer: by a map, or by place."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.any_table import column_named
from ordermade.errors import InputError
from ordermade.evaluation.pair import Original, Released
from ordermade.evaluation.tables import KEPT, MAP_READ, TRUTH, carried, drop, filled, for_numbers, keep, row
from ordermade.hierarchies.column_types import is_date, is_number
from ordermade.least_k import numbered
from ordermade.measuring.dataset import Dataset
from ordermade.requests.resolve_history import MAP_ROW
from ordermade.sources.executor import Executor

MAPPED, COPIES = "mapped", "copies"


@dataclass(frozen=True, slots=True)
class Histories:
    """The different histories of a release, and the customers who share one: `k` at least, `largest` at most.

    `customers`: of the original; `named`: those of them who are in the release.
    """

    k: int
    histories: int
    largest: int
    customers: int
    named: int


def by_rows(executor: Executor, original: Original, released: Released) -> None:
    """Map each released row to the original row at the same place. Raises InputError."""
    if released.written != original.records:
        raise InputError(
            f"the release has {released.written:,} rows and the original {original.records:,}",
            where="--map rows",
            next_step="Row for row there are as many of each, deleted ones as *; else give the path of a map.",
        )
    keep(executor, KEPT, filled("kept_by_row"))


def by_map(dataset: Dataset, executor: Executor, original: Original, released: Released) -> None:
    """Map each released row to its original row by a map file.

    Raises InputError, with counts only, where the map does not fit both; UnknownName for columns that it lacks.
    """
    _read_map(dataset, executor, original)
    keep(executor, MAPPED, _in_original(filled("mapped", places=original.places), original), original.unit_of)
    keep(executor, COPIES, filled("copies", places=original.places))
    drop(executor, MAP_READ)
    keep(executor, KEPT, filled("kept_by_map", places=original.places))
    counted = row(executor, filled("map_lines"))
    found = int(row(executor, filled("kept_lines"))["kept"])
    drop(executor, MAPPED, COPIES)
    rows, named, there = (int(counted[each]) for each in ("rows", "named", "there"))
    wrong = (
        (
            rows - named,
            "row of the map names",
            "rows of the map name",
            "no row of the release by its number, or one that another names too",
        ),
        (
            named - there,
            "row of the map names",
            "rows of the map name",
            "rows that the release does not have, or that are deleted there",
        ),
        (released.rows - there, "row of the release is", "rows of the release are", "not in the map"),
        (rows - found, "row of the map is", "rows of the map are", "not in the original, or more often than there"),
    )
    for number, one, many, what in wrong:
        if number:
            raise InputError(
                f"{numbered(number, one, many)} {what}",
                where=dataset.name,
                next_step="Give the map of this release and the original with the same --where as when it was made.",
            )


def histories(executor: Executor) -> Histories:
    """Map each pseudonym to its customer (stored as `TRUTH`), and return the k of the release.

    Raises InputError where a pseudonym stands for several customers.
    """
    keep(executor, TRUTH, filled("truth"))
    shared = int(row(executor, filled("shared_pseudonyms"))["shared"])
    if shared:
        raise InputError(
            f"{numbered(shared, 'pseudonym stands', 'pseudonyms stand')} for several customers of the original",
            where="--map",
            next_step="A pseudonym is one customer's: see that map, release and --pseudonym belong together.",
        )
    found = {name: int(value) for name, value in row(executor, filled("shared_histories")).items()}
    return Histories(found["k"], found["histories"], found["largest"], found["customers"], found["named"])


def _read_map(dataset: Dataset, executor: Executor, original: Original) -> None:
    columns = [each.name for each in dataset.columns]
    roles = original.roles
    named = {name: column_named("--map", name, columns) for name in (roles.customer, *roles.released)}
    tree = sql.with_columns(
        filled("map"),
        {
            "dataset.id": named[roles.customer],
            "dataset.qi": named[roles.item],
            "dataset.moment": named[roles.when],
            "dataset.line": column_named("--map", MAP_ROW, columns),
        },
    )
    carried(dataset, for_numbers(tree, [named[each] for each in roles.numbers], "measured", 2), executor, MAP_READ)


def _in_original(tree: exp.Select, original: Original) -> exp.Select:
    """The tree with customers and items of the map read as the columns of the original are, so that 7 is 7.0 there."""
    types = {
        "customer": original.types[original.roles.customer],
        "item": original.types[original.roles.item],
    }
    for cast in list(tree.find_all(exp.TryCast)):
        kind = types.get(cast.this.name)
        if kind is not None:
            typed = kind if is_number(kind) or is_date(kind) else "VARCHAR"
            cast.set("to", exp.DataType.build(typed, dialect=sql.DIALECT))
    return tree
