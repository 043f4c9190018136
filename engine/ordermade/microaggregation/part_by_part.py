"""Groups of many records, or of many classes of them, improved part by part, side by side within one time."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ordermade.microaggregation.arrays import Labels, Table
from ordermade.microaggregation.blocks import Rows, joined, sides_of
from ordermade.microaggregation.improving import improve
from ordermade.microaggregation.options import Options
from ordermade.side_by_side import Crew

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
class Part:
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
    crew: Crew,
) -> tuple[Labels, int]:
    """The groups made better within the time or the rounds that there are, and in how many rounds.

    No group goes beyond its class. Where there is time and but one part, each thread searches it with other random
    numbers, and the best is taken. With `rounds` alone the groups are the same however many threads there are.
    """
    sides = crew.threads if seconds is not None else 2
    parts = _parts(X, labels, classes, sides)
    searches = crew.threads if seconds is not None and len(parts) == 1 else 1
    tasks = [(number, part, seed) for number, part in enumerate(parts) for seed in range(searches)]
    shares: list[float | None] = [None] * len(tasks)
    if seconds is not None:
        if seconds * crew.threads < A_RECORD * len(X):
            return labels, 0
        shares = [*crew.shares([part.rows.size for _, part, _ in tasks], seconds)]

    def search(place: int) -> tuple[Labels, float, int]:
        number, part, seed = tasks[place]
        left = shares[place]
        rng = np.random.default_rng([options.seed, number, seed])
        own, records = _from_zero(labels[part.rows]), _apart(X[part.rows], part.classes)
        found, report = improve(records, own, k, seconds=left, rounds=options.rounds, rng=rng, stop=crew.stop)
        return found, report.figures["sse"], int(report.figures["rounds"])

    made = list(crew.each(search, range(len(tasks))))
    best = [min(made[first : first + searches], key=lambda each: each[1]) for first in range(0, len(made), searches)]
    return joined([part.rows for part in parts], [own for own, _, _ in best]), max(rounds for _, _, rounds in best)


def _parts(X: Table, labels: Labels, classes: Sequence[int], sides: int) -> list[Part]:
    """Every row in a part: small classes in bundles, large ones in sides."""
    found: list[Part] = []
    for first, bundle in _bundles(classes):
        rows = np.arange(first, first + sum(bundle))
        wanted = max(min(sides, rows.size // SIDE), -(-rows.size // LARGEST_SIDE))
        if wanted < 2 or len(bundle) > 1:
            found.append(Part(rows, bundle))
        else:
            cut = sides_of(X[rows], _from_zero(labels[rows]), wanted)
            found += [Part(rows[side], (side.size,)) for side in cut]
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
