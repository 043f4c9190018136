"""The document of `ordermade measure`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from ordermade.counting.table_figures import (
    Below,
    ColumnFacts,
    MeasuredTable,
    SensitiveFigures,
    class_sizes,
    risk_shown,
    share_above,
    threshold_text,
)
from ordermade.privacy.least_k import shown

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class ClassSize:
    """The classes of one size."""

    size: int | None
    """The size; null: below the least k of the table's datasets."""
    classes: int | None
    """Their number; null below the least k."""


@dataclass(frozen=True, slots=True)
class RiskMeasured:
    """A risk of being recognised, over all rows (or persons)."""

    highest: float | None
    """The highest; null where its class is not shown."""
    average: float | None
    """The mean; null where it is not shown."""
    share_above: Mapping[str, float | None]
    """The share of rows with a greater risk, by threshold."""
    percentiles: Mapping[str, float | None]
    """The risk that so many of a hundred do not exceed."""


@dataclass(frozen=True, slots=True)
class RisksMeasured:
    """The risks of being recognised."""

    sampling_fraction: float
    """The share of the population in the table."""
    prosecutor: RiskMeasured
    """The risk of somebody known to be in the table."""
    journalist: RiskMeasured
    """The risk of somebody of the population."""
    marketer: float | None
    """The expected share that is recognised; null where it is not shown."""


@dataclass(frozen=True, slots=True)
class Recursive:
    """Recursive (c, l)-diversity at one l."""

    l: int  # noqa: E741
    """The l."""
    c_above: float
    """Every c above it will do."""


@dataclass(frozen=True, slots=True)
class SensitiveMeasured:
    """The protection of a sensitive column, in the worst class."""

    column: str
    """Its name."""
    type: str
    """Its SQL type."""
    values: int
    """Its different values."""
    nulls: int | None
    """The rows without a value; null below the least k."""
    distinct_l: int
    """The fewest different values."""
    entropy_l: float
    """e to the least entropy."""
    recursive_cl: Sequence[Recursive]
    """Recursive (c, l)-diversity at each l."""
    t_equal: float
    """The greatest distance from the whole table, values being equally far apart."""
    t_ordered: float | None
    """The same of ordered values; null where they have no order."""
    alpha: float
    """The greatest share of one value."""
    beta_basic: float | None
    """The least basic beta; null where none will do."""
    beta_enhanced: float | None
    """The least enhanced beta; null where none will do."""
    delta: float | None
    """The least delta."""


@dataclass(frozen=True, slots=True)
class SmallClasses:
    """The classes smaller than a k."""

    k: int
    """The k."""
    classes: int | None
    """Their number; null where it is not shown."""
    units: int | None
    """The rows (or persons) in them; null where it is not shown."""
    share: float | None
    """The share of all; null where it is not shown."""


@dataclass(frozen=True, slots=True)
class TableMeasured:
    """The anonymity of a table as it is."""

    table: str
    """The table."""
    where: str | None
    """The row filter."""
    unit: str
    """`rows` or `persons`: the unit that k counts."""
    least_k: int | None
    """The least k of the datasets of the table, below which nothing is shown; null where it has none."""
    rows: int | None
    """Its rows."""
    persons: int | None
    """Its persons; null where a row is a person."""
    entity: str | None
    """The column that identifies a person."""
    quasi_identifiers: Sequence[ColumnFacts]
    """The quasi-identifiers."""
    k: int | None
    """The size of the smallest class."""
    classes: int | None
    """The number of equivalence classes."""
    classes_of_one: int | None
    """The classes of one row (or person); null where counts below a least k are not shown."""
    average_class: float | None
    """The mean class size."""
    largest_class: int | None
    """The size of the largest class."""
    class_sizes: Sequence[ClassSize]
    """The classes of each size."""
    below: Sequence[SmallClasses]
    """The classes smaller than some k."""
    risks: RisksMeasured
    """The risks of being recognised."""
    sensitive: Sequence[SensitiveMeasured]
    """The sensitive columns."""


def measured(found: MeasuredTable, fraction: Fraction) -> TableMeasured:
    """All measured figures; those that would show fewer than the least k are null."""
    least_k = found.least_k
    return TableMeasured(
        table=found.name,
        where=found.filter,
        unit=found.unit,
        least_k=least_k or None,
        rows=shown(found.rows, least_k),
        persons=None if found.entity is None else shown(found.units, least_k),
        entity=found.entity,
        quasi_identifiers=found.quasi_identifiers,
        k=shown(found.k, least_k),
        classes=shown(found.classes.divisions, least_k),
        classes_of_one=None if least_k else found.classes_of_one,
        average_class=found.average_class if found.average_class >= least_k else None,
        largest_class=shown(found.largest_class, least_k),
        class_sizes=tuple(ClassSize(size, classes) for size, classes in class_sizes(found)),
        below=tuple(_below(found, each) for each in found.below()),
        risks=RisksMeasured(
            sampling_fraction=float(fraction),
            prosecutor=_risk(found, Fraction(1)),
            journalist=_risk(found, fraction),
            marketer=risk_shown(found, found.marketer(fraction), fraction),
        ),
        sensitive=tuple(_sensitive(each, least_k) for each in found.sensitive),
    )


def _below(found: MeasuredTable, each: Below) -> SmallClasses:
    least_k = found.least_k
    if each.k < least_k:
        return SmallClasses(each.k, None, None, None)
    share = each.share if each.units >= least_k else None
    return SmallClasses(each.k, shown(each.classes, least_k), shown(each.units, least_k), share)


def _sensitive(each: SensitiveFigures, least_k: int) -> SensitiveMeasured:
    return SensitiveMeasured(
        column=each.column.name,
        type=each.column.type,
        values=each.column.values,
        nulls=shown(each.column.nulls, least_k),
        distinct_l=each.distinct_l,
        entropy_l=each.entropy_l,
        recursive_cl=tuple(Recursive(length, c) for length, c in each.recursive_c),
        t_equal=each.t_equal,
        t_ordered=each.t_ordered,
        alpha=each.alpha,
        beta_basic=each.beta_basic,
        beta_enhanced=each.beta_enhanced,
        delta=each.delta,
    )


def _risk(found: MeasuredTable, fraction: Fraction) -> RiskMeasured:
    risks = found.risks(fraction)
    above = ((each, share_above(found, each, fraction, share)) for each, share in risks.above)
    return RiskMeasured(
        highest=risk_shown(found, risks.highest, fraction),
        average=risk_shown(found, risks.average, fraction),
        share_above={threshold_text(threshold): share for threshold, share in above},
        percentiles={str(percent): risk_shown(found, risk, fraction) for percent, risk in risks.percentiles},
    )
