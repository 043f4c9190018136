"""The saving of roll-up: one search counted from a frequency set, and the same one counted in the source."""

from __future__ import annotations

from collections.abc import Sequence

from bench.figure import Figure
from bench.members import COARSE, Bench, timed

FEWER_LEVELS = {
    **COARSE,
    "age": {"from": "10 years", "to": "40 years"},
    "prefecture": {"from": "region"},
    "joined": {"from": "year", "to": "decade"},
}
"""A smaller lattice: without roll-up every node is a pass over the table."""


def figures(bench: Bench) -> Sequence[Figure]:
    rolled = timed(bench.engine("rolled"), bench.request(FEWER_LEVELS, "rolled"))
    asked = timed(bench.engine("asked"), bench.request(FEWER_LEVELS, "asked"), roll_up=False)
    a, b = rolled.result, asked.result
    pairs = [(a.levels, b.levels), (a.k, b.k), (a.divisions, b.divisions), (a.loss, b.loss)]
    pairs += [(a.search.nodes_measured, b.search.nodes_measured)]
    differences = sum(left != right for left, right in pairs)
    return [
        Figure("figures that differ with --no-rollup", differences, target=0, unit=""),
        Figure(
            "a request with roll-up / with --no-rollup",
            rolled.seconds / asked.seconds,
            note=f"{a.search.nodes_measured} nodes: {a.search.source_queries} and {b.search.source_queries} "
            "counting queries to the source",
        ),
    ]
