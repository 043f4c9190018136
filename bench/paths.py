"""Paths through 50,000 records of 36 columns in clusters, beside a plain scan of the records not yet visited.

The plain scan (tests/plain_scans/paths.py) keeps the records left in a list, so that visited ones cost nothing, and
measures each in full. Both are compiled and use one thread; seconds are of the processor, so that what else the machine
does weighs less. The paths are compared row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from bench.figure import Figure, print_rows, processor_seconds
from ordermade.methods.microaggregation.algorithm.loss import standardised
from ordermade.methods.microaggregation.algorithm.paths import fdh_path, mhm, npn_path
from tests.plain_scans import paths as plain

RECORDS, COLUMNS, CLUSTERS = 50_000, 36, 50
LONGEST = 500_000
FDH = ((3, 1.0, "mean", 1.0), (3, 3.0, "mean", 1.0), (10, 1.0, "mean", 1.0), (6, 1.0, "median", None))
"""Anchors, divisor, radius; the most that the time may be of the plain scan's."""


def clustered(records: int, seed: int = 0) -> NDArray[np.float64]:
    """Normal clusters of unequal sizes: 70 % of the variance between them, 30 % inside."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(0, np.sqrt(0.7), (CLUSTERS, COLUMNS))
    own = rng.choice(CLUSTERS, records, p=rng.dirichlet(np.full(CLUSTERS, 2.0)))
    return standardised(centres[own] + rng.normal(0, np.sqrt(0.3), (records, COLUMNS)))


def show() -> Sequence[Figure]:
    """Prints the table; seconds of each path over those of the plain scan, and of MHM on a long path."""
    X = clustered(RECORDS)
    npn_path(X[:500])  # compiled before it is timed, as the plain scan's pieces are
    plain.npn(X[:500])
    rows, figures = [], []

    def compare(
        name: str, fast: Callable[[], NDArray[np.int32]], slow: Callable[[], NDArray[np.int32]], most: float | None
    ) -> None:
        (mine, first), (truth, other), (_, again) = (processor_seconds(each) for each in (fast, slow, fast))
        assert np.array_equal(mine, truth), f"{name}: not the plain scan's path"
        rows.append((name, other, min(first, again), min(first, again) / other))
        figures.append(Figure(f"{name}: seconds / those of the plain scan", min(first, again) / other, most))

    compare("NPN", lambda: npn_path(X)[0], lambda: plain.npn(X), 0.7)
    for anchors, divisor, radius, most in FDH:
        drawn = np.random.default_rng(0).choice(RECORDS, anchors, replace=False)
        compare(
            f"FDH A={anchors} m={divisor:g} {radius}",
            lambda at=drawn, m=divisor, of=radius: fdh_path(X, at, m, radius=of)[0],
            lambda at=drawn, m=divisor, of=radius: plain.fdh(X, at, m, of),
            most,
        )
    print_rows("paths, 50,000 x 36 in clusters", ("path", "plain scan, s", "s", "share"), rows)
    return [*figures, *_groups_of_long_path()]


def _groups_of_long_path() -> Sequence[Figure]:
    X = clustered(LONGEST)
    along = np.argsort(X[:, 0]).astype(np.int32)
    mhm(X[:500], np.arange(500), 5)
    return [
        Figure(f"MHM, 500,000 x 36, k = {k}", processor_seconds(lambda size=k: mhm(X, along, size))[1], most, "s")
        for k, most in ((5, None), (100, 4.6))
    ]
