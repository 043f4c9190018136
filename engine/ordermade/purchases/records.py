"""The purchases of a dataset: pulled out of the source once, kept in whole numbers of units, customer by customer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ordermade.errors import InputError, quoted
from ordermade.history.histories import Histories
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.grounding import ground
from ordermade.measuring.widening import dropped
from ordermade.purchases.statements import (
    GOOD,
    ITEM,
    arrays_statement,
    customer_counts_statement,
    customers_statement,
    goods_statement,
    held_columns,
    items_statement,
    moments_statement,
    pulled_statement,
    purchases_statement,
    ranges_statement,
    starts_statement,
)
from ordermade.purchases.tables import CUSTOMERS, GOODS, ITEMS, PURCHASES
from ordermade.purchases.units import Measure, measures_of, with_units
from ordermade.release.columns import labels_statement, labels_table
from ordermade.release.plan import Plan
from ordermade.requests.resolved_history import ResolvedHistory
from ordermade.slices.numbers import Held, require_values
from ordermade.slices.pull import pulled
from ordermade.slices.tables import MICRODATA
from ordermade.sources.door import Door, Purpose

LARGEST_SUM = 2**122
"""The largest sum of squares: even some times as much fits into whole numbers of 16 bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class Purchases:
    """Every purchase of the dataset, in the tables PURCHASES, CUSTOMERS, GOODS and ITEMS of the workspace.

    Attributes:
        plan: the columns to release; its aggregated columns are the day, the item and the numbers.
        resolved: the request.
        rows: the number of purchases.
        customers: the number of customers.
        measures: the day and the numbers, in order, with their units.
        sds: the population standard deviation of each measure over all purchases, in units.
        negatives: of each measure, the purchases with a number below 0.
        most: the purchases of the customer who has most.
    """

    plan: Plan
    resolved: ResolvedHistory
    rows: int
    customers: int
    measures: tuple[Measure, ...]
    sds: tuple[float, ...]
    negatives: tuple[int, ...]
    most: int

    @classmethod
    def stored(cls, plan: Plan, resolved: ResolvedHistory) -> Purchases:
        """The purchases, kept in the workspace: one statement in the source, and one more for the items of a taxonomy.

        Raises InputError, with counts only, for purchases without a value in a column, for numbers that are no whole
        number of units or lie too far apart; HierarchyError where the taxonomy leaves out
        an item; SourceFault.
        """
        workspace = plan.dataset.backend.workspace
        categories = categories_of(plan, resolved)
        measures = measures_of(resolved)
        statement = pulled_statement(plan, resolved, measures)
        plan.dataset.backend.keep(Purpose.RECORDS, MICRODATA, statement, part="pulled")
        require_values(workspace, held_columns(resolved, measures), "history", plan.dataset.least_k)
        measures = with_units(workspace, resolved, plan.dataset.least_k)
        workspace.store(Purpose.RECORDS, CUSTOMERS, customers_statement())
        workspace.store(Purpose.RECORDS, GOODS, goods_statement(categories))
        workspace.store(Purpose.RECORDS, ITEMS, items_statement())
        workspace.store(Purpose.RECORDS, PURCHASES, purchases_statement(resolved, measures))
        workspace.rows(Purpose.RECORDS, dropped(MICRODATA))
        rows, *ranges = workspace.rows(Purpose.RECORDS, ranges_statement(measures))[0]
        customers, most = workspace.rows(Purpose.RECORDS, customer_counts_statement())[0]
        negatives = tuple(int(each) for each in ranges[2::3])
        if rows:
            _require_near(measures, ranges, rows)
        return cls(plan, resolved, rows, customers, measures, _sds(workspace, measures, rows), negatives, most)

    @property
    def good_column(self) -> str:
        """The column of PURCHASES with the number of the good in GOODS."""
        return ITEM if self.resolved.taxonomy is None else GOOD

    def histories(self) -> Histories:
        """The purchases as arrays, in the order of PURCHASES. Raises SourceFault."""
        workspace = self.plan.dataset.backend.workspace
        measured = [Held(each.name, each.column, "float") for each in self.measures]
        held = [*measured, Held(ITEM, self.resolved.item.column, "code")]
        *columns, items = pulled(workspace, arrays_statement(self.measures), held, self.rows)
        numbers = np.empty((self.rows, len(columns)))
        for place in range(len(columns)):
            numbers[:, place] = columns[place]
        begin = Held("start", self.resolved.customer.column, "whole")
        (starts,) = pulled(workspace, starts_statement(), [begin], self.customers)
        return Histories(np.append(starts, self.rows), numbers, items, np.array(self.sds))


def categories_of(plan: Plan, resolved: ResolvedHistory) -> Attribute | None:
    """The column of items with its taxonomy, as `ground` makes it countable; None where items are released.

    Stores the released label of each item in the workspace.
    """
    taxonomy = resolved.taxonomy
    if taxonomy is None:
        return None
    workspace = plan.dataset.backend.workspace
    found = ground(plan.dataset, 1, resolved.item.column, taxonomy.hierarchy, 0)
    labels = found.labels[taxonomy.level]
    bound = {"classes": list(labels), "labels": list(labels.values())}
    workspace.store(Purpose.RECORDS, labels_table(found), labels_statement(found, taxonomy.level), bound)
    return found


def _require_near(measures: Sequence[Measure], ranges: Sequence[int], rows: int) -> None:
    """Raises InputError where the squares of a column could not be summed exactly."""
    for each, low, high in zip(measures, ranges[0::3], ranges[1::3], strict=True):
        if max(abs(low), abs(high)) ** 2 * rows > LARGEST_SUM:
            raise InputError(
                f"the column {quoted(each.column)} has numbers too large to be summed exactly",
                where=f"history.numbers: {each.column}",
                next_step="Leave the largest out with `where`, or cast the column to DOUBLE in a dataset query and "
                "write a larger unit.",
            )


def _sds(door: Door, measures: Sequence[Measure], rows: int) -> tuple[float, ...]:
    """The population standard deviation of each measure, out of exact sums; 0 without a row."""
    sums = iter(door.rows(Purpose.RECORDS, moments_statement(measures))[0])
    squares = [(int(total), int(square)) for total, square in zip(sums, sums, strict=True)]
    return tuple(math.sqrt(Fraction(rows * square - total**2, max(rows, 1) ** 2)) for total, square in squares)
