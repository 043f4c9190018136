"""The keys of the losses of a release, by method; lower is better, but for `classes`."""

from __future__ import annotations

from typing import NotRequired

from typing_extensions import TypedDict

ARTEFACT = (
    "The gain of categories in the paper is an artefact of its scoring, which holds released categories against an "
    "original made of categories. Against the items that were bought, categories lose more."
)
"""The note to show beside every utility that scores categories as the paper does."""


class GeneralizationLoss(TypedDict):
    """The losses of a release of generalised rows, by metric; null where one is not known, or has no meaning there."""

    prec: NotRequired[float | None]
    """Prec as a loss: the mean share of its height that a value was generalised by."""
    prec_suppressed_as_1: NotRequired[float | None]
    """The same, suppressed rows counting as wholly generalised."""
    height: NotRequired[int | None]
    """The sum of the levels."""
    classes: NotRequired[int | None]
    """The number of equivalence classes."""
    dm: NotRequired[int | None]
    """Discernibility: the sum of the squares of the class sizes, suppressed rows as the whole dataset each."""
    dm_star: NotRequired[int | None]
    """Discernibility, suppressed rows as one class."""
    c_avg: NotRequired[float | None]
    """The mean class size divided by k."""
    aecs: NotRequired[float | None]
    """The mean class size."""
    entropy: NotRequired[float | None]
    """Non-uniform entropy."""
    entropy_ignoring_suppression: NotRequired[float | None]
    """The same, of the released rows."""
    loss: NotRequired[float | None]
    """Loss (NCP): the mean share of the values of its hierarchy that a released value stands for."""


class MondrianLoss(TypedDict):
    """The losses of a release by Mondrian, by metric."""

    loss: float
    """The mean share of its domain that a released label covers."""
    prec: float
    """The mean share of its height that a value was generalised by."""
    classes: int
    """The number of equivalence classes."""
    dm: int
    """Discernibility: the sum of the squares of the class sizes."""
    c_avg: float
    """The mean class size divided by k."""
    aecs: float
    """The mean class size."""
    by_attribute: dict[str, float]
    """`loss` of each quasi-identifier."""


class MicroaggregationLoss(TypedDict):
    """The losses of a microaggregated release."""

    sse_over_sst: float
    """The sum of squared errors of all attributes, of their total sum of squares."""
    by_attribute: dict[str, float]
    """The same of each attribute."""


class HistoryLoss(TypedDict):
    """The losses of a release of purchase histories: the PWSCUP paper, section 3."""

    utility: float
    """U: the mean error of a cell; a deleted one counts 1."""
    utility_by_column: dict[str, float]
    """The same of each column."""
    deleted_share: float
    """The share of the purchases that are deleted."""
    safety: float
    """1 / k."""
    total: float
    """`utility` and `safety` together."""
    utility_as_categories: NotRequired[float]
    """U as the paper scores categories, where categories are released instead of items."""


class TableLoss(TypedDict):
    """The losses of tables with totals."""

    suppressed_cells: float
    """The share of the cells that are suppressed."""
    suppressed_units: float
    """The share of what all cells count that suppressed cells do: totals among them."""


class NoLoss(TypedDict):
    """The losses where nothing was released, or they stand elsewhere: none."""
