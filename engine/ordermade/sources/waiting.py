"""The wait for a database of a source, to read it or to write a release into it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ordermade import waiting
from ordermade.errors import OrdermadeError
from ordermade.waiting import Wait

Opened = TypeVar("Opened")

_LONGEST_PAUSE = 0.05
"""Seconds. Readers come and go, and a database may be free for a moment only."""


def when_free(open_database: Callable[[], Opened], path: Path, wait: Wait, fault: type[OrdermadeError]) -> Opened:
    """Return the result of `open_database`, retried while another process is in the way, as long as `wait` says.

    Raises `fault` at the end of the wait; any other error of `open_database` at once.
    """

    def still_held() -> OrdermadeError:
        return fault(
            f"the source was held by another process for {wait.seconds:g} seconds",
            where=str(path),
            next_step="Close that process and run this again, wait longer (`ordermade --wait SECONDS …`), "
            "or point the source at a copy.",
        )

    return waiting.when_free(
        open_database, path, what="source", wait=wait, still_held=still_held, longest_pause=_LONGEST_PAUSE
    )
