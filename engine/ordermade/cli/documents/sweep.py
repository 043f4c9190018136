"""The document of `ordermade sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.cli.documents.types.sweep import SweepAnswer
    from ordermade.methods.shared.sweep import Sweep


def sweep(file: Path, found: Sweep) -> SweepAnswer:
    """The document of `sweep`."""
    shown = {"format": FORMAT, "command": "sweep", "request": str(file), **found.as_dict()}
    return cast("SweepAnswer", shown)
