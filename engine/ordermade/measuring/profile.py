"""The profiles of columns: values counted in the source, figures added up in the workspace."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.drafts.profile import FEW_LISTED, MOST_LISTED, QUANTILES, ColumnProfile, ValueCount
from ordermade.hierarchies.column_types import is_date, is_number, is_text
from ordermade.measuring.any_table import values_statement
from ordermade.measuring.dataset import Dataset
from ordermade.sources.backend import Column
from ordermade.sources.executor import Executor, Purpose

VALUES = "profiled_values"
"""The table of the workspace that has the counted values of the column at hand."""

LIKELY = 0.5
"""The share of the listed rows that are of a form, below which it is not looked for in all rows."""


def column_profiles(
    dataset: Dataset, columns: Sequence[str] | None = None, forms: Mapping[str, str] | None = None
) -> tuple[ColumnProfile, ...]:
    """The profiles of the columns of a dataset, in its order; `columns`: of these alone, by their stored names.

    `forms`: of texts, the forms to count, each a regular expression that means the same to RE2 and to Python. Raises
    SourceFault.
    """
    wanted = [each for each in dataset.columns if columns is None or each.name in columns]
    return tuple(_profile(dataset, each, forms or {}) for each in wanted)


def _profile(dataset: Dataset, column: Column, forms: Mapping[str, str]) -> ColumnProfile:
    backend = dataset.backend
    backend.keep(Purpose.COVERAGE, VALUES, values_statement(dataset.relation, column.name))
    workspace = backend.workspace
    rows, nulls, distinct, single = (int(each or 0) for each in _rows(workspace, "profile/figures")[0])
    # Values that hardly repeat are listed in part: enough to see their form.
    most = MOST_LISTED if distinct <= MOST_LISTED and (distinct * 2 <= rows or distinct <= FEW_LISTED) else FEW_LISTED
    values = tuple(ValueCount(text, int(n)) for text, n in _rows(workspace, "profile/values", most=most))
    shortest, longest, words, digits_only = (None, None, None, False)
    found: dict[str, float] = {}
    if is_text(column.type) and distinct:
        shortest, longest, words, digits_only = _rows(workspace, "profile/texts")[0]
        found = _forms(workspace, values, forms, rows - nulls)
    return ColumnProfile(
        name=column.name,
        type=column.type,
        rows=rows,
        nulls=nulls,
        distinct=distinct,
        single=single,
        values=values,
        quantiles=_quantiles(workspace) if is_number(column.type) or is_date(column.type) else (),
        shortest=shortest,
        longest=longest,
        words=None if words is None else float(words),
        digits_only=bool(digits_only),
        forms=found,
    )


def _forms(workspace: Executor, values: Sequence[ValueCount], forms: Mapping[str, str], rows: int) -> dict[str, float]:
    """The share of all texts that are of each form; of those alone that most of the listed texts are of."""
    listed = sum(each.rows for each in values)
    found: dict[str, float] = {}
    for name, form in forms.items():
        pattern = re.compile(form)
        likely = sum(each.rows for each in values if pattern.fullmatch(each.value))
        if likely >= LIKELY * listed:
            found[name] = int(_rows(workspace, "profile/form", form=form)[0][0]) / rows
    return found


def _quantiles(workspace: Executor) -> tuple[Decimal | date, ...]:
    """The values at each part of the rows; fewer where some are infinite or no numbers."""
    parts: list[Decimal | date] = []
    for text, first, last in _rows(workspace, "profile/quantiles", parts=QUANTILES):
        value = _value(text)
        if value is not None:
            parts += [value] * (int(last) - int(first) + 1)
    return tuple(parts)


def _value(text: str) -> Decimal | date | None:
    """A value as a number or a date; None if it is neither, or not finite."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        try:
            number = Decimal(text)
        except InvalidOperation:
            return None
        return number if math.isfinite(number) else None


def _rows(workspace: Executor, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
    statement = sql.with_relations(sql.select(template), {"counted": exp.to_table(VALUES)})
    return workspace.rows(Purpose.COVERAGE, statement, parameters or None)
