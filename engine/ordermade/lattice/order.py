"""Refinement: the partial order of the levels of one hierarchy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class LevelOrder:
    """The refinement of levels: `finer[i][j]` where every class of level i lies inside one class of level j.

    Reflexive and transitive. Levels are numbered consistently: i refines j only if i <= j (of two levels with
    equal classes the lower number counts as the finer one). Every level refines the top one, the last.
    """

    finer: tuple[tuple[bool, ...], ...]

    @classmethod
    def chain(cls, levels: int) -> LevelOrder:
        """The order of `levels` nested levels: each refines all later ones."""
        return cls(tuple(tuple(i <= j for j in range(levels)) for i in range(levels)))

    def __len__(self) -> int:
        return len(self.finer)

    @property
    def top(self) -> int:
        """The number of the top level, `*`."""
        return len(self.finer) - 1

    def refines(self, fine: int, coarse: int) -> bool:
        """True if level `fine` refines level `coarse` (a level refines itself)."""
        return self.finer[fine][coarse]

    def is_chain(self, levels: Iterable[int] | None = None) -> bool:
        """True if the given levels (default: all) nest, each in the next."""
        chosen = sorted(range(len(self)) if levels is None else set(levels))
        return all(self.finer[i][j] for i, j in pairwise(chosen))

    def direct_generalisations(self, level: int, among: Sequence[int]) -> tuple[int, ...]:
        """The levels of `among` that cover `level`: coarser, with none of `among` strictly between."""
        coarser = [j for j in among if j != level and self.finer[level][j]]
        return tuple(j for j in coarser if not any(i != j and self.finer[i][j] for i in coarser))

    def minimal(self, among: Sequence[int]) -> tuple[int, ...]:
        """The finest levels of `among`: those that no other one of them refines."""
        return tuple(j for j in among if not any(i != j and self.finer[i][j] for i in among))
