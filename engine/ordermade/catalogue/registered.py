"""The registered datasets and hierarchies that a request names. They come from the state; no source is opened."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ordermade.errors import InputError, SourceFault, StateDamaged, quoted
from ordermade.hierarchies.cross_refinement import LevelContent, OriginalValues, contents_by_hash
from ordermade.hierarchies.hierarchy import VALUE_HASH, Hierarchy
from ordermade.hierarchies.stored import restore
from ordermade.privacy.least_k import DEFAULT_TERMS, DatasetTerms
from ordermade.requests.model import InlineDataset
from ordermade.sources.kinds import kind_of
from ordermade.state import datasets as stored
from ordermade.state import hierarchies as stored_hierarchies
from ordermade.state import policies, statements
from ordermade.state import sources as stored_sources

if TYPE_CHECKING:
    from ordermade.hierarchies.owner import HierarchyOwner
    from ordermade.sources.backend import Column
    from ordermade.state.connection import StateConnection
    from ordermade.state.datasets import Division, RegisteredDataset
    from ordermade.state.sources import Source


@dataclass(frozen=True, slots=True)
class DatasetRegistration:
    """The registration of a dataset: all that is needed to open it."""

    name: str
    dataset_id: int | None
    source: Source
    table: str | None
    query: str | None
    entity: str | None = None
    terms: DatasetTerms = DEFAULT_TERMS
    version_query: str | None = None
    division: Division | None = None
    released: tuple[str | None, ...] = ()
    opted_out: tuple[tuple[str, str], ...] = ()
    """The salt of the dataset and the hash of a person, for each who opted out."""
    columns: Mapping[str, str] | None = None
    """Its columns with their types, as they are registered; None: every column of its table or query."""

    @property
    def is_partitioned(self) -> bool:
        """Whether the partitions of its table are its parts: a server has no files that could be."""
        is_server = kind_of(self.source.kind).is_server
        return is_server and self.division is not None and self.division.column is None

    def split(self, columns: tuple[Column, ...]) -> tuple[tuple[Column, ...], tuple[Column, ...] | None]:
        """The columns that it is registered with, in the order of its table or query, and the others.

        None in place of these where none were noted. Raises SourceFault where none of the registered ones is left.
        """
        if self.columns is None:
            return columns, None

        own = tuple(each for each in columns if each.name in self.columns)
        if not own:
            raise SourceFault(
                "no column that the dataset was registered with is there any more",
                where=f"dataset {quoted(self.name)}",
                next_step="Look at its table; `ordermade dataset refresh` registers the columns that it has now.",
            )
        return own, tuple(each for each in columns if each.name not in self.columns)


def described(connection: StateConnection, reference: str | InlineDataset) -> DatasetRegistration:
    """The dataset that a request names or describes inline.

    Raises UnknownName, and InputError if requests may not describe datasets of the source inline.
    """
    if isinstance(reference, str):
        dataset, source = stored.with_source(connection, reference)
        found = DatasetRegistration(
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
            stored.columns_of(connection, dataset.id),
        )
        # A query vouches for the whole, and who opted out is left out of the whole.
        is_whole = found.is_partitioned and (found.version_query is not None or bool(found.opted_out))
        return replace(found, division=None) if is_whole else found
    source = stored_sources.get(connection, reference.source)
    if not source.allow_inline:
        raise InputError(
            f"requests may not describe datasets of the source {quoted(source.name)} themselves",
            where="dataset",
            next_step="Name a dataset that is registered with `ordermade dataset add`; a provider, for requests of "
            "their own alone, can register the source with `ordermade source add --allow-inline`.",
        )
    named = f"{source.name} (inline)"
    return DatasetRegistration(named, None, source, reference.table, reference.query, reference.entity)


def _released_filters(connection: StateConnection, dataset: RegisteredDataset) -> tuple[str | None, ...]:
    """The filters of the earlier releases of a dataset; none unless its policy compares requests with them."""
    policy = dataset.terms.policy
    return () if policy is None or policy.filters.apart is None else policies.released_filters(connection, dataset.name)


def level_contents(connection: StateConnection, level_hashes: Iterable[str]) -> dict[str, LevelContent]:
    """The contents of levels by their hashes, whether or not their hierarchies are in use.

    A hash that no intact hierarchy has is left out.
    """
    wanted = set(level_hashes)
    found: dict[str, LevelContent] = {VALUE_HASH: OriginalValues()} if VALUE_HASH in wanted else {}
    others = wanted - found.keys()
    for known in stored_hierarchies.with_levels(connection, others) if others else ():
        try:
            content = contents_by_hash(restore("of an earlier request", known))
        except StateDamaged:  # `state verify` reports it; no result depends on such a hierarchy
            continue
        found |= {level: each for level, each in content.items() if level in others}
    return found


def named_hierarchies(connection: StateConnection, names: Collection[str]) -> LoadedHierarchies:
    """The hierarchies of these names, by name. Iteration gives all registered names, for the suggestions of errors."""
    found = stored_hierarchies.named(connection, names)
    loaded = {name: restore(name, each) for name, each in found.found.items()}
    return LoadedHierarchies(loaded, found.known, {name: found.owners[name] for name in found.owners.keys() & loaded})


@dataclass(frozen=True, slots=True)
class LoadedHierarchies(Mapping[str, Hierarchy]):
    """The mapping that `named_hierarchies` returns: looking up a name that is known but not loaded is a KeyError.

    `owners`: of those that are a user's own, by name.
    """

    loaded: Mapping[str, Hierarchy]
    known: tuple[str, ...]
    owners: Mapping[str, HierarchyOwner]

    def __getitem__(self, name: str) -> Hierarchy:
        return self.loaded[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)
