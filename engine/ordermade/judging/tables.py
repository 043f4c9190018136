"""The tables of the workspace that a pair of an original and its release is judged by.

    ORIGINAL_RECORDS    record, customer, u1, u2, …, item, element     a row: one of the original
    RELEASED_RECORDS    line, pseudonym, low_1, high_1, …, item_set    a row: one of the release
    RELEASED_SETS       item_set, element, size, goods                 a row: one element of a set of items
    RELEASED_HISTORIES  pseudonym, history, rows                       a row: one pseudonym
    TRUTH               pseudonym, customer                            a row: one pseudonym and whose it is
    KEPT                record, line                                   a row: one of the original that was released

`u1` is the day, `u2` and on the numbers, all in whole units (BIGINT); `low_i` and `high_i` their released ends, in
the same units (DOUBLE, equal where one value is released, NULL where the cell is deleted). `item` is the number of the
good; `element` the number of its name in the release: of its class where there is a taxonomy, else of the good
itself. `item_set`: NULL where the cell is deleted; `size` the elements of the set, `goods` the goods of the original in
all of them, where an element that is none counts as one. `record` counts from 0 in the order of the original, `line`
from 1 in that of the release. Customers and pseudonyms are numbers from 0 in the order of their texts. Rows of the
release that are `*` throughout, pseudonym and all, are in no table. Pseudonyms of one `history` have the same rows, in
any order.
"""

from __future__ import annotations

from dataclasses import dataclass

from ordermade.sources.door import Door

ORIGINAL_RECORDS = "original_records"
RELEASED_RECORDS = "released_records"
RELEASED_SETS = "released_sets"
RELEASED_HISTORIES = "released_histories"
TRUTH = "truth"
KEPT = "kept"

# The tables that these are made from.
ORIGINAL_READ = "original_read"
RELEASE_READ = "release_read"
MAP_READ = "map_read"
CUSTOMERS = "judged_customers"
PSEUDONYMS = "judged_pseudonyms"
GOODS = "goods"
ELEMENTS = "elements"
SET_SIZES = "set_sizes"


@dataclass(frozen=True, slots=True)
class Pair:
    """An original and its release, in the tables of one workspace.

    `numbers`: the columns of numbers by name, in the order of u2, u3, …. `customers`: of the original. `k`: the least
    number of customers who share a whole history.
    """

    door: Door
    numbers: tuple[str, ...]
    customers: int
    pseudonyms: int
    k: int
