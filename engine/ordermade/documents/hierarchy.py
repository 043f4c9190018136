"""The documents of `ordermade hierarchy`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.hierarchies.explicit import ExplicitHierarchy

if TYPE_CHECKING:
    from ordermade.drafts.hierarchies import DraftedHierarchy, Undrafted
    from ordermade.hierarchies.hierarchy import Hierarchy
    from ordermade.state.hierarchies import HierarchyRecord
    from ordermade.state.user_hierarchies import UserHierarchy


@dataclass(frozen=True, slots=True)
class HierarchyList:
    """The registered hierarchies."""

    hierarchies: Sequence[HierarchyRecord]
    """The hierarchies, by name."""


@dataclass(frozen=True, slots=True)
class DescribedLevel:
    """A level of a hierarchy."""

    level: int
    """Its number; 0 is the values themselves."""
    name: str
    """Its name."""
    one_class: str
    """The content of one class, in words."""
    refines: Sequence[int]
    """Every coarser level that it refines."""
    content_hash: str
    """The hash of its content."""


@dataclass(frozen=True, slots=True)
class ListedValue:
    """A value that a hierarchy lists."""

    value: str | None
    """The value; null is NULL."""
    labels: Sequence[str]
    """Its label at each level above 0."""


@dataclass(frozen=True, slots=True)
class HierarchyShown:
    """The levels of a hierarchy, and the first values that it lists."""

    name: str
    """Its name."""
    kind: str
    """`explicit`, `interval`, `date` or `prefix`."""
    content_hash: str
    """The hash of its content."""
    nested: bool
    """Whether every level refines the next one."""
    levels: Sequence[DescribedLevel]
    """Its levels, from finest to coarsest."""
    values_listed: int
    """The number of values that it lists; 0 of a rule."""
    first_values: Sequence[ListedValue]
    """The first of them, as many as `--leaves` says."""


@dataclass(frozen=True, slots=True)
class OwnHierarchies:
    """The hierarchies that a user uploaded."""

    own: Sequence[UserHierarchy]
    """The hierarchies, by name."""


@dataclass(frozen=True, slots=True)
class HierarchyUploaded:
    """A hierarchy of a user's own was uploaded, or taken out of use."""

    own: UserHierarchy
    """The hierarchy."""


@dataclass(frozen=True, slots=True)
class HierarchyRemoved:
    """A hierarchy was taken out of use."""

    hierarchy: HierarchyRecord
    """The hierarchy."""


@dataclass(frozen=True, slots=True)
class Draft:
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


@dataclass(frozen=True, slots=True)
class HierarchySuggested:
    """Drafts of hierarchies for columns of a dataset."""

    dataset: str
    """The dataset."""
    drafts: Sequence[Draft]
    """A draft for each column that was named; with `--all` for every column."""


def shown(hierarchy: Hierarchy, most: int, one_class: Sequence[str]) -> HierarchyShown:
    """The document of `hierarchy show`, with the first `most` values. `one_class`: of each level, in words."""
    order, numbers = hierarchy.order, range(len(hierarchy.levels))
    first: list[ListedValue] = []
    if isinstance(hierarchy, ExplicitHierarchy):
        first = [
            ListedValue(hierarchy.leaves[number], [labels[number] for labels in hierarchy.labels])
            for number in range(min(most, len(hierarchy.leaves)))
        ]
    return HierarchyShown(
        name=hierarchy.name,
        kind=hierarchy.kind,
        content_hash=hierarchy.content_hash,
        nested=order.is_chain(),
        levels=[
            DescribedLevel(
                level=number,
                name=level.name,
                one_class=one_class[number],
                refines=[other for other in numbers if other != number and order.refines(number, other)],
                content_hash=level.content_hash,
            )
            for number, level in enumerate(hierarchy.levels)
        ],
        values_listed=len(getattr(hierarchy, "leaves", ())),
        first_values=first,
    )


def suggested(
    dataset: str, found: Sequence[DraftedHierarchy | Undrafted], files: Mapping[str, str]
) -> HierarchySuggested:
    """The document of `hierarchy suggest`. `files`: those that drafts were written to, by column."""
    return HierarchySuggested(
        dataset=dataset,
        drafts=[
            Draft(
                column=each.column,
                reason=each.reason,
                levels=getattr(each, "levels", None),
                file=files.get(each.column),
                text=None if each.column in files else getattr(each, "text", None),
            )
            for each in found
        ],
    )
