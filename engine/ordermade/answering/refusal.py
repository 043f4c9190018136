"""The wording of refused requests and of releases that are not published, whatever the method."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordermade.errors import ReleaseMismatch

if TYPE_CHECKING:
    from ordermade.release.settle import Settled


def mismatch(what: str) -> ReleaseMismatch:
    """The error where what is to be released is not what was decided, found before it is written."""
    return ReleaseMismatch(
        f"what is to be released {what}; it was not released",
        next_step="Nothing was written, and what was known of this dataset is forgotten: run the request again.",
    )


def require_all(settled: Settled, rows: int) -> None:
    """Raises ReleaseMismatch unless every row of the dataset is about to be released."""
    if settled.rows != rows or settled.suppressed_rows:
        raise mismatch(f"has {settled.rows} rows of {rows}")
