"""Starting groups: of one method by name, or the best of several (`auto`)."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace

import numpy as np

from ordermade.errors import InputError, UnknownName
from ordermade.methods.microaggregation.algorithm.arrays import Column, Labels, Path, Table
from ordermade.methods.microaggregation.algorithm.improving import improve
from ordermade.methods.microaggregation.algorithm.loss import information_loss
from ordermade.methods.microaggregation.algorithm.mdav_groups import mdav
from ordermade.methods.microaggregation.algorithm.methods import METHODS, Options
from ordermade.methods.microaggregation.algorithm.one_dimension import mil, optimal_1d
from ordermade.methods.microaggregation.algorithm.paths import fdh_path, mhm, npn_path
from ordermade.methods.microaggregation.algorithm.vmdav_groups import vmdav
from ordermade.parallel import WorkerPool


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
class Start:
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


def starts(X: Table, k: int, options: Options, blocks: int, pool: WorkerPool) -> list[Start]:
    """The starts tried, the least SSE first: for `auto` the methods that fit the time, for another method it alone.

    X: the largest of so many `blocks`, all of which one method is to make groups of. Where the options improve and X is
    the only one, the SSE is that of a first descent (`improve` without perturbation): what a method's groups lead to
    counts, not what they are. Without `seconds` every start is made.
    """
    tries = candidates(options)
    if len(tries) == 1:
        return [started(X, k, options)]
    until = None if options.seconds is None else time.monotonic() + STARTS_SHARE * options.seconds

    def tried(each: Options) -> Start | None:
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


def started(X: Table, k: int, options: Options) -> Start:
    """The groups of one method, as they are. Of fewer than 2k records there is one."""
    began = time.monotonic()
    labels = groups_by(options.algorithm, X, k, options) if len(X) >= 2 * k else np.zeros(len(X), dtype=np.int32)
    return Start(options, labels, math.nan, time.monotonic() - began)


def _measured(X: Table, k: int, start: Start, descend: bool, pool: WorkerPool) -> Start:
    """A start with its SSE, after a first descent where one is wanted."""
    began = time.monotonic()
    labels, sse = start.labels, information_loss(X, start.labels).sse
    if descend:
        labels, report = improve(X, labels, k, stop=pool.stop)
        sse = report.figures["sse"]
    return Start(start.options, labels, sse, start.seconds + time.monotonic() - began)


def _expected_seconds(X: Table) -> float:
    """An upper bound, about, of the seconds that a start takes: none visits more than half of all pairs."""
    records, columns = X.shape
    return CALL + 0.5 * float(records * records * columns) / PAIRS_A_SECOND
