"""The entry to every grouping method: records in, groups of k or more out; large tables in blocks, in parallel."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ordermade.errors import InputError, UnknownName
from ordermade.machine.parallel import WorkerPool, cores
from ordermade.methods.microaggregation.algorithm.arrays import (
    Column,
    GroupingFigures,
    Labels,
    Path,
    Table,
    report_of,
    require_k,
)
from ordermade.methods.microaggregation.algorithm.improving import improve
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.methods import METHODS, Options
from ordermade.methods.microaggregation.algorithm.one_dimension import mil, optimal_1d
from ordermade.methods.microaggregation.algorithm.paths import fdh_path, mhm, npn_path
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav


def groups_by(name: str, X: Table, k: int, options: Options) -> Labels:
    """The groups of k or more that the method of this name makes of the records, not improved; `auto` is none of them.

    Raises UnknownName, and InputError for several columns where the method takes one.
    """
    if name in METHODS and METHODS[name].takes == "one numeric attribute" and X.shape[1] != 1:
        raise InputError(
            f"the method {name} takes one numeric attribute", next_step="Name another method, such as mdav."
        )
    match name:
        case "optimal":
            return optimal_1d(X[:, 0], k)[0]
        case "mdav":
            return mdav(X, k)[0]
        case "mdav-mil":
            return mil(X[:, 0], _in_a_row(X[:, 0], mdav(X, k)[0]), k)[0]
        case "vmdav":
            return vmdav(X, k, options.gamma)[0]
        case "vmdav-mil":
            return mil(X[:, 0], _in_a_row(X[:, 0], vmdav(X, k, options.gamma)[0]), k)[0]
        case "npn":
            return mhm(X, npn_path(X)[0], k)[0]
        case "fdh":
            return mhm(X, _fdh(X, options), k)[0]
    raise UnknownName("method of microaggregation", name, [each for each in METHODS if each != "auto"])


def _in_a_row(x: Column, labels: Labels) -> Labels:
    """Groups of the same sizes that hold neighbouring values, as MIL needs them, with no more SSE.

    V-MDAV's do, but for its leftovers: of equal values the lowest row is the nearest, and its group may lie beyond
    another.
    """
    sizes = np.bincount(labels)
    by_mean = np.argsort(np.bincount(labels, weights=x) / sizes, kind="stable")
    found = np.empty_like(labels)
    found[np.argsort(x, kind="stable")] = np.repeat(by_mean, sizes[by_mean])
    return found


def _fdh(X: Table, options: Options) -> Path:
    """The path through regions that the options describe, around no more anchors than there are records."""
    anchors = min(options.anchors, len(X))
    rng = np.random.default_rng(options.seed)
    return fdh_path(X, anchors, options.radius_divisor, rng, radius=options.radius)[0]


STARTS_SHARE = 0.2
"""The most of the time that the choice of a start takes: after some seconds of improving its effect is small."""
PAIRS_A_SECOND, CALL = 2e9, 2e-4
"""Distances a second, one column each, and seconds of a call: whether a start is tried at all goes by them."""


@dataclass(frozen=True, slots=True, eq=False)
class GroupingStart:
    """Groups that a method made: its options, their SSE (NaN: not measured), the seconds it took."""

    options: Options
    labels: Labels
    sse: float
    seconds: float


def candidates(options: Options) -> tuple[Options, ...]:
    """The methods that are tried for `auto`, or the requested one, each with its options."""
    if options.algorithm != "auto":
        return (options,)
    return (
        replace(options, algorithm="mdav"),
        replace(options, algorithm="npn"),
        replace(options, algorithm="fdh", anchors=10, radius_divisor=3.0),
        replace(options, algorithm="fdh"),
        replace(options, algorithm="vmdav"),
        replace(options, algorithm="vmdav", gamma=1.0),
    )


def starts(X: Table, k: int, options: Options, blocks: int, pool: WorkerPool) -> list[GroupingStart]:
    """The starts tried, the least SSE first: for `auto` the methods that fit the time, for another method it alone.

    X: the largest of so many `blocks`, all of which one method is to make groups of. Where the options improve and X is
    the only one, the SSE is that of a first descent (`improve` without perturbation): what a method's groups lead to
    counts, not what they are. Without `seconds` every start is made.
    """
    tries = candidates(options)
    if len(tries) == 1:
        return [started(X, k, options)]
    until = None if options.seconds is None else time.monotonic() + STARTS_SHARE * options.seconds

    def tried(each: Options) -> GroupingStart | None:
        late = until is not None and time.monotonic() + _expected_seconds(X) * blocks / pool.threads > until
        if late and each is not tries[0]:
            return None
        return _measured(X, k, started(X, k, each), each.improve and blocks == 1, pool)

    made = [each for each in pool.each(tried, tries) if each is not None]
    return sorted(made, key=lambda each: each.sse)


def get_ready(options: Options) -> None:
    """Compile all functions to call, or read them from disk, with a few records: the clock is for the work alone."""
    few = np.arange(4.0).reshape(-1, 1)
    for each in candidates(options):
        labels = groups_by(each.algorithm, few, 2, each)
    if options.improve:
        improve(few, labels[::-1], 2, rounds=1)


def started(X: Table, k: int, options: Options) -> GroupingStart:
    """The groups of one method, as they are. Of fewer than 2k records there is one."""
    began = time.monotonic()
    labels = groups_by(options.algorithm, X, k, options) if len(X) >= 2 * k else np.zeros(len(X), dtype=np.int32)
    return GroupingStart(options, labels, math.nan, time.monotonic() - began)


def _measured(X: Table, k: int, start: GroupingStart, descend: bool, pool: WorkerPool) -> GroupingStart:
    """A start with its SSE, after a first descent where one is wanted."""
    began = time.monotonic()
    labels, sse = start.labels, information_loss(X, start.labels).sse
    if descend:
        labels, report = improve(X, labels, k, stop=pool.stop)
        sse = report.figures["sse"]
    return GroupingStart(start.options, labels, sse, start.seconds + time.monotonic() - began)


def _expected_seconds(X: Table) -> float:
    """An upper bound, about, of the seconds that a start takes: none visits more than half of all pairs."""
    records, columns = X.shape
    return CALL + 0.5 * float(records * records * columns) / PAIRS_A_SECOND


VARYING = 32
"""The number of columns, those that vary most, that choose the direction of a cut."""

Rows = NDArray[np.int64]


def blocks_of(X: Table, rows: Rows, k: int, largest: int, component: int = 0) -> list[Rows]:
    """The rows cut into blocks of at most `largest` records, and of k or more: halved at the median, again and again.

    Each cut is across the direction in which the block varies most (or the next ones: `component` 1, 2, ...): far
    records, of which the loss is made, then lie at its ends, where none is cut from another, which a cut across one
    column does not see to (MDAV of standardised lognormal numbers, 40,000 x 8, in 8 blocks: about 10 % more loss than
    of the whole, not 45 %). Records of one value may part, the lower rows first. Every block's rows ascend.
    """
    if rows.size <= max(largest, 2 * k - 1):
        return [rows]
    order = np.argsort(_along(X[rows], component), kind="stable")
    half = rows.size // 2
    return [
        block
        for part in (order[:half], order[half:])
        for block in blocks_of(X, np.sort(rows[part]), k, largest, component)
    ]


def sides_of(X: Table, labels: Labels, sides: int) -> list[Rows]:
    """The rows in two or more sides, as many records each as can be, so that no group is in two.

    They are cut across another direction than blocks, whose borders so lie inside the sides.
    """
    sizes = np.bincount(labels)
    means = np.stack([np.bincount(labels, weights=column) / sizes for column in X.T], axis=1)
    side = np.empty(sizes.size, dtype=np.int32)
    groups = blocks_of(means, np.arange(sizes.size), 1, -(-sizes.size // sides), component=1)
    for number, block in enumerate(groups):
        side[block] = number
    of_record = side[labels]
    return [np.flatnonzero(of_record == number) for number in range(len(groups))]


def joined(blocks: Sequence[Rows], labels: Sequence[Labels]) -> Labels:
    """The groups of all blocks, each numbered from 0, numbered one block after the other."""
    found = np.empty(sum(rows.size for rows in blocks), dtype=np.int32)
    first = 0
    for rows, own in zip(blocks, labels, strict=True):
        found[rows] = own + first
        first += int(own.max()) + 1
    return found


def _along(values: Table, component: int) -> Column:
    """The place of each record along a principal component (the last one, if there are fewer), in whole steps.

    Steps, since the last digits of linear algebra differ by machine.
    """
    left = values - values.mean(axis=0)
    if left.shape[1] > VARYING:
        left = left[:, np.sort(np.argsort(-left.var(axis=0), kind="stable")[:VARYING])]
    directions = np.linalg.eigh(left.T @ left)[1]
    found: Column = left @ directions[:, max(directions.shape[1] - 1 - component, 0)]
    unit = float(np.abs(found).max()) or 1.0
    return np.round(found / unit, 9)


BUNDLE = 5_000
"""Records: smaller classes are improved together, as many as come to it, since each call has a price of its own."""
SIDE = 10_000
"""Records: a class of twice as many is improved in sides, so that no core idles."""
LARGEST_SIDE = 500_000
"""Records of a side at most, for memory: about 0.5 GB."""
A_RECORD = 5e-6
"""Seconds: with less than that a record, improving is not begun, since nothing would come of it but delay."""
FAR = 1024.0
"""The distance between classes that are improved together, in units of the records' own spread."""


@dataclass(frozen=True, slots=True, eq=False)
class ClassPart:
    """Rows whose groups are improved together, and how many records each class among them has."""

    rows: Rows
    classes: Sequence[int]


def improved(
    X: Table,
    labels: Labels,
    k: int,
    classes: Sequence[int],
    options: Options,
    seconds: float | None,
    pool: WorkerPool,
) -> tuple[Labels, int]:
    """The groups made better within the time or the rounds that there are, and in how many rounds.

    No group goes beyond its class. Where there is time and but one part, each thread searches it with other random
    numbers, and the best is taken. With `rounds` alone the groups are the same however many threads there are.
    """
    sides = pool.threads if seconds is not None else 2
    parts = _parts(X, labels, classes, sides)
    searches = pool.threads if seconds is not None and len(parts) == 1 else 1
    tasks = [(number, part, seed) for number, part in enumerate(parts) for seed in range(searches)]
    shares: list[float | None] = [None] * len(tasks)
    if seconds is not None:
        if seconds * pool.threads < A_RECORD * len(X):
            return labels, 0
        shares = [*pool.shares([part.rows.size for _, part, _ in tasks], seconds)]

    def search(place: int) -> tuple[Labels, float, int]:
        number, part, seed = tasks[place]
        left = shares[place]
        rng = np.random.default_rng([options.seed, number, seed])
        own, records = _from_zero(labels[part.rows]), _apart(X[part.rows], part.classes)
        found, report = improve(records, own, k, seconds=left, rounds=options.rounds, rng=rng, stop=pool.stop)
        return found, report.figures["sse"], int(report.figures["rounds"])

    made = list(pool.each(search, range(len(tasks))))
    best = [min(made[first : first + searches], key=lambda each: each[1]) for first in range(0, len(made), searches)]
    return joined([part.rows for part in parts], [own for own, _, _ in best]), max(rounds for _, _, rounds in best)


def _parts(X: Table, labels: Labels, classes: Sequence[int], sides: int) -> list[ClassPart]:
    """Every row in a part: small classes in bundles, large ones in sides."""
    found: list[ClassPart] = []
    for first, bundle in _bundles(classes):
        rows = np.arange(first, first + sum(bundle))
        wanted = max(min(sides, rows.size // SIDE), -(-rows.size // LARGEST_SIDE))
        if wanted < 2 or len(bundle) > 1:
            found.append(ClassPart(rows, bundle))
        else:
            cut = sides_of(X[rows], _from_zero(labels[rows]), wanted)
            found += [ClassPart(rows[side], (side.size,)) for side in cut]
    return found


def _from_zero(labels: Labels) -> Labels:
    """The same groups in the same order, numbered from 0 without a gap."""
    found: Labels = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    return found


def _bundles(classes: Sequence[int]) -> Iterator[tuple[int, Sequence[int]]]:
    """Classes that follow each other and are improved together, and their first row."""
    first, bundle = 0, list[int]()
    for size in classes:
        if bundle and (size >= BUNDLE or sum(bundle) >= BUNDLE):
            yield first, bundle
            first, bundle = first + sum(bundle), []
        bundle.append(size)
    yield first, bundle


def _apart(X: Table, classes: Sequence[int]) -> Table:
    """The records with one more column, which puts those of several classes so far apart that no group mixes them.

    Inside a class it adds nothing to a distance, not even rounding. A group of records of two classes would have more
    than the SSE of all groups around it, so that none is kept.
    """
    if len(classes) == 1:
        return X
    spread = math.frexp(float(np.ptp(X, axis=0).sum()))[1]
    number = np.repeat(np.arange(len(classes), dtype=np.float64), classes)
    return np.column_stack([np.ldexp(X, -spread), FAR * number])


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
    report: GroupingFigures
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
    pool = WorkerPool(threads or cores())
    blocks = _blocks(X, k, options.algorithm, sizes)
    labels, tried = _started(X, k, blocks, options, pool, progress)
    rounds = 0
    if options.improve and tried and options.algorithm != "optimal":
        left = None if options.seconds is None else max(options.seconds - (time.monotonic() - began), 0.0)
        labels, rounds = improved(X, labels, k, sizes, options, left, pool)
    algorithm = tried[0].algorithm if tried else ONE_GROUP
    return Grouped(labels, report_of(labels), algorithm, _by_method(tried), len(blocks), rounds)


def _started(
    X: Table,
    k: int,
    blocks: Sequence[Rows],
    options: Options,
    pool: WorkerPool,
    progress: Callable[[int], None] | None,
) -> tuple[Labels, list[Tried]]:
    """The groups of every block by one method, numbered block after block, and the methods tried, this one first."""
    largest = max(range(len(blocks)), key=lambda place: blocks[place].size)
    if blocks[largest].size < 2 * k:
        return joined(blocks, [np.zeros(rows.size, dtype=np.int32) for rows in blocks]), []
    chosen, *others = starts(X[blocks[largest]], k, options, len(blocks), pool)

    def start(place: int) -> GroupingStart:
        return chosen if place == largest else started(X[blocks[place]], k, chosen.options)

    found: list[GroupingStart] = []
    left = len(X)
    for each in pool.each(start, range(len(blocks))):
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
    method = METHODS[algorithm]
    if method.takes == "one numeric attribute":
        return rows
    return [block for each in rows for block in blocks_of(X, each, k, method.largest_block)]


def _by_method(tried: Sequence[Tried]) -> tuple[Tried, ...]:
    """One entry a method, in the order of the registry: with several options it may have been tried several times."""
    found = []
    for name in METHODS:
        own = [each for each in tried if each.algorithm == name]
        if own:
            seconds = round(sum(each.seconds for each in own), 3)
            found.append(Tried(name, sum(each.records for each in own), seconds))
    return tuple(found)
