"""The types of the document of `ordermade measure`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class MeasuredColumn(TypedDict):
    """A measured column."""

    name: str
    """Its name."""
    type: str
    """Its SQL type."""
    values: int
    """Its different values; NULL is one."""
    nulls: int
    """The rows without a value."""


class ClassSize(TypedDict):
    """The classes of one size."""

    size: int | None
    """The size; null: below the least k of the table's datasets."""
    classes: int | None
    """Their number; null below the least k."""


class Below(TypedDict):
    """The classes smaller than a k."""

    k: int
    """The k."""
    classes: int | None
    """Their number; null where it is not shown."""
    units: int | None
    """The rows (or persons) in them; null where it is not shown."""
    share: float | None
    """The share of all; null where it is not shown."""


class Risk(TypedDict):
    """A risk of being recognised, over all rows (or persons)."""

    highest: float | None
    """The highest; null where its class is not shown."""
    average: float | None
    """The mean; null where it is not shown."""
    share_above: dict[str, float | None]
    """The share of rows with a greater risk, by threshold."""
    percentiles: dict[str, float | None]
    """The risk that so many of a hundred do not exceed."""


class Risks(TypedDict):
    """The risks of being recognised."""

    sampling_fraction: float
    """The share of the population in the table."""
    prosecutor: Risk
    """The risk of somebody known to be in the table."""
    journalist: Risk
    """The risk of somebody of the population."""
    marketer: float | None
    """The expected share that is recognised; null where it is not shown."""


class Recursive(TypedDict):
    """Recursive (c, l)-diversity at one l."""

    l: int  # noqa: E741
    """The l."""
    c_above: float
    """Every c above it will do."""


class SensitiveMeasured(TypedDict):
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
    recursive_cl: list[Recursive]
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


class Measurement(Opening):
    """The anonymity of a table as it is."""

    command: Literal["measure"]
    """`measure`."""
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
    quasi_identifiers: list[MeasuredColumn]
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
    class_sizes: list[ClassSize]
    """The classes of each size."""
    below: list[Below]
    """The classes smaller than some k."""
    risks: Risks
    """The risks of being recognised."""
    sensitive: list[SensitiveMeasured]
    """The sensitive columns."""
