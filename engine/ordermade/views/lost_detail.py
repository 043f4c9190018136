"""The columns of a release that say little any more, in words, and what would keep more."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ordermade.records.cells import percent

if TYPE_CHECKING:
    from ordermade.methods.generalization.lost_detail import LostDetail

MAX_NAMED = 4


def lost_in_words(lost: LostDetail, option: str, *, at_most: bool) -> Iterator[str]:
    """The columns, and what each suppression limit would give up instead: a sentence each, without its stop.

    `option`: how a limit is given; `at_most`: whether the figures of the limits are bounds.
    """
    parts = [f"{_named(lost.whole)} lost all detail"] if lost.whole else []
    parts += [f"{_named(lost.half)} lost half of its detail or more"] if lost.half else []
    yield " and ".join(parts)
    most = "at most " if at_most else ""
    for limit, other in lost.with_limit.items():
        this = f"this release {percent(lost.loss or 0)}"
        yield f"{option.format(limit)} gives up {most}{percent(other)} of all detail, {this}"


def _named(columns: Sequence[str]) -> str:
    """The first columns by name, the others by their number."""
    shown, others = columns[:MAX_NAMED], len(columns) - MAX_NAMED
    return ", ".join(shown) + (f" and {others:,} more" if others > 0 else "")
