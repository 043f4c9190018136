"""Missing values that are released as `*` at every level: what a hierarchy must not do with them.

The rows with a missing value form classes with each other alone, as they do where it is a category of its own; only
what is released, and what it costs, differs. So one level may neither put them together with values nor have the label
`*` for values.
"""

from __future__ import annotations

from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR, Hierarchy


def level_not_apart(hierarchy: Hierarchy, finest: int) -> int | None:
    """The finest level, from `finest` up and below the top, that does not keep missing values apart; None: all do.

    Of a hierarchy that lists its values. Rules keep them apart, but for labels that the values of the data make.
    """
    if not isinstance(hierarchy, ExplicitHierarchy):
        return None
    null = hierarchy.leaves.index(None) if None in hierarchy.leaves else None
    for level in range(finest, hierarchy.top):
        own = hierarchy.labels[level - 1] if level else hierarchy.leaves
        others = own if null is None else (*own[:null], *own[null + 1 :])
        if STAR in others or (null is not None and own[null] in others):
            return level
    return None
