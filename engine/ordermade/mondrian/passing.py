"""Whether a class passes what is required of it: its records are counted one by one, its models decided by the counts.

Decided as the templates `sql/privacy/*.sql` decide, which measure the release again.
"""

from __future__ import annotations

from ordermade.compiled import compiled
from ordermade.mondrian.check import Check, Room
from ordermade.mondrian.domains import Codes


@compiled
def passes(check: Check, room: Room, rows: Codes, start: int, end: int) -> bool:
    """Whether the class of the records `rows[start:end]`, in whatever order, passes."""
    raise NotImplementedError
