"""The proposal for a table: its columns profiled and read, their parts and hierarchies, before anything is released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade.anonymization.plan import HierarchyFile, Plan, planned, protected
from ordermade.anonymization.tables import RegisteredTable
from ordermade.anonymization.wanted import Wanted
from ordermade.catalogue.any_table import condition_of
from ordermade.catalogue.sources import opened
from ordermade.drafts.forms import FORMS
from ordermade.drafts.lattices import drafted_hierarchies
from ordermade.drafts.roles import proposed_roles
from ordermade.errors import InputError, Refused
from ordermade.least_k import AFTER_TOO_FEW, DEFAULT_LEAST_K, too_few
from ordermade.measuring.dataset import Dataset, relation
from ordermade.measuring.profile import column_profiles
from ordermade.sources.backend import columns_of, find_table, qualified, row_count

if TYPE_CHECKING:
    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.drafts.profile import ColumnProfile
    from ordermade.drafts.readings import Dialect, Reading
    from ordermade.engine import Engine
    from ordermade.sources.backend import Backend


@dataclass(frozen=True, slots=True)
class Proposal:
    """A release as it is proposed for a table, with the wishes that it goes by, every column by its stored name.

    `readings`: of the columns that are read as something else than their text, with the `query` that does so (None:
    the table is taken as it is). `rows`: those that pass the filter. `numbers`: the columns of numbers. `least_k` that
    the dataset is to have.
    """

    table: RegisteredTable
    wanted: Wanted
    plan: Plan
    rows: int
    columns: int
    numbers: tuple[str, ...]
    least_k: int
    readings: tuple[Reading, ...] = ()
    query: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether every column has its part from the wishes, so that nothing is proposed."""
        return all(each.column in self.wanted.roles for each in self.plan.roles)


def proposed(engine: Engine, table: RegisteredTable, wanted: Wanted) -> Proposal:
    """The proposal for a registered table. Nothing is registered or released.

    Raises InputError (UnknownName, FilterError), Refused where the table has fewer rows than k, SourceFault.
    """
    names = [each.name for each in table.columns]
    wanted = wanted.of_table(names)
    if table.entity is not None:
        wanted = wanted.of_persons(table.entity)
    given = {column: given_hierarchy(column, file) for column, file in wanted.hierarchies.items()}
    least_k = max(table.terms.least_k, min(DEFAULT_LEAST_K, wanted.k))
    source = engine.sources.get(table.source)
    with opened(source, engine.limits) as backend:
        origin = _origin(backend, table, table.query)
        raw = _dataset(backend, origin, table.name)
        _require_rows(row_count(backend, raw.relation), wanted, table)
        engine.progress.step("profiling the columns")
        profiles = column_profiles(raw, forms=FORMS)
        readings, query = ((), None) if table.query else _readings(backend, table, profiles, least_k)
        if query is not None or wanted.where is not None:
            profiles = _read(backend, table, profiles, readings, query, wanted)
    rows = profiles[0].rows if profiles else 0
    _require_rows(rows, wanted, table)
    engine.progress.step("drafting")
    roles = protected(proposed_roles(profiles, wanted.roles), profiles, wanted)
    drafts = _drafts(profiles, [each.column for each in roles if each.role == "quasi-identifier"], given, wanted)
    plan = planned(roles, drafts, given, wanted)
    from ordermade.hierarchies.column_types import is_number

    return Proposal(
        table=table,
        wanted=wanted,
        plan=plan,
        rows=rows,
        columns=len(profiles),
        numbers=tuple(each.name for each in profiles if is_number(each.type)),
        least_k=least_k,
        readings=tuple(readings),
        query=query,
    )


def given_hierarchy(column: str, file: Path) -> HierarchyFile:
    """The hierarchy of a file for a column. Raises InputError where it cannot be read."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise InputError(
            f"the hierarchy cannot be read ({error.strerror or type(error).__name__})",
            where=str(file),
            next_step="Give --hierarchy COLUMN=FILE the path of a .yaml or .csv file.",
        ) from None
    return HierarchyFile(column, content, file.suffix or ".csv", f"from {file.name}")


def _dataset(backend: Backend, origin: exp.Expr, name: str, condition: exp.Expr | None = None) -> Dataset:
    columns = columns_of(backend, relation(origin, None))
    exact = columns if backend.capabilities.collates else None
    return Dataset(name, backend, relation(origin, condition, exact, backend.capabilities.binary), columns)


def _origin(backend: Backend, table: RegisteredTable, query: str | None) -> exp.Expr:
    from ordermade.requests.dataset_query import parse_dataset_query

    if query is None:
        return find_table(backend, table.table).reference
    return qualified(backend, parse_dataset_query(query))


def _require_rows(rows: int, wanted: Wanted, table: RegisteredTable) -> None:
    if not rows and wanted.where is None and not table.terms.least_k:
        raise InputError("there are no rows", where=table.name, next_step="Give a table that has some.")
    refusal = too_few(wanted.k, rows)
    if refusal is not None:
        raise Refused(refusal, where=table.name, next_step=AFTER_TOO_FEW)


def _read(
    backend: Backend,
    table: RegisteredTable,
    raw: Sequence[ColumnProfile],
    readings: Sequence[Reading],
    query: str | None,
    wanted: Wanted,
) -> tuple[ColumnProfile, ...]:
    """The profiles of the columns as they are read, of the rows that pass the filter."""
    origin = _origin(backend, table, query or table.query)
    types = {each.name: each.type for each in columns_of(backend, relation(origin, None))}
    condition, _ = condition_of(wanted.where, types, table.terms, table.name)
    dataset = _dataset(backend, origin, table.name, condition)
    if condition is not None:
        return column_profiles(dataset)
    changed = [each.column for each in readings]
    found = {each.name: each for each in column_profiles(dataset, changed)}
    return tuple(found.get(each.name, each) for each in raw)


def _readings(
    backend: Backend, table: RegisteredTable, profiles: Sequence[ColumnProfile], least_k: int
) -> tuple[tuple[Reading, ...], str | None]:
    """The readings of messy columns, with the query that makes them; None where there are none."""
    from ordermade.drafts.readings import dataset_query, reading_of

    found = [reading_of(each, _DIALECTS.get(table.kind, "duckdb"), least_k=least_k) for each in profiles]
    readings = tuple(each for each in found if each is not None)
    if not readings:
        return (), None
    stored = find_table(backend, table.table)
    named = exp.Table(
        this=exp.to_identifier(stored.name, quoted=True),
        db=exp.to_identifier(stored.schema, quoted=True) if "." in table.table else None,
    )
    return readings, dataset_query(named, [each.name for each in profiles], readings)


_DIALECTS: Mapping[str, Dialect] = MappingProxyType({"sqlite": "sqlite", "postgresql": "postgres", "mysql": "mysql"})


def _drafts(
    profiles: Sequence[ColumnProfile], columns: Sequence[str], given: Mapping[str, HierarchyFile], wanted: Wanted
) -> Mapping[str, DraftedHierarchy | Undrafted]:
    """The hierarchies of the quasi-identifiers that are given none, of so few levels that a search is quick."""
    wanting = set(columns) - given.keys()
    return drafted_hierarchies([each for each in profiles if each.name in wanting], least_rows=wanted.k)
