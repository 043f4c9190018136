"""The options before the command, and the parts of the library opened with them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.screen import notify
from ordermade.waiting import DEFAULT_WAIT

if TYPE_CHECKING:
    from ordermade.answering.progress import Progress
    from ordermade.engine import Engine
    from ordermade.state.database import StateFile


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of a table.")]
TableName = Annotated[str | None, typer.Option(metavar="NAME", help="The table, where a database file has several.")]
RowFilter = Annotated[
    str | None, typer.Option(metavar="FILTER", help="Only the rows that satisfy this, such as 'age >= 18'.")
]
Encoding = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="The encoding of CSV files: auto, or any that Python knows, such as utf-16, cp932 or latin-1.",
    ),
]
Header = Annotated[
    bool,
    typer.Option("--header", help="The first line of a CSV file holds names, whatever it looks like."),
]


@dataclass(frozen=True, slots=True)
class Settings:
    """The state that was named (None: found by the usual rules) and how long to wait for its lock."""

    state: str | None = None
    wait_seconds: float = DEFAULT_WAIT

    def state_file(self) -> StateFile:
        """The state, not opened yet; leftovers of killed processes are cleaned up first."""
        return self.engine().state_file

    def engine(self, *, use_cache: bool = True, progress: Progress | None = None) -> Engine:
        """The engine on that state; waits for a lock are reported on stderr."""
        from ordermade.answering.progress import Silent
        from ordermade.engine import Engine

        return Engine(
            state=self.state,
            use_cache=use_cache,
            wait_seconds=self.wait_seconds,
            notice=notify,
            progress=progress or Silent(),
        )


def settings_of(context: typer.Context) -> Settings:
    """The settings from the options before the command."""
    settings = context.find_object(Settings)
    return settings or Settings()


def checked_wait(seconds: float) -> float:
    """The seconds themselves. Raises a usage error for a wait that is negative or does not end."""
    if not math.isfinite(seconds) or seconds < 0:
        raise typer.BadParameter("write a number of seconds that is not negative, such as 30")
    return seconds


def example(*commands: str) -> str:
    """The end of a help text: calls of the command, line for line."""
    return "\n".join(("\b", "For example:", *(f"  $ {command}" for command in commands)))
