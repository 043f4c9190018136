"""The attacker, who knows the whole original and a release and names a pseudonym for each attacked customer.

A history is compared with a customer in two ways. By likelihood: the customer's values should be so many times as
frequent behind the history as in the whole original, where the values of an interval are as frequent as in the original
(`attack_weights.sql`). And by impossible rows: each row of a history was made of another purchase, so that no more of
its rows can lie up to some day than the customer has purchases up to that day (`attack_fit_of_values.sql`). The first
is a product of two lists, fast enough for every customer with every history; the second is run on the likeliest only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.judging.attack_statements import Part, likely_of_any, together
from ordermade.judging.statements import filled
from ordermade.sources.door import Door, Purpose

MOST_LIKELY = 32
"""The number of histories of each customer to examine closely: the likeliest by one part of the purchases."""
MOST_BINS, LEAST_BINS = 512, 16
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
    """The tables of an attack, in the workspace behind `door`.

    `columns`: how many columns of numbers there are, beside the day.
    """

    door: Door
    columns: int
    seed: int

    @property
    def items(self) -> tuple[Part, ...]:
        """The sets of items."""
        return (Part(None),)

    @property
    def days(self) -> tuple[Part, ...]:
        """The dates."""
        return (Part(1),)

    @property
    def numbers(self) -> tuple[Part, ...]:
        """The columns of numbers."""
        return tuple(Part(place + 2) for place in range(self.columns))

    @property
    def parts(self) -> tuple[Part, ...]:
        """All parts of the purchases."""
        return (*self.items, *self.days, *self.numbers)

    def prepare(self, attempts: int) -> None:
        """Store the different histories, the customers to find, and for each part the likelihood of each history."""
        self._keep("attack_histories", filled("attack_histories"))
        self._keep("attack_rows", filled("attack_rows"))
        self._keep("attack_customers", filled("attack_customers"), seed=self.seed, attempts=attempts)
        pairs = self._count("attack_customers") * self._count("attack_histories")
        bins = PRODUCTS // max(1, pairs * len(self.parts))
        for part in self.parts:
            self._weigh(part, max(LEAST_BINS, min(MOST_BINS, bins)))

    def by_count(self) -> tuple[int, int]:
        """Attempts and hits of the attack by number of purchases."""
        self._keep("attack_named", filled("attack_by_count"), seed=self.seed)
        return self._hits()

    def by_fit(self, parts: Sequence[Part]) -> tuple[int, int]:
        """Attempts and hits of the attack by these parts of the purchases, and by their number of rows."""
        self._keep("attack_likely", likely_of_any(part.table("attack_likely") for part in parts))
        fits = [part.statement("attack_fit_of_values", "attack_fit_of_items") for part in parts]
        fit = together([*fits, filled("attack_fit_of_count")])
        self._keep("attack_fit", fit, penalty=PENALTY, none=NONE_OF_SET)
        self._keep("attack_named", filled("attack_by_fit"), seed=self.seed)
        return self._hits()

    def _weigh(self, part: Part, bins: int) -> None:
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
        self._keep(part.table("attack_likely"), likely, most=MOST_LIKELY, seed=self.seed)

    def _hits(self) -> tuple[int, int]:
        ((attempts, hits),) = self.door.rows(Purpose.MEASURE, filled("attack_hits"))
        return int(attempts), int(hits)

    def _count(self, table: str) -> int:
        counted = sql.with_relations(sql.select("row_count"), {"dataset": exp.to_table(table)})
        return int(self.door.rows(Purpose.MEASURE, counted)[0][0])

    def _keep(self, table: str, query: exp.Query, **values: float) -> None:
        used = {each.name for each in query.find_all(exp.Parameter, exp.Placeholder)}
        self.door.store(Purpose.MEASURE, table, query, {name: values[name] for name in values if name in used})
