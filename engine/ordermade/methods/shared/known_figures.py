"""What an entry of the ledger says of the data of today: its classes over the axes that they are counted by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ordermade.counting.joint_cells import CountedTogether, PartedColumn
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.entries import ShownClasses
from ordermade.ledger.figures import REST, UNBOUNDED, KnownFigures
from ordermade.requests.filter_tree import Filter
from ordermade.tables.cells import Whole


def parted_columns(shown: ShownClasses, hierarchies: Mapping[str, Hierarchy]) -> Iterator[PartedColumn]:
    """The columns of classes, each at its level. Raises LookupError where a hierarchy is not known."""
    for each in shown.columns:
        if not each.is_value:
            yield PartedColumn(each.column, hierarchies[each.hierarchy], (each.level,), each.missing_as_star)


def known_figures(
    shown: ShownClasses,
    number: int,
    together: CountedTogether,
    hierarchies: Mapping[str, Hierarchy],
    tree: Filter | None,
) -> tuple[KnownFigures, ...]:
    """The figures of a release of this number, where the data of today agree with them; none where they do not.

    They agree where every class has as many rows today as it has in the release: then all that the release says is true
    of the data of today, whatever has changed.
    """
    classes: dict[int, Whole] = {}
    codes: dict[int, Whole] = {}
    called = []
    for place, column in enumerate(shown.columns):
        axis = together.axes[column.column]
        classes[axis] = together.classes_of(column.key, column.level)
        today = together.labels[column.key][column.level]
        numbers = dict(zip(today, classes[axis].tolist(), strict=True))
        of_label = np.array([numbers.get(each, -1) for each in shown.labels[place]], dtype=np.int64)
        codes[axis] = of_label[shown.codes[:, place]]
        level = "values" if column.is_value else hierarchies[column.hierarchy].levels[column.level].name
        called.append(f"{column.column}: {level}")
    occurs = np.ones(len(shown.least), dtype=np.bool_)
    for each in codes.values():
        occurs &= each >= 0
    if (shown.least[~occurs] > shown.hidden[~occurs]).any():
        return ()
    partition = together.partition(classes, tree)
    labels = partition.of_classes({axis: each[occurs] for axis, each in codes.items()}, int(occurs.sum()))
    order = np.argsort(labels, kind="stable")
    within = "" if tree is None else ", within its filter"
    figures = KnownFigures(
        (number,),
        (", ".join(called) or "the total") + within,
        partition,
        labels[order],
        shown.least[occurs][order],
        shown.most[occurs][order],
        shown.others_most,
        shown.hidden[occurs][order],
        frozenset(together.axes[each.column] for each in shown.columns if each.is_value),
    )
    every, rows = together.counted(partition)
    least, most = figures.bounds(every)
    missing = ~np.isin(figures.labels, every)
    agrees = bool((least <= rows).all() and (rows <= most).all() and not figures.least[missing].any())
    is_listed = np.isin(every, figures.labels)
    rest = int(rows[~is_listed].sum())
    if not agrees or (shown.rest is not None and not shown.rest[0] <= rest <= shown.rest[1]):
        return ()
    return with_rest(figures, shown.rest)


def with_rest(figures: KnownFigures, rest: tuple[int, int] | None) -> tuple[KnownFigures, ...]:
    """Figures, with those of all classes that they do not list together: the least and the most persons."""
    if rest is None:
        return (figures,)
    rest_least, rest_most = (np.array([each], dtype=np.int64) for each in rest)
    listed = replace(figures.partition, listed=figures.labels)
    label = np.array([REST], dtype=np.int64)
    called = f"{figures.called}, suppressed"
    return figures, KnownFigures(figures.releases, called, listed, label, rest_least, rest_most, UNBOUNDED)
