"""Hierarchies given by a rule: a key computed in the source places each value; cells, classes and labels."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.hierarchy import NOT_COVERED, STAR, Grounding, Hierarchy, Key, hierarchy_hash, written_out
from ordermade.phrases import phrase


class RuleHierarchy(Hierarchy):
    """The common part of interval, date and prefix hierarchies: from keys to labels, classes and cells."""

    __slots__ = ()

    @property
    def enumerated(self) -> bool:
        """False: keys are read from the data."""
        return False

    @property
    def content_hash(self) -> str:
        """Hash of the whole content: kind, level names, levels in order. Not of the name."""
        return hierarchy_hash(self.kind, self.levels)

    @abstractmethod
    def labels_of(self, keys: Sequence[str | int], level: int, base: int) -> list[str]:
        """The label of each key at a level between level 0 and the top; keys are those of the base level.

        Two keys have the same label exactly when they are one class of the level.
        """

    def ground(self, base: int, codes: Sequence[Key]) -> Grounding:
        """The levels from max(base, 1) up for the codes that occur, and NULL as the last key.

        Raises HierarchyError where a code says that a value could not be placed: check coverage before.
        """
        if NOT_COVERED in codes:
            raise HierarchyError(
                phrase("some values of the column cannot be placed (infinite, not a number, or out of range)"),
                where=f"hierarchy {quoted(self.name)}",
                next_step=phrase("Leave those rows out with `where`, or clean them in the dataset's query."),
            )
        keys = sorted_keys(codes)
        labels: dict[int, list[str | None]] = {
            level: [*self.labels_of(keys, level, base), None] for level in self.rule_levels(base)
        }
        labels[self.top] = [STAR] * (len(keys) + 1)
        return written_out(base, (*keys, None), labels, leaves=0)

    def rule_levels(self, base: int) -> range:
        """The levels that have a rule, from the base up: neither level 0 nor the top."""
        return range(max(base, 1), self.top)


def whole_keys(keys: Sequence[str | int]) -> list[int]:
    """The keys of a rule whose keys are whole numbers; TypeError for any other."""
    numbers = [key for key in keys if isinstance(key, int)]
    if len(numbers) < len(keys):
        raise TypeError("a key that is not a whole number was read where the rule gives whole numbers")
    return numbers


def sorted_keys(codes: Sequence[Key]) -> list[str | int]:
    """The distinct codes in ascending order, without NULL."""
    numbers = sorted({code for code in codes if isinstance(code, int)})
    texts = sorted({code for code in codes if isinstance(code, str)})
    return [*numbers, *texts]
