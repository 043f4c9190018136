"""Cells of a CSV release that a spreadsheet would run as formulas: counted, and escaped where the request says so.

A text is escaped by an apostrophe before it. So is a text that begins with apostrophes and then like a formula:
otherwise `=1` and `'=1` would be one text, and two classes one. Numbers (`-5`, `+1e3`) are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.release.plan import spread
from ordermade.sources.door import Door, Purpose

_FORMULA = re.compile(r"[=+\-@\t\r]")
_TAKEN_FOR_ONE = re.compile(r"'*[=+\-@\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def escaped(name: str) -> str:
    """The name of a column as `formulas: escape` writes it."""
    return f"'{name}" if _TAKEN_FOR_ONE.match(name) and not _NUMBER.fullmatch(name) else name


def unescaped(name: str) -> str:
    """The name of a column that `formulas: escape` has written: the inverse of `escaped`."""
    return name[1:] if _ESCAPED.match(name) else name


def escaped_statement(written: exp.Query, columns: Sequence[str]) -> exp.Select:
    """The statement that gives the release as `formulas: escape` writes it; `columns` are all those of `written`."""
    tree = sql.select("released_escaped")
    (cell,) = tree.expressions
    cells = [sql.with_columns(cell.unalias().copy(), {"released.value": column}) for column in columns]
    tree.set("expressions", [sql.named(each, escaped(column)) for each, column in zip(cells, columns, strict=True)])
    return sql.with_relations(tree, {"released": written})


def unescaped_statement(read: exp.Query, columns: Sequence[str]) -> exp.Select:
    """The statement that gives a release as it was before it was escaped; `columns` are all those of `read`."""
    tree = spread(sql.select("released_unescaped"), "released.value", columns)
    return sql.with_relations(tree, {"released": read})


def formulas(door: Door, written: exp.Query, columns: Sequence[str]) -> int:
    """Count the cells of a release, names of columns included, that a spreadsheet would run as formulas."""
    tree = spread(sql.select("released_formulas"), "released.value", columns)
    (counts,) = door.rows(Purpose.STORE, sql.with_relations(tree, {"released": written}))
    cells = sum(int(each) for each in counts)
    return cells + sum(bool(_FORMULA.match(each)) and not _NUMBER.fullmatch(each) for each in columns)


def warning(cells: int, least: int) -> str:
    """The warning of so many formulas; a count below `least` is not given."""
    many = f"{cells:,}" if cells >= least else "some"
    return (
        f"{many} texts of the release begin with =, +, -, @, a tab or a carriage return: a spreadsheet that opens the "
        "file runs them as formulas. `release: {csv: {formulas: escape}}` writes an apostrophe before them."
    )
