"""The hierarchies of several columns, drafted with so few levels that the search over all of them together is quick."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted, drafted_hierarchy
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.vocabularies import Vocabulary, vocabularies

MAX_NODES = 20_000
"""The nodes of a lattice in which the best one is proved in a second or two. Levels are taken away beyond that."""

MIN_LEVELS = 3
"""The value, one level of groups, and `*`: below this nothing is taken away, however many columns there are."""


def drafted_hierarchies(
    profiles: Sequence[ColumnProfile],
    *,
    least_rows: int,
    most_nodes: int = MAX_NODES,
    known: Mapping[str, Vocabulary] | None = None,
) -> Mapping[str, DraftedHierarchy | Undrafted]:
    """The draft for each of the quasi-identifiers of one request, by column.

    Each has all of its levels while the lattice has `most_nodes` nodes at most; beyond that, those with the most
    levels lose some of them. `known`: the vocabularies of the columns of the table.
    """
    known = vocabularies(profiles) if known is None else known
    drafts = {each.name: drafted_hierarchy(each, least_rows=least_rows, known=known) for each in profiles}
    distinct = {each.name: each.distinct for each in profiles}
    drafted = [each for each in drafts.values() if isinstance(each, DraftedHierarchy)]
    # Of columns with equally many levels the first loses one: kinds of things and ranges tell more than frequencies,
    # and of many values the few that are frequent tell the least.
    drafted.sort(key=lambda each: (not each.by_frequency, -distinct[each.column]))
    wanted = levels_within({each.column: each.levels for each in drafted}, most_nodes)
    for each in profiles:
        draft = drafts[each.name]
        if isinstance(draft, DraftedHierarchy) and wanted[each.name] < draft.levels:
            most_levels = wanted[each.name]
            drafts[each.name] = drafted_hierarchy(each, least_rows=least_rows, most_levels=most_levels, known=known)
    return drafts


def levels_within(levels: Mapping[str, int], most_nodes: int) -> dict[str, int]:
    """The levels that each column keeps so that their product is within `most_nodes`, as far as that can be.

    Of columns with equally many levels the one listed first loses one.
    """
    kept = dict(levels)
    while math.prod(kept.values()) > most_nodes:
        name = max(kept, key=lambda each: kept[each])
        if kept[name] <= MIN_LEVELS:
            break
        kept[name] -= 1
    return kept
