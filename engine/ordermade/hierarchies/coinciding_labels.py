"""Labels that stand for different values at two levels: a release of mixed levels cannot tell these apart.

A group called `1` beside the value 1; `*` for some values below the top; `12*`, which keeps two characters of 123 and
three of 12. Where all rows are at one level such labels do no harm. Where levels are mixed (local recoding, Mondrian
along hierarchies), two classes of different values look alike, and classes that do not overlap seem to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ordermade.errors import quoted
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.phrases import phrase

INSTEAD = phrase("give the groups labels of their own, or accept one of the two levels alone (`from`, `to`)")


def coinciding_levels(labels: Mapping[int, Sequence[str | None]]) -> tuple[int, int] | None:
    """Two levels, the finer first, at which one label names different places; None where each names the same.

    `labels[level][place]`: the label of each value, or set of values, at a level; None (NULL) is no label.
    """
    coarser: set[str | None] = set()
    at_several: set[str | None] = set()
    for level in sorted(labels, reverse=True):  # the finest, of the most labels, is put into no set
        at_several.update(label for label in labels[level] if label in coarser)
        if level != min(labels):
            coarser.update(labels[level])
    if not at_several - {None}:
        return None
    known: dict[str, tuple[int, list[int]]] = {}
    for level in sorted(labels):
        named: dict[str, list[int]] = {}
        for place, label in enumerate(labels[level]):
            if label is not None and label in at_several:
                named.setdefault(label, []).append(place)
        for label, places in named.items():
            at, before = known.setdefault(label, (level, places))
            if before != places:
                return at, level
    return None


def listed_coinciding(hierarchy: Hierarchy, accepted: Sequence[int]) -> tuple[int, int] | None:
    """Two accepted levels with one label for different values, as far as the hierarchy alone tells.

    Of one that lists its values that is all there is to know, if the column writes its values alike; of rules nothing
    is known before the values are (`ordermade.counting.coinciding_labels`).
    """
    if not isinstance(hierarchy, ExplicitHierarchy) or len(accepted) < 2:
        return None
    own = (hierarchy.leaves, *hierarchy.labels)
    return coinciding_levels({level: own[level] for level in accepted})


def in_words(hierarchy: Hierarchy, levels: tuple[int, int]) -> str:
    """The finding on two levels, by their names: no label is shown, as one may be a value of a person."""
    finer, coarser = (quoted(hierarchy.levels[level].name) for level in levels)
    return phrase(
        "levels %(finer)s and %(coarser)s of the hierarchy %(name)s have one label for different values",
        finer=finer,
        coarser=coarser,
        name=quoted(hierarchy.name),
    )


def note_of(hierarchy: Hierarchy, levels: tuple[int, int] | None) -> tuple[str, ...]:
    """The note on a hierarchy with such levels, for who registers or checks it; none where there are none."""
    if levels is None:
        return ()
    mixed = "requests that mix both (recoding: local, Mondrian along hierarchies) are refused"
    return (f"{in_words(hierarchy, levels)}: {mixed}",)
