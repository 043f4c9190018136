"""Texts that have an order, such as bands of ages: the numbers that they begin with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

FEWEST = 3

_LEADING = re.compile(
    r"(?P<below><|≤|≦|under |below |less than |up to )?(?P<before>[^0-9]{0,20})(?P<number>[0-9]{1,9})(?![0-9])",
    re.IGNORECASE,
)
_BELOW = re.compile(r"[0-9]+\s*(?:未満|以下)")


def in_order_of_numbers(values: Iterable[str]) -> Sequence[str] | None:
    """The values in the order of the numbers that they begin with: `<20`, `20-29`, `30-39`; None where one has none.

    All may have the same words before the number (`class 1`, `class 2`). None, too, where two have one number, or where
    there are fewer than three.
    """
    places: dict[tuple[int, int], str] = {}
    before: set[str] = set()
    count = 0
    for value in values:
        found = _LEADING.match(value)
        if found is None:
            return None
        below = found["below"] is not None or _BELOW.match(value) is not None
        places[int(found["number"]), -below] = value
        before.add(found["before"].strip().casefold())
        if len(before) > 1:
            return None
        count += 1
    if count < FEWEST or len(places) < count:
        return None
    return [places[each] for each in sorted(places)]
