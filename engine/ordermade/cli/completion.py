"""Completion in the shell: names that are registered, read from the state alone, and fixed choices.

No source is connected, no password asked for, and no value of the data read. By a token the state completes nothing,
unless it is a provider's. Whatever goes wrong, nothing is completed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ordermade.cli.choices import Completion
from ordermade.cli.options import Settings, token_of
from ordermade.errors import OrdermadeError
from ordermade.state.location import locate_state
from ordermade.state.names import registered_names

if TYPE_CHECKING:
    from ordermade.state.names import Named


def registered(kind: Named, *, several: bool = False) -> Completion:
    """Completes the names of a kind that the state has; `several`: each after `COLUMN=`."""

    def complete(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
        before, equals, begun = incomplete.rpartition("=") if several else ("", "", incomplete)
        if several and not equals:
            return []
        try:
            options = ctx.find_root().params
            state = locate_state(options.get("state") or None)
            by = Settings(token=token_of(options.get("token_file"))).authority
            found = registered_names(state, kind, by)
        except (OrdermadeError, OSError, typer.BadParameter):
            return []
        return [(f"{before}{equals}{name}", note) for name, note in found if name.startswith(begun)]

    return complete
