"""The proposal for a table: its columns profiled and read, their roles and hierarchies, before anything is released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade.anonymization.options import AnonymizeOptions
from ordermade.anonymization.plan import AnonymizationPlan, HierarchyFile, of_shape, planned, protected, with_causes
from ordermade.anonymization.tables import RegisteredTable
from ordermade.catalogue.any_table import condition_of
from ordermade.catalogue.sources import opened
from ordermade.counting.dataset import Dataset, Evaluation, filtered, relation
from ordermade.counting.profile import column_profiles
from ordermade.drafts.hierarchies import undrafted
from ordermade.drafts.lattices import drafted_hierarchies
from ordermade.drafts.persons import RepeatedKey, repeated_key
from ordermade.drafts.plausibility import ImplausibleValues, implausible_values
from ordermade.drafts.roles import proposed_roles
from ordermade.drafts.text_column import ColumnReading, Unread
from ordermade.drafts.text_formats import FORMS
from ordermade.drafts.text_parsers import dataset_query, examined
from ordermade.drafts.vocabularies import Vocabulary, vocabularies
from ordermade.errors import InputError, Refused, SourceChanged, SourceFault
from ordermade.hierarchies.column_types import is_number
from ordermade.hierarchies.read_csv import MAX_BYTES
from ordermade.privacy.least_k import AFTER_TOO_FEW, DEFAULT_LEAST_K, too_few
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.sources.backend import columns_of, find_table, qualified, row_count
from ordermade.sources.kinds import kind_of

if TYPE_CHECKING:
    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.drafts.profile import ColumnProfile
    from ordermade.engine import Engine
    from ordermade.sources.backend import Backend


@dataclass(frozen=True, slots=True)
class Proposal:
    """A release as it is proposed for a table, with the wishes that it goes by, every column by its stored name.

    `readings`: of the columns that are read as something else than their text, with the `query` that does so (None:
    the table is taken as it is). `unread`: the columns that look as if they could be, and are left as they are. `rows`:
    those that pass the filter. `numbers`: the columns of numbers. `least_k` that the dataset is to have. `persons`: the
    key that repeats where no wish names the persons; k counts them by it unless every column has its role by a wish,
    or the method counts rows alone. `implausible`: the columns that are released and have values that cannot be.
    """

    table: RegisteredTable
    wanted: AnonymizeOptions
    plan: AnonymizationPlan
    rows: int
    columns: int
    numbers: tuple[str, ...]
    least_k: int
    readings: tuple[ColumnReading, ...] = ()
    query: str | None = None
    unread: tuple[Unread, ...] = ()
    persons: RepeatedKey | None = None
    implausible: tuple[ImplausibleValues, ...] = ()

    @property
    def is_complete(self) -> bool:
        """Whether every column has its role from the wishes, so that nothing is proposed."""
        return all(each.column in self.wanted.roles for each in self.plan.roles)


def proposed(
    engine: Engine, table: RegisteredTable, wanted: AnonymizeOptions, *, roles_alone: bool = False
) -> Proposal:
    """The proposal for a registered table. Nothing is registered or released.

    `roles_alone`: the same roles, and no hierarchy of those that can be drafted.

    Raises InputError (UnknownName, FilterError), Refused where the table has fewer rows than k, SourceFault.
    """
    names = [each.name for each in table.columns]
    wanted = wanted.of_table(names)
    if table.entity is not None:
        wanted = wanted.of_persons(table.entity)
    given = {column: given_hierarchy(column, file) for column, file in wanted.hierarchies.items()}
    least_k = max(table.terms.least_k, min(DEFAULT_LEAST_K, wanted.k))
    # A kept column of a frame comes back as it was; of a file it is read, and the answer shows how.
    gives_frames = kind_of(table.kind).gives_frames
    as_is = frozenset(name for name, role in wanted.roles.items() if role == "kept" and gives_frames)
    as_is |= frozenset(() if wanted.entity is None else (wanted.entity,))  # two persons are two, however they look
    looked = _looked_at(engine, table, wanted, least_k, as_is)
    profiles = looked.profiles
    rows = profiles[0].rows if profiles else 0
    _require_rows(rows, wanted, table)
    engine.progress.step("drafting")
    known = vocabularies(profiles)
    roles = of_shape(protected(proposed_roles(profiles, wanted.roles, known), profiles, wanted), wanted)
    persons = repeated_key(profiles, roles) if wanted.entity is None else None
    counts_persons = wanted.method != "microaggregation"  # it groups rows
    if persons is not None and counts_persons and any(each.name not in wanted.roles for each in profiles):
        wanted = replace(wanted, entity=persons.column)
        as_is |= {persons.column}
    if gives_frames:
        as_is |= {each.column for each in roles if each.role == "kept"}
    if any(each.column in as_is for each in looked.readings):
        looked = _looked_at(engine, table, wanted, least_k, as_is)
        profiles = looked.profiles
    quasi = {each.column for each in roles if each.role == "quasi-identifier"} - given.keys()
    wanting = [each for each in profiles if each.name in quasi]
    drafts = _drafts(wanting, known, wanted.k, roles_alone)
    plan = with_causes(planned(roles, drafts, given, wanted), looked.unread, wanted)

    left_out = plan.of("identifier")
    return Proposal(
        table=table,
        wanted=wanted,
        plan=plan,
        rows=rows,
        columns=len(profiles),
        numbers=tuple(each.name for each in profiles if is_number(each.type)),
        least_k=least_k,
        readings=looked.readings,
        query=looked.query,
        unread=looked.unread,
        persons=persons,
        implausible=tuple(implausible_values([each for each in profiles if each.name not in left_out], date.today())),
    )


@dataclass(frozen=True, slots=True)
class _LookedAt:
    """The profiles of a table's columns as they are read, with the readings, the query that makes them, the unread."""

    profiles: tuple[ColumnProfile, ...]
    readings: tuple[ColumnReading, ...] = ()
    query: str | None = None
    unread: tuple[Unread, ...] = ()


def _looked_at(
    engine: Engine, table: RegisteredTable, wanted: AnonymizeOptions, least_k: int, unfit: frozenset[str] = frozenset()
) -> _LookedAt:
    """The columns profiled and read; those of `unfit` are taken as they are.

    A text may have the form of a date and be none, as the 29th of February 2023. So a reading that the source cannot
    make of every text is found out, and its column is left as it is. A source may answer nothing more after an error,
    and is opened anew.
    """
    with opened(engine.sources.get(table.source), engine.limits) as backend:
        raw = _dataset(backend, _origin(backend, table, table.query), table.name)
        _require_rows(row_count(backend, raw.relation), wanted, table)
        engine.progress.step("profiling the columns")
        profiles = column_profiles(raw, forms=FORMS)
        readings, unread = ((), ()) if table.query else _readings(table, profiles, least_k, unfit)
        query = _query(backend, table, profiles, readings)
        if query is None and wanted.where is None:
            return _LookedAt(profiles, (), None, unread)
        try:
            return _LookedAt(_read(backend, table, profiles, readings, query, wanted), readings, query, unread)
        except SourceFault as error:
            if isinstance(error, SourceChanged) or not readings:
                raise
            fault = error
    failing = frozenset(each.column for each in readings if not _holds(engine, table, each))
    if not failing:
        raise fault
    return _looked_at(engine, table, wanted, least_k, unfit | failing)


def _holds(engine: Engine, table: RegisteredTable, reading: ColumnReading) -> bool:
    """Whether the source can read every text of the column so."""
    with opened(engine.sources.get(table.source), engine.limits) as backend:
        found = find_table(backend, table.table)
        raw = _dataset(backend, found.reference, table.name)
        names = [each.name for each in raw.columns]
        query = dataset_query(_stored(backend, table), names, [reading])
        try:
            column_profiles(_dataset(backend, _origin(backend, table, query), table.name), [reading.column])
        except SourceFault:
            return False
    return True


def given_hierarchy(column: str, file: Path) -> HierarchyFile:
    """The hierarchy of a file for a column. Raises InputError where it cannot be read."""
    try:
        if file.exists() and not file.is_file():
            raise OSError("no file")
        with file.open("rb") as opened_file:
            content = opened_file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "it is no file"
        raise InputError(
            f"the hierarchy cannot be read ({why})",
            where=str(file),
            next_step="Give --hierarchy COLUMN=FILE the path of a .yaml or .csv file.",
        ) from None
    if len(content) > MAX_BYTES:
        raise InputError(
            f"the file is larger than {MAX_BYTES >> 20} MiB", where=str(file), next_step="Give a rule instead."
        )
    return HierarchyFile(column, content, file.suffix or ".csv", f"from {file.name}")


def _dataset(backend: Backend, origin: exp.Expr, name: str) -> Dataset:
    columns = columns_of(backend, relation(origin, None))
    return Dataset(name, backend, filtered(backend, origin, None, columns, is_calculated=False), columns)


def _origin(backend: Backend, table: RegisteredTable, query: str | None) -> exp.Expr:
    if query is None:
        return find_table(backend, table.table).reference
    return qualified(backend, parse_dataset_query(query))


def _require_rows(rows: int, wanted: AnonymizeOptions, table: RegisteredTable) -> None:
    if not rows and wanted.where is None and not table.terms.least_k:
        raise InputError("there are no rows", where=table.name, next_step="Give a table that has some.")
    refusal = too_few(wanted.k, rows)
    if refusal is not None:
        raise Refused(refusal, where=table.name, next_step=AFTER_TOO_FEW)


def _read(
    backend: Backend,
    table: RegisteredTable,
    raw: Sequence[ColumnProfile],
    readings: Sequence[ColumnReading],
    query: str | None,
    wanted: AnonymizeOptions,
) -> tuple[ColumnProfile, ...]:
    """The profiles of the columns as they are read, of the rows that pass the filter.

    Every column is read without the filter first, which is pushed into no view and no reading: whether a value can be
    read tells nothing of the rows that pass.
    """
    origin = _origin(backend, table, query or table.query)
    every_row = _dataset(backend, origin, table.name)
    types = {each.name: each.type for each in every_row.columns}
    condition, _ = condition_of(wanted.where, types, table.terms, table.name)
    changed = [each.column for each in readings]
    if condition is not None:
        Evaluation(table.name, backend, every_row.relation, every_row.columns)()
        calculated = (query or table.query) is not None or find_table(backend, table.table).is_view
        rows = filtered(backend, origin, condition, every_row.columns, is_calculated=calculated)
        return column_profiles(replace(every_row, relation=rows))
    found = {each.name: each for each in column_profiles(every_row, changed)}
    return tuple(found.get(each.name, each) for each in raw)


def _readings(
    table: RegisteredTable, profiles: Sequence[ColumnProfile], least_k: int, unfit: frozenset[str]
) -> tuple[tuple[ColumnReading, ...], tuple[Unread, ...]]:
    """The readings of messy columns, and the columns that look messy and are left as they are."""
    dialect = kind_of(table.kind).dialect
    found = [examined(each, dialect, least_k=least_k) for each in profiles]
    return (
        tuple(each for each in found if isinstance(each, ColumnReading) and each.column not in unfit),
        tuple(
            each if isinstance(each, Unread) else Unread(each.column, f"{_SEEMING} {each.reason}, {_UNFIT}")
            for each in found
            if isinstance(each, Unread) or (each is not None and each.column in unfit)
        ),
    )


_SEEMING = "it looks like"
_UNFIT = "but some of its texts are none, such as a day that the calendar has not: left as text"


def _query(
    backend: Backend, table: RegisteredTable, profiles: Sequence[ColumnProfile], readings: Sequence[ColumnReading]
) -> str | None:
    """The query that makes the readings; None where there are none."""
    if not readings:
        return None
    return dataset_query(_stored(backend, table), [each.name for each in profiles], readings)


def _stored(backend: Backend, table: RegisteredTable) -> exp.Table:
    """The table as a dataset query names it."""
    stored = find_table(backend, table.table)
    return exp.Table(
        this=exp.to_identifier(stored.name, quoted=True),
        db=exp.to_identifier(stored.schema, quoted=True) if "." in table.table else None,
    )


def _drafts(
    profiles: Sequence[ColumnProfile], known: Mapping[str, Vocabulary], k: int, roles_alone: bool
) -> Mapping[str, DraftedHierarchy | Undrafted | None]:
    """The hierarchies of these quasi-identifiers, of so few levels that a search is quick.

    `known`: the vocabularies of the columns. `roles_alone`: None in the place of each.
    """
    if roles_alone:
        return {each.name: undrafted(each, least_rows=k, known=known) for each in profiles}
    return drafted_hierarchies(profiles, least_rows=k, known=known)
