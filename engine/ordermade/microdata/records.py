"""The records to group: pulled from the source once, class by class, in the order of their values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ordermade.measuring.attribute import Attribute as Grounded
from ordermade.microaggregation.columns import Attribute, Categorical, Codes, Numeric
from ordermade.microdata.aggregated import Aggregated
from ordermade.microdata.statements import classes_statement, held_columns, pulled_statement
from ordermade.release.plan import Plan
from ordermade.slices.keys import leaves_statement
from ordermade.slices.numbers import numbers_statement, require_values
from ordermade.slices.pull import pulled
from ordermade.slices.tables import MICRODATA
from ordermade.sources.door import Purpose


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """Every record of the dataset, by number, in the order of its class, its attributes and its kept columns.

    `attributes`: the aggregated columns as numbers, in order (none where there is no record). `classes`: of each class
    of `within`, in order, the class in each of the plan's columns that divide the records; `sizes`: its records.
    Without `within` there is one class.
    """

    plan: Plan
    aggregated: tuple[Aggregated, ...]
    attributes: tuple[Attribute, ...]
    classes: tuple[tuple[int, ...], ...]
    sizes: tuple[int, ...]

    @classmethod
    def stored(cls, plan: Plan, aggregated: Sequence[Aggregated], *, standardise: bool = True) -> Records:
        """The records, kept in the workspace on the way as the table `MICRODATA`: one statement in the source.

        `plan.attributes` at `plan.node` are the columns inside whose classes records are grouped. Without `standardise`
        distances are in the columns' own units. Raises InputError, with counts only, for records without a number in a
        column.
        """
        backend = plan.dataset.backend
        backend.keep(Purpose.RECORDS, MICRODATA, pulled_statement(plan, aggregated))
        held = held_columns(aggregated)
        require_values(backend.workspace, held, "attributes", plan.dataset.least_k)
        found = [tuple(map(int, row)) for row in backend.workspace.rows(Purpose.RECORDS, classes_statement(plan))]
        sizes = tuple(size for *_, size in found)
        classes = tuple(tuple(at) for *at, _ in found)
        attributes = _attributes(plan, aggregated, sum(sizes), standardise=standardise) if sum(sizes) else ()
        return cls(plan, tuple(aggregated), attributes, classes, sizes)

    @property
    def rows(self) -> int:
        """How many records there are."""
        return sum(self.sizes)

    def classes_below(self, k: int) -> int:
        """How many classes have fewer records than k."""
        return sum(size < k for size in self.sizes)


def _attributes(plan: Plan, aggregated: Sequence[Aggregated], rows: int, *, standardise: bool) -> tuple[Attribute, ...]:
    """The columns of the stored records as numbers."""
    held = held_columns(aggregated)
    columns = pulled(plan.dataset.backend.workspace, numbers_statement(held), held, rows)
    return tuple(
        _attribute(plan, each, column, standardise=standardise)
        for each, column in zip(aggregated, columns, strict=True)
    )


def _attribute(plan: Plan, attribute: Aggregated, column: NDArray[Any], *, standardise: bool) -> Attribute:
    if attribute.grounded is None:
        # Units of the last digit are smaller than the column's own; distances are squared.
        weight = attribute.weight if standardise else attribute.weight / attribute.units**2
        return Numeric(column, weight)
    cells, ancestors = _ancestors(plan, attribute.grounded)
    return Categorical(np.searchsorted(cells, column).astype(np.int32), ancestors, attribute.weight)


def _ancestors(plan: Plan, grounded: Grounded) -> tuple[Codes, Codes]:
    """The cells of a hierarchy in order, and of each its class at each level below `*`."""
    levels = [grounded.level_column(level) for level in range(1, grounded.hierarchy.top)]
    statement = leaves_statement(grounded, levels)
    found = plan.dataset.backend.workspace.rows(Purpose.RECORDS, statement)
    cells: Codes = np.array([row[0] for row in found], dtype=np.int32)
    classes: Codes = np.array([row[2:] for row in found], dtype=np.int32).reshape(cells.size, len(levels))
    return cells, np.column_stack([cells, classes])
