"""The records to partition: pulled from the source once, and stored as codes of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ordermade.counting.coinciding_labels import require_distinct_labels
from ordermade.counting.counts import Sensitive, branches_of_values
from ordermade.counting.numeric_records import (
    NumericEncoding,
    missing_values,
    numbers_statement,
    pulled,
    pulled_table,
    require_values,
)
from ordermade.counting.record_tables import MICRODATA, measured_column
from ordermade.counting.statements import Statement, carry_out
from ordermade.methods.mondrian.algorithm.check import SensitiveCodes, SplitRequirement
from ordermade.methods.mondrian.algorithm.domains import Codes, Domain
from ordermade.methods.mondrian.coded_columns import (
    TARGET,
    beside,
    coded,
    held_columns,
    listed_statement,
    numbered,
    pulled_statement,
    rows_statement,
)
from ordermade.methods.mondrian.combination import Combination
from ordermade.methods.mondrian.open_request import MondrianColumn, PlannedColumn
from ordermade.release.plan import PERSON, Plan
from ordermade.sources.executor import Executor, Purpose

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True, eq=False)
class StoredValues:
    """Where the values of a column stand as the database writes them: in a column of a table of the workspace.

    `places`: of each code the number, in the column `key`, of a row that has its value.
    """

    table: str
    column: str
    key: str
    places: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class RowStatements:
    """The statements that give the rows of a request, in order: kept as `MICRODATA`, values missing, as numbers."""

    records: Statement
    missing: tuple[Statement, ...]
    numbers: Statement

    def __iter__(self) -> Iterator[Statement]:
        """Each of them."""
        yield self.records
        yield from self.missing
        yield self.numbers


def row_statements(plan: Plan, wanted: Sequence[PlannedColumn], *, ordered: bool, target: str | None) -> RowStatements:
    """The statements that give the rows of a request."""
    held = held_columns(wanted)
    records = pulled_statement(plan, wanted, ordered=ordered, target=target)
    return RowStatements(
        Statement("the records, in the order of their values" if ordered else "the records", True, MICRODATA, records),
        tuple(missing_values("rows without a value", held)),
        Statement("the records, to be split", False, None, numbers_statement([*held, *beside(plan, target)])),
    )


@dataclass(frozen=True, slots=True, eq=False)
class MondrianRecords:
    """Every record of the dataset, by its number in the table `MICRODATA` of the workspace.

    Or every combination, by its number in the table `NARROW`: then `weights` has the rows of each, `combination` says
    what was counted, and `standings` of each column that is known by its values where they are. `rows`: those of the
    dataset.

    `columns`: the quasi-identifiers in order (none where there is no record); `codes`: those of their values, a row a
    record, contiguous, of which each column has a view. `sensitive`: the sensitive attributes of the plan. `persons`:
    the number of each record's person, from 0, if the dataset has an entity; `target`: the number of its value in
    the target column, below `target_values`, in the order of the values, NULL last.
    """

    plan: Plan
    rows: int
    columns: tuple[MondrianColumn, ...]
    codes: Codes
    sensitive: tuple[SensitiveCodes, ...] = ()
    persons: Codes | None = None
    target: Codes | None = None
    target_values: int = 0
    weights: NDArray[np.int64] | None = None
    standings: tuple[StoredValues | None, ...] = ()
    combination: Combination | None = None

    @classmethod
    def stored(
        cls, plan: Plan, wanted: Sequence[PlannedColumn], *, ordered: bool, target: str | None = None
    ) -> MondrianRecords:
        """The records, kept in the workspace on the way: one statement in the source. Persons have been counted before.

        The quasi-identifiers `wanted` are the plan's aggregated columns, its sensitive attributes are grounded. With
        `ordered` the records stand in the order of their own values, whatever the order of the source. Raises
        InputError, with counts only, for records without a value in a column that has no hierarchy to hold it;
        SourceChanged, SourceFault.
        """
        backend = plan.dataset.backend
        workspace = backend.workspace
        require_labels(workspace, wanted)
        statements = row_statements(plan, wanted, ordered=ordered, target=target)
        carry_out(backend, Purpose.RECORDS, [statements.records])
        held = held_columns(wanted)
        require_values(workspace, statements.missing, held, "quasi_identifiers", plan.dataset.least_k)
        rows = int(workspace.rows(Purpose.RECORDS, rows_statement())[0][0])
        if rows == 0:
            return cls(plan, 0, (), np.empty((0, len(wanted)), dtype=np.int32))
        needed = [*held, *beside(plan, target)]
        texts = _listed(workspace, needed)
        names = (each.name for each in needed)
        found = dict(zip(names, pulled(workspace, statements.numbers.tree, needed, rows, texts), strict=True))
        codes = np.empty((rows, len(wanted)), dtype=np.int32)
        columns = []
        for place, (each, column) in enumerate(zip(wanted, held, strict=True)):
            one = coded(workspace, each, found.pop(column.name), texts.get(column.name))
            codes[:, place] = one.codes
            columns.append(replace(one, codes=codes[:, place]))
        persons = None if plan.entity is None else numbered(found[PERSON])[1]
        sensitive = tuple(sensitive_codes(workspace, each, found[each.cell_column], persons) for each in plan.sensitive)
        aimed = found.get(TARGET)
        return cls(
            plan,
            rows,
            tuple(columns),
            codes,
            sensitive,
            persons,
            aimed,
            0 if aimed is None else int(aimed.max()) + 1,
        )

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The domain of each quasi-identifier, in order."""
        return tuple(each.domain for each in self.columns)

    @property
    def requirement(self) -> SplitRequirement:
        """The requirement of every class: the plan's k, of persons if the dataset has an entity, and its models."""
        return SplitRequirement(self.plan.k, self.persons, self.sensitive, self.weights)

    @property
    def records(self) -> int:
        """The number of records: rows, or combinations."""
        return len(self.codes)

    def standing(self, place: int) -> StoredValues:
        """Where the values of an `ordered` column are."""
        found = self.standings[place] if self.standings else None
        if found is not None:
            return found
        column = self.columns[place]
        record = np.empty(column.values.size, dtype=np.int64)
        record[column.codes] = np.arange(self.records)
        return StoredValues(MICRODATA, measured_column(place), "rowid", record)


def require_labels(workspace: Executor, wanted: Sequence[PlannedColumn]) -> None:
    """Raises HierarchyError where two classes of a hierarchy, of levels that may be released, have one label."""
    for each in wanted:
        if each.kind == "nested" and each.grounded is not None:  # its classes are at several levels
            levels = range(each.finest, each.grounded.hierarchy.top + 1)
            require_distinct_labels(workspace, each.grounded, levels)


def _listed(executor: Executor, columns: Sequence[NumericEncoding]) -> Mapping[str, pa.Array]:
    """The texts of the values of every column that has no numbers, in their order."""
    found = {}
    for each in columns:
        if each.kind == "value":
            table = pulled_table(executor, Purpose.RECORDS, listed_statement(each.name))
            found[each.name] = None if table is None else table["label"].combine_chunks()
    return found


def sensitive_codes(executor: Executor, sensitive: Sensitive, codes: Codes, persons: Codes | None) -> SensitiveCodes:
    """A sensitive attribute of records with these numbers of values, and of persons."""
    pairs = None
    if persons is not None:
        pairs = numbered(persons.astype(np.int64) * sensitive.different + codes)[1]
    return SensitiveCodes(
        codes=codes,
        values=sensitive.different,
        models=sensitive.models,
        pairs=pairs,
        ancestors={
            identity: np.array(branches, dtype=np.int32)
            for identity, branches in branches_of_values(executor, Purpose.RECORDS, sensitive).items()
        },
        column=sensitive.column,
    )
