"""A dimension of a table: its codes, and of which total each of them is a part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class Dimension:
    """A dimension: code i is a part of code `parents[i]`, -1 for a root; a parent comes before its children."""

    name: str
    codes: tuple[str, ...]
    parents: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.codes) != len(self.parents):
            raise ValueError("each code has one parent")
        if any(not -1 <= parent < code for code, parent in enumerate(self.parents)):
            raise ValueError("a parent comes before its children")

    @cached_property
    def _children(self) -> Sequence[tuple[int, ...]]:
        found: list[list[int]] = [[] for _ in self.codes]
        for code, parent in enumerate(self.parents):
            if parent >= 0:
                found[parent].append(code)
        return tuple(map(tuple, found))

    def children(self, code: int) -> tuple[int, ...]:
        """The codes that a code is the total of, in order; none of a leaf."""
        return self._children[code]

    @property
    def leaves(self) -> tuple[int, ...]:
        """The codes without children, in order."""
        return tuple(code for code, below in enumerate(self._children) if not below)
