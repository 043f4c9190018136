"""The terms of a dataset, its least k first: no request may ask for a smaller one, and no count below it is shown."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import quoted

if TYPE_CHECKING:
    from ordermade.policies.policy import Policy

DEFAULT_LEAST_K = 5
"""The least k of a dataset whose provider names none, and of a dataset that a request describes itself."""

AFTER_TOO_FEW = "Ask for a smaller k, or of more rows: look at the filter, and at the dataset."
"""The next step where fewer than k remain: the same whether none do or k - 1."""


def shown(count: int, least_k: int) -> int | None:
    """The count as JSON has it: None where it is below the least k, whichever count that is."""
    return None if count < least_k else count


def in_words(count: int, least_k: int) -> str:
    """The count as people read it: `fewer than 5` where it is below the least k, whichever count that is."""
    return f"fewer than {least_k:,}" if count < least_k else f"{count:,}"


def numbered(count: int, one: str, many: str, least_k: int = 0) -> str:
    """The count before the words that fit it: `1 row has`, `3 rows have`, `fewer than 5 rows have`."""
    return f"{in_words(count, least_k)} {one if count == 1 and least_k <= 1 else many}"


def too_few(k: int, units: int, called: str = "rows") -> str | None:
    """Why nothing can be released of fewer than k units (rows, persons, customers); None where there are enough.

    The same words whether none remain or k - 1.
    """
    return f"fewer than {k:,} {called} remain, so nothing can be released" if units < k else None


@dataclass(frozen=True, slots=True)
class Breach:
    """A breach of a term: what is wrong, and what to write instead."""

    what: str
    instead: str


@dataclass(frozen=True, slots=True)
class DatasetTerms:
    """The limits that a provider sets for requests on one dataset.

    `least_k`: the smallest k of a request, below which no count is shown; 0 where nobody set one.
    `where_columns`: the columns that a row filter may use, as stored; none of them where it is empty, all where None.
    `never_filtered`: those that none may use, whatever else is allowed. `policy`: all other rules, None without any.
    """

    least_k: int = DEFAULT_LEAST_K
    where_columns: tuple[str, ...] | None = None
    never_filtered: tuple[str, ...] = ()
    policy: Policy | None = None

    def of_k(self, k: int, dataset: str) -> Breach | None:
        """The breach of a request with this k on the dataset of that name; None where there is none."""
        if k >= self.least_k:
            return None
        what = f"k of {k} is less than {self.least_k:,}, the least k of the dataset {quoted(dataset)}"
        return Breach(what, f"write a k of {self.least_k:,} or more")

    def of_filter(self, used: Iterable[str], dataset: str) -> Breach | None:
        """The breach of a row filter on these columns (as stored) of that dataset; None where there is none."""
        never = [each for each in used if each in self.never_filtered]
        if never:
            return Breach(f"the dataset {quoted(dataset)} is never filtered{_by(never)}", "take it out of the filter")
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


DEFAULT_TERMS = DatasetTerms()
"""The terms of a dataset whose provider sets none, and of one that a request describes inline."""
NO_TERMS = DatasetTerms(least_k=0)
"""The terms of a table that nobody registered."""


def _by(columns: Iterable[str]) -> str:
    listed = ", ".join(map(quoted, columns))
    return f" by {listed}" if listed else ""
