"""The types of the documents of `ordermade hierarchy`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


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
