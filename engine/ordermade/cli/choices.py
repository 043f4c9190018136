"""Completion of fixed choices in the shell."""

from __future__ import annotations

from collections.abc import Callable

import typer

Completion = Callable[[typer.Context, str], list[tuple[str, str]]]
"""Gives the values that begin with what was typed, each with a note."""


def one_of(*choices: str) -> Completion:
    """Completes fixed choices."""

    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:  # noqa: ARG001 (Typer gives it)
        return [(choice, "") for choice in choices if choice.startswith(incomplete)]

    return complete


def listed(*choices: str) -> Completion:
    """Completes the last of several choices in a list such as `a,b`."""

    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:  # noqa: ARG001 (Typer gives it)
        before, comma, begun = incomplete.rpartition(",")
        return [(f"{before}{comma}{choice}", "") for choice in choices if choice.startswith(begun)]

    return complete
