"""Detection of a header: names of columns or a row of data in the first line of a CSV file, by the lines below it.

It looks like data where one of its texts is an e-mail address or a truth value; is a figure (a number, a date, a
telephone number) over figures; has the digits and signs of half the values below it; or occurs again in its own column.
It holds names where a name stands over figures. In between nothing shows it: its texts are then not listed either.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum

from sqlglot import exp

from ordermade import sql
from ordermade.sources.door import Door, Purpose

_FIGURE = re.compile(r"[\W\d_]*[0-9][\W\d_]*(?:[Tt][\W\d_]*)?[Zz]?")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_TRUTHS = frozenset({"true", "false"})


class FirstLine(Enum):
    """The content of the first line of a CSV file, as far as the lines below it show."""

    NAMES = "names"
    DATA = "data"
    UNCLEAR = "unclear"


def first_line(door: Door, text: exp.Table, columns: Sequence[str]) -> FirstLine:
    """Classify the texts `columns` of the first line, from the table `text` of the lines below it."""
    tree = sql.select("csv_first_line")
    figures = tree.expressions
    parameters: dict[str, str] = {}
    expressions: list[exp.Expr] = []
    for at, name in enumerate(columns):
        parameters |= {f"text{at}": name, f"shape{at}": _shape(name)}
        expressions += [_of_column(each, name, at) for each in figures]
    tree.set("expressions", expressions)
    counted = door.rows(Purpose.CATALOG, sql.with_relations(tree, {"dataset": text}), parameters)[0]
    width = len(figures)
    shown = [_shown(name, *counted[at * width : (at + 1) * width]) for at, name in enumerate(columns)]
    if FirstLine.DATA in shown:
        return FirstLine.DATA
    return FirstLine.NAMES if FirstLine.NAMES in shown else FirstLine.UNCLEAR


def _of_column(figure: exp.Expr, name: str, at: int) -> exp.Expr:
    """One figure of one column, with parameters of its own."""
    own = sql.with_columns(figure.copy(), {"dataset.qi": name}).unalias()
    for node in list(own.find_all(exp.Parameter, exp.Placeholder)):
        numbered = f"{node.name}{at}"
        node.set("this", exp.var(numbered) if isinstance(node, exp.Parameter) else numbered)
    return own


def _shape(text: str) -> str:
    """The text with each run of digits as one, as the template has it of values."""
    return re.sub(r"[0-9]+", "9", text)


def _shown(text: str, below: int, same: int, alike: int, figures: int) -> FirstLine:
    """Classify one text of the first line by the counts of its column."""
    is_figure = _FIGURE.fullmatch(text) is not None
    over_figures = 2 * figures >= below
    has_digits = any(each.isdigit() for each in text)
    if same or _ADDRESS.fullmatch(text.strip()) or text.strip().casefold() in _TRUTHS:
        return FirstLine.DATA
    if (is_figure and over_figures) or (has_digits and below and 2 * alike >= below):
        return FirstLine.DATA
    named = below and figures == below and not is_figure
    return FirstLine.NAMES if named else FirstLine.UNCLEAR
