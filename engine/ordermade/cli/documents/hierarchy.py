"""The documents of `ordermade hierarchy`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.hierarchies import AddedHierarchy, CheckedHierarchy
    from ordermade.cli.documents.types.hierarchy import (
        Coverage,
        HierarchyAdded,
        HierarchyChecked,
        HierarchyList,
        HierarchyRemoved,
        HierarchyShown,
        HierarchySuggested,
        ListedValue,
        RegisteredHierarchy,
    )
    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.state.hierarchies import HierarchyRecord


def added(name: str, found: AddedHierarchy) -> HierarchyAdded:
    """The document of `hierarchy add`."""
    return {
        "format": FORMAT,
        "command": "hierarchy add",
        "name": name,
        "kind": found.hierarchy.kind,
        "outcome": found.outcome,
        "levels": [level.name for level in found.hierarchy.levels],
        "content_hash": found.hierarchy.content_hash,
        "notes": list(found.notes),
    }


def listed(hierarchies: Sequence[HierarchyRecord]) -> HierarchyList:
    """The document of `hierarchy list`."""
    return {
        "format": FORMAT,
        "command": "hierarchy list",
        "hierarchies": [cast("RegisteredHierarchy", plain(each)) for each in hierarchies],
    }


def shown(hierarchy: Hierarchy, most: int, one_class: Sequence[str]) -> HierarchyShown:
    """The document of `hierarchy show`, with the first `most` values. `one_class`: of each level, in words."""
    from ordermade.hierarchies.explicit import ExplicitHierarchy

    order, numbers = hierarchy.order, range(len(hierarchy.levels))
    first: list[ListedValue] = []
    if isinstance(hierarchy, ExplicitHierarchy):
        first = [
            {"value": hierarchy.leaves[number], "labels": [labels[number] for labels in hierarchy.labels]}
            for number in range(min(most, len(hierarchy.leaves)))
        ]
    return {
        "format": FORMAT,
        "command": "hierarchy show",
        "name": hierarchy.name,
        "kind": hierarchy.kind,
        "content_hash": hierarchy.content_hash,
        "nested": order.is_chain(),
        "levels": [
            {
                "level": number,
                "name": level.name,
                "one_class": one_class[number],
                "refines": [other for other in numbers if other != number and order.refines(number, other)],
                "content_hash": level.content_hash,
            }
            for number, level in enumerate(hierarchy.levels)
        ],
        "values_listed": len(getattr(hierarchy, "leaves", ())),
        "first_values": first,
    }


def checked(found: CheckedHierarchy) -> HierarchyChecked:
    """The document of `hierarchy check`."""
    return {
        "format": FORMAT,
        "command": "hierarchy check",
        "usable": found.report.usable,
        "report": cast("Coverage", plain(found.report)),
        "missing": list(found.missing),
    }


def removed(hierarchy: HierarchyRecord) -> HierarchyRemoved:
    """The document of `hierarchy remove`."""
    return {"format": FORMAT, "command": "hierarchy remove", "hierarchy": cast("RegisteredHierarchy", plain(hierarchy))}


def suggested(
    dataset: str, found: Sequence[DraftedHierarchy | Undrafted], files: Mapping[str, str]
) -> HierarchySuggested:
    """The document of `hierarchy suggest`. `files`: those that drafts were written to, by column."""
    return {
        "format": FORMAT,
        "command": "hierarchy suggest",
        "dataset": dataset,
        "drafts": [
            {
                "column": each.column,
                "reason": each.reason,
                "levels": getattr(each, "levels", None),
                "file": files.get(each.column),
                "text": None if each.column in files else getattr(each, "text", None),
            }
            for each in found
        ],
    }
