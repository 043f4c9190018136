"""How the texts of a table were read, for the screen of the person who opened it, and for nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ordermade.drafts.odd_words import ShellWords, odd_in_words
from ordermade.views.screen import notify, say

if TYPE_CHECKING:
    from ordermade.drafts.odd_cells import OddLines
    from ordermade.drafts.text_column import ColumnReading


def say_unnamed(places: Sequence[str]) -> None:
    """The columns of files that have no name, by their places."""
    if places:
        say(f"Left out, as it has no name: {', '.join(places)}. Write a name above it to have it read.")


def notify_odd(odd: Iterable[OddLines], line_called: str, end: str = "") -> None:
    """The cells that keep columns from being read, a line each, and the option that mends it; then the `end`."""
    lines = [f"Warning: {each}." for each in odd_in_words(odd, line_called, ShellWords())]
    for each in [*lines, end] if lines and end else lines:
        notify(each)


def notify_readable(readings: Iterable[ColumnReading]) -> None:
    """The columns of texts that could be read as something else, and the option that does so."""
    found = [f"{each.column} ({each.reason})" for each in readings]
    if found:
        notify(f"Taken as texts: {'; '.join(found)}. `--read` reads them so.")
