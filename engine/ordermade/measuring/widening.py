"""A frequency set widened in the workspace: a column for each level; class codes packed into a few integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ordermade import sql
from ordermade.lattice.lattice import Node
from ordermade.measuring.counting import Counting, Sensitive
from ordermade.measuring.grounding import Attribute, for_attribute, smallest_type
from ordermade.sources.door import Door, Purpose

BITS = 62
"""The number of bits used of a word: it is signed."""
UNKNOWN = 32
"""The bits of a class where cells are not counted yet."""


@dataclass(frozen=True, slots=True)
class Field:
    """The bits of one column of classes: in which word, from which bit, how many; `kind`: the column's type."""

    word: int
    start: int
    bits: int
    kind: str

    @property
    def mask(self) -> int:
        """A word with the bits of this field alone."""
        return ((1 << self.bits) - 1) << self.start

    def taken(self, word: exp.Expr) -> exp.Expr:
        """The class in a word, as the column has it."""
        if self.start:
            word = exp.Paren(this=exp.BitwiseRightShift(this=word, expression=exp.Literal.number(self.start)))
        one = exp.BitwiseAnd(this=word, expression=exp.Literal.number((1 << self.bits) - 1))
        return exp.Cast(this=one, to=exp.DataType.build(self.kind, dialect=sql.DIALECT))


@dataclass(frozen=True, slots=True)
class Words:
    """Where each column of classes, of attributes at their levels and of sensitive ones, is in the words."""

    fields: Mapping[str, Field] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns of words."""
        return [name_of(word) for word in range(1 + max((each.word for each in self.fields.values()), default=0))]

    def masks(self, columns: Iterable[str]) -> dict[int, int]:
        """The words that hold these columns, each with a mask of their bits."""
        found: dict[int, int] = {}
        for column in columns:
            at = self.fields[column]
            found[at.word] = found.get(at.word, 0) | at.mask
        return found


def packed(attributes: Sequence[Attribute], levels: Mapping[int, Sequence[int]], counting: Counting) -> Words:
    """The columns of a widened frequency set in as few words as they fit one after the other."""
    cells = {each.level_column(level): each.cells for each in attributes for level in levels[each.position]} | {
        each.cell_column: each.different for each in counting.sensitive
    }
    fields: dict[str, Field] = {}
    word = start = 0
    for column, different in cells.items():
        bits = max(1, (different - 1).bit_length()) if different else UNKNOWN
        if start + bits > BITS:
            word, start = word + 1, 0
        fields[column] = Field(word, start, bits, smallest_type(different or 1 << UNKNOWN))
        start += bits
    return Words(fields)


def name_of(word: int) -> str:
    """The name of the column of a word."""
    return f"w{word}"


NARROW = "frequency_set"
WIDE = "frequency_set_wide"
COUNTED = "frequency_set_counted"
"""The combinations of persons, added up."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """The combinations that are not the first of their person, and how many; see `persons_set`.

    `words`: how their classes are packed; `many`: whether some persons have too many to be compared two by two.
    """

    words: Words
    length: int
    many: bool


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A widened frequency set in the workspace: its table and length, and the levels each attribute has columns for.

    Where persons are counted of whom some have several combinations, `repeats` says what of them is counted too often.
    """

    table: str
    length: int
    levels: tuple[frozenset[int], ...]
    repeats: Repeats | None = field(default=None, compare=False)

    @property
    def whole_length(self) -> int:
        """Its length with what of persons is counted too often."""
        return self.length + (self.repeats.length if self.repeats else 0)

    def answers(self, node: Node, tops: Node) -> bool:
        """True if `node` can be counted from this set: every attribute at a level it has, or at `*`."""
        return all(level in have or level == top for level, have, top in zip(node, self.levels, tops, strict=True))


def widen_statement(
    table: str,
    attributes: Sequence[Attribute],
    levels: Mapping[int, Sequence[int]],
    base: Node | None = None,
    *,
    sensitive: Sequence[Sensitive] = (),
    counts: Sequence[exp.Expr] = (),
) -> exp.Select:
    """`table` joined with its attributes' keys for a column at each of `levels` (by attribute position).

    Without `base` the table holds cells; with it, the classes of that node (attributes without levels are left out).
    The cells of `sensitive` attributes stay as they are; `counts` are the other columns, if not the counts of rows.
    """
    tree = sql.select("widen")
    count, level = tree.expressions
    join = tree.args["joins"][0]
    columns: list[exp.Expr] = list(counts) or [count]
    columns += [exp.column(each.cell_column, table=NARROW) for each in sensitive]
    joins: list[exp.Expr] = []
    for attribute in attributes:
        wanted = levels[attribute.position]
        if not wanted:
            continue
        columns.extend(for_attribute(level, attribute, number) for number in wanted)
        joins.append(_widening_join(join, attribute, wanted, None if base is None else base[attribute.position - 1]))
    tree.set("expressions", columns)
    tree.set("joins", joins)
    return sql.with_relations(tree, {NARROW: exp.to_table(table)})


def _widening_join(join: exp.Expr, attribute: Attribute, levels: Sequence[int], held: int | None) -> exp.Expr:
    """The join of one attribute: on its cell, or on the class at the level that the table holds."""
    filled = for_attribute(join, attribute)
    inner = filled.this.this
    _, level = join.this.this.expressions
    on_cell = "cell" if held is None else attribute.level_column(held)
    inner.set(
        "expressions",
        [
            exp.alias_(exp.column(on_cell, table=attribute.keys), "cell"),
            *(exp.alias_(for_attribute(level, attribute, number), attribute.level_column(number)) for number in levels),
        ],
    )
    filled.this.set("alias", exp.TableAlias(this=exp.to_identifier(attribute.keys)))
    on = filled.args["on"]
    held_column = attribute.cell_column if held is None else attribute.level_column(held)
    on.set("this", exp.column(held_column, table=NARROW))
    on.set("expression", exp.column("cell", table=attribute.keys))
    return filled


def dropped(table: str) -> exp.Expr:
    """The statement that lets go of a table of the workspace."""
    tree = sql.template("drop_stored")
    for node in tree.find_all(exp.Table):
        node.set("this", sql.identifier(table))
    return tree


def length(workspace: Door, table: str) -> int:
    """The number of rows of a table of the workspace."""
    tree = sql.with_relations(sql.template("row_count"), {"dataset": exp.to_table(table)})
    return int(workspace.rows(Purpose.ROLL_UP, tree)[0][0])
