"""The documents of `ordermade init` and `ordermade state`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.state.seals import Finding


@dataclass(frozen=True, slots=True)
class Migrated:
    """The migrations of an older state."""

    path: Path
    """The file of the state."""
    applied: Sequence[str]
    """The migrations that were applied; none where it was up to date."""


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A copy of the state."""

    path: Path
    """The file of the state."""
    copy: Path
    """The file of the copy."""


@dataclass(frozen=True, slots=True)
class Verified:
    """The faults of a state."""

    path: Path
    """The file of the state."""
    sound: bool
    """Whether it has none."""
    findings: Sequence[Finding]
    """The faults."""
