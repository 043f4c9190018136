"""Writing out a hierarchy for the keys that occur: cells, classes and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import count

from ordermade.hierarchies.hierarchy import Grounding, Key


def written_out(
    base: int, keys: Sequence[Key], labels: Mapping[int, Sequence[str | None]], *, leaves: int
) -> Grounding:
    """The grounding from the label of each key at each level from the base up.

    Keys that no level separates share a cell; cells are numbered as the keys first meet them. Within a
    level equal labels are one class, and a label of None is NULL, a class of its own. The first `leaves`
    keys are leaves of the hierarchy and are counted per cell.
    """
    cell_numbers: dict[tuple[str | None, ...], int] = {}
    cell_of_key = tuple(cell_numbers.setdefault(path, len(cell_numbers)) for path in zip(*labels.values(), strict=True))
    by_level = dict(zip(labels, zip(*cell_numbers, strict=True), strict=True))
    leaves_of_cell = [0] * len(cell_numbers)
    for cell in cell_of_key[:leaves]:
        leaves_of_cell[cell] += 1
    return Grounding(
        base=base,
        keys=tuple(keys),
        cell_of_key=cell_of_key,
        classes={level: first_of_each(of_cells) for level, of_cells in by_level.items()},
        labels={level: of_cells for level, of_cells in by_level.items() if level > 0},
        leaves=tuple(leaves_of_cell),
    )


def first_of_each(entries: Iterable[str | None]) -> tuple[int, ...]:
    """For each place the first place with an equal entry: a class is numbered by its least member."""
    first: dict[str | None, int] = {}
    return tuple(map(first.setdefault, entries, count()))
