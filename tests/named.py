"""A hierarchy for tests of requests, where nothing is grounded."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade.hierarchies.hierarchy import Grounding, Hierarchy, Key, Level
from ordermade.lattice.lattice import LevelOrder


class Named(Hierarchy):
    """A hierarchy of which only names, order and the type it fits are known."""

    def __init__(self, name: str, levels: Sequence[str], fits: str = "", order: LevelOrder | None = None):
        self.name = name
        self.levels = tuple(Level(level, level) for level in levels)
        self.order = order or LevelOrder.chain(len(levels))
        self.fits = fits

    kind = "explicit"
    enumerated = True
    content_hash = ""

    def check_type(self, column_type: str) -> str | None:
        return None if self.fits in ("", column_type) else f"it needs {self.fits}, not {column_type}"

    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:
        raise NotImplementedError

    def ground(self, base: int, codes: Sequence[Key]) -> Grounding:
        raise NotImplementedError
