"""The form of the request builder: read into the text of a request file, which the service reads as any other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import yaml

from ordermade import sql
from ordermade.errors import InputError, quoted
from ordermade.hierarchies.interval_labels import span_of_label
from ordermade.phrases import phrase
from ordermade.policies.scales import suppression_limits
from ordermade.requests.numbers import plain

if TYPE_CHECKING:
    from ordermade.portal.visits import Visit
    from ordermade.service.user_catalogue import OfferedColumn, OfferedDataset

SHAPES: Mapping[str, str] = {"rows": "data.csv", "table": "table.csv"}
"""The shapes of a release that the builder offers, each with the name of its file."""
CHOSEN = "use."
"""What the fields begin with that have what was chosen for a column."""
_LEAVE, _KEEP, _GENERALISE = "", "keep", "at"


@dataclass(frozen=True, slots=True)
class ColumnChoice:
    """What may be chosen for a column: the value of the option, and the level of a hierarchy; None: as it is."""

    option: str
    hierarchy: str = ""
    level: int = 0
    name: str = ""
    example: str = ""


def choices(column: OfferedColumn, dataset: OfferedDataset) -> tuple[ColumnChoice, ...]:
    """The finest levels that may be chosen for a column, hierarchy by hierarchy."""
    listed = [
        ColumnChoice(_option(hierarchy.name, level.number), hierarchy.name, level.number, level.name, level.example)
        for hierarchy in column.hierarchies
        for level in hierarchy.levels[:-1]
        if level.number >= _finest(column, hierarchy.levels)
    ]
    others = () if column.hierarchies else dataset.others
    return (*listed, *(ColumnChoice(_option(each, 0), each) for each in others))


def limits(dataset: OfferedDataset) -> tuple[str, ...]:
    """The suppression limits that may be chosen, as decimals."""
    return tuple(f"{each:f}" for each in suppression_limits(dataset.policy.scales, dataset.policy.suppression))


def filter_example(dataset: OfferedDataset) -> str:
    """A row filter by a column of the dataset, empty where none may be filtered by.

    It parts numbers where a class of the coarsest level begins, and else has a made-up text.
    """
    filtered = [each for each in dataset.columns if each.filtered]
    for column in filtered:
        if (bound := _coarse_bound(column)) is not None:
            return f"{_identifier(column.name)} >= {bound}"
    return next((f"{_identifier(each.name)} = 'A'" for each in filtered if each.kind == "text"), "")


def _coarse_bound(column: OfferedColumn) -> str | None:
    """Where a class begins at the coarsest level below `*` of the first intervals of a column; None: it has none."""
    intervals = next((each for each in column.hierarchies if each.kind == "interval"), None)
    span = None if intervals is None else span_of_label(intervals.levels[-2].example)
    bound = None if span is None else next((each for each in span if each is not None), None)
    return None if bound is None else plain(Decimal(bound.numerator) / bound.denominator)


def _identifier(name: str) -> str:
    return name if name.isidentifier() else sql.quoted(name)


def request_text(visit: Visit, dataset: OfferedDataset) -> str:
    """The text of the request that the form asks for. Raises InputError for a form of another dataset's columns."""
    shape = visit.entry("shape", 20)
    if shape not in SHAPES:
        raise InputError(phrase("the form names no shape"), where="shape", next_step=phrase("Load the page again."))
    grouped = dict(_generalised(visit, dataset))
    if not grouped:
        raise InputError(
            phrase("no column is generalised"),
            where="columns",
            next_step=phrase("Choose a level for one column or more."),
        )
    asked: dict[str, Any] = {"title": visit.entry("title", 200), "dataset": dataset.name, "k": visit.number("k")}
    limit = Decimal(visit.entry("limit", 20) or "0") if visit.entry("limit", 20) in ("", *limits(dataset)) else None
    if limit is None:
        raise InputError(
            phrase("the form names no suppression limit"), where="limit", next_step=phrase("Load the page again.")
        )
    if limit:
        asked["suppression_limit"] = float(limit)
    if where := visit.entry("where"):
        asked["where"] = where
    asked["quasi_identifiers"] = grouped
    asked |= _as_they_are(visit, dataset, shape)
    asked["release"] = {"to": SHAPES[shape]} | ({"shape": "table"} if shape == "table" else {})
    return yaml.safe_dump(asked, allow_unicode=True, sort_keys=False, width=110)


def _generalised(visit: Visit, dataset: OfferedDataset) -> Iterator[tuple[str, dict[str, Any]]]:
    for place, column in enumerate(dataset.columns):
        chosen = _chosen(visit, place, column)
        if chosen in (_LEAVE, _KEEP):
            continue
        found = next((each for each in choices(column, dataset) if each.option == chosen), None)
        if found is None:
            raise InputError(
                phrase("the form names no level"), where=column.name, next_step=phrase("Load the page again.")
            )
        yield column.name, {"hierarchy": found.hierarchy} | ({"from": found.level} if found.level else {})


def _as_they_are(visit: Visit, dataset: OfferedDataset, shape: str) -> dict[str, Any]:
    """The columns that are released as they are: kept, or under the models that the policy asks for.

    Raises InputError where a table of counts is to have one.
    """
    chosen = [each for place, each in enumerate(dataset.columns) if _chosen(visit, place, each) == _KEEP]
    if chosen and shape == "table":
        raise InputError(
            phrase("a table of counts does not release %(column)s as it is", column=quoted(chosen[0].name)),
            where="columns",
            next_step=phrase("Choose a level for it, the original value for one, or ask for microdata."),
        )
    models = {name.casefold(): each for name, each in dataset.policy.models.items()}
    sensitive = {
        each.name: [model.model_dump(mode="json", exclude_defaults=True) | {"model": model.model} for model in found]
        for each in chosen
        if (found := models.get(each.name.casefold()))
    }
    kept = [each.name for each in chosen if each.name not in sensitive]
    return ({"sensitive": sensitive} if sensitive else {}) | ({"keep": kept} if kept else {})


def _chosen(visit: Visit, place: int, column: OfferedColumn) -> str:
    """What was chosen for a column. Raises InputError where the columns moved since the page was loaded."""
    if visit.entry(f"column.{place}", 300) != column.name:
        raise InputError(
            phrase("the columns have changed meanwhile"), where="columns", next_step=phrase("Load the page again.")
        )
    return visit.entry(f"{CHOSEN}{place}", 300)


def _option(hierarchy: str, level: int) -> str:
    return f"{_GENERALISE}:{level}:{hierarchy}"


def _finest(column: OfferedColumn, levels: Any) -> int:
    """The number of the finest level that the policy lets a column have; of a name that the hierarchy lacks 0."""
    if column.finest is None:
        return 0
    named = next((each.number for each in levels if each.name == column.finest), None)
    return named if named is not None else int(column.finest) if column.finest.isdecimal() else 0
