"""The documents of `ordermade microaggregation`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.methods.microaggregation import compare
    from ordermade.methods.microaggregation.algorithm.methods import GroupingMethod
    from ordermade.methods.microaggregation.compare import ComparedMethod


@dataclass(frozen=True, slots=True)
class MethodList:
    """The methods of making groups."""

    methods: Sequence[GroupingMethod]
    """The methods."""


@dataclass(frozen=True, slots=True)
class ComparedOptions:
    """The options of every method."""

    gamma: float
    """Of vmdav: how readily a group takes a near record."""
    anchors: int
    """Of fdh: the records at the centres of regions."""
    seed: int
    """The seed of the random choices."""
    improve: bool
    """Whether groups are improved."""
    seconds: float | None
    """The most seconds of each method at each k."""


@dataclass(frozen=True, slots=True)
class ComparedLosses:
    """The losses of methods on a table; nothing is released."""

    table: str
    """The table."""
    where: str | None
    """The row filter."""
    rows: int
    """Its rows."""
    attributes: Sequence[str]
    """The columns that groups are made by."""
    standardised: bool
    """Whether each column counts as if its variance were 1."""
    options: ComparedOptions
    """The options."""
    outcomes: Sequence[ComparedMethod]
    """The outcome of each method at each k."""


def compared(found: compare.Comparison) -> ComparedLosses:
    """The whole comparison."""
    options = found.options
    return ComparedLosses(
        table=found.table,
        where=found.filter,
        rows=found.rows,
        attributes=found.attributes,
        standardised=found.standardised,
        options=ComparedOptions(options.gamma, options.anchors, options.seed, options.improve, options.seconds),
        outcomes=found.outcomes,
    )
