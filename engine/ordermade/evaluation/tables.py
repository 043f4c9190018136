"""The workspace of an evaluation: table names, templates filled per column, batches read in.

ORIGINAL_RECORDS    record, customer, u1, u2, …, item, element     a row: one of the original
    RELEASED_RECORDS    line, pseudonym, low_1, high_1, …, item_set    a row: one of the release
    RELEASED_SETS       item_set, element, size, goods                 a row: one element of a set of items
    RELEASED_HISTORIES  pseudonym, history, rows                       a row: one pseudonym
    TRUTH               pseudonym, customer                            a row: one pseudonym and whose it is
    KEPT                record, line                                   a row: one of the original that was released

`u1` is the day, `u2` and on the numbers, all in whole units (BIGINT); `low_i` and `high_i` their released ends, in
the same units (DOUBLE, equal where one value is released, NULL where the cell is deleted). `item` is the number of the
good; `element` the number of its name in the release: of its class where there is a taxonomy, else of the good
itself. `item_set`: NULL where the cell is deleted; `size` the elements of the set, `goods` the goods of the original in
all of them, where an element that is none counts as one. `record` counts from 0 in the order of the original, `line`
from 1 in that of the release. Customers and pseudonyms are numbers from 0 in the order of their texts. Rows of the
release that are `*` throughout, pseudonym and all, are in no table. Pseudonyms of one `history` have the same rows, in
any order.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Dataset
from ordermade.errors import InputError
from ordermade.privacy.released_labels import Label, in_order
from ordermade.progress.waiting import Progress
from ordermade.sources.executor import Executor, Purpose, arrow
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

ORIGINAL_RECORDS = "original_records"
RELEASED_RECORDS = "released_records"
RELEASED_SETS = "released_sets"
RELEASED_HISTORIES = "released_histories"
TRUTH = "truth"
KEPT = "kept"

# The tables that these are made from.
ORIGINAL_READ = "original_read"
RELEASE_READ = "release_read"
MAP_READ = "map_read"
CUSTOMERS = "judged_customers"
PSEUDONYMS = "judged_pseudonyms"
GOODS = "goods"
ELEMENTS = "elements"
SET_SIZES = "set_sizes"


@dataclass(frozen=True, slots=True)
class Pair:
    """An original and its release, in the tables of one workspace.

    `numbers`: the columns of numbers by name, in the order of u2, u3, …. `customers`: of the original. `k`: the least
    number of customers who share a whole history.
    """

    executor: Executor
    numbers: tuple[str, ...]
    customers: int
    pseudonyms: int
    k: int


_NUMBERED = re.compile(r"(?P<name>[a-z_]+?)(?P<place>[12])")


def filled(name: str, tables: Mapping[str, str] | None = None, *, places: int = 0, of: int = 1) -> exp.Select:
    """The template `name` with every column whose name ends in the number `of` once for each up to `places`.

    `tables`: which tables of the workspace stand in for those it names otherwise. With fewer `places` than `of` these
    columns are left out.
    """
    tree = sql.select(name)
    if places:
        for_columns(tree, of, places)
    return sql.with_relations(tree, {known: exp.to_table(table) for known, table in (tables or {}).items()})


def for_columns(tree: exp.Expr, of: int, places: int) -> None:
    """Repeat the fragments about column `of`, in every list and condition, for each column from it to `places`."""
    for key, value in list(tree.args.items()):
        if isinstance(value, list):
            tree.set(key, [each for item in value for each in _for_each(item, of, places)])
        elif isinstance(value, exp.And | exp.Or):
            joined: Callable[..., exp.Expr] = exp.and_ if isinstance(value, exp.And) else exp.or_
            parts = [each for part in value.flatten() for each in _for_each(part, of, places, whole=True)]
            tree.set(key, joined(*parts, copy=False) if parts else None)
        elif isinstance(value, exp.Expr):
            for_columns(value, of, places)


def _for_each(item: object, of: int, places: int, *, whole: bool = False) -> Iterable[object]:
    """The item for each column, if it is a column of that number or is called so, or a condition that has one."""
    if not isinstance(item, exp.Expr):
        return [item]
    named = item.this if isinstance(item, exp.Ordered) else item
    about = _place_of(named.alias_or_name) == of if isinstance(named, exp.Column | exp.Alias) else False
    if whole:
        about = about or any(_place_of(each.name) == of for each in item.find_all(exp.Column))
    if about:
        return [_renumbered(item.copy(), of, place) for place in range(of, places + 1)]
    for_columns(item, of, places)
    return [item]


def _renumbered(item: exp.Expr, of: int, place: int) -> exp.Expr:
    for node in item.find_all(exp.Identifier, exp.Placeholder):
        if _place_of(node.name) == of and not node.args.get("quoted"):
            node.set("this", f"{node.name[:-1]}{place}")
    return item


def _place_of(name: str) -> int | None:
    found = _NUMBERED.fullmatch(name)
    return int(found["place"]) if found else None


def for_numbers(tree: exp.Select, numbers: Sequence[str], stand_in: str, first: int) -> exp.Select:
    """The tree with its item about the column `dataset.<stand_in>` once for each of these columns of a table as it is.

    The resulting columns are numbered from `first` on.
    """
    found: list[exp.Expr] = []
    for item in tree.expressions:
        if not any(each.name == stand_in for each in item.find_all(exp.Column)):
            found.append(item)
            continue
        name = item.alias[:-1]
        for place, column in enumerate(numbers, start=first):
            filled = sql.with_columns(item.copy(), {f"dataset.{stand_in}": column})
            found.append(exp.alias_(filled.unalias(), f"{name}{place}"))
    tree.set("expressions", found)
    return tree


@contextlib.contextmanager
def workspace(limits: Limits, progress: Progress) -> Iterator[Executor]:
    """An embedded database for tables of several sources; deleted at the end."""
    with SpillFolder() as spill:
        connection = connect(None, spill, limits)
        try:
            yield Executor(connection, "workspace", listener=progress.statement)
        finally:
            connection.close()


def carried(dataset: Dataset, query: exp.Query, executor: Executor, table: str) -> None:
    """Store the answer of a statement over an open table as `table` of the workspace, in its order.

    Raises InputError where there are no rows, SourceFault.
    """
    used = dict.fromkeys(each.name for each in query.find_all(exp.Column) if each.table == "dataset")
    stored = sql.with_relations(
        exp.select(*(sql.column(name, "dataset") for name in used)).from_("dataset"), {"dataset": dataset.relation}
    )
    filled = sql.with_relations(query, {"dataset": stored})
    batches = dataset.backend.read(Purpose.RECORDS, filled, part="dataset")
    first = next(batches, None)
    if first is None:
        raise no_rows(dataset.name)
    executor.take(Purpose.RECORDS, table, arrow().RecordBatchReader.from_batches(first.schema, chain([first], batches)))


def label_classes(
    dataset: Dataset, columns: Sequence[str], most: int | None = None
) -> tuple[list[tuple[Label, ...]], npt.NDArray[np.intp]]:
    """The distinct combinations of texts in these columns, in order, and the rows of each; `most` of them, or all.

    Raises InputError where there is no row.
    """
    tree = sql.select("measure/label_classes")
    for_columns(tree, 1, len(columns))
    counted = tree.args["from_"].this.this.args["from_"].this.this
    for item, name in zip(counted.expressions[:-1], columns, strict=True):
        sql.with_columns(item, {"dataset.qi": name})
    counted.set("group", exp.Group(expressions=[sql.column(name, "dataset") for name in columns]))
    statement = sql.with_relations(tree if most is None else tree.limit(most), {"dataset": dataset.relation})
    answer = dataset.backend.read(Purpose.MEASURE, statement, part="counted").read_all()
    if not answer.num_rows:
        raise no_rows(dataset.name)
    *labels, rows = (each.to_pylist() for each in answer.columns)
    found = sorted(zip(zip(*labels, strict=True), rows, strict=True), key=lambda each: in_order(each[0]))
    return [each for each, _ in found], np.array([int(n) for _, n in found], dtype=np.intp)


def no_rows(name: str) -> InputError:
    """The error for a table without rows."""
    return InputError("there are no rows in it", where=name, next_step="Give a table that has some.")


def keep(executor: Executor, table: str, query: exp.Query, parameters: Mapping[str, object] | None = None) -> None:
    """Store the answer of a statement over the workspace as a table of it."""
    executor.store(Purpose.MEASURE, table, query, parameters)


def row(executor: Executor, query: exp.Query, parameters: Mapping[str, object] | None = None) -> dict[str, int | float]:
    """The one row of an answer, by the names of its columns; 0 for NULL."""
    found = executor.rows(Purpose.MEASURE, query, parameters)[0]
    return {name: value or 0 for name, value in zip(query.named_selects, found, strict=True)}


def drop(executor: Executor, *tables: str) -> None:
    """Drop tables that are no longer read."""
    for table in tables:
        executor.rows(Purpose.STORE, sql.dropped(table))
