"""The values of a column, of the original or of the release, as labels, numbers or spans of numbers."""

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
"""The kind of values: labels, whole numbers, other numbers, or days since 1970-01-01."""


def scale_of(column_type: str | None) -> Scale:
    """The scale of a column of the original by its SQL type; labels if the type is not known (None)."""
    if column_type is None:
        return "labels"
    if is_date(column_type):
        return "days"
    if is_whole(column_type):
        return "whole"
    return "numbers" if is_number(column_type) else "labels"


@dataclass(frozen=True, slots=True)
class ScaledColumn:
    """A column of coded combinations, its values placed on a scale.

    `table`: the table of the values on the scale. `rows`: all rows; `missing`: rows without a value; `stars`: rows with
    the label `*`. `labels`: the number of different labels. `in_numbers`: rows whose label is a number or a span of
    numbers. `least`, `greatest`: the extreme numbers, None if there is no number.
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
        """The rows of a template over the table of the column."""
        statement = _compiled(template).filled(place=self.table)
        return self.executor.rows(Purpose.MEASURE, statement, parameters or None)


@cache
def _compiled(template: str) -> sql.Compiled:
    """The text of a template over a table of places, printed once for all columns."""
    tree = sql.with_relations(sql.select(template), {"place": exp.to_table("any_place")})
    return sql.compiled(tree, place="any_place")


@cache
def _compiled_places() -> sql.Compiled:
    """The text of the statement that stores such a table, printed once for all columns."""
    tree = sql.with_relations(sql.select("report/places"), {"sensitive": exp.to_table("any_values")})
    return sql.compiled(sql.stored("any_places", tree), places="any_places", values="any_values")


def placed(coded: Coded, column: str, scale: Scale, values: str | None = None, unit: str = "") -> ScaledColumn:
    """The column with its values placed on a scale, stored as a table.

    `values`: a table with labels in place of the values, used instead of the column's own. `unit`: that of Japanese
    labels of intervals.
    """
    table = f"{coded.prefix}_places_{coded.columns.index(column) + 1}"
    bound = {"days": scale == "days", "unit": 0 if scale == "numbers" else 1, "label_unit": unit}
    statement = _compiled_places().filled(places=table, values=values or coded.values(column))
    coded.executor.rows(Purpose.MEASURE, statement, bound)
    figures = _compiled("report/column").filled(place=table)
    rows, missing, labels, in_numbers, stars, least, greatest = coded.executor.rows(Purpose.MEASURE, figures)[0]
    return ScaledColumn(
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


def frequent(column: ScaledColumn, most: int) -> tuple[tuple[str, int], ...]:
    """The most frequent labels, at most `most`, each with its number of rows."""
    found = column.rows_of("report/frequent", most=most)
    return tuple((str(label), int(n)) for label, n in found)


def rows_of(column: ScaledColumn, labels: tuple[str, ...]) -> dict[str, int]:
    """The number of rows of each label; labels that do not occur are left out."""
    if not labels:
        return {}
    found = column.rows_of("report/rows_of_labels", labels=list(labels))
    return {str(label): int(n) for label, n in found}


def spans(column: ScaledColumn, most: int) -> tuple[tuple[float | None, float | None, int], ...]:
    """The first `most` spans of numbers in ascending order: low, high (None is an open end), number of rows."""
    found = column.rows_of("report/spans", most=most)
    return tuple((low, high, int(n)) for low, high, n in found)


def binned(column: ScaledColumn, edges: tuple[float, ...]) -> tuple[float, ...]:
    """The number of rows in each bin: below the first edge, between neighbouring edges, from the last edge on.

    The rows of a span count evenly along it, so a bin may have a fraction of a row.
    """
    lows = [-_BEYOND, *edges]
    highs = [*edges, _BEYOND]
    found = dict(column.rows_of("report/binned", numbers=list(range(len(lows))), lows=lows, highs=highs))
    return tuple(float(found.get(number, 0.0)) for number in range(len(lows)))


_BEYOND = 1.7e308
"""A number greater than every number of a column."""
