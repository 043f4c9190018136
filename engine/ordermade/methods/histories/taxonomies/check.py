"""A taxonomy held against a table: items it does not list, categories that no item has, goods a category."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ordermade import sql
from ordermade.catalogue.any_table import AnyTable, require_filter_read
from ordermade.counting.coverage import figures
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, encode_column, rows_of, store_keys
from ordermade.errors import HierarchyError, InputError, did_you_mean, quoted
from ordermade.hierarchies.hierarchy import STAR, Grounding, Hierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.methods.histories.taxonomies.items import item_column, percent, with_share
from ordermade.privacy.least_k import numbered
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile


@dataclass(frozen=True, slots=True)
class CategoryGoods:
    """A category of a taxonomy: the goods it lists, those of them that occur, and their records."""

    name: str
    listed: int
    goods: int
    records: int


@dataclass(frozen=True, slots=True, repr=False)
class CheckedTaxonomy(HasSummary):
    """A taxonomy held against the items of a table.

    `goods` and `records` of the table; `without_item`: records whose item is NULL; `unsorted_goods` and
    `unsorted_records` are in no category, and `unsorted` lists these goods with their records if requested.
    `level` is the name of the level whose classes `categories` are, the one with most goods first.
    """

    taxonomy: str
    table: str
    filter: str | None
    item: str
    level: str
    goods: int
    records: int
    without_item: int
    unsorted_goods: int
    unsorted_records: int
    categories: tuple[CategoryGoods, ...]
    unsorted: tuple[tuple[str, int], ...] = ()

    def _card(self) -> Card:
        title = f"CheckedTaxonomy: {'complete' if self.complete else 'incomplete'}"
        return Card.of(title, checked_facts(self), Grid(CATEGORY_HEADINGS, category_rows(self)))

    @property
    def complete(self) -> bool:
        """Whether every item has a category."""
        return self.unsorted_goods == 0

    @property
    def used(self) -> tuple[CategoryGoods, ...]:
        """The categories that some item has, the one with most goods first."""
        return tuple(each for each in self.categories if each.goods)

    @property
    def alone(self) -> int:
        """The number of categories with a single good, which do not generalise it."""
        return sum(each.goods == 1 for each in self.categories)

    @property
    def never_used(self) -> tuple[CategoryGoods, ...]:
        """The categories of which no item occurs."""
        return tuple(each for each in self.categories if not each.goods)


def checked(
    taxonomy: Path,
    table: AnyTable,
    state: StateFile,
    limits: Limits,
    item: str,
    *,
    level: int | str = 1,
    where: str | None = None,
    show_items: bool = False,
) -> CheckedTaxonomy:
    """The taxonomy in a file held against the column `item` of a table.

    Raises HierarchyError for a file that is no list of items or lists one twice, InputError (UnknownName, FilterError),
    SourceFault, StateFault.
    """
    hierarchy = read_hierarchy(taxonomy, taxonomy.stem).hierarchy
    file = str(taxonomy)
    number = _level(hierarchy, level, file)
    with table.dataset(state, limits, where) as (dataset, text):
        require_filter_read(dataset, text)
        column = item_column(dataset, item)
        attribute = encode_column(dataset, 1, column, hierarchy, 0)
        grounding = store_keys(dataset, attribute)
        repeated = figures(dataset.backend.workspace, attribute).repeated
        if repeated:
            raise HierarchyError(
                f"{numbered(repeated, 'item is', 'items are')} listed twice once read as the column's type",
                where=file,
                next_step="List each item once (1 and 01 are one number).",
            )
        counted = rows_of(dataset.backend.workspace, "taxonomies/figures", attribute)[0]
        goods, records, without_item, unsorted_goods, unsorted_records = map(int, counted)
        listed = rows_of(dataset.backend.workspace, "taxonomies/unsorted", attribute) if show_items else []
        return CheckedTaxonomy(
            taxonomy=file,
            table=dataset.name,
            filter=text,
            item=column,
            level=hierarchy.levels[number].name,
            goods=goods,
            records=records,
            without_item=without_item,
            unsorted_goods=unsorted_goods,
            unsorted_records=unsorted_records,
            categories=_categories(dataset, attribute, grounding, number),
            unsorted=tuple((str(name), int(n)) for name, n in listed),
        )


def _level(hierarchy: Hierarchy, level: int | str, file: str) -> int:
    """The number of the level. Raises HierarchyError, InputError for one at which items have no categories."""
    if not hierarchy.enumerated:
        raise HierarchyError(
            f"it is a rule ({hierarchy.kind}), and a taxonomy lists items",
            where=file,
            next_step="List each item with its category (`ordermade taxonomy suggest` drafts such a file).",
        )
    number = hierarchy.level_number(level)
    names = [each.name for each in hierarchy.levels[1 : hierarchy.top]]
    if not names:
        raise HierarchyError(
            f"all its items are in one category, which is {STAR}",
            where=file,
            next_step="Give items at least two categories.",
        )
    if number is None or not 0 < number < hierarchy.top:
        raise InputError(
            f"{quoted(str(level))} is no level of categories",
            where="--level",
            next_step=f"Levels are called by number, from 1 to {len(names)}, or by name. "
            + did_you_mean(str(level), names),
        )
    return number


def _categories(
    dataset: Dataset, attribute: EncodedColumn, grounding: Grounding, level: int
) -> tuple[CategoryGoods, ...]:
    """The classes at a level with their goods, the one with most first, without the class of NULL."""
    tree = sql.with_columns(sql.select("taxonomies/goods"), {"keys.level": attribute.level_column(level)})
    rows = dataset.backend.workspace.rows(Purpose.COVERAGE, sql.with_relations(tree, attribute.relations))
    label_of = dict(zip(grounding.classes[level], grounding.labels[level], strict=True))
    found = [
        CategoryGoods(label_of[number] or STAR, int(listed), int(goods), int(n)) for number, listed, goods, n in rows
    ]
    return tuple(sorted(found, key=lambda each: (-each.goods, -each.records, each.name)))


CATEGORY_HEADINGS = ("category", "goods", "share", "records", "share of records", "listed")
ITEM_HEADINGS = ("item", "records")
ITEMS_TITLE = "Items that have no category:"


def checked_facts(found: CheckedTaxonomy) -> Iterator[tuple[str, Any]]:
    """The taxonomy and its coverage."""
    used, unused = found.used, found.never_used
    yield "taxonomy", f"{found.taxonomy}, level {found.level}"
    yield "table", found.table
    yield "where", found.filter
    yield "goods", f"{found.goods:,} in {found.records:,} records"
    if found.without_item:
        yield "records without an item", found.without_item
    yield "goods with no category", _left(found)
    yield "categories", f"{len(used):,} used, {len(unused):,} never used"
    if used:
        yield "goods a category", f"{used[-1].goods:,} to {used[0].goods:,}, {_mean(found):,.1f} on average"
    if found.alone:
        yield "categories of one good", f"{found.alone:,}: they hide nothing"


def category_rows(found: CheckedTaxonomy) -> list[tuple[Any, ...]]:
    """One row a category."""
    return [
        (
            each.name,
            each.goods,
            percent(each.goods, found.goods),
            each.records,
            percent(each.records, found.records),
            each.listed,
        )
        for each in found.categories
    ]


def incomplete(found: CheckedTaxonomy) -> str:
    """The message where items have no category."""
    return (
        f"Error: {found.taxonomy}: {found.unsorted_goods:,} of {found.goods:,} goods have no category. Add a line for "
        "each (`--list` lists them), or leave their records out with `where`."
    )


def _left(found: CheckedTaxonomy) -> str:
    if found.complete:
        return "none"
    goods, records = with_share(found.unsorted_goods, found.goods), with_share(found.unsorted_records, found.records)
    return f"{goods}, {records} of the records"


def _mean(found: CheckedTaxonomy) -> float:
    return sum(each.goods for each in found.used) / len(found.used)


def share(number: int, of: int) -> float | None:
    """A number as a share of another; None of nothing."""
    return number / of if of else None
