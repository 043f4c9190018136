"""Readings of texts as MariaDB and MySQL run them: casts that fail for a text which is no number or day.

Their own casts make 0 or NULL of such a text and go on.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from ordermade.sources.portable import refused

DIALECT = "mysql"
_DAY = "[0-9]{4}-(0?[1-9]|1[0-2])-(0?[1-9]|[12][0-9]|3[01])"
_CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,6})?)?"
_MOMENT = f"{_DAY}[ T]{_CLOCK}"
_WHOLE = "[-+]?[0-9]{1,18}"
_NUMBER = "[-+]?([0-9]{1,18}([.][0-9]*)?|[.][0-9]+)"
_LARGEST = "18446744073709551615"
"""The largest number of 8 bytes: one more is an error."""


def read_text(node: exp.Expr, translate: Callable[[exp.Expr], exp.Expr]) -> exp.Expr:
    """The function or the cast of a reading, in the functions of the server; `translate`: for what is within it."""
    node.set("this", node.this.copy().transform(translate, copy=False))
    if isinstance(node, exp.Translate):
        return _replaced(node)
    if isinstance(node, exp.SplitPart):
        upto = _anonymous("SUBSTRING_INDEX", node.this, node.args["delimiter"], node.args["part_index"])
        return _anonymous("SUBSTRING_INDEX", upto, node.args["delimiter"], exp.Literal.number(-1))
    return _strict(node) if isinstance(node, exp.Cast) else node


def _replaced(node: exp.Translate) -> exp.Expr:
    """One REPLACE for each character: first of those that are deleted, for one may take the place of another."""
    found: exp.Expr = node.this
    characters, to = node.args["from_"].name, node.args["to"].name
    mapped = list(zip(characters, to, strict=False))
    deleted = [(each, "") for each in characters[len(mapped) :]]
    if any(each == by for place, (_, by) in enumerate(mapped) for each, _ in mapped[place + 1 :]):
        raise refused("MariaDB", "TRANSLATE that makes one of its characters of another")
    for each, by in (*deleted, *mapped):
        found = exp.Replace(this=found, expression=exp.Literal.string(each), replacement=exp.Literal.string(by))
    return found


def _strict(cast: exp.Cast) -> exp.Expr:
    kind = cast.to.this
    text = cast.this
    pattern, to = {
        exp.DType.DATE: (_DAY, "DATE"),
        exp.DType.BIGINT: (_WHOLE, "SIGNED"),
        exp.DType.DOUBLE: (_NUMBER, "DOUBLE"),
        exp.DType.DECIMAL: (_NUMBER, cast.to.sql(dialect=DIALECT)),
    }.get(kind, (_MOMENT, "DATETIME(6)"))
    found = _anonymous("REGEXP_INSTR", text, exp.Literal.string(f"^{pattern}$"))
    unfit: exp.Expr = exp.EQ(this=found, expression=exp.Literal.number(0))
    if to in ("DATE", "DATETIME(6)"):  # of a day that there is not, such as 30 February
        none = exp.Is(this=exp.cast(text.copy(), to, dialect=DIALECT), expression=exp.Null())
        unfit = exp.And(
            this=exp.Not(this=exp.Is(this=text.copy(), expression=exp.Null())),
            expression=exp.paren(exp.Or(this=unfit, expression=none)),
        )
    length = _anonymous("CHAR_LENGTH", text.copy())
    beyond = exp.Add(
        this=exp.Literal.number(_LARGEST),
        expression=exp.paren(exp.Add(this=length, expression=exp.Literal.number(1))),
    )
    checked = exp.Case(ifs=[exp.If(this=unfit, true=beyond)], default=text.copy())
    return exp.cast(checked, to, dialect=DIALECT)


def _anonymous(name: str, *values: exp.Expr) -> exp.Anonymous:
    return exp.Anonymous(this=name, expressions=[each.copy() for each in values])
