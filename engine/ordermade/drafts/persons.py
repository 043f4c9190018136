"""The column by which a table knows its persons, where a person has several rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordermade.drafts.column_names import ColumnName, column_names
from ordermade.drafts.profile import ColumnProfile
from ordermade.drafts.roles import FEWEST_PERSONS, ProposedRole

BARE = frozenset({("id",), ("pid",), ("uid",), ("key",), ("number",), ("identifier",)})
"""Names of keys that say nothing else."""


@dataclass(frozen=True, slots=True)
class RepeatedKey:
    """A key of persons whose values repeat: its column, the persons, the rows."""

    column: str
    persons: int
    rows: int

    @property
    def reason(self) -> str:
        """The reason why k is to count persons."""
        return f"{self.persons:,} values of {self.column} in {self.rows:,} rows: a person has several rows"


def repeated_key(profiles: Sequence[ColumnProfile], roles: Sequence[ProposedRole]) -> RepeatedKey | None:
    """The key that tells the persons of a table, among the columns left out; None where each has one row, or none does.

    The key of persons by its name is the first choice, then a key of nothing else, official numbers, e-mail addresses.
    A key that is missing in some rows tells no persons there, and is none.
    """
    names = column_names([each.name for each in profiles])
    left_out = {each.column for each in roles if each.role == "identifier"}
    ranked = [(rank, each) for each in profiles if (rank := _rank(names[each.name])) is not None]
    ranked.sort(key=lambda each: each[0])
    for rank, each in ranked:
        if rank == 0 and each.distinct == each.rows:
            return None  # a row is a person
        repeats = FEWEST_PERSONS <= each.distinct < each.rows
        if repeats and not each.nulls and each.name in left_out:
            return RepeatedKey(each.name, each.distinct, each.rows)
    return None


def _rank(name: ColumnName) -> int | None:
    """How surely a column tells the persons by its name, 0 the most; None where it tells none."""
    if name.first("thing") is not None:
        return None
    if name.first("key") is not None and name.first("person") is not None:
        return 0
    if name.words in BARE or (name.first("key") is None and name.first("person") is not None and len(name.words) == 1):
        return 1
    direct = name.first("direct")
    if direct is None:
        return None
    return {"official or account number": 2, "e-mail address": 3}.get(direct.meaning.says)
