"""The columns that a request uses, each in its role, as they are written: pure, no dataset is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from ordermade.errors import FilterError
from ordermade.requests.filter_tree import Filter, columns_of_filter
from ordermade.requests.model import Request
from ordermade.requests.problems import FieldPath
from ordermade.requests.table import TableRequest

Role: TypeAlias = Literal[
    "generalised",
    "kept",
    "sensitive",
    "aggregated",
    "within",
    "split",
    "history",
    "tabulated",
    "summed",
    "target",
    "filter",
]
"""The way in which a request uses a column."""


@dataclass(frozen=True, slots=True)
class Use:
    """A column that a request uses, as it is written there: its role, and the field that names it."""

    column: str
    role: Role
    path: FieldPath


def uses(request: Request) -> tuple[Use, ...]:
    """Every column that a request uses, but for those that it only names to leave them out."""
    return (*_released(request), *(Use(each, "filter", ("where",)) for each in filtered_by(request.where)))


def _released(request: Request) -> Iterator[Use]:
    """The columns that a request releases, whatever becomes of them, and the one that its splits look at."""
    for place, name in enumerate(request.keep):
        yield Use(name, "kept", ("keep", place))
    fields: Mapping[str, Role] = {
        "quasi_identifiers": "split" if request.method == "mondrian" else "generalised",
        "sensitive": "sensitive",
        "attributes": "aggregated",
        "within": "within",
    }
    for key, role in fields.items():
        for name in getattr(request, key, ()):
            yield Use(name, role, (key, name))
    if isinstance(request, TableRequest):
        for name, path in request.places:
            yield Use(name, "tabulated", path)
        for place, each in enumerate(request.figures):
            if each.column is not None:
                yield Use(each.column, "summed", ("cells", place))
    target = getattr(getattr(request, "mondrian", None), "target", None)
    if target is not None:
        yield Use(target, "target", ("mondrian", "target"))
    history = getattr(request, "history", None)
    if history is not None:
        for key in ("customer", "when", "item"):
            yield Use(getattr(history, key), "history", ("history", key))
        for name in history.numbers:
            yield Use(name, "history", ("history", "numbers"))


def filtered_by(where: str | None) -> tuple[str, ...]:
    """The columns of a row filter as they are written; none where there is none, or it cannot be read."""
    tree = filter_tree(where)
    return () if tree is None else columns_of_filter(tree)


def filter_tree(where: str | None) -> Filter | None:
    """The tree of a row filter, its columns as they are written; None where there is none, or it cannot be read.

    One that cannot be read with every name allowed cannot be read with the columns of the dataset either: the request
    is refused for it.
    """
    if where is None:
        return None
    # sqlglot is slow to import, and most requests have no filter.
    from ordermade.requests.row_filter import parse_alone

    try:
        return parse_alone(where)
    except FilterError:
        return None
