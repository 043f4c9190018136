"""Re-identification attacks by an attacker with the whole original, run on a release, against safety thresholds.

Source: Nakamura 2019, Table 1 (7, 11, 13, 16, 19, 500 and 1,000 attempts: 7, 10, 11, 13, 15, 308 and 612 hits), read
as the least r with sum over i >= r of C(n, i) (1/3)^i < 0.0005. C(n, i) (1/3)^i is how many groups of i attempts are
expected to hit all together where each hits with a chance of 1/3: never less than the chance that i of them hit. So the
thresholds are high; r hits are rarer by guessing than 0.0005, mostly by far.

A history is compared with a customer in two ways. By likelihood: the customer's values should be so many times as
frequent behind the history as in the whole original, where the values of an interval are as frequent as in the original
(`attack_weights` in `sql/judging/attacks.sql`). And by impossible rows: each row of a history was made of another
purchase, so that no more of its rows can lie up to some day than the customer has purchases up to that day
(`attack_fit_of_values`). The first is a product of two lists, fast enough for every customer with every history; the
second is run on the likeliest only.

Each attack names one pseudonym for each attacked customer: by the number of purchases, by the sets of items, by the
dates, by the numbers (price and quantity), by all of it together. Only customers who are in the release are attacked:
nobody can hit one who was dropped. Pseudonyms that share a history are indistinguishable, so an attack finds a history
and draws one of its pseudonyms, for each customer anew: where k of them share every history, hits are as many as 1/k
predicts at most, but for luck.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.evaluation.tables import Pair, filled
from ordermade.progress.waiting import Progress
from ordermade.sources.executor import Executor, Purpose

CHANCE = 3
"""A guess hits once in so many times."""
RARE = (5, 10_000)
"""Hits less probable than this share are no guessing."""


def unsafe_from(attempts: int) -> int | None:
    """The least number of hits among so many attempts that is unsafe; None where even all of them are not.

    Exact, in whole numbers, and fast for hundreds of thousands of attempts. Raises ValueError for fewer than one.
    """
    if attempts < 1:
        raise ValueError("an attack has at least one attempt")
    hits = _about(attempts)
    while not _is_rare(attempts, hits):
        hits += 1
    while hits and _is_rare(attempts, hits - 1):
        hits -= 1
    return hits if hits <= attempts else None


def is_unsafe(hits: int, attempts: int) -> bool:
    """Whether an attack that hit so many times in so many attempts shows that a release is unsafe."""
    least = unsafe_from(attempts)
    return least is not None and hits >= least


def _is_rare(attempts: int, hits: int) -> bool:
    """Whether the sum over i >= hits is below the limit; both sides are taken times 3^attempts, where all is whole."""
    share, of = RARE
    limit = share * CHANCE**attempts
    if hits > attempts:
        return True
    term = math.comb(attempts, hits) * CHANCE ** (attempts - hits)
    total = 0
    for each in range(hits, attempts + 1):
        total += term
        if of * total >= limit:
            return False
        left, divisor = attempts - each, CHANCE * (each + 1)
        term = term * left // divisor  # without remainder: it is the next term
        if 2 * left <= divisor and of * (total + 2 * term) < limit:
            return True  # from here on each term is half of the one before, or less
    return True


def _about(attempts: int) -> int:
    """The hits at which the first term falls below the limit, by logarithms: near the threshold, exact later."""
    share, of = RARE
    limit = math.log(share / of)
    low, high = attempts // (CHANCE + 1), attempts + 1  # the terms fall from a quarter of the attempts on
    while low < high:
        middle = (low + high) // 2
        if middle > attempts or _logarithm(attempts, middle) < limit:
            high = middle
        else:
            low = middle + 1
    return low


def _logarithm(attempts: int, hits: int) -> float:
    """The logarithm of one term, approximately."""
    chosen = math.lgamma(attempts + 1) - math.lgamma(hits + 1) - math.lgamma(attempts - hits + 1)
    return chosen - hits * math.log(CHANCE)


OF_A_PART = (
    "attack_bins",
    "attack_bin_shares",
    "attack_intervals",
    "attack_cells",
    "attack_sets",
    "attack_weights",
    "attack_bought",
    "attack_counts",
)
"""The tables that exist once for each part, by their stand-ins."""


@dataclass(frozen=True, slots=True)
class ComparedPart:
    """A part of the purchases: the column of days or numbers of this place, from 1; None: the items."""

    place: int | None

    def table(self, name: str) -> str:
        """The name that the table `name` has for this part."""
        return f"{name}_{'item' if self.place is None else self.place}"

    def statement(self, name: str, of_items: str | None = None) -> exp.Query:
        """A statement on the tables of this part; `of_items`: the one to use instead if the part is the items."""
        section = of_items if of_items is not None and self.place is None else name
        tree = filled(f"judging/attacks/{section}", {each: self.table(each) for each in OF_A_PART})
        if self.place is None:
            return sql.with_columns(tree, {"original_records.u1": "element"})
        columns = {f"attack_rows.{bound}_1": f"{bound}_{self.place}" for bound in ("low", "high")}
        return sql.with_columns(tree, {**columns, "original_records.u1": f"u{self.place}"})


def likely_of_any(tables: Iterable[str]) -> exp.Query:
    """The statement that gives the histories which are likely by any of these tables."""
    every = sql.union_all(filled("judging/attacks/attack_likely_of_any", {"attack_likely": table}) for table in tables)
    return sql.with_relations(filled("judging/attacks/attack_likely_of_any"), {"attack_likely": every})


def together(fits: Iterable[exp.Query]) -> exp.Query:
    """The statement that adds up the results of these statements."""
    return sql.with_relations(filled("judging/attacks/attack_together"), {"attack_fit": sql.union_all(fits)})


MAX_LIKELY = 32
"""The number of histories of each customer to examine closely: the likeliest by one part of the purchases."""
MAX_BINS, LEAST_BINS = 512, 16
"""The most and the fewest bins for the values of a column; likelihoods are summed over bins."""
PRODUCTS = 30_000_000_000
"""The limit of customers times histories times bins, half a minute of work; above it there are fewer bins."""
OTHERWISE, NONE_OF_SET = 0.05, 0.001
"""Guesses: the share of a customer's purchases missing from their history, and of its sets that hold none of them."""
TRUST, TRUST_IN_ITEMS = 0.1, 1.0
"""The weights of the likelihoods of days and numbers, and of items: on the former, impossible rows say more."""
PENALTY = 5.0
"""The cost of an impossible row, in logarithms of likelihood."""


@dataclass(frozen=True, slots=True)
class Attacker:
    """The tables of an attack, in the workspace behind `executor`.

    `columns`: how many columns of numbers there are, beside the day.
    """

    executor: Executor
    columns: int
    seed: int

    @property
    def items(self) -> tuple[ComparedPart, ...]:
        """The sets of items."""
        return (ComparedPart(None),)

    @property
    def days(self) -> tuple[ComparedPart, ...]:
        """The dates."""
        return (ComparedPart(1),)

    @property
    def numbers(self) -> tuple[ComparedPart, ...]:
        """The columns of numbers."""
        return tuple(ComparedPart(place + 2) for place in range(self.columns))

    @property
    def parts(self) -> tuple[ComparedPart, ...]:
        """All parts of the purchases."""
        return (*self.items, *self.days, *self.numbers)

    def prepare(self, attempts: int) -> None:
        """Store the different histories, the customers to find, and for each part the likelihood of each history."""
        self._keep("attack_histories", filled("judging/attacks/attack_histories"))
        self._keep("attack_rows", filled("judging/attacks/attack_rows"))
        self._keep("attack_customers", filled("judging/attacks/attack_customers"), seed=self.seed, attempts=attempts)
        pairs = self._count("attack_customers") * self._count("attack_histories")
        bins = PRODUCTS // max(1, pairs * len(self.parts))
        for part in self.parts:
            self._weigh(part, max(LEAST_BINS, min(MAX_BINS, bins)))

    def by_count(self) -> tuple[int, int]:
        """Attempts and hits of the attack by number of purchases."""
        self._keep("attack_named", filled("judging/attacks/attack_by_count"), seed=self.seed)
        return self._hits()

    def by_fit(self, parts: Sequence[ComparedPart]) -> tuple[int, int]:
        """Attempts and hits of the attack by these parts of the purchases, and by their number of rows."""
        self._keep("attack_likely", likely_of_any(part.table("attack_likely") for part in parts))
        fits = [part.statement("attack_fit_of_values", "attack_fit_of_items") for part in parts]
        fit = together([*fits, filled("judging/attacks/attack_fit_of_count")])
        self._keep("attack_fit", fit, penalty=PENALTY, none=NONE_OF_SET)
        self._keep("attack_named", filled("judging/attacks/attack_by_fit"), seed=self.seed)
        return self._hits()

    def _weigh(self, part: ComparedPart, bins: int) -> None:
        """Store a part of the histories, the same part of the customers, and each customer's likeliest histories."""
        self._keep(part.table("attack_bins"), part.statement("attack_bins", "attack_element_bins"), bins=bins)
        released = ("attack_sets",) if part.place is None else ("attack_intervals", "attack_cells")
        for name in ("attack_bin_shares", *released, "attack_bought"):
            self._keep(part.table(name), part.statement(name))
        trust = TRUST_IN_ITEMS if part.place is None else TRUST
        self._keep(part.table("attack_counts"), part.statement("attack_counts"), trust=trust)
        weights = part.statement("attack_weights", "attack_element_weights")
        self._keep(part.table("attack_weights"), weights, otherwise=OTHERWISE)
        likely = part.statement("attack_likely")
        self._keep(part.table("attack_likely"), likely, most=MAX_LIKELY, seed=self.seed)

    def _hits(self) -> tuple[int, int]:
        ((attempts, hits),) = self.executor.rows(Purpose.MEASURE, filled("judging/attacks/attack_hits"))
        return int(attempts), int(hits)

    def _count(self, table: str) -> int:
        counted = sql.with_relations(sql.select("dataset/row_count"), {"dataset": exp.to_table(table)})
        return int(self.executor.rows(Purpose.MEASURE, counted)[0][0])

    def _keep(self, table: str, query: exp.Query, **values: float) -> None:
        used = {each.name for each in query.find_all(exp.Parameter, exp.Placeholder)}
        self.executor.store(Purpose.MEASURE, table, query, {name: values[name] for name in values if name in used})


DEVIATIONS = 3
"""More hits than 1/k predicts by this many standard deviations are no luck."""


@dataclass(frozen=True, slots=True)
class Attacked:
    """An attack that was run."""

    name: str
    """The part of the purchases that it compares."""
    attempts: int
    """The customers for whom a pseudonym was named."""
    hits: int
    """The pseudonyms that were theirs."""
    expected: float
    """The hits that 1/k predicts."""
    deviation: float
    """The standard deviation of that number."""
    most: float
    """`expected` and three deviations."""
    within: bool
    """Whether there are no more hits than that."""
    unsafe_from: int | None
    """The hits from which the contest calls a release unsafe."""
    unsafe: bool
    """Whether it calls this one so."""


def attacked(pair: Pair, *, attempts: int | None, seed: int, progress: Progress) -> tuple[Attacked, ...]:
    """The results of every attack on so many customers, picked by the seed (None: on all who are in the release).

    The answer depends on the seed and the tables alone, not on threads. Raises the fault of the pair's executor.
    """
    attacker = Attacker(pair.executor, len(pair.numbers), seed)
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
