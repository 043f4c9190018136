"""A release of purchase histories beside its original, in plain Python: what cells say, what is lost, what is made."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from statistics import fmean, pstdev
from typing import Any, TypeAlias

from tests import label_parts

Purchase: TypeAlias = tuple[str, dt.date, str, Decimal, int]
"""The customer, the day, the item, the price, the quantity."""
Cells: TypeAlias = tuple[str, ...]
"""What is released of a purchase: the day, the item, the price, the quantity."""
UNITS = (Decimal(1), None, Decimal("0.01"), Decimal(1))
"""Of the day, the item, the price, the quantity."""
ITEM = 1


def set_of(cell: str) -> set[str]:
    """The items that a cell tells."""
    return set(label_parts.values_of(cell))


def units_of(value: str | dt.date | Decimal | int, place: int) -> int:
    """A day, a price or a quantity as a whole number of units; a text is read."""
    if place == 0:
        return (value if isinstance(value, dt.date) else dt.date.fromisoformat(str(value))).toordinal()
    return int(Decimal(str(value)) / (UNITS[place] or 1))


def ends_of(cell: str, place: int) -> tuple[int, int]:
    """Between what a cell says its value is, in units."""
    first, last = label_parts.ends_of(cell) or (cell, cell)
    return units_of(first, place), units_of(last, place)


def histories(rows: Sequence[tuple[int, Cells]]) -> dict[int, Counter[Cells]]:
    """The rows of each pseudonym."""
    found: defaultdict[int, Counter[Cells]] = defaultdict(Counter)
    for pseudonym, cells in rows:
        found[pseudonym][cells] += 1
    return dict(found)


def alike(rows: Sequence[tuple[int, Cells]]) -> Counter[tuple[tuple[Cells, int], ...]]:
    """The histories, each with how many pseudonyms have it."""
    return Counter(tuple(sorted(each.items())) for each in histories(rows).values())


def losses(
    original: Sequence[Purchase],
    released: Sequence[tuple[Purchase, Cells]],
    goods: Mapping[str, set[str]] | None = None,
    *,
    as_categories: bool = False,
) -> list[float]:
    """The mean error of a cell of each column; every released cell must tell the truth.

    `goods`: what is in each category, where categories are released; `as_categories`: those count as goods.
    """
    sds = [
        0.0 if place == ITEM else pstdev([units_of(purchase[1 + place], place) for purchase in original])
        for place in range(len(UNITS))
    ]
    errors = [float(len(original) - len(released))] * len(UNITS)
    for purchase, cells in released:
        for place, cell in enumerate(cells):
            if cell == "*":
                errors[place] += 1
            elif place == ITEM:
                told = set_of(cell)
                behind = {each for category in told for each in goods[category]} if goods else told
                assert purchase[1 + place] in behind
                errors[place] += 1 - 1 / len(told if as_categories else behind)
            else:
                low, high = ends_of(cell, place)
                x = units_of(purchase[1 + place], place)
                assert low <= x <= high
                if low < high:
                    square = (low - x) ** 2 + (high - x) ** 2 + high - low
                    errors[place] += float(Fraction(square, 2 * (high - low + 1))) / sds[place]
    return [each / len(original) for each in errors]


def utility(by_column: Sequence[float]) -> float:
    """U."""
    return fmean(by_column)


def in_rank_order(original: Sequence[Purchase], match: str) -> list[list[Purchase]]:
    """The purchases customer by customer, those of one in the order in which they are matched: by `rank` or `date`."""
    owned: defaultdict[str, list[Purchase]] = defaultdict(list)
    for purchase in original:
        owned[purchase[0]].append(purchase)
    ranked = sorted(owned, key=lambda who: (-len(owned[who]), min(each[1] for each in owned[who]), who))

    def key(purchase: Purchase) -> tuple[Any, ...]:
        _, day, item, price, quantity = purchase
        return (day, -price, -quantity, item) if match == "date" else (-price, -quantity, day, item)

    return [sorted(owned[who], key=key) for who in ranked]


def of_the_paper(original: Sequence[Purchase], k: int, match: str) -> Counter[Cells]:
    """The released rows of clusters of consecutive customers, whose purchases are put in order and cut."""
    found: Counter[Cells] = Counter()
    ranked = in_rank_order(original, match)
    customers = iter(ranked[: len(ranked) - len(ranked) % k])
    while cluster := list(islice(customers, k)):
        for slot in zip(*cluster, strict=False):
            found[tuple(_cells(slot))] += k
    return found


def _cells(slot: Sequence[Purchase]) -> Iterator[str]:
    for place in range(len(UNITS)):
        values = sorted({purchase[1 + place] for purchase in slot})
        if len(values) == 1:
            yield str(values[0])
        elif place == ITEM:
            yield f"{{{', '.join(values)}}}"
        else:
            yield f"[{values[0]}, {values[-1]}]"
