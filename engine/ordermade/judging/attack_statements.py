"""The statements of the attacks: each is a file of `sql/judging/`, filled with its tables and columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.judging.statements import filled

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
class Part:
    """A part of the purchases: the column of days or numbers of this place, from 1; None: the items."""

    place: int | None

    def table(self, name: str) -> str:
        """The name that the table `name` has for this part."""
        return f"{name}_{'item' if self.place is None else self.place}"

    def statement(self, name: str, of_items: str | None = None) -> exp.Query:
        """A statement on the tables of this part; `of_items`: the file to use instead if the part is the items."""
        file = of_items if of_items is not None and self.place is None else name
        tree = filled(file, {each: self.table(each) for each in OF_A_PART})
        if self.place is None:
            return sql.with_columns(tree, {"original_records.u1": "element"})
        columns = {f"attack_rows.{bound}_1": f"{bound}_{self.place}" for bound in ("low", "high")}
        return sql.with_columns(tree, {**columns, "original_records.u1": f"u{self.place}"})


def likely_of_any(tables: Iterable[str]) -> exp.Query:
    """The statement that gives the histories which are likely by any of these tables."""
    every = sql.union_all(filled("attack_likely_of_any", {"attack_likely": table}) for table in tables)
    return sql.with_relations(filled("attack_likely_of_any"), {"attack_likely": every})


def together(fits: Iterable[exp.Query]) -> exp.Query:
    """The statement that adds up the results of these statements."""
    return sql.with_relations(filled("attack_together"), {"attack_fit": sql.union_all(fits)})
