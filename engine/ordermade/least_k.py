"""The least k of a dataset: no request on it may ask for a smaller k, and no count below it is shown to anybody."""

from __future__ import annotations

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
