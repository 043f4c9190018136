"""A request resolved against what the state knows of its dataset, before its source is looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, TypeAlias

from ordermade.catalogue.registered import DatasetRegistration, described, named_hierarchies
from ordermade.errors import RequestError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.policies.enforcement import within_policy
from ordermade.privacy.least_k import DatasetTerms
from ordermade.requests.read import ReadRequest, RequestKind
from ordermade.requests.resolving import Fitting, ResolvedRequest
from ordermade.state import versions

if TYPE_CHECKING:
    from ordermade.progress.waiting import Notice
    from ordermade.state.connection import StateConnection
    from ordermade.state.versions import DatasetVersion

NEWEST_VERSIONS = 50
"""The number of newest versions of a dataset that are searched first for that of a request; then all are."""

Resolve: TypeAlias = Callable[
    [ReadRequest[RequestKind], Mapping[str, str] | None, Mapping[str, Hierarchy], str | None, DatasetTerms], Fitting
]
"""Resolves a request of one method; columns that are not known are None."""


@dataclass(frozen=True, slots=True)
class RecalledRequest(Generic[Fitting]):
    """A request resolved against the records of its dataset in the state: as it was `registered`.

    `version`: the dataset version last seen under the request's filter, None where none was; `seen`: those under any
    filter, the last seen first. `unchecked`: what only a run verifies, in words. `least_k`: the fewest rows (or
    persons) that a forecast may describe.
    """

    registered: DatasetRegistration
    resolved: Fitting
    version: DatasetVersion | None
    seen: Sequence[DatasetVersion]
    unchecked: tuple[str, ...]
    least_k: int


def recalled(
    connection: StateConnection,
    read: ReadRequest[RequestKind],
    resolve: Resolve[RequestKind, Fitting],
    notice: Notice | None,
) -> RecalledRequest[Fitting]:
    """The request resolved without its source. Raises PolicyBroken, RequestError with every mistake, UnknownName."""
    hierarchies = named_hierarchies(connection, read.request.hierarchy_names)
    found = described(connection, read.request.dataset)
    if found.terms.policy is not None:
        read = within_policy(read, found.terms, hierarchies, notice)
    number, least_k = found.dataset_id, _least_units(read, found.terms)
    for most in (NEWEST_VERSIONS, None):
        seen = () if number is None else versions.under_any_filter(connection, number, most)
        columns = versions.any_columns(connection, seen)
        resolved = _resolved(read, columns, hierarchies, found, resolve)
        if columns and resolved.filter_text is not None:
            from ordermade.requests.earlier_filters import known_as

            text = known_as(resolved.filter_text, (each.filter for each in seen), columns)
            resolved = replace(resolved, filter_text=text)
        version = _last_seen(seen, resolved, least_k) if columns else None
        if version is not None or len(seen) < NEWEST_VERSIONS:
            break
    unchecked = _unchecked(read, registered=number is not None, columns=columns)
    return RecalledRequest(found, resolved, version, seen, tuple(unchecked), least_k)


def _least_units(read: ReadRequest[RequestKind], terms: DatasetTerms) -> int:
    """The fewest rows (or persons) that a forecast may describe: the least k, or more by the policy on filters."""
    fewest = None if terms.policy is None or read.request.where is None else terms.policy.filters.persons
    return max(terms.least_k, fewest or 0)


def _resolved(
    read: ReadRequest[RequestKind],
    columns: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    found: DatasetRegistration,
    resolve: Resolve[RequestKind, Fitting],
) -> Fitting:
    try:
        return resolve(read, columns or None, hierarchies, found.entity, found.terms)
    except RequestError as error:
        if columns:
            error.add_note(
                "The dataset's columns are those it had when it was last counted; "
                "`ordermade request check` reads them from the source."
            )
        raise


def _last_seen(seen: Sequence[DatasetVersion], resolved: ResolvedRequest, least_k: int) -> DatasetVersion | None:
    """The version seen last under the request's filter, unless the dataset was seen with other columns since.

    The request is resolved against the columns seen last; for other columns or types its levels prove nothing. A
    version with fewer rows (or persons) than the least k, which older engines recorded, is passed over.
    """
    of_request = (
        each
        for each in seen
        if each.filter == resolved.filter_text
        and (each.persons is None) == (resolved.entity is None)
        and each.units >= least_k
    )
    return next((each for each in of_request if each.columns_hash == seen[0].columns_hash), None)


def _unchecked(read: ReadRequest[RequestKind], *, registered: bool, columns: Mapping[str, str]) -> list[str]:
    unchecked = []
    if not columns:
        why = "this dataset was never counted" if registered else "a dataset described inline is not remembered"
        unchecked.append(f"names and types of the columns: {why}")
    if read.request.where is not None:
        unchecked.append("whether the source can compare what the filter compares" if columns else "the filter")
    return unchecked
