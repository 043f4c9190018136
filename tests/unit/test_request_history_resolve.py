"""A request for histories held against columns and a taxonomy file: what comes out, every mistake, what is told."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace

import pytest

from ordermade.documents.request import SoundHistory
from ordermade.errors import RequestError
from ordermade.methods.histories.recorder import columns_of
from ordermade.records.printed import json_of
from ordermade.requests.read import read_request
from ordermade.requests.resolve_history import ResolvedColumn, ResolvedHistory, ResolvedNumber, resolve_history
from ordermade.requests.resolving import request_hash
from ordermade.state.records.request_columns import HistoryColumn
from ordermade.views.histories import request_rows, sound

COLUMNS = {
    "CustomerID": "VARCHAR", "Day": "DATE", "GoodsID": "VARCHAR", "Price": "DECIMAL(10,2)", "Quantity": "BIGINT",
    "Tax": "DOUBLE", "shop": "VARCHAR", "Paid": "BOOLEAN",
}  # fmt: skip
REQUEST = """\
dataset: purchases
method: history
k: 6
identifiers: [shop]
history:
  customer: customerid
  when: Day
  item: GoodsID
  numbers: [Price, Quantity, Tax]
  sort: [Quantity]
release: {to: out/purchases.csv}
"""
CATEGORIES = """\
item,group,kind
apple,fruit,food
pear,fruit,food
leek,vegetable,food
spoon,cutlery,ware
"""
TAXONOMY = "taxonomy: categories.csv"
LIST = "[Price, Quantity, Tax]"
FIELD = "sort: [Quantity]"
BY_RULE = "prefix: {keep: [1]}\n"


def resolved(text: str, folder: Path, entity: str | None = None, **types: str) -> ResolvedHistory:
    (folder / "categories.csv").write_text(CATEGORIES, encoding="utf-8")
    (folder / "rule.yaml").write_text(BY_RULE, encoding="utf-8")
    (folder / "broken.csv").write_text("item,group\napple,fruit,food\n", encoding="utf-8")
    path = folder / "request.yaml"
    path.write_text(text, encoding="utf-8")
    return resolve_history(read_request(path), COLUMNS | types, {}, entity)


def replaced(old: str, new: str) -> str:
    assert old in REQUEST
    return REQUEST.replace(old, new, 1)


def test_columns_are_as_stored_and_units_as_their_types_tell(tmp_path: Path):
    found = resolved(REQUEST, tmp_path)
    assert (found.customer, found.entity) == (ResolvedColumn("CustomerID", "VARCHAR"), "CustomerID")
    assert found.columns == (
        ResolvedColumn("Day", "DATE"),
        ResolvedColumn("GoodsID", "VARCHAR"),
        ResolvedNumber("Price", "DECIMAL(10,2)", Decimal("0.01")),
        ResolvedNumber("Quantity", "BIGINT", Decimal(1)),
        ResolvedNumber("Tax", "DOUBLE", None),
    )
    assert (found.sort, found.match, found.cluster, found.window) == (("Quantity",), "optimal", "similar", None)
    assert (found.identifiers, found.keep, found.as_they_are) == (("shop", "CustomerID"), (), ())
    assert (found.taxonomy, found.map, found.pseudonym, found.delete_costly) == (None, None, "customer", True)
    assert resolved(REQUEST, tmp_path, "CustomerID").identifiers == found.identifiers


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (FIELD, "match: rank", "delete_costly false, sort Price then Quantity then Tax"),
        (FIELD, "{window: 60, match: date}", "window 60, delete_costly false, sort Price then Quantity then Tax"),
        (FIELD, "delete_costly: false", "delete_costly false, sort Price then Quantity then Tax"),
        (f"  numbers: {LIST}\n  {FIELD}\n", "", "delete_costly true"),
    ],
)
def test_options_are_told_with_their_defaults(tmp_path: Path, old: str, new: str, told: str):
    text = replaced(old, new.strip("{}").replace(", ", "\n  "))
    assert resolved(text, tmp_path).in_words == told


def test_a_unit_is_as_asked(tmp_path: Path):
    text = replaced(LIST, "{Tax: {unit: 0.005}, Price: {unit: 0.05}}").replace(f"  {FIELD}\n", "")
    found = resolved(text, tmp_path)
    assert [(each.column, each.unit) for each in found.numbers] == [
        ("Tax", Decimal("0.005")),
        ("Price", Decimal("0.05")),
    ]
    assert found.sort == ("Tax", "Price")


def test_a_taxonomy_is_read_and_counts_by_which_item_is_of_which_category(tmp_path: Path):
    def found(asked: str) -> ResolvedHistory:
        return resolved(replaced(FIELD, f"{FIELD}\n  items: {{{asked}}}"), tmp_path)

    def hashed(each: ResolvedHistory) -> str:
        return request_hash(each.request, None, each.said_by_files)

    first, coarse = found(TAXONOMY), found(f"{TAXONOMY}, level: kind")
    assert first.taxonomy is not None
    assert (first.taxonomy.level, first.taxonomy.level_name, first.taxonomy.hierarchy.top) == (1, "group", 3)
    assert first.in_words.endswith(f"items at level group of a taxonomy of sha256 {first.taxonomy.content_hash}")
    (tmp_path / "less.csv").write_text(CATEGORIES.replace(",kind", "").replace(",food", "").replace(",ware", ""))
    assert (
        hashed(first) == hashed(found("taxonomy: categories.csv, level: group")) == hashed(found("taxonomy: less.csv"))
    )
    assert hashed(first) != hashed(coarse)
    (tmp_path / "less.csv").write_text("item,group\nleek,fruit\napple,fruit\npear,fruit\nspoon,cutlery\n")
    assert hashed(first) != hashed(found("taxonomy: less.csv"))


def test_what_is_told_and_kept_of_a_request(tmp_path: Path):
    more = f"{FIELD}\n  items: {{{TAXONOMY}}}\n  map: private/map.csv"
    found = resolved(replaced(FIELD, more), tmp_path)
    assert sound("a.yaml", found) == (
        "a.yaml is sound: 6 customers or more, identified by CustomerID, share each history of Day, GoodsID, Price, "
        "Quantity, Tax; matched by optimal, clustered by similar; items at the level group of categories.csv; "
        "private/map.csv will map released rows to customers, and is secret"
    )
    document = json_of(SoundHistory.of("a.yaml", found, None))
    assert document["numbers"][0] == {"column": "Price", "unit": 0.01}
    assert (document["taxonomy"]["level_name"], document["map"], document["window"]) == (
        "group",
        str(Path("private/map.csv").absolute()),
        None,
    )
    kept = columns_of(found)
    assert found.taxonomy is not None
    assert kept[2] == HistoryColumn(
        "GoodsID", "item", taxonomy="categories.csv", taxonomy_hash=found.taxonomy.content_hash, level=1
    )
    assert [(each.role, each.unit, each.sort_place) for each in kept[3:]] == [
        ("number", "0.01", None),
        ("number", "1", 0),
        ("number", None, None),
    ]
    assert request_rows(SimpleNamespace(history=kept))[4] == ("Quantity", "number", "1", 1, None, None)


CAST = "cast it to a number in a dataset query, or name another column"


@pytest.mark.parametrize(
    ("old", "new", "types", "told"),
    [
        (
            "customerid",
            "CustmerID",
            {},
            "6: history.customer: there is no column 'CustmerID'; did you mean 'CustomerID'?",
        ),
        (
            "customerid",
            "Tags",
            {"Tags": "VARCHAR[]"},
            "6: history.customer: the column 'Tags' is a binary or nested value, whose val",
        ),
        ("when: Day", "when: Dya", {}, "7: history.when: there is no column 'Dya'; did you mean 'Day'?"),
        (
            "when: Day",
            "when: Day",
            {"Day": "VARCHAR"},
            "7: history.when: the column 'Day' is a text, and no date; cast it to a date in a dataset query",
        ),
        (
            "when: Day",
            "when: Day",
            {"Day": "TIMESTAMP WITH TIME ZONE"},
            "7: history.when: the column 'Day' is a date with a time zone, whose day depends on the time zone",
        ),
        ("item: GoodsID", "item: customerID", {}, "8: history.item: the column 'CustomerID' identifies persons"),
        ("item: GoodsID", "item: Tax", {}, "8: history.item: the column 'Tax' is a number, and neither text nor whole"),
        ("item: GoodsID", "item: Day", {}, "8: history.item: the column 'Day' is named twice; name it in one place"),
        (LIST, "[Price, price]", {}, "9: history.numbers[1]: the column 'Price' is named twice; name it in one place"),
        (LIST, "[shop, Quantity]", {}, f"9: history.numbers[0]: the column 'shop' is a text, and no number; {CAST}"),
        (
            LIST,
            "[Paid, Quantity]",
            {},
            f"9: history.numbers[0]: the column 'Paid' is a truth value, and no number; {CAST}",
        ),
        (
            LIST,
            "[Quantity]",
            {"Quantity": "DECIMAL(38,2)"},
            "9: history.numbers[0]: the column 'Quantity' is a number, which has more digits",
        ),
        (
            LIST,
            "{Quantity: {unit: 10}}",
            {},
            "9: history.numbers.Quantity.unit: the column 'Quantity' has whole numbers, whose unit is 1; take unit out",
        ),
        (FIELD, "sort: [Day]", {}, "10: history.sort[0]: the column 'Day' is none of the numbers; known: 'Price', 'Qu"),
        (FIELD, "sort: [Tax, tax]", {}, "10: history.sort[1]: the column 'Tax' is named twice; name it in one place"),
        (
            f"  numbers: {LIST}\n",
            "",
            {},
            "9: history.sort[0]: the column 'Quantity' is none of the numbers; name",
        ),
        (
            FIELD,
            "window: 4",
            {},
            "10: history.window: a cluster has 5 customers beside the first, and the window only 4; write window: 5",
        ),
        (
            "[shop]",
            "[Price]",
            {},
            "4: identifiers[0]: the column 'Price' is named as one of history too; name it in one",
        ),
        (
            "identifiers:",
            "keep:",
            {},
            "4: keep: a column that is kept as it is would distinguish the customers of a cluster; take keep out",
        ),
        (
            "to: out/purchases.csv",
            "to: out/purchases.csv, shape: table",
            {},
            "11: release.shape: a release of histories has one row a purchase, and no statistical table; write",
        ),
        (
            "to: out/purchases.csv",
            "to: out/purchases.csv, pseudonym: day",
            {},
            "11: release.pseudonym: a column 'day' is released already; give the pseudonym another name",
        ),
        (
            "item: GoodsID",
            "item: Customer",
            {"Customer": "VARCHAR"},
            "11: release.pseudonym: a column 'customer' is released already; give the pseudonym another name",
        ),
        (
            FIELD,
            "map: out/../out/purchases.csv",
            {},
            "10: history.map: the map is secret, and this is where the release is written; write another path",
        ),
        (
            "item: GoodsID\n",
            "item: Row\n  map: private/map.csv\n",
            {"Row": "VARCHAR"},
            "9: history.map: a map has the rows of the release in a column 'row', and the purchases have one too",
        ),
        (
            "release: {to: out/purchases.csv}",
            "release: {to: {table: released}}",
            {},
            "10: history.map: a map names the rows of a release by their place, and those of a table of the source",
        ),
        (
            FIELD,
            "items: {taxonomy: none.csv}",
            {},
            "10: history.items.taxonomy: FOLDER/none.csv: there is no such file",
        ),
        (
            FIELD,
            "items: {taxonomy: broken.csv}",
            {},
            "10: history.items.taxonomy: FOLDER/broken.csv:2: the line has 3 f",
        ),
        (
            FIELD,
            'items: {taxonomy: "\\0"}',
            {},
            "10: history.items.taxonomy: FOLDER/\0: the file cannot be read: not a f",
        ),
        (
            FIELD,
            "items: {taxonomy: rule.yaml}",
            {},
            "10: history.items.taxonomy: a taxonomy lists the category of each",
        ),
        (
            FIELD,
            f"items: {{{TAXONOMY}, level: grup}}",
            {},
            "10: history.items.level: there is no level 'grup'; 'categories.csv' has levels 0 item, 1 group, 2 kind",
        ),
        (
            FIELD,
            f"items: {{{TAXONOMY}, level: 0}}",
            {},
            "10: history.items.level: level 0 is the items themselves; write",
        ),
        (
            FIELD,
            f"items: {{{TAXONOMY}, level: 3}}",
            {},
            "10: history.items.level: level 3 is `*`, one class of all items",
        ),
    ],
)
def test_a_mistake(tmp_path: Path, old: str, new: str, types: dict[str, str], told: str):
    text = replaced(old, new)
    if "{table: released}" in new:
        text = text.replace(FIELD, "map: private/map.csv")
    with pytest.raises(RequestError) as caught:
        resolved(text, tmp_path, **types)
    told = f"{tmp_path}/request.yaml:{told.replace('FOLDER', str(tmp_path))}"
    assert any(each.startswith(told) for each in caught.value.problems), caught.value.problems


def test_the_customer_is_the_entity_of_the_dataset(tmp_path: Path):
    with pytest.raises(RequestError, match="the dataset identifies persons by 'shop', and not by 'CustomerID'"):
        resolved(REQUEST, tmp_path, "shop")
