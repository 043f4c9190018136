"""The documents of `ordermade taxonomy`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.methods.histories.taxonomies.check import CheckedTaxonomy, share

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ordermade.methods.histories.taxonomies.suggest import LeftTerm, SuggestedTaxonomy


@dataclass(frozen=True, slots=True)
class DraftedCategory:
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


@dataclass(frozen=True, slots=True)
class LeftItems:
    """The items that got no category."""

    category: str
    """The name of the category that they stand in."""
    items: int
    """Their number."""
    records: int
    """Their records."""
    terms: Sequence[LeftTerm]
    """Terms of five items or more that may be keywords."""


@dataclass(frozen=True, slots=True)
class TaxonomySuggested:
    """A taxonomy was drafted."""

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
    categories: Sequence[DraftedCategory]
    """The categories."""
    left: LeftItems
    """The items that got none."""


@dataclass(frozen=True, slots=True)
class UnsortedItem:
    """An item without a category."""

    item: str
    """The item: a value of the data."""
    records: int
    """Its records."""


@dataclass(frozen=True, slots=True)
class NoCategory:
    """The items without a category."""

    goods: int
    """Their number."""
    records: int
    """Their records."""
    share_of_goods: float | None
    """Their share of all items."""
    share_of_records: float | None
    """Their share of all records."""
    items: Sequence[UnsortedItem]
    """With `--list`: the items."""


@dataclass(frozen=True, slots=True)
class CheckedCategory:
    """A category of a taxonomy."""

    category: str
    """Its name."""
    goods: int
    """The items of it that occur."""
    records: int
    """Their records."""
    listed: int
    """The items that it lists."""


@dataclass(frozen=True, slots=True)
class TaxonomyChecked:
    """A taxonomy held against the items of a table."""

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
    categories: Sequence[CheckedCategory]
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


@dataclass(frozen=True, slots=True)
class DefaultKeywords:
    """The list of keywords that ships with the program."""

    file: Path | None
    """The file that it was written to; null where it was not written."""
    text: str | None
    """The list as YAML, where it was not written to a file."""

    @classmethod
    def of(cls, text: str, file: Path | None) -> DefaultKeywords:
        """The list, written or printed."""
        return cls(file, text if file is None else None)


def suggested(found: SuggestedTaxonomy) -> TaxonomySuggested:
    """Everything of a draft but the items themselves."""
    return TaxonomySuggested(
        table=found.table,
        where=found.filter,
        item=found.item,
        description=found.description,
        items=found.items,
        records=found.records,
        items_described=found.described,
        records_without_item=found.without_item,
        categories=tuple(
            DraftedCategory(
                category=each.name,
                department=each.department,
                items=each.items,
                by_keyword=each.by_keyword,
                by_likeness=each.by_likeness,
                records=each.records,
            )
            for each in found.categories
        ),
        left=LeftItems(found.other, found.left_items, found.left_records, found.left),
    )


def checked(found: CheckedTaxonomy) -> TaxonomyChecked:
    """All figures of a check."""
    return TaxonomyChecked(
        taxonomy=found.taxonomy,
        level=found.level,
        table=found.table,
        where=found.filter,
        item=found.item,
        goods=found.goods,
        records=found.records,
        records_without_item=found.without_item,
        complete=found.complete,
        no_category=NoCategory(
            goods=found.unsorted_goods,
            records=found.unsorted_records,
            share_of_goods=share(found.unsorted_goods, found.goods),
            share_of_records=share(found.unsorted_records, found.records),
            items=tuple(UnsortedItem(name, n) for name, n in found.unsorted),
        ),
        categories=tuple(
            CheckedCategory(each.name, each.goods, each.records, each.listed) for each in found.categories
        ),
        categories_used=len(found.used),
        categories_never_used=len(found.never_used),
        categories_of_one=found.alone,
        least_goods=found.used[-1].goods if found.used else None,
        most_goods=found.used[0].goods if found.used else None,
    )
