"""States of before, which `state restore` and `state convert` leave beside the state: named by when, and removed."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from ordermade.files.private import flush
from ordermade.progress.waiting import Notice
from ordermade.state.authority import Authority
from ordermade.state.database import require_provider

_NAME = re.compile(r"-replaced-\d{8}T\d{6}(-\d+)?")


def name_of_before(path: Path, suffix: str | None = None) -> Path:
    """A free name beside the state at `path` for a state of before; `suffix`: of its file, where it is another."""
    stem = f"{path.stem}-replaced-{datetime.now(UTC):%Y%m%dT%H%M%S}"
    for number in count(1):
        before = path.with_name(
            f"{stem}{'' if number == 1 else f'-{number}'}{path.suffix if suffix is None else suffix}"
        )
        if not before.exists():
            return before
    raise AssertionError("numbers do not end")


def old_states(path: Path) -> tuple[Path, ...]:
    """The states of before that lie beside the state at `path`, by name. Raises OSError."""
    beside = [each for each in path.parent.iterdir() if each.suffix in (path.suffix, ".duckdb") and each.is_file()]
    return tuple(
        sorted(
            each
            for each in beside
            if each.stem.startswith(path.stem) and _NAME.fullmatch(each.stem.removeprefix(path.stem))
        )
    )


def remove_old_states(
    path: Path, authority: Authority, *, wait_seconds: float = 30.0, notice: Notice | None = None
) -> tuple[Path, ...]:
    """Removes the states of before: they have what was erased since. Gives them.

    Raises Refused for others than the provider, StateMissing, StateLocked, StateFault, and OSError where one cannot be
    removed.
    """
    require_provider(path, authority, wait_seconds=wait_seconds, notice=notice)
    found = old_states(path)
    for each in found:
        for left in JOURNALS:
            each.with_name(each.name + left).unlink(missing_ok=True)
        each.unlink()
    if found:
        flush(path.parent)
    return found


JOURNALS = ("-journal", ".wal")
"""The ends of the names of files that a database has beside it while it is written, and after a kill."""
