"""Prefix hierarchies: the first characters of a text are kept and the rest is masked."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.column_types import is_text, is_whole, type_in_words
from ordermade.hierarchies.hierarchy import STAR, Level, canonical, check_count, content_hash, moves, numbered
from ordermade.hierarchies.rules import RuleHierarchy
from ordermade.lattice.lattice import LevelOrder
from ordermade.phrases import phrase

if TYPE_CHECKING:
    from sqlglot import exp

MAX_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True, repr=False)
class PrefixHierarchy(RuleHierarchy):
    """Texts by their first characters.

    `keep[level - 1]` is how many characters a level between level 0 and the top keeps. Without a `length`
    the mask stands once for the rest (`123*`); with it the text is masked up to that many characters
    (`123**` of length 5), so that values shorter than what is kept are padded too.
    """

    name: str
    levels: tuple[Level, ...]
    order: LevelOrder
    keep: tuple[int, ...]
    mask: str = STAR
    length: int | None = None

    @property
    def kind(self) -> str:
        """`prefix`."""
        return "prefix"

    def check_type(self, column_type: str) -> str | None:
        """Return why this hierarchy cannot be used on a column of this SQL type, or None if it can."""
        if is_text(column_type) or is_whole(column_type):
            return None
        return phrase(
            "prefixes need a column of text or whole numbers, and this one is a %(kind)s",
            kind=type_in_words(column_type),
        )

    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:
        """The characters kept at the base level; every value can be placed."""
        from ordermade.hierarchies import key_trees as sql

        if base >= self.top:
            return sql.placed(column, sql.always(), sql.whole(0))
        as_text = (
            column.copy() if is_text(column_type) and column_type.upper() == "VARCHAR" else sql.text(column.copy())
        )
        return sql.first_characters(as_text, self.keep[max(base, 1) - 1])

    def labels_of(self, keys: Sequence[str | int], level: int, base: int) -> list[str]:  # noqa: ARG002
        """The characters kept, and the mask."""
        return [self._masked(str(key)[: self.keep[level - 1]]) for key in keys]

    def _classes_of(self, labels: Sequence[str | None], level: int, to: int) -> tuple[Hashable, ...] | None:
        kept = self.keep[to - 1]
        return tuple(None if each is None else each[:kept] for each in labels) if level else None

    def level_of(self, label: str) -> int:
        """The coarsest level that writes a label; 0 where none between it and the top does."""
        levels = enumerate(self.keep, start=1)
        return max((level for level, kept in levels if label == self._masked(label[:kept])), default=0)

    def _masked(self, kept: str) -> str:
        return kept + (self.mask if self.length is None else self.mask * (self.length - len(kept)))


def prefix_hierarchy(
    name: str,
    given: Sequence[int],
    names: Sequence[str | None],
    *,
    mask: str = STAR,
    length: int | None = None,
    where: str = "",
) -> tuple[PrefixHierarchy, tuple[str, ...]]:
    """The hierarchy that keeps these numbers of characters, most first, and notes of what was renumbered.

    Raises HierarchyError on no numbers, numbers below 1, above the length or given twice, and a mask of
    several characters where a length is given.
    """
    _check(given, mask, length, where)
    order = sorted(range(len(given)), key=lambda place: -given[place])
    keep = tuple(given[place] for place in order)
    hierarchy = PrefixHierarchy(
        name=name,
        levels=numbered([names[place] for place in order], prefix_hashes(keep, mask, length), where=where),
        order=LevelOrder.chain(len(keep) + 2),
        keep=keep,
        mask=mask,
        length=length,
    )
    called = [
        f"level {quoted(each)}" if each else f"the level that keeps {kept}"
        for each, kept in zip(names, given, strict=True)
    ]
    return hierarchy, moves(order, called)


def prefix_hashes(keep: Sequence[int], mask: str, length: int | None) -> tuple[str, ...]:
    """The hash of each level: of what it keeps and how it shows the rest."""
    return tuple(content_hash("prefix", canonical(kept, mask, length)) for kept in keep)


def _check(given: Sequence[int], mask: str, length: int | None, where: str) -> None:
    if not given:
        raise HierarchyError(
            phrase("there is no level"), where=where, next_step=phrase("Give at least one number to keep.")
        )
    check_count(len(given), where=where)
    longest = MAX_CHARACTERS if length is None else length
    if longest > MAX_CHARACTERS:
        raise HierarchyError(
            phrase(
                "the length %(length)s is above %(maxcharacters)s",
                length=length,
                maxcharacters=format(MAX_CHARACTERS, ","),
            ),
            where=where,
        )
    for kept in given:
        if not 1 <= kept <= longest:
            raise HierarchyError(
                phrase("%(kept)s characters cannot be kept", kept=kept),
                where=where,
                next_step=phrase(
                    "Keep 1 to %(longest)s; the top level '*' keeps none and need not be listed.",
                    longest=format(longest, ","),
                ),
            )
    if len(set(given)) < len(given):
        raise HierarchyError(
            phrase("a number is listed twice"), where=where, next_step=phrase("List each number once.")
        )
    if length is not None and len(mask) != 1:
        raise HierarchyError(
            phrase("the mask %(mask)s is not one character", mask=quoted(mask)),
            where=where,
            next_step=phrase("With a length, the mask is repeated: give one character."),
        )
