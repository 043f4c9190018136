"""The terms of a dataset: the least k of requests on it, and the columns that they may filter it by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import quoted
from ordermade.least_k import DEFAULT_LEAST_K

if TYPE_CHECKING:
    from sqlglot import exp


@dataclass(frozen=True, slots=True)
class Breach:
    """A breach of a term: what is wrong, and what to write instead."""

    what: str
    instead: str


@dataclass(frozen=True, slots=True)
class Terms:
    """The limits that a provider sets for requests on one dataset.

    `least_k`: the smallest k of a request, below which no count is shown; 0 where nobody set one.
    `where_columns`: the columns that a row filter may use, as stored; none of them where it is empty, all where None.
    """

    least_k: int = DEFAULT_LEAST_K
    where_columns: tuple[str, ...] | None = None

    def of_k(self, k: int, dataset: str) -> Breach | None:
        """The breach of a request with this k on the dataset of that name; None where there is none."""
        if k >= self.least_k:
            return None
        what = f"k of {k} is less than {self.least_k:,}, the least k of the dataset {quoted(dataset)}"
        return Breach(what, f"write a k of {self.least_k:,} or more")

    def of_filter(self, used: Iterable[str], dataset: str) -> Breach | None:
        """The breach of a row filter on these columns (as stored) of that dataset; None where there is none."""
        allowed = self.where_columns
        if allowed is None:
            return None
        if not allowed:
            return Breach(f"the dataset {quoted(dataset)} takes no row filter{_by(used)}", "leave the filter out")
        others = [each for each in used if each not in allowed]
        if not others:
            return None
        what = f"the dataset {quoted(dataset)} is not filtered{_by(others)}"
        return Breach(what, f"filter by {', '.join(map(quoted, allowed))} alone")


DEFAULT_TERMS = Terms()
"""The terms of a dataset whose provider sets none, and of one that a request describes inline."""
NO_TERMS = Terms(least_k=0)
"""The terms of a table that nobody registered."""


def columns_of_filter(condition: exp.Expr) -> tuple[str, ...]:
    """The columns that a row filter uses, as its tree names them, each once, in order."""
    # sqlglot is slow to import, and most requests have no filter.
    from sqlglot import exp

    found = [each for each in condition.walk(bfs=False) if isinstance(each, exp.Column)]
    return tuple(dict.fromkeys(each.name for each in found))


def _by(columns: Iterable[str]) -> str:
    listed = ", ".join(map(quoted, columns))
    return f" by {listed}" if listed else ""
