"""A request resolved without its source, against what the state remembers of its dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.catalogue.datasets import Described, described
from ordermade.catalogue.hierarchies import named_hierarchies
from ordermade.errors import RequestError, quoted
from ordermade.generalization.foreknowledge import Known, remembered
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve import Resolved, resolve
from ordermade.state import requests, versions
from ordermade.state.database import StateFile
from ordermade.state.records import DatasetVersion

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Recalled:
    """A request resolved against what the state remembers of its dataset.

    `covered`: whether each hierarchy is known to cover its column, on which every proof rests. `least_k`: that of the
    dataset.
    """

    dataset: str
    resolved: Resolved
    version: DatasetVersion | None
    known: Known | None
    unchecked: tuple[str, ...]
    covered: bool = False
    least_k: int = 0


def recall(state: StateFile, read: ReadRequest[GeneralizationRequest]) -> Recalled:
    """The request resolved without its source. Raises RequestError with every mistake, UnknownName."""
    request = read.request
    with state.reading() as connection:
        hierarchies = named_hierarchies(connection, request.hierarchy_names)
        found = described(connection, request.dataset)
        number = found.dataset_id
        columns = {} if number is None else versions.any_columns(connection, number)
        resolved = _resolved(read, columns, hierarchies, found)
        least_k = found.terms.least_k
        version = None if number is None or not columns else _last_seen(connection, number, resolved, least_k)
        known = None if version is None else remembered(connection, version.id, resolved)
        covering = frozenset() if version is None else requests.covering(connection, version.id)
    uncovered = [each for each in resolved.qis if (each.column, each.hierarchy.content_hash) not in covering]
    unchecked = [*_unchecked(read, registered=number is not None, columns=columns)]
    if version is not None:
        unchecked += [f"whether {quoted(each.hierarchy.name)} covers {quoted(each.column)}" for each in uncovered]
    return Recalled(found.name, resolved, version, known, tuple(unchecked), covered=not uncovered, least_k=least_k)


def _resolved(
    read: ReadRequest[GeneralizationRequest],
    columns: Mapping[str, str],
    hierarchies: Mapping[str, Hierarchy],
    found: Described,
) -> Resolved:
    try:
        return resolve(read, columns or None, hierarchies, found.entity, found.terms)
    except RequestError as error:
        if columns:
            error.add_note(
                "The dataset's columns are those it had when it was last counted; "
                "`ordermade request check` reads them from the source."
            )
        raise


def _last_seen(
    connection: DuckDBPyConnection, dataset_id: int, resolved: Resolved, least_k: int
) -> DatasetVersion | None:
    """The version seen last under the request's filter, unless the dataset was seen with other columns since.

    The request is resolved against the columns seen last: of others, types included, its levels prove nothing. One of
    fewer rows (or persons) than the least k, which older engines noted, is not known.
    """
    seen = versions.under_any_filter(connection, dataset_id)
    of_request = (
        each
        for each in seen
        if each.filter == resolved.filter_text
        and (each.persons is None) == (resolved.entity is None)
        and each.units >= least_k
    )
    return next((each for each in of_request if each.columns_hash == seen[0].columns_hash), None)


def _unchecked(read: ReadRequest[GeneralizationRequest], *, registered: bool, columns: Mapping[str, str]) -> list[str]:
    unchecked = []
    if not columns:
        why = "this dataset was never counted" if registered else "a dataset described inline is not remembered"
        unchecked.append(f"names and types of the columns: {why}")
    if read.request.where is not None:
        unchecked.append("whether the source can compare what the filter compares" if columns else "the filter")
    return unchecked
