"""Hierarchies that list their values: leaves, each with a label at every level."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from json.encoder import encode_basestring_ascii
from operator import eq
from typing import TYPE_CHECKING, cast

from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.column_types import has_no_text, type_in_words
from ordermade.hierarchies.hierarchy import (
    STAR,
    VALUE,
    Grounding,
    Hierarchy,
    Key,
    Level,
    check_count,
    first_of_each,
    hierarchy_hash,
    level_order,
    moves,
    numbered,
    numbering,
    written_out,
)
from ordermade.lattice.lattice import LevelOrder
from ordermade.phrases import chained, phrase, wording

if TYPE_CHECKING:
    from sqlglot import exp

DUPLICATES_SHOWN = 5
_LINES_AT_ONCE = 10_000


@dataclass(frozen=True, repr=False)
class ExplicitHierarchy(Hierarchy):
    """Leaves x levels of labels.

    `leaves` are the texts of the values, None for the path of NULL; `labels[level - 1][leaf number]` is the
    label of a leaf at a level from 1 to the top.
    """

    name: str
    levels: tuple[Level, ...]
    order: LevelOrder
    leaves: tuple[str | None, ...]
    labels: tuple[tuple[str, ...], ...]

    @property
    def kind(self) -> str:
        """`explicit`."""
        return "explicit"

    @property
    def enumerated(self) -> bool:
        """True: the values are listed."""
        return True

    @cached_property
    def content_hash(self) -> str:
        """Hash of the whole content: kind, level names, levels in order, leaves. Not of the name."""
        leaves = sorted_leaves(self.leaves)
        stretches = (
            "".join([f"[{leaf}]\n" for leaf in _all_quoted(leaves[at:end])]) for at, end in _stretches(len(leaves))
        )
        return hierarchy_hash(self.kind, self.levels, stretches)

    def check_type(self, column_type: str) -> str | None:
        """Return why this hierarchy cannot be used on a column of this SQL type, or None if it can."""
        if has_no_text(column_type):
            return phrase(
                "its values are compared as text, and a %(kind)s has none",
                kind=type_in_words(column_type),
            )
        return None

    def code(self, column: exp.Expression, column_type: str, base: int) -> exp.Expression:  # noqa: ARG002
        """The column itself: its values are compared with the leaves."""
        return column.copy()

    def ground(self, base: int, codes: Sequence[Key]) -> Grounding:  # noqa: ARG002
        """The levels from `base` up for all leaves and NULL; `codes` are ignored.

        In the one order that hashes are taken in, not that of the file: hierarchies of equal content number their
        cells alike, so what was stored under one can be read under the other.
        """
        places = _in_order(self.leaves)
        listed = {
            level: tuple(map(labels.__getitem__, places))
            for level, labels in enumerate((self.leaves, *self.labels))
            if level >= base
        }
        leaves = tuple(map(self.leaves.__getitem__, places))
        if None in leaves:
            return written_out(base, leaves, listed, leaves=len(leaves))
        null = {level: (STAR if level == self.top else None,) for level in listed}
        return written_out(
            base,
            (*leaves, None),
            {level: (*labels, *null[level]) for level, labels in listed.items()},
            leaves=len(leaves),
        )

    def _classes_of(self, labels: Sequence[str | None], level: int, to: int) -> tuple[Hashable, ...] | None:
        finer, coarser = ((self.leaves, *self.labels)[each] for each in (level, to))
        of_label: dict[str | None, str | None] = {}
        for one, other in zip(finer, coarser, strict=True):
            if of_label.setdefault(one, other) != other:
                return None
        of_label.setdefault(None, None)
        texts = [None if each is None else str(each) for each in labels]
        return tuple(of_label[each] for each in texts) if all(each in of_label for each in texts) else None


@dataclass(frozen=True, slots=True)
class ListedLevel:
    """A level as it was given: a name or None, and the label of each leaf."""

    name: str | None
    labels: tuple[str | None, ...]


def explicit_hierarchy(
    name: str,
    leaves: Sequence[str | None],
    given: Sequence[ListedLevel],
    *,
    value_name: str = VALUE,
    where: str = "",
    lines: Sequence[int] = (),
) -> tuple[ExplicitHierarchy, tuple[str, ...]]:
    """The hierarchy of the leaves and the levels above, numbered by refinement, and notes of what changed.

    `where` is the file and `lines` the line of each leaf, for messages. Raises HierarchyError on no leaves, a
    leaf listed twice, an empty label and names that cannot be used.
    """
    check_count(len(given), where=where)
    _check_leaves(leaves, given, where, lines)
    paths = tuple(_without_gaps(level, number, where, lines) for number, level in enumerate(given, start=1))
    top = _one_label_level(paths)
    notes: list[str] = []
    top_name = STAR
    if top is None:
        notes.append("a last level '*' was added")
    else:
        given_name = given[top].name
        top_name = STAR if given_name is None else given_name
        if paths[top][0] != STAR:
            notes.append(f"{_called(given, top)} has one label, {quoted(paths[top][0])}: it is now '*'")
    positions = [position for position in range(len(given)) if position != top]
    refines = refinement([paths[position] for position in positions])
    places = numbering(refines)
    order = [positions[place] for place in places]
    in_order = tuple(order) if top is None else (*order, top)
    notes.extend(moves(in_order, [_called(given, position) for position in range(len(given))]))
    labels = tuple(paths[position] for position in order)
    return (
        ExplicitHierarchy(
            name=name,
            levels=numbered(
                [given[position].name for position in order],
                level_hashes(leaves, labels),
                value_name=value_name,
                top_name=top_name,
                where=where,
            ),
            order=level_order([[refines[fine][coarse] for coarse in places] for fine in places]),
            leaves=tuple(leaves),
            labels=(*labels, (STAR,) * len(leaves)),
        ),
        tuple(notes),
    )


def refinement(levels: Sequence[Sequence[str]]) -> list[list[bool]]:
    """The refinement of levels by their labels: i refines j where no class of i has two labels at j.

    So it does where each place has at j the class of the first place of its class at i. Of nested levels, those next to
    each other tell the rest.
    """
    codes = [first_of_each(labels) for labels in levels]
    numbers = range(len(codes))
    found = [[i == j for j in numbers] for i in numbers]
    for i in reversed(numbers):
        for j in (*numbers[i + 1 :], *numbers[:i]):
            follows = any(found[i][k] and found[k][j] for k in numbers[i + 1 : max(j, i + 1)])
            found[i][j] = follows or all(map(eq, map(codes[j].__getitem__, codes[i]), codes[j]))
    return found


def level_hashes(leaves: Sequence[str | None], labels: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """The hash of each level: of its (leaf, label) pairs, whatever the order of the leaves."""
    by_leaf = _in_order(leaves)
    digests = [hashlib.sha256(b"explicit\n") for _ in labels]
    # As `content_hash_of` the canonical lines: each class of labels written once, each leaf once for all levels.
    ends = [{label: f"{encode_basestring_ascii(label)}]\n" for label in set(each)} for each in labels]
    for at, end in _stretches(len(by_leaf)):
        numbers = by_leaf[at:end]
        starts = [f"[{leaf}," for leaf in _all_quoted(map(leaves.__getitem__, numbers))]
        for digest, end_of, each in zip(digests, ends, labels, strict=True):
            lines = [start + end_of[each[number]] for start, number in zip(starts, numbers, strict=True)]
            digest.update("".join(lines).encode())
    return tuple(digest.hexdigest() for digest in digests)


def _stretches(lines: int) -> Iterator[tuple[int, int]]:
    """From where up to where each stretch of so many lines reaches: one by one they are slow to hash."""
    return ((at, at + _LINES_AT_ONCE) for at in range(0, lines, _LINES_AT_ONCE))


def _all_quoted(texts: Iterable[str | None]) -> list[str]:
    """As `canonical` writes them."""
    listed = list(texts)
    if None in listed:
        return ["null" if text is None else encode_basestring_ascii(text) for text in listed]
    return list(map(encode_basestring_ascii, cast("list[str]", listed)))


def _in_order(leaves: Sequence[str | None]) -> list[int]:
    """The places of the leaves in the one order that hashes are taken in."""
    null = [place for place, leaf in enumerate(leaves) if leaf is None] if None in leaves else []
    texts = [place for place, leaf in enumerate(leaves) if leaf is not None] if null else range(len(leaves))
    return null + sorted(texts, key=cast("Sequence[str]", leaves).__getitem__)


def sorted_leaves(leaves: Sequence[str | None]) -> list[str | None]:
    """The leaves in the one order that hashes are taken in: NULL first, then by code point."""
    return [leaves[place] for place in _in_order(leaves)]


def _check_leaves(leaves: Sequence[str | None], given: Sequence[ListedLevel], where: str, lines: Sequence[int]) -> None:
    if not leaves:
        raise HierarchyError(phrase("it lists no values"), where=where, next_step=phrase("List each value once."))
    if len(set(leaves)) == len(leaves):
        return
    places: dict[str | None, list[int]] = {}
    for number, leaf in enumerate(leaves):
        places.setdefault(leaf, []).append(number)
    # No value is shown: a file read by mistake may be the table itself, whose first column is of persons.
    twice = [numbers for numbers in places.values() if len(numbers) > 1]
    shown = ""
    for numbers in twice[:DUPLICATES_SHOWN]:
        each = _times(numbers, given, lines)
        shown = chained(wording("%(first)s; %(next)s"), [shown, each]) if shown else each
    if len(twice) > DUPLICATES_SHOWN:
        shown = phrase("%(shown)s and %(n)s more", shown=shown, n=len(twice) - DUPLICATES_SHOWN)
    what = (
        phrase("1 value is listed twice or more: %(shown)s", shown=shown)
        if len(twice) == 1
        else phrase("%(n)s values are listed twice or more: %(shown)s", n=len(twice), shown=shown)
    )
    raise HierarchyError(what, where=where, next_step=phrase("Keep one line for each value."))


def _times(numbers: Sequence[int], given: Sequence[ListedLevel], lines: Sequence[int]) -> str:
    """How often one value is listed, and where: by line, or by place where lines are not known."""
    at = ", ".join(str(lines[number] if lines else number + 1) for number in numbers[:DUPLICATES_SHOWN])
    found = {"n": len(numbers), "at": f"{at}{', …' if len(numbers) > DUPLICATES_SHOWN else ''}"}
    said = phrase("one %(n)s times (lines %(at)s)", **found)
    if not lines:
        said = phrase("one %(n)s times (places %(at)s)", **found)
    if len({tuple(level.labels[number] for level in given) for number in numbers}) > 1:
        return phrase("%(said)s, with different labels", said=said)
    return said


def _without_gaps(level: ListedLevel, number: int, where: str, lines: Sequence[int]) -> tuple[str, ...]:
    for place, label in enumerate(() if all(level.labels) else level.labels):
        if not label:
            raise HierarchyError(
                phrase("the label of the value at level %(number)s is empty", number=number)
                if lines
                else phrase(
                    "the label of the value at place %(place)s at level %(number)s is empty",
                    place=place + 1,
                    number=number,
                ),
                where=f"{where}:{lines[place]}" if lines else where,
                next_step=phrase("Write a label, or '*' to hide the value."),
            )
    return cast("tuple[str, ...]", level.labels)


def _one_label_level(paths: Sequence[Sequence[str]]) -> int | None:
    """The position of the level to be the top: the last one with one label, preferably the label `*`."""
    candidates = [position for position, labels in enumerate(paths) if len(set(labels)) == 1]
    return max(candidates, key=lambda position: (paths[position][0] == STAR, position), default=None)


def _called(given: Sequence[ListedLevel], position: int) -> str:
    name = given[position].name
    return f"level {quoted(name)}" if name else f"the level given as number {position + 1}"
