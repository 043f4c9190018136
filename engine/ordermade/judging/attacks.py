"""Run attacks on a release with knowledge of the whole original, and count the customers found.

Each attack names one pseudonym for each attacked customer: by the number of purchases, by the sets of items, by the
dates, by the numbers (price and quantity), by all of it together. Only customers who are in the release are attacked:
nobody can hit one who was dropped. Pseudonyms that share a history are indistinguishable, so an attack finds a history
and draws one of its pseudonyms, for each customer anew: where k of them share every history, hits are as many as 1/k
predicts at most, but for luck.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from ordermade.answering.progress import Progress
from ordermade.judging.attacker import Attacker
from ordermade.judging.tables import Pair
from ordermade.judging.thresholds import is_unsafe, unsafe_from

DEVIATIONS = 3
"""More hits than 1/k predicts by this many standard deviations are no luck."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """The result of one attack.

    Attributes:
        name: the part of the purchases that it compares.
        attempts: customers for whom a pseudonym was named.
        hits: how many of these pseudonyms were theirs.
        expected: how many hits 1/k predicts: attempts / k.
        deviation: the standard deviation of that number, of attempts that hit with a chance of 1/k each.
        most: `expected` and three of these deviations.
        within: whether there are no more hits than that.
        unsafe_from: from how many hits the contest calls a release unsafe; None where it does for no number of hits.
        unsafe: whether it calls this one so.
    """

    name: str
    attempts: int
    hits: int
    expected: float
    deviation: float
    most: float
    within: bool
    unsafe_from: int | None
    unsafe: bool


def attacked(pair: Pair, *, attempts: int | None, seed: int, progress: Progress) -> tuple[Attacked, ...]:
    """The results of every attack on so many customers, picked by the seed (None: on all who are in the release).

    The answer depends on the seed and the tables alone, not on threads. Raises the fault of the pair's door.
    """
    attacker = Attacker(pair.door, len(pair.numbers), seed)
    progress.step("re-identification attempts")
    attacker.prepare(pair.customers if attempts is None else min(attempts, pair.customers))
    by_numbers = (" and ".join(pair.numbers), attacker.numbers)
    found = [_outcome("number of purchases", attacker.by_count(), pair.k)]
    for name, parts in (("items", attacker.items), ("dates", attacker.days), by_numbers):
        if parts:
            found.append(_outcome(name, attacker.by_fit(parts), pair.k))
    return (
        *found,
        _outcome("all together", attacker.by_fit((*attacker.items, *attacker.days, *attacker.numbers)), pair.k),
    )


def _outcome(name: str, hits_of: tuple[int, int], k: int) -> Attacked:
    attempts, hits = hits_of
    expected = attempts / k
    deviation = math.sqrt(expected * (1 - 1 / k))
    most = expected + DEVIATIONS * deviation
    return Attacked(
        name=name,
        attempts=attempts,
        hits=hits,
        expected=expected,
        deviation=deviation,
        most=most,
        within=hits <= most,
        unsafe_from=unsafe_from(attempts),
        unsafe=is_unsafe(hits, attempts),
    )
