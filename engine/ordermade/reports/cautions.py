"""The cautions of a release: against what k does not protect, and what of it applies here, as codes with figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ordermade.privacy.models import MODELS
from ordermade.reports.figures import Caution, Count
from ordermade.reports.released import Record

SMALL_K = 5
"""A smaller k is called small."""

CODES = (
    "small_k",
    "not_persons",
    "attribute_disclosure",
    "skewness",
    "kept_unique",
    "overlapping_labels",
    "suppressed_known",
    "table_subtraction",
    "microaggregation_means",
    "history_items",
    "other_releases",
    "filter",
    "sample",
)
"""Every code of a release of rows or classes, in the order of a report."""
CODES_OF_TABLES = ("small_k", "cells_of_rows", "table_subtraction", "other_tables", "filter")
"""Those of tables with totals, in that order."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a release that cautions go by.

    `one_value`: by sensitive or kept column, the classes in which it has one value alone. `distinct`: its values.
    `rows` (or persons) that are released, star rows apart, of which there are `stars`; `narrowed`: the share of
    generalised rows that readers can narrow below their labels, None where it was not computed.
    """

    one_value: Mapping[str, int]
    distinct: Mapping[str, int]
    rows: int
    narrowed: float | None
    stars: int


def cautions(record: Record, facts: Facts, floor: int, *, for_user: bool) -> tuple[Caution, ...]:
    """The cautions that apply to a release. A user is not told that there was a filter."""
    found = _cautions(record, facts, floor, for_user)
    return tuple(sorted(found, key=lambda each: CODES.index(each.code)))


def _cautions(record: Record, facts: Facts, floor: int, for_user: bool) -> Iterator[Caution]:
    request, release = record.request, record.release
    if request.k < SMALL_K:
        yield _caution("small_k", k=request.k)
    if request.entity_column is None and request.method != "history":
        yield _caution("not_persons", rows=facts.rows)
    yield from _of_columns(record, facts)
    if request.recoding == "local":
        yield _caution("overlapping_labels", narrowed=facts.narrowed)
    if release.star_rows:
        yield _caution("suppressed_known", rows=Count.of(facts.stars, floor))
    if request.shape == "table":
        yield _caution("table_subtraction", classes=release.divisions)
    if request.method == "microaggregation":
        yield _caution("microaggregation_means", k=release.k)
    if request.method == "history":
        yield _caution("history_items", persons=release.persons)
    if record.earlier and not for_user:  # how many others have is nothing of theirs
        yield _caution("other_releases", releases=record.earlier)
    if request.filter is not None and not for_user:
        yield _caution("filter")
    if record.risk.sampling_fraction < 1:
        yield _caution("sample", fraction=float(record.risk.sampling_fraction))


def table_cautions(record: Record, cells: int, *, for_user: bool) -> tuple[Caution, ...]:
    """The cautions of a release of tables with totals, of so many cells, empty ones among them."""
    request = record.request
    found = []
    if request.k < SMALL_K:
        found.append(_caution("small_k", k=request.k))
    if request.entity_column is None:
        found.append(_caution("cells_of_rows"))
    found.append(_caution("table_subtraction", classes=cells))
    if record.earlier and not for_user:
        found.append(_caution("other_tables", releases=record.earlier))
    if request.filter is not None and not for_user:
        found.append(_caution("filter"))
    return tuple(found)


def _of_columns(record: Record, facts: Facts) -> Iterator[Caution]:
    models: dict[str, list[str]] = {}
    for figure in record.release.privacy:
        if figure.column is not None and figure.model is not None:
            models.setdefault(figure.column, []).append(figure.model)
    for column in _named(record, ("sensitive", "keep")):
        asked, alone = models.get(column, ()), facts.one_value.get(column, 0)
        if alone and not asked:
            yield _caution("attribute_disclosure", column=column, classes=alone)
        if asked and not any(name in MODELS and MODELS[name].needs_dataset for name in asked):
            yield _caution("skewness", column=column)
        if facts.distinct.get(column, 0) * 2 > facts.rows:
            yield _caution("kept_unique", column=column, values=facts.distinct[column])


def _named(record: Record, roles: Sequence[str]) -> Iterator[str]:
    return (each.column for each in record.release.columns if each.role in roles)


def _caution(code: str, **figures: Any) -> Caution:
    return Caution(code, tuple(figures.items()))
