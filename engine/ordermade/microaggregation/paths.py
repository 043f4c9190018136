"""Paths through all records, each step to a near one: to the nearest (NPN), or to the nearest of a region (FDH).

From the FDH-MHM paper (Tanaka, Kamidoi, Wakabayashi, DEIM 2015, sections 3.1 to 3.3). `mhm` makes groups of a path.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ordermade.errors import InputError
from ordermade.microaggregation.arguments import generator_from, number_from
from ordermade.microaggregation.arrays import Path, Table, table, whole_numbers
from ordermade.microaggregation.distances import squared_distances
from ordermade.microaggregation.nearest_blocks import near_blocks
from ordermade.microaggregation.options import Radius
from ordermade.microaggregation.path_kernels import (
    GONE,
    farthest,
    length_of,
    region_after,
    walk,
    walk_few,
)
from ordermade.microaggregation.report import PathReport

MOST_ANCHORS = 62
"""The bits of a region are those of one whole number."""
FEW = 64
"""So few records are not worth putting in blocks."""


def npn_path(X: ArrayLike) -> tuple[Path, PathReport]:
    """The path that starts at the record farthest from the mean and goes on to the nearest record not yet visited.

    "Nearest point next": section 3.1 of the FDH-MHM paper. Ties go to the lowest row. X is taken as it comes: see
    `standardised`. Time grows with the square of the records.

    Returns:
        Every row once (n int32 numbers), and the length of the path in the units of X.

    Raises:
        InputError: X is no table of numbers.
    """
    records = table(X)
    everywhere = np.zeros(len(records), dtype=np.int64)
    path = _through_regions(records, everywhere)
    return path, PathReport(length_of(records, path))


def fdh_path(
    X: ArrayLike,
    anchors: int | ArrayLike,
    radius_divisor: float = 1.0,
    rng: np.random.Generator | None = None,
    *,
    radius: Radius = "mean",
) -> tuple[Path, PathReport]:
    """The path that goes on to the nearest record of the same region, and on to a similar region when one is used up.

    "Flexible distance-based hashing": sections 3.2 and 3.3 of the FDH-MHM paper. Around each of A anchors a ball is
    drawn; records inside and outside of the same balls are one region. The next region is the one of those left that
    differs in the fewest balls; then the one whose mean (of all its records) is nearest to the path's end; then the
    one of the lowest code, where outside of ball a weighs 2^a. The smaller the largest region, the faster.

    Args:
        X: the records, taken as they come: see `standardised`.
        anchors: how many (drawn from the rows by `rng`, without replacement), or the rows themselves; at most 62.
        radius_divisor: m of the paper, at least 1: the balls' radius is divided by it.
        rng: draws the anchors; None: `numpy.random.default_rng(0)`.
        radius: the radius of a ball before division: the mean of the distances from its anchor to the other records
            (the paper), or their median, which keeps regions balanced where the data are skewed.

    Returns:
        Every row once (n int32 numbers), and the length of the path in the units of X, with the figures `regions` and
        `largest_share` (the share of the records that are in the largest region).

    Raises:
        InputError: X is no table of numbers, the anchors are none of its rows or twice the same, the divisor is below
            1, or the radius is of neither kind.
    """
    records = table(X)
    divisor = number_from(radius_divisor, 1, "the radius divisor", 3)
    if str(radius) not in ("mean", "median"):
        raise InputError("the radius is of neither kind", next_step="Write `mean` or `median`.")
    rows = _anchor_rows(anchors, len(records), rng)
    codes = region_codes(records, rows, divisor, radius)
    path = _through_regions(records, codes)
    sizes = np.unique(codes, return_counts=True)[1]
    figures = {"regions": float(sizes.size), "largest_share": float(sizes.max() / len(records))}
    return path, PathReport(length_of(records, path), figures)


def region_codes(
    records: Table, anchors: NDArray[np.int64], radius_divisor: float, radius: Radius
) -> NDArray[np.int64]:
    """The balls that each record is outside of: ball a weighs 2^a."""
    codes = np.zeros(len(records), dtype=np.int64)
    others, apart = np.ones(len(records), dtype=np.bool_), np.empty(len(records))
    for place, anchor in enumerate(anchors):
        squared_distances(records, records[anchor], apart)
        np.sqrt(apart, out=apart)
        others[anchor] = False
        if others.any():
            reach = np.mean(apart[others]) if radius == "mean" else np.median(apart[others])
            codes |= (apart > reach / radius_divisor).astype(np.int64) << place
        others[anchor] = True
    return codes


def _anchor_rows(anchors: int | ArrayLike, records: int, rng: np.random.Generator | None) -> NDArray[np.int64]:
    """The anchors as rows, drawn if only their number is given."""
    if isinstance(anchors, int | np.integer) and not isinstance(anchors, bool):
        if not 1 <= anchors <= min(records, MOST_ANCHORS):
            raise InputError(
                f"{int(anchors)} anchors cannot be drawn from {records} record(s)",
                next_step=f"Ask for 1 to {min(records, MOST_ANCHORS)}.",
            )
        drawn: NDArray[np.int64] = generator_from(rng).choice(records, int(anchors), replace=False)
        return drawn
    rows = whole_numbers(anchors)
    if rows is None or rows.ndim != 1 or not 1 <= rows.size <= MOST_ANCHORS:
        raise InputError(
            f"anchors are neither a number nor 1 to {MOST_ANCHORS} rows",
            next_step="Write 3, or rows such as [0, 5, 9].",
        )
    if rows.min() < 0 or rows.max() >= records:
        raise InputError(f"an anchor is none of the {records} row(s)", next_step=f"Write rows from 0 to {records - 1}.")
    if np.unique(rows).size < rows.size:
        raise InputError("a row is an anchor twice", next_step="Write each row once.")
    return rows.astype(np.int64)


def _through_regions(records: Table, code_of: NDArray[np.int64]) -> Path:
    """The path through the regions of these codes, from the record farthest from the mean."""
    codes, region_of = np.unique(code_of, return_inverse=True)
    rows = np.argsort(region_of, kind="stable").astype(np.int32)
    sizes = np.bincount(region_of)
    bounds = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    sums = np.stack([np.bincount(region_of, weights=values) for values in records.T], axis=1)
    means = sums / sizes[:, np.newaxis]
    left = np.ones(codes.size, dtype=np.bool_)
    path = np.empty(len(records), dtype=np.int32)
    path[0] = farthest(records, records.mean(axis=0))
    region, at = int(region_of[path[0]]), 1
    members = rows[bounds[region] : bounds[region + 1]]
    members = members[members != path[0]]
    while True:
        left[region] = False
        _walk(records, members, path[at - 1 : at + members.size])
        at += members.size
        if at == len(path):
            return path
        region = region_after(records, path[at - 1], codes[region], codes, means, left)
        members = rows[bounds[region] : bounds[region + 1]]


def _walk(records: Table, members: Path, stretch: Path) -> None:
    """Fills a stretch of a path, whose first row is there, with these rows, each the nearest of those left.

    When half of them are left they are put in blocks anew: records left behind by a path have other neighbours.
    """
    if members.size > FEW:
        block_of, lane_of = np.empty(len(records), dtype=np.int32), np.empty(len(records), dtype=np.int32)
    while members.size > FEW:
        blocks = near_blocks(records, members, block_of, lane_of)
        steps = members.size // 2
        walk(records, blocks, stretch[: steps + 1])
        members, stretch = members[lane_of[members] != GONE], stretch[steps:]
    walk_few(records, members.copy(), stretch)
