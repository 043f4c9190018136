"""Categories of items as they are shown: numbers of items by category, terms of the rest, items in no category."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ordermade.taxonomies.check import CategoryGoods, CheckedTaxonomy
    from ordermade.taxonomies.suggest import SuggestedTaxonomy

TERM_HEADINGS = ("term", "items", "of", "records")
TERMS_TITLE = "Terms of items that got no category: which of them are keywords?"
CATEGORY_HEADINGS = ("category", "goods", "share", "records", "share of records", "listed")
ITEM_HEADINGS = ("item", "records")
ITEMS_TITLE = "Items that have no category:"


def suggested_facts(found: SuggestedTaxonomy) -> Iterator[tuple[str, Any]]:
    """The sorted items, by keywords and by likeness, and the rest."""
    by_keyword = sum(each.by_keyword for each in found.categories)
    by_likeness = sum(each.by_likeness for each in found.categories)
    yield "table", found.table
    yield "where", found.filter
    yield "items", f"{found.items:,} in {found.records:,} records"
    if found.described < found.items:
        yield "items without a description", found.items - found.described
    if found.without_item:
        yield "records without an item", found.without_item
    yield "by keywords", _part(by_keyword, found.items)
    yield "by likeness", _part(by_likeness, found.items)
    yield "left", f"{_part(found.left_items, found.items)}, {_part(found.left_records, found.records)} of the records"


def suggested_headings(found: SuggestedTaxonomy) -> tuple[str, ...]:
    """The figures of each category."""
    return (
        *(("department",) if found.departments else ()),
        "category",
        "items",
        "by keyword",
        "by likeness",
        "records",
    )


def suggested_rows(found: SuggestedTaxonomy) -> list[tuple[Any, ...]]:
    """One row a category that got an item, and one of the rest."""
    rows: list[tuple[Any, ...]] = [
        (each.department, each.name, each.items, each.by_keyword, each.by_likeness, each.records)
        for each in found.categories
        if each.items
    ]
    rows.append((found.other, found.other, found.left_items, None, None, found.left_records))
    return rows if found.departments else [row[1:] for row in rows]


def term_rows(found: SuggestedTaxonomy) -> list[tuple[Any, ...]]:
    """The terms of items that got no category."""
    return [(each.term, each.items, each.of, each.records) for each in found.left]


def suggested_document(found: SuggestedTaxonomy) -> dict[str, Any]:
    """Everything but the items themselves, as one object."""
    return {
        "table": found.table,
        "where": found.filter,
        "item": found.item,
        "description": found.description,
        "items": found.items,
        "records": found.records,
        "items_described": found.described,
        "records_without_item": found.without_item,
        "categories": [
            {
                "category": each.name,
                "department": each.department,
                "items": each.items,
                "by_keyword": each.by_keyword,
                "by_likeness": each.by_likeness,
                "records": each.records,
            }
            for each in found.categories
        ],
        "left": {
            "category": found.other,
            "items": found.left_items,
            "records": found.left_records,
            "terms": found.left,
        },
    }


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
            _percent(each.goods, found.goods),
            each.records,
            _percent(each.records, found.records),
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


def checked_document(found: CheckedTaxonomy) -> dict[str, Any]:
    """All figures, as one object."""
    return {
        "taxonomy": found.taxonomy,
        "level": found.level,
        "table": found.table,
        "where": found.filter,
        "item": found.item,
        "goods": found.goods,
        "records": found.records,
        "records_without_item": found.without_item,
        "complete": found.complete,
        "no_category": {
            "goods": found.unsorted_goods,
            "records": found.unsorted_records,
            "share_of_goods": _share(found.unsorted_goods, found.goods),
            "share_of_records": _share(found.unsorted_records, found.records),
            "items": [{"item": name, "records": n} for name, n in found.unsorted],
        },
        "categories": [_category(each) for each in found.categories],
        "categories_used": len(found.used),
        "categories_never_used": len(found.never_used),
        "categories_of_one": found.alone,
        "least_goods": found.used[-1].goods if found.used else None,
        "most_goods": found.used[0].goods if found.used else None,
    }


def _category(each: CategoryGoods) -> dict[str, Any]:
    return {"category": each.name, "goods": each.goods, "records": each.records, "listed": each.listed}


def _left(found: CheckedTaxonomy) -> str:
    if found.complete:
        return "none"
    goods, records = _part(found.unsorted_goods, found.goods), _part(found.unsorted_records, found.records)
    return f"{goods}, {records} of the records"


def _mean(found: CheckedTaxonomy) -> float:
    return sum(each.goods for each in found.used) / len(found.used)


def _part(number: int, of: int) -> str:
    return f"{number:,} ({_percent(number, of)})"


def _share(number: int, of: int) -> float | None:
    return number / of if of else None


def _percent(number: int, of: int) -> str:
    return f"{100 * number / of:.1f} %" if of else "-"
