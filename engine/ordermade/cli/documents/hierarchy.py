"""The documents of `ordermade hierarchy`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.opening import FORMAT, Opening, printed

if TYPE_CHECKING:
    from ordermade.catalogue.hierarchies import AddedHierarchy, CheckedHierarchy
    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.state.records import HierarchyRecord


class RegisteredHierarchy(TypedDict):
    """A registered hierarchy."""

    id: int
    """Its number."""
    name: str
    """Its name."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    content_hash: str
    """The hash of its content."""
    levels: int
    """The number of its levels, the values themselves and `*` included."""
    leaves: int
    """The number of values that it lists; 0 of a rule."""
    added_at: datetime
    """The time it was registered."""
    removed_at: datetime | None
    """The time it was taken out of use."""


class HierarchyAdded(Opening):
    """A hierarchy was registered."""

    command: Literal["hierarchy add"]
    """`hierarchy add`."""
    name: str
    """Its name."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    outcome: str
    """`added`, `replaced` (the one of that name) or `unchanged`."""
    levels: list[str]
    """The names of its levels, from finest to coarsest."""
    content_hash: str
    """The hash of its content."""
    notes: list[str]
    """Notes on how the file was read."""


class HierarchyList(Opening):
    """The registered hierarchies."""

    command: Literal["hierarchy list"]
    """`hierarchy list`."""
    hierarchies: list[RegisteredHierarchy]
    """The hierarchies, by name."""


class Level(TypedDict):
    """A level of a hierarchy."""

    level: int
    """Its number; 0 is the values themselves."""
    name: str
    """Its name."""
    one_class: str
    """The content of one class, in words."""
    refines: list[int]
    """Every coarser level that it refines."""
    content_hash: str
    """The hash of its content."""


class ListedValue(TypedDict):
    """A value that a hierarchy lists."""

    value: str | None
    """The value; null is NULL."""
    labels: list[str]
    """Its label at each level above 0."""


class HierarchyShown(Opening):
    """The levels of a hierarchy, and the first values that it lists."""

    command: Literal["hierarchy show"]
    """`hierarchy show`."""
    name: str
    """Its name."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    content_hash: str
    """The hash of its content."""
    nested: bool
    """Whether every level refines the next one."""
    levels: list[Level]
    """Its levels, from finest to coarsest."""
    values_listed: int
    """The number of values that it lists; 0 of a rule."""
    first_values: list[ListedValue]
    """The first of them, as many as `--leaves` says."""


class Coverage(TypedDict):
    """A hierarchy checked against a column of a dataset, in counts."""

    hierarchy: str
    """The hierarchy."""
    column: str
    """The column."""
    rows: int
    """The rows of the dataset."""
    values: int
    """The distinct values of the column, NULL not counted."""
    null_rows: int
    """The rows without a value."""
    null_has_path: bool
    """Whether the hierarchy says what NULL becomes."""
    missing_values: int
    """The values that the hierarchy does not place."""
    missing_rows: int
    """The rows with such a value."""
    leaves: int
    """The values that the hierarchy lists."""
    never_used: int
    """Those of them that the column does not have."""
    duplicates: int
    """Listed values that are one value of the column's type."""
    not_nested: list[tuple[str, str]]
    """Neighbouring levels of which the finer does not refine the coarser."""
    coinciding: list[str]
    """Notes on levels that have one label for different values."""


class HierarchyChecked(Opening):
    """A hierarchy checked against a column of a dataset."""

    command: Literal["hierarchy check"]
    """`hierarchy check`."""
    usable: bool
    """Whether a request may use the hierarchy on the column; if not, the exit status is 2."""
    report: Coverage
    """The figures of the check."""
    missing: list[tuple[str | None, int]]
    """With `--show-values`: values that are missing, with their rows. They are values of the data."""


class HierarchyRemoved(Opening):
    """A hierarchy was taken out of use."""

    command: Literal["hierarchy remove"]
    """`hierarchy remove`."""
    hierarchy: RegisteredHierarchy
    """The hierarchy."""


class Draft(TypedDict):
    """The draft of a hierarchy for a column."""

    column: str
    """The column."""
    reason: str
    """The reason for the draft, or why there is none."""
    levels: int | None
    """The number of levels; null where there is no draft."""
    file: str | None
    """The file that it was written to; null where it was not written."""
    text: str | None
    """The draft as YAML, where it was not written to a file; of a mapping it lists values of the data."""


class HierarchySuggested(Opening):
    """Drafts of hierarchies for columns of a dataset."""

    command: Literal["hierarchy suggest"]
    """`hierarchy suggest`."""
    dataset: str
    """The dataset."""
    drafts: list[Draft]
    """A draft for each column that was named; with `--all` for every column."""


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
        "hierarchies": [printed(each, RegisteredHierarchy) for each in hierarchies],
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
        "report": printed(found.report, Coverage),
        "missing": list(found.missing),
    }


def removed(hierarchy: HierarchyRecord) -> HierarchyRemoved:
    """The document of `hierarchy remove`."""
    return {"format": FORMAT, "command": "hierarchy remove", "hierarchy": printed(hierarchy, RegisteredHierarchy)}


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
