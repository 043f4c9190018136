"""The values of a column as labels, numbers or spans of numbers, on either side of a release."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.column_types import is_date, is_number, is_whole
from ordermade.reports.coded import Coded
from ordermade.sources.executor import Executor, Purpose

Scale: TypeAlias = Literal["labels", "whole", "numbers", "days"]
"""How values are laid out: as labels, or as whole numbers, other numbers, or days since 1970-01-01."""


def scale_of(column_type: str | None) -> Scale:
    """The scale that values of a column of the original could have, by its SQL type; None: it is not known."""
    if column_type is None:
        return "labels"
    if is_date(column_type):
        return "days"
    if is_whole(column_type):
        return "whole"
    return "numbers" if is_number(column_type) else "labels"


@dataclass(frozen=True, slots=True)
class PlacedColumn:
    """A column of coded combinations, its values placed on a scale.

    `rows` in all, `missing` of them without a value, `stars` of the label `*`; `labels`: how many differ; `least` and
    `greatest` number, None where there is none; `in_numbers`: the rows whose label is a number or a span of numbers.
    """

    executor: Executor
    column: str
    table: str
    rows: int
    missing: int
    stars: int
    labels: int
    in_numbers: int
    least: float | None
    greatest: float | None

    @property
    def is_numeric(self) -> bool:
        """Whether every label is a number or a span of numbers, but for `*` and missing values."""
        return self.in_numbers > 0 and self.in_numbers + self.stars + self.missing == self.rows

    def rows_of(self, template: str, **parameters: object) -> list[tuple[Any, ...]]:
        """The answer of a template over its places."""
        statement = _compiled(template).filled(place=self.table)
        return self.executor.rows(Purpose.MEASURE, statement, parameters or None)


@cache
def _compiled(template: str) -> sql.Compiled:
    """A template over places, printed once for all columns."""
    tree = sql.with_relations(sql.select(template), {"place": exp.to_table("any_place")})
    return sql.compiled(tree, place="any_place")


@cache
def _compiled_places() -> sql.Compiled:
    """The statement that stores the places of the values of a column, printed once for all columns."""
    tree = sql.with_relations(sql.select("report/places"), {"sensitive": exp.to_table("any_values")})
    return sql.compiled(sql.stored("any_places", tree), places="any_places", values="any_values")


def placed(coded: Coded, column: str, scale: Scale, values: str | None = None) -> PlacedColumn:
    """The places of the values of a column on a scale.

    `values`: another table of them than the column's own, with labels in the place of values.
    """
    table = f"{coded.prefix}_places_{coded.columns.index(column) + 1}"
    bound = {"days": scale == "days", "unit": 0 if scale == "numbers" else 1}
    statement = _compiled_places().filled(places=table, values=values or coded.values(column))
    coded.executor.rows(Purpose.MEASURE, statement, bound)
    figures = _compiled("report/column").filled(place=table)
    rows, missing, labels, in_numbers, stars, least, greatest = coded.executor.rows(Purpose.MEASURE, figures)[0]
    return PlacedColumn(
        executor=coded.executor,
        column=column,
        table=table,
        rows=int(rows),
        missing=int(missing),
        stars=int(stars),
        labels=int(labels),
        in_numbers=0 if scale == "labels" else int(in_numbers),
        least=None if least is None else float(least),
        greatest=None if greatest is None else float(greatest),
    )


def frequent(column: PlacedColumn, most: int) -> tuple[tuple[str, int], ...]:
    """The most frequent labels with their rows, `most` at most."""
    found = column.rows_of("report/frequent", most=most)
    return tuple((str(label), int(n)) for label, n in found)


def rows_of(column: PlacedColumn, labels: tuple[str, ...]) -> dict[str, int]:
    """The rows of each of the labels; those that do not occur are left out."""
    if not labels:
        return {}
    found = column.rows_of("report/rows_of_labels", labels=list(labels))
    return {str(label): int(n) for label, n in found}


def spans(column: PlacedColumn, most: int) -> tuple[tuple[float | None, float | None, int], ...]:
    """The different spans of numbers in ascending order, with their rows, `most` at most; None is an open end."""
    found = column.rows_of("report/spans", most=most)
    return tuple((low, high, int(n)) for low, high, n in found)


def binned(column: PlacedColumn, edges: tuple[float, ...]) -> tuple[float, ...]:
    """The rows below the first edge, between each and the next, and from the last on: spans spread evenly over bins."""
    lows = [-_BEYOND, *edges]
    highs = [*edges, _BEYOND]
    found = dict(column.rows_of("report/binned", numbers=list(range(len(lows))), lows=lows, highs=highs))
    return tuple(float(found.get(number, 0.0)) for number in range(len(lows)))


_BEYOND = 1.7e308
"""Beyond every number of a column."""
