"""The columns that the combinations of a request are counted by, and the cache that may have them.

A split keeps equal rows together, so that it needs no more than the rows of each combination of the quasi-identifiers,
the sensitive columns, the target and the person. They are a frequency set at the finest levels, which the cache keeps
as that of any other method: of a column that is split along a hierarchy by its cells, of others by the numbers of their
values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import NARROW, Counting, Sensitive, outline_sensitive
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, as_key
from ordermade.counting.frequency_set import combinations_counted
from ordermade.counting.numeric_records import NumericEncoding, missing_values, numbers_statement
from ordermade.counting.record_tables import MICRODATA
from ordermade.counting.statements import Statement
from ordermade.counting.steps import value_statements
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.release.plan import PERSON, Plan
from ordermade.state.cache_contents import GroundedColumn


@dataclass(frozen=True, slots=True)
class Combination:
    """The columns that combinations are counted by.

    `attributes`: of the quasi-identifiers that go by the cells of a hierarchy. `values`: of those that go by their
    values, and of the target unless it is sensitive. `sensitive`: the sensitive attributes of the plan.
    """

    attributes: tuple[EncodedColumn, ...]
    values: tuple[Sensitive, ...]
    sensitive: tuple[Sensitive, ...]
    entity: str | None

    @property
    def counting(self) -> Counting:
        """The columns beyond the attributes."""
        return Counting((*self.values, *self.sensitive), self.entity)

    @property
    def numbers(self) -> dict[str, Sensitive]:
        """The columns that are known by the numbers of their values, by name."""
        return {each.column: each for each in (*self.sensitive, *self.values)}

    @property
    def cached_columns(self) -> tuple[GroundedColumn, ...]:
        """The columns that a cached frequency set must have."""
        attributes = (
            GroundedColumn(each.column, each.hierarchy.content_hash, each.base, not each.hierarchy.enumerated)
            for each in self.attributes
        )
        return (*attributes, *self.counting.cached_columns)

    def cells(self, wanted: PlannedColumn) -> str:
        """The column of a quasi-identifier in the frequency set."""
        grounded = wanted.grounded
        return grounded.cell_column if by_cells(wanted) and grounded else self.numbers[wanted.column].cell_column


def by_cells(wanted: PlannedColumn) -> bool:
    """Whether a quasi-identifier goes by the cells of a hierarchy, not by its values."""
    return wanted.held("").kind == "code"


def is_counted(wanted: Sequence[PlannedColumn], *, strict: bool) -> bool:
    """Whether the records of a request can be combinations.

    Relaxed Mondrian deals equal rows out. Values that are only compared as texts have lost their own order.
    """
    values = (each for each in wanted if not by_cells(each))
    return strict and all(isinstance(as_key(each.column, each.column_type)[0], exp.Column) for each in values)


def combination_of(plan: Plan, wanted: Sequence[PlannedColumn], target: str | None) -> Combination:
    """The columns of a request, those known by their values only outlined: nothing of them is counted yet."""
    rows = replace(plan.dataset, entity=None)
    named = dict.fromkeys(each.column for each in wanted if not by_cells(each))
    if target is not None and target not in {each.column for each in plan.sensitive}:
        named[target] = None
    after = max([len(wanted), *(each.position for each in plan.sensitive)])
    return Combination(
        attributes=tuple(each.grounded for each in wanted if by_cells(each) and each.grounded is not None),
        values=tuple(outline_sensitive(rows, after + 1 + place, column, ()) for place, column in enumerate(named)),
        sensitive=plan.sensitive,
        entity=plan.entity,
    )


def missing_of(wanted: PlannedColumn, combination: Combination) -> Iterator[Statement]:
    """The statement that counts the rows without a value of a column, if there may be some."""
    title, counted = f"rows without a value of {wanted.column}", combination.numbers.get(wanted.column)
    if counted is not None:
        yield from missing_values(title, (wanted.held("key"),), counted.values)


def combination_statements(
    dataset: Dataset, wanted: Sequence[PlannedColumn], combination: Combination
) -> Iterator[Statement]:
    """The statements that count the combinations of a request, and give them, in order; nothing is counted yet."""
    for each in combination.values:
        yield from value_statements(replace(dataset, entity=None), each)
    for one in wanted:
        yield from missing_of(one, combination)
    yield combinations_counted(dataset, combination.attributes, combination.counting)
    yield Statement("the combinations, to be split", False, None, numbers_of(combination))


def pulled_columns(combination: Combination) -> tuple[NumericEncoding, ...]:
    """The columns of the frequency set that are split, as numbers."""
    named: Mapping[str, str] = {each.cell_column: each.column for each in combination.attributes} | {
        each.cell_column: each.column for each in combination.counting.sensitive
    }
    found = [NumericEncoding(name, column, "code") for name, column in named.items()]
    if combination.entity is not None:
        found.append(NumericEncoding(PERSON, combination.entity, "code"))
    return (*found, NumericEncoding("n", "n", "whole"))


def numbers_of(combination: Combination) -> exp.Select:
    """The statement that gives the combinations as numbers."""
    return sql.with_relations(numbers_statement(pulled_columns(combination)), {MICRODATA: exp.to_table(NARROW)})
