"""The class sizes of single columns that grounding counted, in the units of a dataset."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ordermade.counting.counts import Units
from ordermade.counting.encoding import EncodedColumn
from ordermade.lattice.observation import Sizes


def marginals_of(attributes: Sequence[EncodedColumn], counted: Units) -> dict[tuple[str, str], Sizes]:
    """The marginals that grounding counted, in units of the dataset.

    Grounding counts rows. Where persons are the units, each class is taken to have as many rows a person as the whole
    dataset: a hint for predictions, no proof.
    """
    return {
        (each.column, each.hierarchy.levels[level].content_hash): _in_units(sizes, counted)
        for each in attributes
        for level, sizes in each.marginal.items()
    }


def _in_units(sizes: Sizes, counted: Units) -> Sizes:
    if counted.persons is None:
        return sizes
    of_persons: Counter[int] = Counter()
    for rows, classes in sizes:
        of_persons[max(1, round(rows * counted.persons / counted.rows))] += classes
    return tuple(sorted(of_persons.items()))
