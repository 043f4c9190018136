"""The one entry to every method: records in, groups of k or more out, whatever their number, in time."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import numpy as np

from ordermade.microaggregation.arrays import Labels, Table, require_k
from ordermade.microaggregation.auto import Start, improved, start, starts
from ordermade.microaggregation.blocks import Rows, blocks_of
from ordermade.microaggregation.methods import METHODS
from ordermade.microaggregation.options import Options
from ordermade.microaggregation.report import Report, report_of

ONE_GROUP = "one group"
"""What stands for the method where every class has fewer than 2k records, so that there is nothing to choose."""


@dataclass(frozen=True, slots=True)
class Tried:
    """A method that was tried: the records whose groups it gave in the end, and its seconds, of all threads."""

    algorithm: str
    records: int
    seconds: float


@dataclass(frozen=True, slots=True, eq=False)
class Grouped:
    """Groups, and how they came about.

    `algorithm`: the method whose groups most records are in; `tried`: every method that was. `blocks`: how many parts
    were grouped by themselves (classes that were cut count each part). `rounds` of perturbation in all.
    """

    labels: Labels
    report: Report
    algorithm: str
    tried: tuple[Tried, ...]
    blocks: int
    rounds: int


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """What was found for some rows: labels from 0, the starts that were tried, the best of them first."""

    rows: Rows
    labels: Labels
    starts: Sequence[Start]
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
    class of all). A class too large for its method to visit every pair is cut into blocks first. Parts are grouped side
    by side in `threads` (None: one a core); labels are numbered class by class. `numeric`: whether the columns are
    those of numeric attributes, which `optimal` and MIL need. `progress` is told of the records that are left.
    Raises InputError as the methods do.
    """
    parts = _parts(X, require_k(k, min(classes, default=len(X))), options, classes)
    workers = min(threads or os.cpu_count() or 1, len(parts))
    single = X.shape[1] == 1 and numeric
    found: list[_Part] = []
    left = len(X)
    for part in _side_by_side(lambda rows: _grouped_part(X, rows, k, options, workers, single=single), parts, workers):
        found.append(part)
        left -= part.rows.size
        if progress is not None:
            progress(left)
    return _joined(found, len(X))


def _side_by_side(work: Callable[[Rows], _Part], parts: Sequence[Rows], workers: int) -> Iterable[_Part]:
    """What the work makes of each part, in order. A Ctrl-C lets what runs end, and begins nothing more."""
    if workers == 1:
        yield from map(work, parts)
        return
    pool = ThreadPoolExecutor(workers)
    try:
        yield from pool.map(work, parts)
    finally:
        pool.shutdown(cancel_futures=True)


def _parts(X: Table, k: int, options: Options, classes: Sequence[int]) -> list[Rows]:
    """The rows of each class, or of each block of it where the method would visit too many pairs."""
    ends = np.cumsum(classes or [len(X)])
    rows = [np.arange(first, end) for first, end in zip([0, *ends[:-1]], ends, strict=True)]
    if X.shape[1] == 1 and METHODS[options.algorithm].takes == "one numeric attribute":
        return rows
    return [block for each in rows for block in blocks_of(X, each, k)]


def _grouped_part(X: Table, rows: Rows, k: int, options: Options, workers: int, *, single: bool) -> _Part:
    part = X[rows]
    if len(part) < 2 * k:
        return _Part(rows, np.zeros(len(part), dtype=np.int32), (), 0)
    began = time.monotonic()
    seconds = None if options.seconds is None else options.seconds * workers * len(part) / len(X)
    own = replace(options, seconds=seconds)
    name = "optimal" if single and options.algorithm == "auto" else options.algorithm
    tried = list(starts(part, k, own)) if name == "auto" else [start(name, part, k, own)]
    tried.sort(key=lambda each: each.sse)
    best, rounds = tried[0], 0
    if options.improve and best.algorithm != "optimal":
        left = None if seconds is None else max(seconds - (time.monotonic() - began), 0.0)
        labels, rounds = improved(part, k, best, own, left)
    else:
        labels = best.labels
    return _Part(rows, labels, tried, rounds)


def _joined(parts: Sequence[_Part], records: int) -> Grouped:
    """The groups of all parts, numbered one part after the other."""
    labels = np.empty(records, dtype=np.int32)
    first = 0
    taken: Counter[str] = Counter()
    seconds: dict[str, float] = {}
    for part in parts:
        labels[part.rows] = part.labels + first
        first += int(part.labels.max()) + 1
        for place, each in enumerate(part.starts):
            taken[each.algorithm] += part.rows.size if place == 0 else 0
            seconds[each.algorithm] = seconds.get(each.algorithm, 0.0) + each.seconds
    tried = tuple(Tried(name, taken[name], round(seconds[name], 3)) for name in METHODS if name in seconds)
    most = max(tried, key=lambda each: each.records, default=None)
    return Grouped(
        labels=labels,
        report=report_of(labels),
        algorithm=ONE_GROUP if most is None else most.algorithm,
        tried=tried,
        blocks=len(parts),
        rounds=sum(part.rounds for part in parts),
    )
