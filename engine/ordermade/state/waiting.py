"""A bounded, reported wait for a file that another process holds."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import duckdb

from ordermade.errors import StateLocked
from ordermade.state.faults import is_held

Notice = Callable[[str], None]
Opened = TypeVar("Opened")

_FIRST_PAUSE = 0.01
_LONGEST_PAUSE = 0.25
_PATIENCE = 1.0
"""Seconds after which a wait is told."""


def when_free(
    open_file: Callable[[], Opened], path: Path, *, what: str, wait_seconds: float, notice: Notice | None
) -> Opened:
    """What `open_file` gives, tried again while the file at `path` is held, for `wait_seconds` at most.

    Pauses grow from 10 ms to 250 ms, each drawn at random so that waiting processes do not march in step.
    After a second `notice` is told once. Raises StateLocked at the end of the wait; any other error of
    `open_file` at once.
    """
    started = time.monotonic()
    patience = min(_PATIENCE, wait_seconds / 2)
    pause, told = _FIRST_PAUSE, False
    while True:
        try:
            return open_file()
        except duckdb.Error as error:
            if not is_held(error):
                raise
            waited = time.monotonic() - started
            if waited >= wait_seconds:
                raise StateLocked(
                    f"the {what} was held by another process for {wait_seconds:g} seconds",
                    where=str(path),
                    next_step="Wait until the other ordermade command has ended, then run this one again.",
                ) from error
        if notice is not None and not told and waited >= patience:
            notice(f"waiting for the {what} {path}: another process holds it")
            told = True
        time.sleep(min(pause * random.uniform(0.5, 1.0), max(0.0, wait_seconds - waited)))
        pause = min(pause * 1.6, _LONGEST_PAUSE)
