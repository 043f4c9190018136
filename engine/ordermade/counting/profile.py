"""The profiles of columns: values counted in the source, figures added up in the workspace."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.counting.any_table import values_statement
from ordermade.counting.dataset import Dataset
from ordermade.drafts.profile import FEW_LISTED, MAX_LISTED, QUANTILES, ColumnProfile, ValueCount
from ordermade.drafts.text_formats import BLANKS, MISSING, OR_MISSING
from ordermade.hierarchies.column_types import is_date, is_number, is_text
from ordermade.sources.backend import Column
from ordermade.sources.executor import Executor, Purpose

VALUES = "profiled_values"
"""The table of the workspace that has the counted values of the column at hand."""

LIKELY = 0.5
"""The share of the listed rows that are of a form, below which it is not looked for in all rows."""

MAX_ALIKE = 6
"""So many forms that have the same of the listed texts are counted: numbers with a unit that none has tell nothing."""

_FIRST = 40
"""A form that none of so many of the most frequent texts has is none of most of them."""


def column_profiles(
    dataset: Dataset, columns: Sequence[str] | None = None, forms: Mapping[str, str] | None = None
) -> tuple[ColumnProfile, ...]:
    """The profiles of the columns of a dataset, in its order; `columns`: of these alone, by their stored names.

    `forms`: of texts, the forms to count, each a regular expression that means the same to RE2 and to Python. Raises
    SourceFault.
    """
    wanted = [each for each in dataset.columns if columns is None or each.name in columns]
    return tuple(_profile(dataset, each, forms or {}) for each in wanted)


@cache
def _compiled(form: str) -> re.Pattern[str]:
    """The pattern of a form: to compile all of them takes longer than to look at a table, and few are needed."""
    return re.compile(form)


def _profile(dataset: Dataset, column: Column, forms: Mapping[str, str]) -> ColumnProfile:
    backend = dataset.backend
    backend.keep(Purpose.COVERAGE, VALUES, values_statement(dataset.relation, column.name))
    workspace = backend.workspace
    rows, nulls, distinct, single = (int(each or 0) for each in _rows(workspace, "profile/figures")[0])
    # Values that hardly repeat are listed in part: enough to see their form.
    most = MAX_LISTED if distinct <= MAX_LISTED and (distinct * 2 <= rows or distinct <= FEW_LISTED) else FEW_LISTED
    values = tuple(ValueCount(text, int(n)) for text, n in _rows(workspace, "profile/values", most=most))
    shortest, longest, words, digits_only = (None, None, None, False)
    found: Mapping[str, float] = {}
    unlike: Mapping[str, tuple[str, ...]] = {}
    if is_text(column.type) and distinct:
        shortest, longest, words, digits_only = _rows(workspace, "profile/texts")[0]
        found = _shares(workspace, values, forms, rows - nulls)
        unlike = {} if len(values) == distinct else _unlike(workspace, found, forms)
    is_ordered = distinct and (is_number(column.type) or is_date(column.type))
    return ColumnProfile(
        name=column.name,
        type=column.type,
        rows=rows,
        nulls=nulls,
        distinct=distinct,
        single=single,
        values=values,
        quantiles=_quantiles(workspace, column.type) if is_ordered else (),
        shortest=shortest,
        longest=longest,
        words=None if words is None else float(words),
        digits_only=bool(digits_only),
        forms=found,
        unlike=unlike,
    )


def _shares(workspace: Executor, values: Sequence[ValueCount], forms: Mapping[str, str], rows: int) -> dict[str, float]:
    """The share of all texts that are of each form, of the forms that most of the listed texts are of.

    A form is not counted where a stricter one has all texts, nor where so many before it have the same of the listed
    ones that another would tell nothing new.
    """
    listed = sum(each.rows for each in values)
    found: dict[str, float] = {}
    alike: Counter[frozenset[int]] = Counter()
    first = [each.value for each in values[:_FIRST]]
    one_is_missing = any(each.strip(BLANKS) in MISSING for each in first)
    of_none: set[str] = set()
    for name, form in forms.items():
        # Beside a form that no text has, its second one adds the texts that mean a missing value.
        if name.removesuffix(OR_MISSING) in of_none and not one_is_missing:
            continue
        pattern = _compiled(form)
        if not any(map(pattern.fullmatch, first)):
            of_none.add(name)
            continue
        of_form = frozenset(place for place, each in enumerate(values) if pattern.fullmatch(each.value))
        count = sum(values[place].rows for place in of_form)
        if count < LIKELY * listed or alike[of_form] == MAX_ALIKE:
            continue
        if listed < rows:
            count = int(_rows(workspace, "profile/form", form=form)[0][0])
        alike[of_form] += 1
        found[name] = count / rows
        if count == rows:
            break
    return found


def _unlike(workspace: Executor, shares: Mapping[str, float], forms: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Some texts that are of none of the forms that most texts are of, by each of these; none where one has all."""
    most = {name: share for name, share in shares.items() if LIKELY <= share < 1.0}
    if not most or 1.0 in shares.values():
        return {}
    widest = max(most, key=lambda name: most[name])
    texts = tuple(text for (text,) in _rows(workspace, "profile/unlike", form=forms[widest], most=FEW_UNLIKE))
    return dict.fromkeys(most, texts)


FEW_UNLIKE = 20
"""So many texts are listed at most that keep a column from being of a form."""


def _quantiles(workspace: Executor, column_type: str) -> tuple[Decimal | date, ...]:
    """The values at each part of the rows; fewer where some are infinite, no numbers, or beyond the years 1 to 9999."""
    parts: list[Decimal | date] = []
    for text, first, last in _rows(workspace, "profile/quantiles", parts=QUANTILES):
        value = _day(text) if is_date(column_type) else _number(text)
        if value is not None:
            parts += [value] * (int(last) - int(first) + 1)
    return tuple(parts)


def _day(text: str) -> date | None:
    """The day of a date or time stamp; None for one that is infinite, or of a year that Python has not."""
    try:
        return date(*map(int, text.partition(" ")[0].split("-"))) if "BC" not in text else None
    except (TypeError, ValueError):
        return None


def _number(text: str) -> Decimal | None:
    number = Decimal(text)
    return number if number.is_finite() else None


@cache
def _statement(template: str) -> str:
    """The text of a statement over the counted values, printed once for all columns."""
    return sql.text(sql.with_relations(sql.select(template), {"counted": exp.to_table(VALUES)}))


def _rows(workspace: Executor, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
    return workspace.rows(Purpose.COVERAGE, _statement(template), parameters or None)
