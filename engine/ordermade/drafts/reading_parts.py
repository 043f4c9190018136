"""The few functions of SQL that readings of texts are made of, as trees."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp


def translated(value: exp.Expr, characters: str, to: str) -> exp.Expr:
    """The value with each of the characters replaced by the one at its place in `to`, deleted where there is none."""
    if not characters:
        return value.copy()
    if len(characters) == 1:
        return replaced(value, characters, to)
    arguments = exp.Literal.string(characters), exp.Literal.string(to)
    return exp.Translate(this=value.copy(), from_=arguments[0], to=arguments[1])


def replaced(value: exp.Expr, text: str, by: str) -> exp.Expr:
    """The value with every occurrence of a text replaced."""
    return exp.Replace(this=value.copy(), expression=exp.Literal.string(text), replacement=exp.Literal.string(by))


def part_of(value: exp.Expr, delimiter: str, number: int) -> exp.Expr:
    """The part of a text between two delimiters, the first by 1."""
    return exp.SplitPart(
        this=value.copy(), delimiter=exp.Literal.string(delimiter), part_index=exp.Literal.number(number)
    )


def concatenated(*parts: exp.Expr, between: str) -> exp.Expr:
    """The texts one after the other, with a text between two."""
    found = parts[0]
    for each in parts[1:]:
        found = exp.DPipe(this=found, expression=exp.Literal.string(between), safe=True)
        found = exp.DPipe(this=found, expression=each, safe=True)
    return found


def without_missing(value: exp.Expr, text: exp.Expr, markers: Sequence[str]) -> exp.Expr:
    """The value, NULL where a text is one of the markers."""
    if len(markers) == 1 and value == text:
        return exp.Nullif(this=value.copy(), expression=exp.Literal.string(markers[0]))
    among = exp.In(this=text.copy(), expressions=[exp.Literal.string(each) for each in markers])
    return exp.Case(ifs=[exp.If(this=among, true=exp.Null())], default=value.copy())
