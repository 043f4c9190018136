"""The wait for a file of the engine's own, the state or the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from ordermade import waiting
from ordermade.errors import StateLocked
from ordermade.waiting import Notice, Wait

Opened = TypeVar("Opened")


def when_free(
    open_file: Callable[[], Opened], path: Path, *, what: str, wait_seconds: float, notice: Notice | None
) -> Opened:
    """Return the result of `open_file`, retried while the file at `path` is held, for `wait_seconds` at most.

    Raises StateLocked at the end of the wait; any other error of `open_file` at once. See `ordermade.waiting`.
    """

    def still_held() -> StateLocked:
        return StateLocked(
            f"the {what} was held by another process for {wait_seconds:g} seconds",
            where=str(path),
            next_step="Wait until the other ordermade command has ended, then run this one again.",
        )

    return waiting.when_free(open_file, path, what=what, wait=Wait(wait_seconds, notice), still_held=still_held)
