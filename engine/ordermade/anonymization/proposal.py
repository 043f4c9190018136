"""The proposal for a table: its columns profiled and read, their roles and hierarchies, before anything is released."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade.anonymization.options import AnonymizeOptions
from ordermade.anonymization.plan import AnonymizationPlan, HierarchyFile, of_shape, planned, protected, with_causes
from ordermade.anonymization.tables import RegisteredTable
from ordermade.catalogue.any_table import condition_of
from ordermade.catalogue.column_readings import (
    ColumnsReader,
    ReadColumns,
    dataset_of,
    profiles_read,
    read_columns,
)
from ordermade.catalogue.sources import opened
from ordermade.counting.dataset import Evaluation, filtered
from ordermade.counting.profile import column_profiles
from ordermade.drafts.hierarchies import undrafted
from ordermade.drafts.lattices import drafted_hierarchies
from ordermade.drafts.odd_cells import OddLines
from ordermade.drafts.persons import RepeatedKey, repeated_key
from ordermade.drafts.plausibility import ImplausibleValues, implausible_values
from ordermade.drafts.roles import NOT_NAMED, ProposedRole, proposed_roles
from ordermade.drafts.text_column import ColumnReading, Unread
from ordermade.drafts.text_formats import FORMS
from ordermade.drafts.vocabularies import Vocabulary, vocabularies
from ordermade.errors import InputError, Refused
from ordermade.hierarchies.column_types import is_number
from ordermade.hierarchies.read_csv import MAX_BYTES
from ordermade.privacy.least_k import AFTER_TOO_FEW, DEFAULT_LEAST_K, too_few
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.sources.backend import find_table, qualified
from ordermade.sources.kinds import kind_of

if TYPE_CHECKING:
    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.drafts.profile import ColumnProfile
    from ordermade.drafts.roles import Role
    from ordermade.engine import Engine
    from ordermade.sources.backend import Backend


@dataclass(frozen=True, slots=True)
class Proposal:
    """A release as it is proposed for a table, with the wishes that it goes by, every column by its stored name.

    `readings`: of the columns that are read as something else than their text, with the `query` that does so (None:
    the table is taken as it is). `unread`: the columns that look as if they could be, and are left as they are. `rows`:
    those that pass the filter. `numbers`: the columns of numbers. `least_k` that the dataset is to have. `persons`: the
    key that repeats where no wish names the persons; k counts them by it unless every column has its role by a wish,
    or the method counts rows alone. `implausible`: the columns that are released and have values that cannot be. `odd`:
    cells that keep columns from being read, for the person who opened a table that is no dataset yet, and for nobody
    else; `line_called`: what a line of them is. `censored`: the columns of which some numbers are read at their bound.
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
    odd: tuple[OddLines, ...] = field(default=(), repr=False)
    line_called: str = ""
    censored: tuple[str, ...] = ()

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
    as_is |= _with_signs(wanted, wanted.roles)
    reader = ColumnsReader(table.table, table.kind, least_k, wanted.reading, as_is)
    looked = _looked_at(engine, table, wanted, reader)
    profiles = looked.profiles
    rows = profiles[0].rows if profiles else 0
    _require_rows(rows, wanted, table)
    engine.progress.step("drafting")
    known = vocabularies(profiles)
    first_roles = _with_reasons(proposed_roles(profiles, wanted.roles, known), profiles, wanted, known)
    persons = repeated_key(profiles, first_roles) if wanted.entity is None else None
    counts_persons = wanted.method != "microaggregation"  # it groups rows
    if persons is not None and counts_persons and any(each.name not in wanted.roles for each in profiles):
        wanted = replace(wanted, entity=persons.column)
        as_is |= {persons.column}
    roles = of_shape(protected(first_roles, profiles, wanted), wanted)
    if gives_frames:
        as_is |= {each.column for each in roles if each.role == "kept"}
    as_is |= _with_signs(wanted, {each.column: each.role for each in roles})
    if any(each.column in as_is for each in looked.readings):
        looked = _looked_at(engine, table, wanted, replace(reader, as_is=as_is))
        profiles = looked.profiles
    quasi = {each.column for each in roles if each.role == "quasi-identifier"} - given.keys()
    wanting = [replace(each, censored=looked.censored.get(each.name)) for each in profiles if each.name in quasi]
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
        odd=_odd_of_opener(looked, table, wanted),
        line_called=looked.line_called,
        censored=tuple(looked.censored),
    )


def _with_reasons(
    roles: Sequence[ProposedRole],
    profiles: Sequence[ColumnProfile],
    wanted: AnonymizeOptions,
    known: Mapping[str, Vocabulary],
) -> tuple[ProposedRole, ...]:
    """The roles with the reason of each column that is left out unnamed: what makes it an identifier, or nothing."""
    if not wanted.unnamed:
        return tuple(roles)
    named = {column: role for column, role in wanted.roles.items() if column not in wanted.unnamed}
    found = {each.column: each for each in proposed_roles(profiles, named, known)}
    return tuple(
        each
        if each.column not in wanted.unnamed
        else found[each.column]
        if found[each.column].role == "identifier"
        else replace(each, reason=NOT_NAMED)
        for each in roles
    )


def _with_signs(wanted: AnonymizeOptions, roles: Mapping[str, Role]) -> frozenset[str]:
    """The columns that are released with the signs of their bounds: `<0.5` is no 0.5."""
    return frozenset(each for each in wanted.reading.at_bounds if roles.get(each) in ("kept", "sensitive"))


def _odd_of_opener(looked: ReadColumns, table: RegisteredTable, wanted: AnonymizeOptions) -> tuple[OddLines, ...]:
    """The odd cells of columns that may be released; none where datasets on the table bind what is shown of it."""
    if table.terms.least_k:
        return ()
    return tuple(each for each in looked.odd if wanted.roles.get(each.column) != "identifier")


def _looked_at(engine: Engine, table: RegisteredTable, wanted: AnonymizeOptions, reader: ColumnsReader) -> ReadColumns:
    """The columns profiled and read, of the rows that pass the filter: those of the table as it is registered."""
    own = {each.name for each in table.columns}
    looked = _every_column(engine, table, wanted, reader)
    profiles = tuple(each for each in looked.profiles if each.name in own)
    readings = tuple(each for each in looked.readings if each.column in own)
    unread = tuple(each for each in looked.unread if each.column in own)
    odd = tuple(each for each in looked.odd if each.column in own)
    query = looked.query if readings else None
    return replace(looked, profiles=profiles, readings=readings, query=query, unread=unread, odd=odd)


def _every_column(
    engine: Engine, table: RegisteredTable, wanted: AnonymizeOptions, reader: ColumnsReader
) -> ReadColumns:

    def open_source() -> AbstractContextManager[Backend]:
        return opened(engine.sources.get(table.source), engine.limits)

    def read(backend: Backend, found: ReadColumns) -> tuple[ColumnProfile, ...]:
        _require_rows(found.profiles[0].rows if found.profiles else 0, wanted, table)
        return _filtered_profiles(backend, table, found, wanted) if wanted.where else profiles_read(backend, found)

    engine.progress.step("profiling the columns")
    if table.query is None:
        return read_columns(open_source, reader, read)
    with open_source() as backend:
        profiles = column_profiles(dataset_of(backend, _origin(backend, table, table.query), table.name), forms=FORMS)
        return replace(ReadColumns(profiles), profiles=read(backend, ReadColumns(profiles)))


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


def _filtered_profiles(
    backend: Backend, table: RegisteredTable, found: ReadColumns, wanted: AnonymizeOptions
) -> tuple[ColumnProfile, ...]:
    """The profiles of the columns as they are read, of the rows that pass the filter.

    Every column is read without the filter first, which is pushed into no view and no reading: whether a value can be
    read tells nothing of the rows that pass.
    """
    query = found.query or table.query
    origin = _origin(backend, table, query)
    every_row = dataset_of(backend, origin, table.name)
    types = {each.name: each.type for each in every_row.columns}
    condition, _ = condition_of(wanted.where, types, table.terms, table.name)
    Evaluation(table.name, backend, every_row.relation, every_row.columns)()
    calculated = query is not None or find_table(backend, table.table).is_view
    rows = filtered(backend, origin, condition, every_row.columns, is_calculated=calculated)
    return column_profiles(replace(every_row, relation=rows))


def _drafts(
    profiles: Sequence[ColumnProfile], known: Mapping[str, Vocabulary], k: int, roles_alone: bool
) -> Mapping[str, DraftedHierarchy | Undrafted | None]:
    """The hierarchies of these quasi-identifiers, of so few levels that a search is quick.

    `known`: the vocabularies of the columns. `roles_alone`: None in the place of each.
    """
    if roles_alone:
        return {each.name: undrafted(each, least_rows=k, known=known) for each in profiles}
    return drafted_hierarchies(profiles, least_rows=k, known=known)
