"""The one entry to every method: records in, groups of k or more out, whatever their number, in time."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ordermade.microaggregation.arrays import Labels, Table, require_k
from ordermade.microaggregation.auto import Start, get_ready, started, starts
from ordermade.microaggregation.blocks import Rows, blocks_of, joined, largest_block
from ordermade.microaggregation.methods import METHODS
from ordermade.microaggregation.options import Options
from ordermade.microaggregation.part_by_part import improved
from ordermade.microaggregation.report import Report, report_of
from ordermade.side_by_side import Crew, cores

ONE_GROUP = "one group"
"""The name in the place of a method if every class has fewer than 2k records, so that there is nothing to choose."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A method that was tried: the records whose groups it gave in the end, and its seconds, of all threads."""

    algorithm: str
    records: int
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """Groups, and how they came about.

    `algorithm`: the method whose groups were taken, or `ONE_GROUP`; `tried`: every method that was. `blocks`: how many
    parts were grouped by themselves (of a class that was cut each counts). `rounds` of perturbation: the most that a
    part had.
    """

    labels: Labels
    report: Report
    algorithm: str
    tried: tuple[Tried, ...]
    blocks: int
    rounds: int


def grouped(
    X: Table,
    k: int,
    options: Options,
    *,
    classes: Sequence[int] = (),
    numeric: bool = True,
    threads: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Grouped:
    """Groups of k or more by the method of the options, improved within their time where they say so.

    `classes`: the sizes of the classes of records, one after another, none of whose groups go beyond it (none: one
    class of all). A class too large for its method to visit every pair is cut into blocks first; improving works on
    the class. `auto` chooses by what its methods make of the largest block. Blocks, starts and searches run side by
    side in `threads` (None: one a core). `numeric`: whether the columns are those of numeric attributes, for which
    `auto` is `optimal` where there is one. `progress` receives the number of records in no group yet. The seconds of
    the options count from when everything is compiled. Raises InputError as the methods do.
    """
    sizes = classes or [len(X)]
    k = require_k(k, min(sizes))
    if options.algorithm == "auto" and numeric and X.shape[1] == 1:
        options = replace(options, algorithm="optimal")
    if options.seconds is not None:
        get_ready(options)
    began = time.monotonic()
    crew = Crew(threads or cores())
    blocks = _blocks(X, k, options.algorithm, sizes)
    labels, tried = _started(X, k, blocks, options, crew, progress)
    rounds = 0
    if options.improve and tried and options.algorithm != "optimal":
        left = None if options.seconds is None else max(options.seconds - (time.monotonic() - began), 0.0)
        labels, rounds = improved(X, labels, k, sizes, options, left, crew)
    algorithm = tried[0].algorithm if tried else ONE_GROUP
    return Grouped(labels, report_of(labels), algorithm, _by_method(tried), len(blocks), rounds)


def _started(
    X: Table,
    k: int,
    blocks: Sequence[Rows],
    options: Options,
    crew: Crew,
    progress: Callable[[int], None] | None,
) -> tuple[Labels, list[Tried]]:
    """The groups of every block by one method, numbered block after block, and the methods tried, this one first."""
    largest = max(range(len(blocks)), key=lambda place: blocks[place].size)
    if blocks[largest].size < 2 * k:
        return joined(blocks, [np.zeros(rows.size, dtype=np.int32) for rows in blocks]), []
    chosen, *others = starts(X[blocks[largest]], k, options, len(blocks), crew)

    def start(place: int) -> Start:
        return chosen if place == largest else started(X[blocks[place]], k, chosen.options)

    found: list[Start] = []
    left = len(X)
    for each in crew.each(start, range(len(blocks))):
        found.append(each)
        left -= each.labels.size
        if progress is not None:
            progress(left)
    own = Tried(chosen.options.algorithm, len(X), sum(each.seconds for each in found))
    tried = [own, *(Tried(each.options.algorithm, 0, each.seconds) for each in others)]
    return joined(blocks, [each.labels for each in found]), tried


def _blocks(X: Table, k: int, algorithm: str, sizes: Sequence[int]) -> list[Rows]:
    """The rows of each class, or of each block of it where the method would visit too many pairs."""
    ends = np.cumsum(sizes)
    rows = [np.arange(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    if METHODS[algorithm].takes == "one numeric attribute":
        return rows
    return [block for each in rows for block in blocks_of(X, each, k, largest_block(algorithm))]


def _by_method(tried: Sequence[Tried]) -> tuple[Tried, ...]:
    """One entry a method, in the order of the registry: with several options it may have been tried several times."""
    found = []
    for name in METHODS:
        own = [each for each in tried if each.algorithm == name]
        if own:
            seconds = round(sum(each.seconds for each in own), 3)
            found.append(Tried(name, sum(each.records for each in own), seconds))
    return tuple(found)
