"""The names that a user may use in requests: datasets, their columns, hierarchies; and those that are not there.

What a request names is looked up before the rules of the policy: one about a column that is not there helps nobody. A
name is looked for, and the others are listed, among those alone that the user may see: a column that the policy closes
is answered by its rule, whether it is there or not. A dataset for others is none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any

from ordermade.catalogue.registered import named_hierarchies
from ordermade.errors import FilterError, UnknownName
from ordermade.phrases import phrase
from ordermade.policies.uses import uses
from ordermade.requests.columns import IN_QUOTES
from ordermade.requests.problems import FieldPath, RequestProblem
from ordermade.service.effective_policy import governing
from ordermade.service.lifecycle import DATA_USER
from ordermade.state import datasets as stored

if TYPE_CHECKING:
    from ordermade.policies.policy import Policy
    from ordermade.requests.model import Request
    from ordermade.requests.read import ReadRequest
    from ordermade.service.lifecycle import Actor
    from ordermade.state.connection import StateConnection


def is_for(policy: Policy, acting: Actor) -> bool:
    """Whether a dataset is for who acts: its policy names no recipients, or this one, or this is more than a user."""
    return not policy.recipients or acting.name in policy.recipients or bool(acting.roles - {DATA_USER})


def are_open(policy: Policy, acting: Actor, columns: Iterable[str]) -> bool:
    """Whether no rule of the policy closes any of these columns to who acts, or this is more than a user."""
    return bool(acting.roles - {DATA_USER}) or all(_is_free(policy, acting.name, each) for each in columns)


def require_dataset(connection: StateConnection, dataset: str, acting: Actor) -> None:
    """Raises UnknownName for a dataset that is not there, or not for who acts; it names those that are."""
    names = [each.name for each in stored.listed(connection)]
    known = [each for each in names if is_for(governing(connection, each).rules, acting)]
    if dataset not in known:
        raise UnknownName("dataset", dataset, known, next_step=phrase("Ask the provider which there are."))


def open_columns(connection: StateConnection, dataset: str, policy: Policy, user: str) -> Mapping[str, str]:
    """The types of the columns that a user's requests may use, by name, in the order of the dataset."""
    found = stored.columns_of(connection, stored.get(connection, dataset).id) or {}
    return {name: kind for name, kind in found.items() if _is_free(policy, user, name)}


def require_names(connection: StateConnection, read: ReadRequest[Request], user: str, acting: Actor) -> None:
    """Raises as `require_dataset`, and RequestError with every other name in a request of a user that is not there.

    Where no dataset is registered at all, nothing is looked up: the check of the request says so.
    """
    dataset, request = str(read.request.dataset), read.request
    if not stored.listed(connection):
        return
    require_dataset(connection, dataset, acting)
    policy = governing(connection, dataset).rules
    noted = stored.columns_of(connection, stored.get(connection, dataset).id)
    columns = _unknown_columns(request, noted, policy, user, open_columns(connection, dataset, policy, user))
    missing = [*(columns if noted else ()), *_unknown_hierarchies(connection, request)]
    if missing:
        raise read.refusal(RequestProblem.of(error, path, read.line(path)) for path, error in missing)


def _is_free(policy: Policy, user: str, column: str) -> bool:
    """Whether no rule of the policy closes a column to a user, whatever a request does with it."""
    own = policy.recipients.get(user)
    only = None if own is None or own.columns is None else _folded(own.columns)
    return column.casefold() not in _folded(policy.never.ask) and (only is None or column.casefold() in only)


def _unknown_columns(
    request: Request, noted: Iterable[str] | None, policy: Policy, user: str, known: Iterable[str]
) -> Iterator[tuple[FieldPath, UnknownName]]:
    """The columns that a request names and the dataset lacks, each once in a field; not those that a rule closes."""
    there = _folded(noted or ())
    for name, path in dict.fromkeys(_named_columns(request)):
        if name.casefold() not in there and _is_free(policy, user, name):
            is_quoted = path == ("where",) and f'"{name}"' in (request.where or "")
            yield path, UnknownName("column", name, known, next_step=IN_QUOTES if is_quoted else "")


def _named_columns(request: Request) -> Iterator[tuple[str, FieldPath]]:
    yield from ((each.column, each.path) for each in uses(request) if each.role != "filter")
    yield from ((name, ("where",)) for name in _named_in_filter(request.where))
    for key in ("identifiers", "allow_identifying"):
        yield from ((name, (key, place)) for place, name in enumerate(getattr(request, key)))


def _named_in_filter(where: str | None) -> tuple[str, ...]:
    """The columns that a filter names, though it may be none for another reason; none where it cannot be read."""
    if where is None:
        return ()
    # sqlglot is slow to import, and most requests have no filter.
    from sqlglot import exp

    from ordermade.requests.filter_parser import read_filter

    try:
        return tuple(dict.fromkeys(each.name for each in read_filter(where).find_all(exp.Column)))
    except FilterError:
        return ()


def _unknown_hierarchies(connection: StateConnection, request: Request) -> Iterator[tuple[FieldPath, UnknownName]]:
    """The hierarchies that a request names, which are neither registered nor the user's own."""
    if not request.hierarchy_names:
        return
    known = named_hierarchies(connection, request.hierarchy_names)
    for name in sorted(request.hierarchy_names - set(known.known)):
        step = phrase("Name a registered one, or upload your own.")
        yield _field_of(request, name), UnknownName("hierarchy", name, known, next_step=step)


def _field_of(request: Request, hierarchy: str) -> FieldPath:
    """The first field that names a hierarchy; that of the column by whose name it is meant."""
    content = request.model_dump(mode="python", by_alias=True, exclude_defaults=True)
    by_name = (path for path, value in _values(content) if path[-1] == "hierarchy" and value == hierarchy)
    by_column = (each.path for each in uses(request) if each.column == hierarchy)
    return next(chain(by_name, by_column), ())


def _values(content: Any, path: FieldPath = ()) -> Iterator[tuple[FieldPath, Any]]:
    """Every value in mappings and lists that is none of these, with the keys and places that lead to it."""
    if isinstance(content, Mapping):
        parts: Iterable[tuple[str | int, Any]] = content.items()
    elif isinstance(content, list | tuple):
        parts = enumerate(content)
    else:
        yield path, content
        return
    for key, each in parts:
        yield from _values(each, (*path, key))


def _folded(names: Iterable[str]) -> frozenset[str]:
    return frozenset(each.casefold() for each in names)
