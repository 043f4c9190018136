"""The paper's own slots, on arrays: records of a cluster are matched in the order in which they lie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.histories.algorithm.histories import NONE, Clusters, HistoryArrays, Slots


def slots_by_rank(histories: HistoryArrays, clusters: Clusters) -> Slots:
    """The j-th record of every customer of a cluster in its slot j; what is beyond its shortest customer is deleted."""
    lengths = histories.lengths
    most = np.zeros(histories.customers, dtype=np.int64)
    kept = clusters != NONE
    most[kept] = shortest(histories, clusters)[clusters[kept]]
    places = np.arange(histories.rows) - np.repeat(histories.starts[:-1], lengths)
    return np.where(places < np.repeat(most, lengths), places, NONE).astype(np.int32)


def shortest(histories: HistoryArrays, clusters: Clusters) -> NDArray[np.int64]:
    """The number of records of each cluster's shortest customer: its slots."""
    found = np.full(int(clusters.max(initial=NONE)) + 1, histories.rows, dtype=np.int64)
    kept = clusters != NONE
    np.minimum.at(found, clusters[kept], histories.lengths[kept])
    return found
