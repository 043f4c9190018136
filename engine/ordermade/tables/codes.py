"""The codes of a dimension as a table spells them: totals by name, levels of a hierarchy as subtotals."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.tables.dimensions import Dimension

TOTALS = ("Total", "All", "計", "総数", "合計", "総計")
"""The names that a total has where none are given."""


def folded(text: str | None) -> str:
    """A text as it is compared: in one width and case, without spaces; nothing is the empty text."""
    return "" if text is None else "".join(unicodedata.normalize("NFKC", text).split()).casefold()


@dataclass(frozen=True, slots=True)
class CodeTree:
    """A dimension, the number of each code by its folded text, and of each code the coarsest level that has it.

    Code 0 is the total of all; its name is the first that the tables give it.
    """

    dimension: Dimension
    numbers: Mapping[str, int]
    levels: tuple[int, ...]

    def number(self, code: str | None) -> int:
        """The number of a code. Raises KeyError for one that is unknown."""
        return self.numbers[folded(code)]


def flat_tree(name: str, codes: Iterable[str | None], totals: Sequence[str]) -> CodeTree:
    """The codes of a dimension without a hierarchy: all are parts of the one total."""
    names = {folded(each) for each in totals}
    shown: dict[str, str] = {}
    total = ""
    for code in codes:
        if folded(code) in names:
            total = total or (code or "")
        else:
            shown.setdefault(folded(code), code or "")
    ordered = (total or STAR, *shown.values())
    numbers = {text: place for place, text in enumerate(shown, start=1)} | dict.fromkeys(names, 0)
    return CodeTree(Dimension(name, ordered, (-1, *[0] * len(shown))), numbers, (1, *[0] * len(shown)))


def hierarchical_tree(
    name: str, codes: Sequence[str | None], totals: Sequence[str], hierarchy: Hierarchy, *, whole_levels: bool
) -> CodeTree:
    """The codes of a dimension with a hierarchy: a label of a level is the total of what it stands for a level below.

    Levels that no code is of are left out; of the others only the codes that occur and those above them, or all
    (`whole_levels`). Raises HierarchyError for a hierarchy that lists no values, whose levels do not nest, in which one
    label means different values, and for codes that it does not have.
    """
    full, all_levels = _whole_tree(name, hierarchy)
    numbers = {folded(code): place for place, code in reversed(list(enumerate(full.codes)))}
    names = {folded(each) for each in (*totals, STAR)}
    numbers = dict.fromkeys(names - numbers.keys(), 0) | numbers
    strange = {folded(code) for code in codes if folded(code) not in numbers}
    if strange:
        raise HierarchyError(
            f"{len(strange):,} of its codes are in no level of the hierarchy",
            where=f"column {quoted(name)}",
            next_step="Add them to its file, or name them with --total if they are totals.",
        )
    occurring = {numbers[folded(code)] for code in codes}
    kept = {0}
    if whole_levels:
        levels = {level for code in occurring for level in all_levels[code]}
        kept |= {code for code, own in enumerate(all_levels) if levels & set(own)}
    else:
        kept |= occurring
    order = sorted(kept)
    place = {code: at for at, code in enumerate(order)}
    parents = []
    for code in order:
        above = full.parents[code]
        while above >= 0 and above not in kept:
            above = full.parents[above]
        parents.append(place[above] if above >= 0 else -1)
    spelt = {folded(code): code for code in reversed([each or "" for each in codes])}
    shown = {place[numbers[text]]: code for text, code in spelt.items()}
    return CodeTree(
        Dimension(name, tuple(shown.get(at, full.codes[code]) for at, code in enumerate(order)), tuple(parents)),
        {text: place[code] for text, code in numbers.items() if code in kept},
        tuple(max(all_levels[code]) for code in order),
    )


def _whole_tree(name: str, hierarchy: Hierarchy) -> tuple[Dimension, list[tuple[int, ...]]]:
    """All labels of a hierarchy, the total first, each with the levels that have it."""
    where = f"hierarchy of column {quoted(name)}"
    if not isinstance(hierarchy, ExplicitHierarchy):
        raise HierarchyError(
            "the codes of a table are labels, and this hierarchy is a rule that lists none",
            where=where,
            next_step="Write the values and their labels out, a line each.",
        )
    paths: dict[str, set[int]] = {}
    parent: dict[str, str] = {}
    levels: dict[str, set[int]] = {}
    shown: dict[str, str] = {}
    for leaf, value in enumerate(hierarchy.leaves):
        path = [value or "", *(labels[leaf] for labels in hierarchy.labels[:-1]), STAR]
        for level, label in enumerate(path):
            text = folded(label)
            shown.setdefault(text, label)
            paths.setdefault(text, set()).add(leaf)
            levels.setdefault(text, set()).add(level)
        for below, above in zip(map(folded, path), map(folded, path[1:]), strict=False):
            if below != above and parent.setdefault(below, above) != above:
                raise HierarchyError(
                    "a label is a part of two others, so its levels do not nest",
                    where=where,
                    next_step="Give a hierarchy in which each label has one label above it, and no other meaning.",
                )
    root = folded(STAR)
    depth: dict[str, int] = {root: 0}
    for text in paths:
        line = [text]
        while line[-1] not in depth:
            line.append(parent[line[-1]])
            if len(line) > len(hierarchy.levels) + 1:
                raise HierarchyError(
                    "a label stands above itself", where=where, next_step="Give each level its own labels."
                )
        for at, each in enumerate(reversed(line)):
            depth.setdefault(each, depth[line[-1]] + at)
    order = sorted(paths, key=lambda text: depth[text])  # else in the order of the file
    place = {text: at for at, text in enumerate(order)}
    tree = Dimension(
        name,
        tuple(shown[text] for text in order),
        tuple(place[parent[text]] if text != root else -1 for text in order),
    )
    return tree, [tuple(sorted(levels[text])) for text in order]
