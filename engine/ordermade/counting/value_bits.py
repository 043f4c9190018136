"""The values of sensitive columns as bits, by which a packed set counts how many different ones a class has.

To add classes up is to take the bits that any of them has: no row is needed for each value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import BITS, Counting
from ordermade.privacy.models import DistinctL

MAX_WORDS = 8
"""Columns with more values than so many words have bits are counted value by value."""


@dataclass(frozen=True, slots=True)
class ValueBits:
    """The bits of a sensitive column, known by number, of which every class must have `least` different values.

    `different`: its values in the whole dataset; 0 before they are counted, when one word is assumed.
    """

    position: int
    cell_column: str
    different: int
    least: int

    @property
    def names(self) -> list[str]:
        """The columns of its words."""
        return [f"v{self.position}_{word}" for word in range(max(1, -(-self.different // BITS)))]

    def columns(self) -> list[exp.Expr]:
        """The words of each row of the frequency set."""
        found: list[exp.Expr] = []
        for word, name in enumerate(self.names):
            (one,) = sql.select("counting/value_bits").expressions
            for column in one.find_all(exp.Column):
                column.set("this", exp.to_identifier(self.cell_column))
            within = next(one.find_all(exp.Between))
            within.set("low", exp.Literal.number(word * BITS))
            within.set("high", exp.Literal.number((word + 1) * BITS - 1))
            next(one.find_all(exp.Sub)).set("expression", exp.Literal.number(word * BITS))
            one.set("alias", exp.to_identifier(name))
            found.append(one)
        return found


def value_bits(counting: Counting) -> tuple[ValueBits, ...] | None:
    """The bits that decide all models, none where there is no model; None where bits do not decide them.

    They decide distinct l of rows: persons do not add up, and other models go by how often a value occurs. NULL has a
    bit as any value.
    """
    valued = [each for each in counting.sensitive if each.models]
    if counting.entity is not None or any(each.different > MAX_WORDS * BITS for each in valued):
        return None
    found = []
    for each in valued:
        least = [model.l for model in each.models if isinstance(model, DistinctL) and model.counts_missing]
        if len(least) < len(each.models):
            return None
        found.append(ValueBits(each.position, each.cell_column, each.different, max(least)))
    return tuple(found)


def with_values(tree: sql.Tree, values: Sequence[ValueBits]) -> sql.Tree:
    """`tree`, where classes with fewer different values of a stand-in fail, with these in its place: any may fail."""
    fails = next(tree.find_all(exp.LT))
    tests: list[exp.Expr] = []
    for each in values:
        count, *others = [_named(fails.this, name) for name in each.names]
        for other in others:
            count = exp.Add(this=count, expression=other)
        tests.append(exp.LT(this=count, expression=exp.Literal.number(each.least)))
    whole, *others = tests
    for other in others:
        whole = exp.Or(this=whole, expression=other)
    fails.replace(whole)
    return tree


def words_of(column: exp.Expr, values: Sequence[ValueBits]) -> list[exp.Expr]:
    """The column of a template for every word, called by its name."""
    found = []
    for name in (name for each in values for name in each.names):
        one = _named(column, name)
        one.set("alias", exp.to_identifier(name))
        found.append(one)
    return found


def _named(fragment: exp.Expr, name: str) -> exp.Expr:
    found = fragment.copy()
    for column in found.find_all(exp.Column):
        column.set("this", exp.to_identifier(name))
    return found
