"""How the texts of a table were read, for the screen of the person who opened it, and for nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from ordermade.views.screen import say


def say_unnamed(places: Sequence[str]) -> None:
    """The columns of files that have no name, by their places."""
    if places:
        say(f"Left out, as it has no name: {', '.join(places)}. Write a name above it to have it read.")
