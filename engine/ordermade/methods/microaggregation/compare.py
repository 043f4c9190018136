"""Compare methods of microaggregation on any table: the loss of each at each k, and its seconds.

Nothing is released, and nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.errors import InputError, UnknownName, quoted
from ordermade.hierarchies.column_types import measured_as, without_labels
from ordermade.methods.microaggregation.algorithm.arrays import Table
from ordermade.methods.microaggregation.algorithm.columns import euclidean
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.methods import METHODS, Options
from ordermade.methods.microaggregation.open_request import Aggregated
from ordermade.methods.microaggregation.records import PulledRecords
from ordermade.methods.shared.sweep import each_k
from ordermade.privacy.least_k import DatasetTerms, numbered
from ordermade.progress.waiting import Progress, Silent
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import cell
from ordermade.release.plan import Plan
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile

if TYPE_CHECKING:
    from ordermade.methods.microaggregation.algorithm.grouping import Grouped

WARMING = 24
"""The number of records grouped first, so that no method's seconds include compilation."""


@dataclass(frozen=True, slots=True)
class ComparisonOptions:
    """A comparison to make: `algorithms` (none: every one that takes the attributes) at each k of `ks`.

    `options`: of all of them, but for the algorithm; their `seconds` and `rounds` are for each algorithm at each k.
    If they do not improve, `auto` does all the same: it is the search, and the others are its starts.
    """

    attributes: Sequence[str]
    ks: Sequence[int]
    algorithms: Sequence[str] = ()
    options: Options = field(default_factory=Options)
    standardise: bool = True


@dataclass(frozen=True, slots=True)
class ComparedMethod:
    """One method at one k."""

    algorithm: str
    """The method."""
    k: int
    """The k."""
    loss: float
    """SSE / SST, from 0 to 1."""
    groups: int
    """The number of groups."""
    largest: int
    """The records of the largest."""
    seconds: float
    """The seconds."""
    chosen: str
    """The method whose groups they are: another one for `auto` alone."""


@dataclass(frozen=True, slots=True, repr=False)
class Comparison(HasSummary):
    """A finished comparison: the table with its row filter, its rows, the attributes, and an outcome for each point."""

    table: str
    filter: str | None
    rows: int
    attributes: tuple[str, ...]
    algorithms: tuple[str, ...]
    ks: tuple[int, ...]
    options: Options
    standardised: bool
    outcomes: tuple[ComparedMethod, ...]

    def of(self, algorithm: str) -> tuple[ComparedMethod, ...]:
        """The outcomes of one algorithm, by k."""
        return tuple(each for each in self.outcomes if each.algorithm == algorithm)

    def _card(self) -> Card:

        return Card.of(
            f"Comparison: {len(self.algorithms):,} algorithms, {len(self.ks):,} values of k",
            facts(self),
            Grid(loss_headings(self), loss_rows(self), "Loss (SSE/SST) in %"),
            Grid(loss_headings(self), seconds_rows(self), "Seconds"),
        )


def compared(
    table: AnyTable,
    state: StateFile,
    limits: Limits,
    wanted: ComparisonOptions,
    *,
    where: str | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """The loss of each algorithm at each k on the numeric columns of a table.

    Raises InputError for columns that are no numbers or have rows without one, for a k that no group can have, and for
    an algorithm that does not take the attributes; UnknownName, SourceFault, StateFault.
    """
    from ordermade.methods.microaggregation.algorithm.grouping import grouped

    progress = progress or Silent()
    ks = each_k(wanted.ks)
    with table.dataset(state, limits, where, k=ks[-1]) as (dataset, text):
        breach = DatasetTerms(dataset.least_k).of_k(ks[0], table.named)
        if breach is not None:
            raise InputError(breach.what, where="--k", next_step=f"{breach.instead.capitalize()}.")
        aggregated = _aggregated(wanted, {each.name: each.type for each in dataset.columns})
        algorithms = _algorithms(wanted)
        progress.step("records")
        names = tuple(each.column for each in aggregated)
        records = PulledRecords.stored(
            Plan(dataset, (), (), (), "rows", k=ks[0], aggregated=names), aggregated, standardise=wanted.standardise
        )
        if records.rows < ks[-1]:
            raise InputError(
                f"k of {ks[-1]:,} is greater than the {numbered(records.rows, 'row there is', 'rows there are')}",
                where="--k",
                next_step="Ask for a smaller k.",
            )
        numbers = euclidean(records.attributes, standardise=wanted.standardise).table
    outcomes = []
    for algorithm in algorithms:
        improve = wanted.options.improve or algorithm == "auto"
        options = replace(wanted.options, algorithm=algorithm, improve=improve)
        grouped(numbers[:WARMING], 2, replace(options, seconds=None, rounds=1), threads=1)
        for k in ks:
            progress.step(f"{algorithm}, k = {k:,}")
            began = time.perf_counter()
            found = grouped(numbers, k, options, threads=limits.threads, progress=progress.records_left)
            outcomes.append(_outcome(numbers, k, options, found, time.perf_counter() - began))
    return Comparison(
        table=table.named,
        filter=text,
        rows=len(numbers),
        attributes=names,
        algorithms=algorithms,
        ks=ks,
        options=wanted.options,
        standardised=wanted.standardise,
        outcomes=tuple(outcomes),
    )


def _outcome(numbers: Table, k: int, options: Options, found: Grouped, seconds: float) -> ComparedMethod:
    loss = information_loss(numbers, found.labels).loss
    report = found.report
    return ComparedMethod(options.algorithm, k, loss, report.groups, report.largest, round(seconds, 4), found.algorithm)


def _aggregated(wanted: ComparisonOptions, types: dict[str, str]) -> tuple[Aggregated, ...]:
    """The columns by their stored names. Raises InputError for one that is no number, or named twice."""
    if not wanted.attributes:
        raise InputError("name at least one column", where="--attributes", next_step="For example income,age.")
    names = [column_named("--attributes", each, list(types)) for each in wanted.attributes]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise InputError(f"{quoted(name)} is named twice", where="--attributes", next_step="Name it once.")
        if measured_as(types[name]) is None:
            numeric = [quoted(each) for each, kind in types.items() if measured_as(kind)]
            raise InputError(
                f"the column {quoted(name)} is a {without_labels(types[name])}, which is not compared",
                where="--attributes",
                next_step=f"Numeric are: {', '.join(numeric)}." if numeric else "No column of the table is numeric.",
            )
    return tuple(Aggregated(name, types[name]) for name in names)


def _algorithms(wanted: ComparisonOptions) -> tuple[str, ...]:
    """The named algorithms, or all that take the attributes. Raises InputError for one that does not."""
    single = len(wanted.attributes) == 1
    taken = [each.name for each in METHODS.values() if single or each.takes == "any attributes"]
    for name in wanted.algorithms:
        if name not in METHODS:
            raise UnknownName("algorithm", name, METHODS, where="--algorithms")
        if name not in taken:
            raise InputError(
                f"the algorithm {name} takes one attribute, not {len(wanted.attributes)}",
                where="--algorithms",
                next_step=f"Several are taken by {', '.join(taken)}.",
            )
    return tuple(dict.fromkeys(wanted.algorithms)) or tuple(taken)


def facts(found: Comparison) -> Iterator[tuple[str, Any]]:
    """The compared table and options, in a few lines."""
    yield "table", found.table
    yield "where", found.filter
    yield "rows", found.rows
    yield "attributes", found.attributes
    yield "standardised", found.standardised
    if found.options.improve:
        yield "improved", f"all, within {cell(found.options.seconds)} s for each algorithm at each k"
    else:
        yield "improved", f"auto alone, within {cell(found.options.seconds)} s at each k"


def loss_headings(found: Comparison) -> tuple[str, ...]:
    """`k`, then the algorithms."""
    return ("k", *found.algorithms)


def loss_rows(found: Comparison) -> list[tuple[Any, ...]]:
    """For each k the loss of each algorithm in %."""
    return _rows(found, lambda each: 100 * each.loss)


def seconds_rows(found: Comparison) -> list[tuple[Any, ...]]:
    """For each k the seconds of each algorithm."""
    return _rows(found, lambda each: each.seconds)


def _rows(found: Comparison, figure: Callable[[ComparedMethod], float]) -> list[tuple[Any, ...]]:
    by_point = {(each.k, each.algorithm): figure(each) for each in found.outcomes}
    return [(k, *(by_point[k, algorithm] for algorithm in found.algorithms)) for k in found.ks]
