"""The cost of a request run again: the same request, and the same at another k, on unchanged data."""

from __future__ import annotations

from collections.abc import Sequence

from bench.figure import Figure, median
from bench.members import FINE, Bench, timed

REPETITIONS = 3


def figures(bench: Bench) -> Sequence[Figure]:
    """Source queries, and time against that of the first run."""
    first, same, other = [], [], []
    queries = 0
    for number in range(REPETITIONS):
        name = f"repeat-{number}"
        engine = bench.engine(name)
        first.append(timed(engine, bench.request(FINE, name)).seconds)
        again = timed(engine, bench.request(FINE, name))
        other_k = timed(engine, bench.request(FINE, name, k=200))
        same.append(again.seconds)
        other.append(other_k.seconds)
        queries = max(queries, again.result.search.source_queries, other_k.result.search.source_queries)
    return [
        Figure("source queries of a repeat and of another k", queries, target=0, unit=""),
        Figure("the same request again / the first time", median(same) / median(first)),
        Figure("the same request at k = 200 / the first time", median(other) / median(first)),
    ]
