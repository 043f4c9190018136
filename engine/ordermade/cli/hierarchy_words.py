"""A hierarchy in words and figures: the classes of each level, and the refinement of levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.hierarchies.hierarchy import Hierarchy


def level_rows(hierarchy: Hierarchy) -> list[tuple[int, str, str, str]]:
    """Number, name, form of a class, and the next coarser levels it refines, of each level."""
    return [
        (number, level.name, _one_class(hierarchy, number), _refined(hierarchy, number))
        for number, level in enumerate(hierarchy.levels)
    ]


def nesting(hierarchy: Hierarchy) -> list[str]:
    """Whether the levels nest, one sentence a line."""
    from ordermade.hierarchies.coverage import not_nested

    pairs = not_nested(hierarchy)
    if not pairs:
        return ["Every level refines the next one: the levels nest."]
    return [
        f"Level '{fine}' does not refine level '{coarse}': where a request accepts both, searches that need "
        "nested levels are refused."
        for fine, coarse in pairs
    ]


def leaf_rows(hierarchy: Hierarchy, most: int) -> list[tuple[str, ...]]:
    """The first listed values, each with its label at every level; none of a rule."""
    from ordermade.hierarchies.explicit import ExplicitHierarchy

    if not isinstance(hierarchy, ExplicitHierarchy):
        return []
    shown = range(min(most, len(hierarchy.leaves)))
    return [(_value(hierarchy.leaves[number]), *(labels[number] for labels in hierarchy.labels)) for number in shown]


def as_document(hierarchy: Hierarchy, most: int) -> dict[str, Any]:
    """The hierarchy as `hierarchy show --json` prints it; `refines` has every coarser level, NULL is null."""
    from ordermade.hierarchies.explicit import ExplicitHierarchy

    order, numbers = hierarchy.order, range(len(hierarchy.levels))
    first: list[dict[str, Any]] = []
    if isinstance(hierarchy, ExplicitHierarchy):
        first = [
            {"value": hierarchy.leaves[number], "labels": [labels[number] for labels in hierarchy.labels]}
            for number in range(min(most, len(hierarchy.leaves)))
        ]
    return {
        "name": hierarchy.name,
        "kind": hierarchy.kind,
        "content_hash": hierarchy.content_hash,
        "nested": order.is_chain(),
        "levels": [
            {
                "level": number,
                "name": level.name,
                "one_class": _one_class(hierarchy, number),
                "refines": [other for other in numbers if other != number and order.refines(number, other)],
                "content_hash": level.content_hash,
            }
            for number, level in enumerate(hierarchy.levels)
        ],
        "values_listed": len(getattr(hierarchy, "leaves", ())),
        "first_values": first,
    }


def _refined(hierarchy: Hierarchy, level: int) -> str:
    direct = hierarchy.order.direct_generalisations(level, range(len(hierarchy.levels)))
    return ", ".join(f"{number} {hierarchy.levels[number].name}" for number in direct)


def _one_class(hierarchy: Hierarchy, level: int) -> str:
    """The content of one class of a level, in a few words."""
    from ordermade.hierarchies.dates import DateHierarchy
    from ordermade.hierarchies.explicit import ExplicitHierarchy
    from ordermade.hierarchies.intervals import IntervalHierarchy
    from ordermade.hierarchies.prefixes import PrefixHierarchy

    if level == hierarchy.top:
        return "everything"
    if level == 0:
        return "one value"
    match hierarchy:
        case ExplicitHierarchy():
            classes = len(set(hierarchy.labels[level - 1]))
            return f"one of {classes:,} labels"
        case IntervalHierarchy():
            rule = hierarchy.intervals[level - 1]
            return f"an interval of {rule.width:f} from {rule.origin:f}"
        case DateHierarchy():
            return f"a {hierarchy.parts[level - 1]}"
        case PrefixHierarchy():
            return f"the first {hierarchy.keep[level - 1]} characters"
    return ""


def _value(leaf: str | None) -> str:
    return "NULL" if leaf is None else leaf
