"""The registration of a dataset that a request names, read from the state: its source stays closed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import InputError, quoted
from ordermade.least_k import DEFAULT_TERMS, Terms
from ordermade.requests.model import InlineDataset
from ordermade.state import datasets as stored
from ordermade.state import sources as stored_sources
from ordermade.state import statements
from ordermade.state.records import Dataset, Division, Source

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


@dataclass(frozen=True, slots=True)
class Described:
    """The registration of a dataset: enough to open it."""

    name: str
    dataset_id: int | None
    source: Source
    table: str | None
    query: str | None
    entity: str | None = None
    terms: Terms = DEFAULT_TERMS
    version_query: str | None = None
    division: Division | None = None
    released: tuple[str | None, ...] = ()
    opted_out: tuple[tuple[str, str], ...] = ()
    """The salt of the dataset and the hash of a person, for each who opted out."""


def described(connection: DuckDBPyConnection, reference: str | InlineDataset) -> Described:
    """The dataset that a request names or describes inline. Raises UnknownName, InputError where it may not."""
    if isinstance(reference, str):
        dataset = stored.get(connection, reference)
        source = stored_sources.by_id(connection, dataset.source_id)
        return Described(
            dataset.name,
            dataset.id,
            source,
            dataset.table_name,
            dataset.query_text,
            dataset.entity_column,
            dataset.terms,
            dataset.version_query,
            dataset.division,
            () if dataset.policy is None else _released_filters(connection, dataset),
            tuple(
                (salt, each) for salt, each in statements.rows(connection, "state/opt_outs", dataset_name=dataset.name)
            ),
        )
    source = stored_sources.get(connection, reference.source)
    if not source.allow_inline:
        raise InputError(
            f"requests may not describe datasets of the source {quoted(source.name)} themselves",
            where="dataset",
            next_step="Name a dataset that is registered with `ordermade dataset add`; a provider, for requests of "
            "their own alone, can register the source with `ordermade source add --allow-inline`.",
        )
    named = f"{source.name} (inline)"
    return Described(named, None, source, reference.table, reference.query, reference.entity)


def _released_filters(connection: DuckDBPyConnection, dataset: Dataset) -> tuple[str | None, ...]:
    """The filters of the releases of a dataset so far, where its policy compares requests with them."""
    from ordermade.state import policies

    policy = dataset.terms.policy
    return () if policy is None or policy.filters.apart is None else policies.released_filters(connection, dataset.name)
