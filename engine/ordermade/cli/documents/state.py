"""The documents of `ordermade init` and `ordermade state`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.cli.documents.types.state import (
        BackedUp,
        Converted,
        Init,
        Migrated,
        Restored,
        StateFinding,
        Status,
        Verified,
    )
    from ordermade.state.backup import Restored as RestoredState
    from ordermade.state.conversion import Converted as ConvertedState
    from ordermade.state.database import Initialised
    from ordermade.state.inspection import StateStatus
    from ordermade.state.seals import Finding


def init(made: Initialised) -> Init:
    """The document of `init`."""
    return {"format": FORMAT, "command": "init", "path": str(made.path), "created": made.created}


def status(found: StateStatus) -> Status:
    """The document of `state status`."""
    return {
        "format": FORMAT,
        "command": "state status",
        "path": str(found.path),
        "version": found.version,
        "pending": list(found.pending),
        "bytes": found.size,
        "rows": dict(found.counts),
    }


def migrated(path: Path, applied: Sequence[str]) -> Migrated:
    """The document of `state migrate`."""
    return {"format": FORMAT, "command": "state migrate", "path": str(path), "applied": list(applied)}


def converted(made: ConvertedState) -> Converted:
    """The document of `state convert`."""
    return {
        "format": FORMAT,
        "command": "state convert",
        "path": str(made.path),
        "kept": str(made.kept),
        "rows": made.rows,
    }


def backed_up(path: Path, copy: Path) -> BackedUp:
    """The document of `state backup`."""
    return {"format": FORMAT, "command": "state backup", "path": str(path), "copy": str(copy)}


def restored(made: RestoredState) -> Restored:
    """The document of `state restore`."""
    return {
        "format": FORMAT,
        "command": "state restore",
        "path": str(made.path),
        "backup": str(made.backup),
        "kept": None if made.kept is None else str(made.kept),
        "carried": list(made.carried),
        "undone": list(made.undone),
        "locked": made.locked or None,
    }


def verified(path: Path, findings: Sequence[Finding]) -> Verified:
    """The document of `state verify`."""
    return {
        "format": FORMAT,
        "command": "state verify",
        "path": str(path),
        "sound": not findings,
        "findings": [cast("StateFinding", plain(each)) for each in findings],
    }
