"""Associations of pairs of columns: Cramér's V of labels, Pearson's correlation of numbers, eta of one with the other.

Cramér's V has its bias corrected (Bergsma 2013), and so has eta (epsilon squared, Kelley 1935), or they would grow with
the number of labels: a birth date would explain anything. A correlation is given without its sign. Numbers of a release
are the middles of their spans, a span with an open end left out; those of the original are its values. Labels of the
original are those of the released level, or its values where rows of the release are at several levels.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import combinations

from sqlglot import exp

from ordermade import sql
from ordermade.reports.coded import Coded
from ordermade.reports.places import ScaledColumn
from ordermade.sources.executor import Purpose

MAX_COLUMNS = 8
"""So many columns are paired."""

MAX_CATEGORIES = 1_000
"""Columns of more labels than this are paired with none."""

Pair = tuple[str, str]
Measured = Mapping[Pair, tuple[str, float | None]]
"""By the names of two columns, the measure of their association and its figure, None where there is none."""


def associations(coded: Coded, columns: Sequence[ScaledColumn], numeric: Sequence[str]) -> Measured:
    """The association of each pair of columns; those named in `numeric` are taken as numbers."""
    if len(columns) < 2:
        return {}
    table = f"{coded.prefix}_grouped"
    coded.executor.store(Purpose.MEASURE, table, _grouped(coded, columns, numeric))
    found: dict[Pair, tuple[str, float | None]] = {}
    for one, other in combinations([each.column for each in columns], 2):
        found[one, other] = _association(coded, table, one, other, numeric)
    return found


def _grouped(coded: Coded, columns: Sequence[ScaledColumn], numeric: Sequence[str]) -> exp.Select:
    """The combinations by category, or middle of the span, of each column."""
    tree = sql.select("report/categories")
    category, middle, n = tree.expressions
    join = tree.args["joins"][0]
    values, joins = [], []
    for each in columns:
        value = (middle if each.column in numeric else category).unalias()
        values.append(sql.with_table(value.copy(), "place", each.table))
        filled = sql.with_columns(join.copy(), {"coded.cell": coded.code(each.column)})
        filled = sql.with_table(filled, "place", each.table)
        filled.set("this", exp.to_table(each.table))
        joins.append(filled)
    named = [exp.alias_(value, coded.code(each.column)) for value, each in zip(values, columns, strict=True)]
    tree.set("expressions", [*named, n])
    tree.set("joins", joins)
    tree.set("group", exp.Group(expressions=[each.copy() for each in values]))
    return sql.with_relations(tree, {"coded": exp.to_table(coded.table)})


def _association(coded: Coded, table: str, one: str, other: str, numeric: Sequence[str]) -> tuple[str, float | None]:
    if one in numeric and other in numeric:
        n, products, ones, others = _row(coded, table, "report/moments", one, other)
        if not n or not ones or not others:
            return "correlation", None
        return "correlation", _share(abs(products) / math.sqrt(ones * others))
    if one in numeric or other in numeric:
        by, of = (other, one) if one in numeric else (one, other)
        n, between, whole, labels = _row(coded, table, "report/variances", by, of)
        return "eta", correlation_ratio(between / whole, int(n), int(labels)) if n and whole else None
    phi_squared, n, ones, others = _row(coded, table, "report/contingency", one, other)
    return "cramers_v", cramers_v(float(phi_squared), int(n), int(ones), int(others)) if n else None


def _row(coded: Coded, table: str, template: str, one: str, other: str) -> Sequence[float]:
    columns = {"one": f'"{coded.code(one)}"', "other": f'"{coded.code(other)}"'}
    statement = _compiled(template).filled(grouped=table, **columns)
    found: Sequence[float] = coded.executor.rows(Purpose.MEASURE, statement)[0]
    return found


@cache
def _compiled(template: str) -> sql.Compiled:
    """A template over pairs of columns, printed once for all pairs."""
    tree = sql.with_columns(sql.select(template), {"grouped.one": "any_one", "grouped.other": "any_other"})
    tree = sql.with_relations(tree, {"grouped": exp.to_table("any_grouped")})
    return sql.compiled(tree, one='"any_one"', other='"any_other"', grouped="any_grouped")


def cramers_v(phi_squared: float, n: int, ones: int, others: int) -> float | None:
    """Cramér's V of a table of `n` rows with so many labels each way, its bias corrected; None where one has one label.

    `phi_squared`: the chi-squared statistic / n.
    """
    if min(ones, others) < 2 or n < 2:
        return None
    corrected = max(0.0, phi_squared - (ones - 1) * (others - 1) / (n - 1))
    least = min(each - (each - 1) ** 2 / (n - 1) for each in (ones, others)) - 1
    return _share(math.sqrt(corrected / least)) if least > 0 else None


def correlation_ratio(explained: float, n: int, labels: int) -> float | None:
    """Eta of `n` numbers by so many labels, its bias corrected; None where each number has a label of its own.

    `explained`: the share of the variance that lies between the means of the labels.
    """
    if n <= labels:
        return None
    return _share(math.sqrt(max(0.0, 1.0 - (1.0 - explained) * (n - 1) / (n - labels))))


def _share(figure: float) -> float:
    return min(1.0, figure)
