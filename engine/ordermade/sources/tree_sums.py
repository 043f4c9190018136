"""Sums of fractions in views of SQLite, MariaDB and MySQL: their last digits depend on the order of the rows.

What is exact follows from the types of the columns of tables and from the text of a view, by names alone: what is not
known to be exact is none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade.sources.unstable import of_fractions
from ordermade.sources.view_trees import names_of

_AVERAGES = frozenset(["avg"])
_SUMS = _AVERAGES | {"sum", "total"}
_OF_SQUARES = frozenset(
    re.findall(r"\w+", "std stddev stddev_pop stddev_samp variance variance_pop variance_samp var_pop var_samp")
)
"""Aggregates that are fractions, whatever they are given."""
_WHOLE = frozenset(
    re.findall(
        r"\w+",
        """
        count length char_length character_length octet_length bit_length instr str_position position locate ascii
        unicode ord year month day hour minute second quarter week dayofweek day_of_week dayofyear day_of_year
        day_of_month weekday datediff date_diff timestamp_diff to_days field strcmp sign crc32 bitwise_count
        """,
    )
)
"""Functions that give whole numbers."""
_OF_THEIR_ARGUMENTS = frozenset(
    re.findall(
        r"\w+", "sum min max abs round floor ceil ceiling truncate trunc greatest least coalesce ifnull nullif mod"
    )
)
"""Functions that are exact where all that they are given is."""
_CALCULATIONS = (
    exp.Paren,
    exp.Neg,
    exp.Add,
    exp.Sub,
    exp.Mul,
    exp.IntDiv,
    exp.Mod,
    exp.Alias,
    exp.Distinct,
    exp.Window,
)
_TRUTHS = (exp.Predicate, exp.Boolean, exp.Null, exp.Not, exp.And, exp.Or)


@dataclass(frozen=True, slots=True)
class Exact:
    """How a database adds up. `types`: those that a cast makes exact, `step`: the one that messages name.

    `is_decimal`: numbers with a point, and the division of exact ones, are exact.
    """

    types: Collection[exp.DType]
    step: str
    is_decimal: bool

    def require(self, views: Sequence[tuple[str, exp.Expr]], exact: Collection[str], others: Collection[str]) -> None:
        """Raises SourceFault for the first view that sums fractions.

        `exact`: the names of columns of exact types in the tables under the views; `others`: of all other columns.
        """
        unsure = {each.casefold() for each in others}
        known = {each.casefold() for each in exact}
        aliases = [each for _, tree in views for each in tree.find_all(exp.Alias)]
        known |= {each.alias.casefold() for each in aliases}
        while (
            more := {each.alias.casefold() for each in aliases if not self._is_exact(each.this, known - unsure)}
            - unsure
        ):
            unsure |= more
        for view, tree in views:
            for node in tree.find_all(exp.Func):
                names = {*names_of(node)}
                summed = [*node.iter_expressions()]
                if names & _OF_SQUARES or (
                    names & _SUMS and not all(self._is_exact(each, known - unsure) for each in summed)
                ):
                    raise of_fractions(view, f"{names_of(node)[0]}()", self.step)

    def _is_exact(self, value: exp.Expr, names: Collection[str]) -> bool:
        if isinstance(value, exp.Literal):
            return not value.is_string and (
                value.name.isdecimal() or (self.is_decimal and "e" not in value.name.lower())
            )
        if isinstance(value, exp.Column):
            return value.name.casefold() in names
        if isinstance(value, exp.Cast):
            return value.to.this in self.types
        if isinstance(value, _TRUTHS):
            return True
        passing = _OF_THEIR_ARGUMENTS | (_AVERAGES if self.is_decimal else frozenset())
        parts: list[exp.Expr] = [*value.iter_expressions()]
        if isinstance(value, exp.Case | exp.If):
            ifs = value.args.get("ifs") or [value]
            rest = (value.args.get("default"), value.args.get("false"))
            parts = [*(each.args["true"] for each in ifs), *(each for each in rest if each is not None)]
        elif isinstance(value, exp.Query):
            parts = [each.unalias() for each in value.selects]
        elif isinstance(value, exp.Window):
            parts = [value.this]
        elif isinstance(value, exp.Func) and {*names_of(value)} & _WHOLE:
            return True
        elif isinstance(value, exp.Div):
            return self.is_decimal and all(self._is_exact(each, names) for each in parts)
        elif not isinstance(value, _CALCULATIONS) and not (
            isinstance(value, exp.Func) and {*names_of(value)} & passing
        ):
            return False
        return bool(parts) and all(self._is_exact(each, names) for each in parts)
