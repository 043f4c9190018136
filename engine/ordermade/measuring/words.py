"""The classes of a combination side by side in the bits of a few numbers: compared in one step, kept in little room."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from ordermade import sql
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.counting import Counting
from ordermade.measuring.keys import smallest_type

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
