"""The types of the documents of `ordermade taxonomy`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class DraftedCategory(TypedDict):
    """A category of a draft."""

    category: str
    """Its name."""
    department: str | None
    """Its department."""
    items: int
    """The items that got it."""
    by_keyword: int
    """Those by a keyword."""
    by_likeness: int
    """Those by likeness of terms."""
    records: int
    """The records of these items."""


class LeftTerm(TypedDict):
    """A term of items that got no category."""

    term: str
    """The term."""
    items: int
    """The items without a category that have it."""
    of: int
    """All items that have it."""
    records: int
    """The records of the former."""


class LeftItems(TypedDict):
    """The items that got no category."""

    category: str
    """The name of the category that they stand in."""
    items: int
    """Their number."""
    records: int
    """Their records."""
    terms: list[LeftTerm]
    """Terms of five items or more that may be keywords."""


class TaxonomySuggested(Opening):
    """A taxonomy was drafted."""

    command: Literal["taxonomy suggest"]
    """`taxonomy suggest`."""
    table: str
    """The table."""
    where: str | None
    """The row filter."""
    item: str
    """The column that names items."""
    description: str
    """The column that describes them."""
    items: int
    """The items."""
    records: int
    """The records."""
    items_described: int
    """The items with a description."""
    records_without_item: int
    """The records that name no item."""
    categories: list[DraftedCategory]
    """The categories."""
    left: LeftItems
    """The items that got none."""


class UnsortedItem(TypedDict):
    """An item without a category."""

    item: str
    """The item: a value of the data."""
    records: int
    """Its records."""


class NoCategory(TypedDict):
    """The items without a category."""

    goods: int
    """Their number."""
    records: int
    """Their records."""
    share_of_goods: float | None
    """Their share of all items."""
    share_of_records: float | None
    """Their share of all records."""
    items: list[UnsortedItem]
    """With `--list`: the items."""


class CheckedCategory(TypedDict):
    """A category of a taxonomy."""

    category: str
    """Its name."""
    goods: int
    """The items of it that occur."""
    records: int
    """Their records."""
    listed: int
    """The items that it lists."""


class TaxonomyChecked(Opening):
    """A taxonomy held against the items of a table."""

    command: Literal["taxonomy check"]
    """`taxonomy check`."""
    taxonomy: str
    """The file of the taxonomy."""
    level: str
    """The name of the level whose classes are the categories."""
    table: str
    """The table."""
    where: str | None
    """The row filter."""
    item: str
    """The column that names items."""
    goods: int
    """The items."""
    records: int
    """The records."""
    records_without_item: int
    """The records that name no item."""
    complete: bool
    """Whether every item has a category; if not, the exit status is 1."""
    no_category: NoCategory
    """The items without one."""
    categories: list[CheckedCategory]
    """The categories."""
    categories_used: int
    """Those of them that occur."""
    categories_never_used: int
    """Those that do not."""
    categories_of_one: int
    """Those of one item, which hide nothing."""
    least_goods: int | None
    """The fewest items of a category that occurs."""
    most_goods: int | None
    """The most items of a category."""


class Keywords(Opening):
    """The list of keywords that ships with the program."""

    command: Literal["taxonomy keywords"]
    """`taxonomy keywords`."""
    file: str | None
    """The file that it was written to; null where it was not written."""
    text: str | None
    """The list as YAML, where it was not written to a file."""
