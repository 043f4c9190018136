"""A frequency set with its levels packed into bits, so that one statement checks many nodes.

A node is a mask: the bits of its levels. Two combinations are in one class of it if they are equal in these bits. So a
table of masks joined with the set gives the classes of all its nodes in one `GROUP BY`, at a fraction of what a
statement a node takes; and to roll the set up is to clear the bits of what is finer. The values of sensitive columns
that occur in a combination are bits too (see `value_bits`).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from typing import TypeAlias

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import NARROW, PLAIN, Field, StoredSet, WideCells, length, name_of, packed
from ordermade.counting.encoding import EncodedColumn, Encoding
from ordermade.counting.frequency_set import Levels, either, packed_levels
from ordermade.counting.value_bits import ValueBits, with_values, words_of
from ordermade.lattice.lattice import Lattice, Node
from ordermade.sources.executor import Executor, Purpose

PACKED = "frequency_set_packed"

ClassSizes: TypeAlias = tuple[int, int]
"""The least and the greatest size of a class, both included. Where values decide, a class that fails is of size 0."""
LARGEST_CLASS = (1 << 63) - 1
"""No class has more rows."""


class PackedLevels:
    """The place of every level of every attribute in the words of a packed set, and the bits of values beside them."""

    def __init__(
        self, attributes: Sequence[EncodedColumn], lattice: Lattice, values: tuple[ValueBits, ...] = ()
    ) -> None:
        self._attributes, self._lattice = attributes, lattice
        self._values, self._decide = values, values
        self._levels: Levels = {each.position: each.levels for each in attributes}
        self.words: WideCells = packed(attributes, self._levels, PLAIN)

    @property
    def value_names(self) -> list[str]:
        """The columns of the words of values."""
        return [name for each in self._values for name in each.names]

    def by(self, values: tuple[ValueBits, ...]) -> PackedLevels:
        """The same, where these values alone say which classes fail. The sets have the bits of all, as before."""
        other = copy.copy(self)
        other._decide = values
        return other

    @cached_property
    def _of_level(self) -> list[dict[int, dict[int, int]]]:
        """By attribute and level, the words with the mask of its bits."""
        return [
            {level: self.words.masks([each.level_column(level)]) for level in self._levels[each.position]}
            for each in self._attributes
        ]

    @cached_property
    def _of_coarser(self) -> list[dict[int, dict[int, int]]]:
        """The same of the level and all that it refines."""
        return [
            {
                level: self.words.masks(
                    each.level_column(coarser)
                    for coarser in self._levels[each.position]
                    if each.hierarchy.order.refines(level, coarser)
                )
                for level in self._levels[each.position]
            }
            for each in self._attributes
        ]

    def masks(self, node: Node) -> dict[int, int]:
        """By word, the bits of the node's levels below `*`."""
        return self._joined(self._of_level, node)

    def masks_of_coarser(self, node: Node) -> dict[int, int]:
        """By word, the bits of all levels that the node's refine: a set of these answers every coarser node."""
        return self._joined(self._of_coarser, node)

    def _joined(self, each: Sequence[dict[int, dict[int, int]]], node: Node) -> dict[int, int]:
        found: dict[int, int] = {}
        for of_levels, level, top in zip(each, node, self._lattice.top, strict=True):
            for word, mask in of_levels[level].items() if level != top else ():
                found[word] = found.get(word, 0) | mask
        return found

    def pack(self, workspace: Executor, levels: Levels) -> StoredSet:
        """Keep the frequency set `NARROW` packed. `levels`: those that it can be counted at.

        Bits of finer levels than these mean nothing: no node at them is counted from it.
        """
        coded = tuple(each.encoding for each in self._attributes)
        of_each = tuple(tuple(self._levels[each.position]) for each in self._attributes)
        statement = _packed.text(coded, of_each, tuple(self.words.fields.items()), self._values)
        workspace.store(Purpose.ROLL_UP, PACKED, statement)
        answered = tuple(frozenset(each) for each in levels.values())
        return StoredSet(PACKED, length(workspace, PACKED), answered, words=self.words)

    def roll_up(
        self, workspace: Executor, node: Node, source: StoredSet, table: str, held: tuple[frozenset[int], ...]
    ) -> StoredSet:
        """Keep the smaller set of a node, made from a finer one, as `table`."""
        workspace.store(Purpose.ROLL_UP, table, self.roll_up_statement(node, source.table))
        return StoredSet(table, length(workspace, table), held, words=self.words)

    def roll_up_statement(self, node: Node, source: str) -> exp.Select:
        """The statement that makes the smaller set of a node from the finer one `source`; a cleared word is 0."""
        return _rolled_up(exp.to_table(source), self.words, self.masks_of_coarser(node), self._values)

    def checks(self, table: str, nodes: Sequence[Node]) -> str:
        """The text of `checks_statement`: a search may need thousands, so it is printed once."""
        words, rows = self._numbered(nodes)
        return _compiled(words, self._decide).filled(table=table, nodes=_listed_text(rows))

    def checks_statement(self, table: str, nodes: Sequence[Node]) -> exp.Select:
        """The k-checks of some nodes, numbered in their order, in the packed set `table`.

        Rows of (number, size, classes); where values decide, of (number, 0, size, 1 if they fail, classes).
        """
        words, rows = self._numbered(nodes)
        tree = _checks(words, self._decide)
        next(tree.find_all(exp.Values)).set("expressions", _listed(rows))
        return sql.with_relations(tree, {_ANY_SET: exp.to_table(table)})

    def rows_of_sizes(self, table: str, nodes: Sequence[Node], sizes: ClassSizes) -> str:
        """The text of `rows_of_sizes_statement`, which is printed once, too."""
        words, rows = self._numbered(nodes)
        fields = self._fields(nodes, words)
        least, most = map(str, sizes)
        return _compiled_rows_of_sizes(words, self._decide).filled(
            table=table, least=least, most=most, nodes=_listed_text(rows), fields=_listed_text(fields)
        )

    def rows_of_sizes_statement(self, table: str, nodes: Sequence[Node], sizes: ClassSizes) -> exp.Select:
        """The rows of some nodes in classes of these sizes, by number, place among the attributes below `*`, and class.

        A class is called as in the columns of the attribute's levels; one that fails counts as of size 0. Where no
        attribute is below `*`, the rows are one class of place 0.
        """
        words, rows = self._numbered(nodes)
        tree = _rows_of_sizes(words, self._decide)
        listed = {"node": rows, "field": self._fields(nodes, words)}
        for values in tree.find_all(exp.Values):
            values.set("expressions", _listed(listed[values.alias]))
        _set_sizes(tree.args["from_"].this.this, *map(str, sizes))
        return sql.with_relations(tree, {_ANY_SET: exp.to_table(table)})

    def _fields(self, nodes: Sequence[Node], words: tuple[int, ...]) -> list[list[int]]:
        """The fields of the nodes' levels below `*`: node, place, first bit, and the mask in each word."""
        found: list[list[int]] = []
        for number, node in enumerate(nodes):
            below = [
                self.words.fields[each.level_column(level)]
                for each, level, top in zip(self._attributes, node, self._lattice.top, strict=True)
                if level != top
            ]
            for place, at in enumerate(below):
                found.append([number, place, at.start, *(at.mask if word == at.word else 0 for word in words)])
            if not below:
                found.append([number, 0, 0, *(0 for _ in words)])
        return found

    def _numbered(self, nodes: Sequence[Node]) -> tuple[tuple[int, ...], list[list[int]]]:
        """The words that the nodes need, and of each its number and the masks of these words."""
        masks = [self.masks(node) for node in nodes]
        words = tuple(sorted({word for each in masks for word in each}))
        return words, [[number, *(each.get(word, 0) for word in words)] for number, each in enumerate(masks)]


def packed_statement(
    attributes: Sequence[Encoding], levels: Levels, words: WideCells, values: tuple[ValueBits, ...] = ()
) -> exp.Select:
    """The statement that gives the frequency set with its levels packed, and with the bits of values of each row."""
    tree = sql.select("counting/packed")
    count, _ = tree.expressions
    (join,) = tree.args["joins"]
    joins, parts = packed_levels(join, [each for each in attributes if levels[each.position]], levels, words)
    zero = exp.Literal.number(0)
    of_words = [
        exp.alias_(either(parts[number]) if number in parts else zero.copy(), name)
        for number, name in enumerate(words.names)
    ]
    tree.set("expressions", [count, *of_words, *(column for each in values for column in each.columns())])
    tree.set("joins", joins)
    tree = sql.with_relations(tree, {NARROW: exp.to_table(NARROW)})
    return _rolled_up(tree, words, words.masks(words.fields), values) if values else tree


def _rolled_up(
    source: exp.Expr, words: WideCells, masks: Mapping[int, int], values: tuple[ValueBits, ...]
) -> exp.Select:
    """The statement that adds up the rows of `source` with the same bits in these masks."""
    tree = sql.select("counting/packed_roll_up_of_values" if values else "counting/packed_roll_up")
    word, count, *value = tree.expressions
    kept = []
    for number in range(len(words.names)):
        one = _named(word, number)
        one.this.set("expression", exp.Literal.number(masks.get(number, 0)))
        one.set("alias", exp.to_identifier(name_of(number)))
        kept.append(one)
    tree.set("expressions", [*kept, count, *(each for one in value for each in words_of(one, values))])
    tree.set("group", exp.Group(expressions=[each.this.copy() for each in kept]))
    return sql.with_relations(tree, {"packed": source})


@sql.BuiltOnce
def _packed(
    coded: tuple[Encoding, ...],
    levels: tuple[tuple[int, ...], ...],
    fields: tuple[tuple[str, Field], ...],
    values: tuple[ValueBits, ...],
) -> exp.Select:
    by_position = {each.position: of_levels for each, of_levels in zip(coded, levels, strict=True)}
    return packed_statement(coded, by_position, WideCells(dict(fields)), values)


def _checks(words: tuple[int, ...], values: tuple[ValueBits, ...]) -> exp.Select:
    """The k-checks by these words."""
    tree = with_values(sql.select("counting/k_checks_failing"), values) if values else sql.select("counting/k_checks")
    _by_words(tree.args["from_"].this.this, words)
    return tree


def _set_sizes(grouped: exp.Select, least: str, most: str) -> None:
    between = grouped.args["having"].this
    between.set("low", exp.Literal.number(least))
    between.set("high", exp.Literal.number(most))


def _rows_of_sizes(words: tuple[int, ...], values: tuple[ValueBits, ...]) -> exp.Select:
    """The rows in classes of some sizes by these words."""
    tree = sql.select("counting/packed_rows_of_sizes")
    inner = tree.args["from_"].this.this
    number, _, n = inner.expressions
    _by_words(inner, words)
    of_words = zip(inner.args["group"].expressions[1:], words, strict=True)
    inner.set("expressions", [number, *(exp.alias_(each.copy(), name_of(word)) for each, word in of_words), n])
    _set_sizes(inner, _ANY_LEAST, _ANY_MOST)
    if values:
        _, size = with_values(sql.select("counting/fitting_sizes"), values).expressions
        inner.args["having"].this.set("this", size.this)
    node, attribute, called, total = tree.expressions
    shifted = called.this
    taken = [_named(shifted.this.this, word) for word in words] or [exp.Literal.number(0)]
    shifted.set("this", exp.paren(either([exp.paren(each) for each in taken])))
    tree.set("group", exp.Group(expressions=[node.copy(), attribute.copy(), shifted.copy()]))
    tree.set("expressions", [node, attribute, called, total])
    tree.args["joins"][0].this.args["alias"].set("columns", _columns("node", "attribute", "start", words=words))
    return tree


def _by_words(grouped: exp.Select, words: tuple[int, ...]) -> None:
    """Groups a packed set by these words, masked; of each node listed."""
    number, masked = grouped.args["group"].expressions
    grouped.set("group", exp.Group(expressions=[number, *(_named(masked, word) for word in words)]))
    grouped.args["from_"].set("this", exp.alias_(exp.to_table(_ANY_SET), "packed", table=True))
    next(grouped.find_all(exp.Values)).args["alias"].set("columns", _columns("number", words=words))


def _named(fragment: exp.Expr, word: int) -> exp.Expr:
    """A copy of a fragment of a template with a word's column in place of the stand-in's."""
    found = fragment.copy()
    for column in found.find_all(exp.Column):
        column.set("this", exp.to_identifier(name_of(word)))
    return found


def _columns(*names: str, words: tuple[int, ...]) -> list[exp.Identifier]:
    return [exp.to_identifier(each) for each in (*names, *map(name_of, words))]


def _listed(rows: Sequence[Sequence[int]]) -> list[exp.Tuple]:
    return [exp.Tuple(expressions=[exp.Literal.number(each) for each in row]) for row in rows]


def _listed_text(rows: Sequence[Sequence[int]]) -> str:
    """As `_listed` is printed."""
    return ", ".join(f"({', '.join(map(str, row))})" for row in rows)


@cache
def _compiled(words: tuple[int, ...], values: tuple[ValueBits, ...]) -> sql.Compiled:
    return sql.compiled(_checks(words, values), table=_ANY_SET, nodes="(0, 15)")


@cache
def _compiled_rows_of_sizes(words: tuple[int, ...], values: tuple[ValueBits, ...]) -> sql.Compiled:
    stand_ins = {"nodes": "(0, 15)", "fields": "(0, 0, 0, 3), (0, 1, 2, 12)", "least": _ANY_LEAST, "most": _ANY_MOST}
    return sql.compiled(_rows_of_sizes(words, values), table=_ANY_SET, **stand_ins)


_ANY_SET = "any_packed_set"
"""The name that stands in a check for the set of its nodes."""
_ANY_LEAST, _ANY_MOST = "123454321", "543212345"
"""The numbers that stand for the least and the greatest size of a class."""
