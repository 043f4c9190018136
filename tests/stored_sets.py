"""Frequency sets of grounded attributes, and the measurers of nodes that count from them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from ordermade.counting.counts import PLAIN, Counting, StoredSet
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn
from ordermade.counting.frequency_set import count_in_source, narrow_coarser, widen
from ordermade.counting.oracle import Packed
from ordermade.lattice.lattice import Lattice, Node


def whole_set(dataset: Dataset, attributes: Sequence[EncodedColumn], counting: Counting = PLAIN) -> StoredSet:
    """The frequency set that the source counts, with a column for every level."""
    count_in_source(dataset, attributes, counting)
    return widen(dataset, attributes, counting)


def packed(
    dataset: Dataset,
    attributes: Sequence[EncodedColumn],
    lattice: Lattice,
    bases: Node | None = None,
    counting: Counting = PLAIN,
) -> Packed:
    """The measurer of a request, from packed sets; with `bases` the set from these levels up is tried first."""
    coarser = None if bases is None else partial(narrow_coarser, dataset, attributes, bases, counting)
    bring = partial(count_in_source, dataset, attributes, counting)
    return Packed(dataset, attributes, lattice, bring, coarser, counting)
