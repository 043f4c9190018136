"""The method `auto`: several starts, each as far as the time allows, then the best of them improved."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from ordermade.microaggregation.arrays import Labels, Table
from ordermade.microaggregation.by_name import groups_by
from ordermade.microaggregation.improving import improve
from ordermade.microaggregation.loss import information_loss
from ordermade.microaggregation.options import Options

STARTS_SHARE = 0.5
"""Of the time at most this share goes to starts; the rest is for improving the best."""
PAIRS_A_SECOND = 1e9
"""Distances a second, one column each, that a path is reckoned to take: whether it is tried at all goes by it."""


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """Groups that a method made, and by their first descent: its name, their SSE, the seconds it took."""

    algorithm: str
    labels: Labels
    sse: float
    seconds: float


def starts(X: Table, k: int, options: Options) -> Iterator[Start]:
    """The starts that fit the time, the quickest methods first: one at least.

    Each is descended from (`improve` without perturbation), where the options improve: what a method's groups lead to
    counts, not what they are. Without `seconds` every start is made.
    """
    began = time.monotonic()
    for name, asked in _candidates(options):
        left = None if options.seconds is None else STARTS_SHARE * options.seconds - (time.monotonic() - began)
        if name != "mdav" and left is not None and left < _reckoned(name, X):
            continue
        yield start(name, X, k, asked)


def start(name: str, X: Table, k: int, options: Options) -> Start:
    """The groups of one method, descended from where the options improve."""
    began = time.monotonic()
    labels = groups_by(name, X, k, options)
    sse = information_loss(X, labels).sse
    if options.improve:
        labels, report = improve(X, labels, k)
        sse = report.figures["sse"]
    return Start(name, labels, sse, time.monotonic() - began)


def improved(X: Table, k: int, found: Start, options: Options, seconds: float | None) -> tuple[Labels, int]:
    """The start improved within the time or the rounds that there are, and in how many rounds."""
    rng = np.random.default_rng(options.seed)
    labels, report = improve(X, found.labels, k, seconds=seconds, rounds=options.rounds, rng=rng)
    return labels, int(report.figures["rounds"])


def _candidates(options: Options) -> Iterator[tuple[str, Options]]:
    yield "mdav", options
    yield "vmdav", options
    yield "fdh", options
    yield "fdh", replace(options, anchors=10, radius_divisor=3.0)
    yield "npn", options
    yield "vmdav", replace(options, gamma=1.0)


def _reckoned(name: str, X: Table) -> float:
    """About how many seconds a start takes: a path visits half of all pairs, the others far fewer."""
    records, columns = X.shape
    pairs = records * records / (2 if name in ("npn", "fdh") else 8)
    return float(pairs * columns / PAIRS_A_SECOND)
