"""The document of `ordermade sweep`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ordermade.records.printed import printed

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.methods.shared.sweep import Sweep


@dataclass(frozen=True, slots=True)
class SweepAnswer:
    """A request with one k after another; nothing is released."""

    request: Path
    """The request file."""
    sweep: Sweep = field(metadata=printed(spread=True))
    """The points."""
