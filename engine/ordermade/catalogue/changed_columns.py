"""The columns of a dataset that are not as they were registered: new ones, those that are gone, and other types.

Versions, requests and users' checks go by the registered columns, so that a column which somebody adds to a table
changes none of them. The provider takes changes with `dataset refresh`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import RequestError
from ordermade.hierarchies.column_types import without_labels
from ordermade.policies.uses import filtered_by, uses
from ordermade.requests.problems import field_name
from ordermade.requests.read import read_request
from ordermade.sources.backend import Column
from ordermade.state import policies, submissions

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection
    from ordermade.state.datasets import RegisteredDataset

ENDED = frozenset(["refused", "run", "delivered", "withdrawn", "expired"])
"""The states of submitted requests that read the dataset no more as they are."""


@dataclass(frozen=True, slots=True)
class GoneColumn:
    """A registered column that is no more in the table or query of its dataset."""

    name: str
    """Its name."""
    named_by: tuple[str, ...]
    """What still names it, in words; it stays registered until nothing does."""


@dataclass(frozen=True, slots=True)
class RetypedColumn:
    """A column whose type is another than the registered one."""

    name: str
    """Its name."""
    registered: str
    """The type that it was registered with."""
    type: str
    """Its type now."""


@dataclass(frozen=True, slots=True)
class ChangedColumns:
    """The columns of a dataset that are not as they were registered."""

    new: tuple[Column, ...] = ()
    """Those that it was not registered with: no request uses them, and no version is made of them."""
    gone: tuple[GoneColumn, ...] = ()
    """Those that are no more there."""
    retyped: tuple[RetypedColumn, ...] = ()
    """Those with another type, by which users are checked once it is registered."""

    def __bool__(self) -> bool:
        """Whether there is any."""
        return bool(self.new or self.gone or self.retyped)


def changed_columns(
    connection: StateConnection, dataset: RegisteredDataset, known: Mapping[str, str], columns: Sequence[Column]
) -> ChangedColumns:
    """The changes of a dataset's columns since they were registered, `known` by name with their types."""
    now = {each.name: without_labels(each.type) for each in columns}
    missing = [each for each in known if each not in now]
    named = list(_named(connection, dataset)) if missing else []
    return ChangedColumns(
        tuple(Column(name, kind) for name, kind in now.items() if name not in known),
        tuple(GoneColumn(each, tuple(_naming(each, known, named))) for each in missing),
        tuple(RetypedColumn(each, known[each], kind) for each, kind in now.items() if known.get(each, kind) != kind),
    )


def registered_anew(known: Mapping[str, str], columns: Sequence[Column], changes: ChangedColumns) -> dict[str, str]:
    """The columns to register, by name with their types: those of now, and those gone that something names."""
    kept = {each.name: known[each.name] for each in changes.gone if each.named_by}
    return {each.name: without_labels(each.type) for each in columns} | kept


def _naming(column: str, known: Collection[str], named: Sequence[tuple[str, str]]) -> Iterator[str]:
    """What names a column. Names are looked up in any case, unless the very name is that of another one."""
    found = (where for name, where in named if _is(name, column, known))
    yield from dict.fromkeys(found)


def _is(name: str, column: str, known: Collection[str]) -> bool:
    return name == column or (name not in known and name.casefold() == column.casefold())


def _named(connection: StateConnection, dataset: RegisteredDataset) -> Iterator[tuple[str, str]]:
    """The columns that the registration, the policy and open requests of a dataset name, each with what names it."""
    for column, option in ((dataset.entity_column, "--entity"), (dataset.parts_column, "--parts")):
        if column is not None:
            yield column, f"{option} of the dataset"
    for column in dataset.where_columns or ():
        yield column, "--where-columns of the dataset"
    policy = dataset.terms.policy
    if policy is not None:
        for column, path in policy.columns:
            yield column, f"policy: {field_name(path)}"
    if policy is not None and policy.filters.apart is not None:
        for text in policies.released_filters(connection, dataset.name):
            yield from ((column, "the row filter of an earlier release") for column in filtered_by(text))
    for each in submissions.listed(connection):
        if each.dataset_name == dataset.name and each.status not in ENDED:
            for column in _of_request(submissions.get(connection, each.id).in_force.request):
                yield column, f"request {each.id}"


def _of_request(text: str) -> tuple[str, ...]:
    """The columns that a request names, its row filter in it; none where its text was erased."""
    try:
        request = read_request(text).request
    except RequestError:
        return ()
    return (*(each.column for each in uses(request)), *request.identifiers)
