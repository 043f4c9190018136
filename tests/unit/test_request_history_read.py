"""A request for histories, read: what it says, its defaults, its hash, and every mistake with its line."""

from __future__ import annotations

from decimal import Decimal

import pytest

from ordermade.errors import RequestError
from ordermade.requests.history import History, HistoryRequest, ItemOptions, NumberOptions
from ordermade.requests.read import (
    of_generalization,
    predictable,
    read_like,
    read_mapping,
    read_request,
)
from ordermade.requests.resolving import request_hash

EXAMPLE = """\
dataset: purchases
method: history
k: 6
history:
  customer: CustomerID
  when: Day
  item: GoodsID
  numbers: {Price: {unit: 0.01}, Quantity: }
  sort: [Quantity]
  items: {taxonomy: categories.csv, level: group}
  map: private/map.csv
release: {to: out/purchases.csv}
"""
NUMBERS = "{Price: {unit: 0.01}, Quantity: }"
TWENTY_ONE = f"[{', '.join(f'n{number}' for number in range(21))}]"
ITEMS = ("history", "items")


def read(text: str) -> HistoryRequest:
    request = read_request(text).request
    assert isinstance(request, HistoryRequest)
    return request


def replaced(old: str, new: str) -> str:
    assert old in EXAMPLE
    return EXAMPLE.replace(old, new, 1)


def test_the_example_is_read_as_written():
    request = read(EXAMPLE)
    asked = request.history
    assert asked.number_options == (("Price", NumberOptions(unit=Decimal("0.01"))), ("Quantity", NumberOptions()))
    assert (asked.customer, asked.when, asked.item, asked.sort) == ("CustomerID", "Day", "GoodsID", ("Quantity",))
    assert (asked.items, asked.map) == (ItemOptions(taxonomy="categories.csv", level="group"), "private/map.csv")
    assert request.hierarchy_names == frozenset()
    # Written out, it does not say where the map lies: manifests have it.
    written = request.model_dump(by_alias=True, exclude_unset=True)
    untold = request.model_copy(update={"history": asked.model_copy(update={"map": None})})
    assert HistoryRequest.model_validate(written) == untold
    assert read_mapping(written).request == untold


def test_a_text_that_ends_with_the_name_of_a_file_is_a_text():
    found = read_like(EXAMPLE + "title: as in request.yaml")
    assert (found.path, found.request.title) == (None, "as in request.yaml")


def test_what_is_left_out():
    request = read("dataset: d\nmethod: history\nk: 2\nhistory: {customer: c, when: w, item: i}\nrelease: {to: x.csv}")
    assert request.history == History(
        customer="c", when="w", item="i", numbers=(), sort=(), match="optimal", cluster="similar", window=None,
        delete_costly=None, items=None, map=None,
    )  # fmt: skip


def test_nothing_is_predicted_and_other_commands_say_so():
    read_as = read_request(EXAMPLE)
    with pytest.raises(RequestError, match=r"request:2: method: `x` is for requests whose method is generalization"):
        of_generalization(read_as, "x")
    with pytest.raises(RequestError, match="is predicted of a history, because no levels are searched: it passes wher"):
        predictable(read_as)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        (NUMBERS, "{Price: {unit: 1e-2}, Quantity: {}}", True),
        (NUMBERS, "[Price, Quantity]", False),
        (NUMBERS, "{Quantity: , Price: {unit: 0.01}}", False),
        ("map: private/map.csv", "map: elsewhere.parquet", True),
        ("  map: private/map.csv\n", "", True),
        ("to: out/purchases.csv", "to: elsewhere.csv", True),
        ("to: out/purchases.csv", "to: out/purchases.csv, pseudonym: buyer", False),
        ("sort: [Quantity]", "sort: [Quantity]\n  match: optimal\n  cluster: similar", True),
        ("sort: [Quantity]", "sort: [Quantity]\n  match: rank", False),
        ("sort: [Quantity]", "sort: [Quantity]\n  window: 60", False),
        ("level: group", "level: 2", False),
    ],
)
def test_what_is_asked_counts_and_not_its_spelling(old: str, new: str, same: bool):
    assert (request_hash(read(EXAMPLE)) == request_hash(read(replaced(old, new)))) is same


def test_the_hash_stays_and_a_list_of_numbers_is_a_mapping_and_a_taxonomy_is_what_it_says():
    listed, mapped = (read(replaced(NUMBERS, each)) for each in ("[Price, Quantity]", "{Price: , Quantity: }"))
    assert request_hash(listed) == request_hash(mapped)
    assert request_hash(listed) == "4267c4b6dc1c1624b0b9ea4bedc57cc859eeaa73565925b46a762f680b55da17"
    moved = read(replaced("taxonomy: categories.csv, level: group", "taxonomy: other.csv, level: 2"))
    ours, others = {ITEMS: "ab"}, {ITEMS: "cd"}
    assert request_hash(read(EXAMPLE), None, ours) == request_hash(moved, None, ours)
    assert request_hash(moved, None, ours) != request_hash(moved, None, others)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  customer: CustomerID\n", "", "4: history.customer: is missing; write for example customer: CustomerID"),
        ("when: Day", "whne: Day", "6: history.whne: there is no field 'whne' here; did you mean 'when'?"),
        ("item: GoodsID", "item: 7", "7: history.item: expected a text, not 7; write it in quotes: '7'"),
        (NUMBERS, "Price", "8: history.numbers: expected a list, not the text 'Price'; write [Price]"),
        (NUMBERS, "[Price, 1]", "8: history.numbers[1]: expected a text, not 1; write it in quotes: '1'"),
        (NUMBERS, TWENTY_ONE, "8: history.numbers: has more than 20 columns; list fewer"),
        ("{unit: 0.01}", "0.01", "8: history.numbers.Price: expected a mapping, not 0.01; write for example {unit: 0"),
        ("unit: 0.01", "unti: 0.01", "8: history.numbers.Price.unti: there is no field 'unti' here; did you mean 'uni"),
        ("unit: 0.01", "unit: 0", "8: history.numbers.Price.unit: a unit is above 0; write the least step between tw"),
        ("unit: 0.01", "unit: -1", "8: history.numbers.Price.unit: a unit is above 0; write the least step"),
        ("unit: 0.01", "unit: .nan", "8: history.numbers.Price.unit: expected a number, not nan; write for example 0"),
        ("unit: 0.01", "unit: 1e-13", "8: history.numbers.Price.unit: has more than 12 decimals"),
        ("sort: [Quantity]", "sort: Quantity", "9: history.sort: expected a list, not the text 'Quantity'; write [Qua"),
        (
            "sort: [Quantity]",
            "match: ranks",
            "9: history.match: the text 'ranks' is not one of the choices; did you mean 'rank'? write one of rank, da",
        ),
        (
            "sort: [Quantity]",
            "cluster: rank\n  window: 60",
            "10: history.window: no similar customers are looked for in clusters of consecutive ones; take window out",
        ),
        ("sort: [Quantity]", "window: 0", "9: history.window: a window is at least 1; write a whole number such as 60"),
        ("sort: [Quantity]", "delete_costly: 1", "9: history.delete_costly: expected true or false, not 1"),
        ("taxonomy: categories.csv, ", "", "10: history.items.taxonomy: is missing; write for example taxonomy: cat"),
        ("{taxonomy: categories.csv, level: group}", "cat.csv", "10: history.items: expected a mapping, not the text"),
        ("level: group", "level: 1.5", "10: history.items.level: expected the number or name of a level, not 1.5"),
        ("private/map.csv", "map.csv.gz", "11: history.map: a map is written to a .csv or .parquet file; write a path"),
        (
            "history:\n",
            "quasi_identifiers: {a: }\nhistory:\n",
            "4: quasi_identifiers: is of method generalization or mondrian; take it out, or take method out",
        ),
        ("method: history\n", "", "3: history: is of method history; take it out, or write method: history"),
    ],
)
def test_a_mistake(old: str, new: str, told: str):
    with pytest.raises(RequestError) as caught:
        read_request(replaced(old, new))
    assert any(each.startswith(f"request:{told}") for each in caught.value.problems)
