"""Who may run a command: declared beside it, and checked on what is dispatched, before it reads its own words.

A command that declares nothing is the provider's alone. No second reading of the command line decides this: what Click
dispatches is what is checked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal, TypeVar

from typer.core import TyperCommand

from ordermade.cli.options import settings_of

_Command = TypeVar("_Command", bound=Callable[..., Any])

_DECLARED = "ordermade_roles"


def may_run(*roles: Literal["data-user", "reviewer"]) -> Callable[[_Command], _Command]:
    """Declares the roles, beside the provider, that may run a command. It stands below `@app.command`."""

    def declare(command: _Command) -> _Command:
        setattr(command, _DECLARED, frozenset(roles))
        return command

    return declare


class Dispatched(TyperCommand):
    """A command of the program: it parses nothing, and so runs nothing, for who may not run it."""

    @property
    def roles(self) -> frozenset[str]:
        """The roles that may run it, beside the provider."""
        declared: frozenset[str] = getattr(self.callback, _DECLARED, frozenset())
        return declared

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parses its words. Raises Refused where a token is given whose user may not run it."""
        if not ctx.resilient_parsing:  # completion, which runs no command
            settings_of(ctx).require_permitted(_named(ctx), self.roles)
        return super().parse_args(ctx, args)


def declared(group: Any, path: str = "") -> Iterator[tuple[str, frozenset[str]]]:
    """Every command below a group by its name, with the roles that may run it beside the provider."""
    for name, each in group.commands.items():
        named = f"{path} {name}".strip()
        if hasattr(each, "commands"):
            yield from declared(each, named)
        else:
            yield named, each.roles


def _named(ctx: Any) -> str:
    """The name of the command that a context is of: its noun and verb."""
    names: list[str] = []
    while ctx.parent is not None:
        names.insert(0, ctx.info_name)
        ctx = ctx.parent
    return " ".join(names)
