"""Hierarchies in a list: their levels and leaves are counted, and not read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from ordermade.display.cards import Carded


@dataclass(frozen=True, slots=True, repr=False)
class HierarchyRecord(Carded):
    """A registered hierarchy in a list: `levels` counts its levels, `leaves` the values it lists."""

    id: int
    name: str
    kind: str
    content_hash: str
    levels: int
    leaves: int
    added_at: datetime
    removed_at: datetime | None
