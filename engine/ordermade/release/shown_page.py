"""Shown tables as one page of HTML, cross-tabulated: it loads nothing, runs nothing, and works on paper.

Every label is escaped, and in characters that have a picture (`as_on_page`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from ordermade.records.inert import inert
from ordermade.release.shown_sheets import head_rows, marks_said
from ordermade.tables.codes import folded
from ordermade.tables.layouts import CrossedRow, CrossedTable, Head, crossed
from ordermade.tables.shown import Figure, Mark, Measure, ShownTable, distinct
from ordermade.tables.shown_words import NO_FIGURE, Words
from ordermade.version import VERSION

_DEEPEST = 12


@cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("ordermade.release", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def as_on_page(table: ShownTable) -> ShownTable:
    """The table with its names and labels in characters that have a picture, each still there once."""
    axes = [replace(each, labels=distinct([*map(inert, each.labels)])) for each in table.axes]
    names = distinct([inert(each.name) for each in axes], key=folded)
    named = tuple(replace(axis, name=name) for axis, name in zip(axes, names, strict=True))
    heads = distinct([inert(each.name) for each in table.measures], key=folded)
    return replace(
        table,
        name=inert(table.name),
        rows=named[: len(table.rows)],
        columns=named[len(table.rows) :],
        measures=tuple(replace(each, name=head) for each, head in zip(table.measures, heads, strict=True)),
        mark=inert(table.mark),
    )


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell of the page: its text, and its attributes as they are written."""

    text: str
    attributes: Markup


@dataclass(frozen=True, slots=True)
class _Row:
    labels: list[_Cell]
    cells: list[_Cell]


@dataclass(frozen=True, slots=True)
class _Table:
    """A table of the page; `groups`: its rows, those of one label of the outermost axis together."""

    title: str
    style: str
    heads: list[list[_Cell]]
    groups: list[list[_Row]]
    notes: list[str]


def page_of(tables: Sequence[ShownTable], words: Words) -> str:
    """The tables as one HTML document."""
    shown = [_table(crossed(as_on_page(each)), words) for each in tables]
    environment = _environment()
    style = environment.loader.get_source(environment, "shown_tables.css")[0]  # type: ignore[union-attr]
    return environment.get_template("shown_tables.html.j2").render(
        words=words,
        version=VERSION,
        style=Markup(style),
        title=words.several.join(each.title for each in shown),
        tables=shown,
    )


def _table(shown: CrossedTable, words: Words) -> _Table:
    groups: list[list[_Row]] = []
    found: set[Mark] = set()
    for row in shown.rows():
        if not groups or (len(shown.corner) > 1 and row.labels[0] is not None):
            groups.append([])
        groups[-1].append(_row(shown, row))
        found |= {each for each in row.figures if isinstance(each, Mark)}
    return _Table(
        title=shown.title(words),
        style="one" if len(shown.corner) == 1 else "several",
        heads=list(_heads(shown, words)),
        groups=groups,
        notes=[text.format(mark=mark) for mark, text in marks_said(shown.table, found, words)],
    )


def _heads(shown: CrossedTable, words: Words) -> Iterator[list[_Cell]]:
    height = head_rows(shown)
    corner = [_Cell(name, _attributes("col", rows=height)) for name in shown.corner]
    if shown.table.columns:
        names = words.several.join(each.name for each in shown.table.columns)
        yield [*corner, _Cell(names, _attributes("colgroup", columns=len(shown.measures), style="axis"))]
        corner = []
    for at, heads in enumerate(shown.heads):
        is_last = at == len(shown.heads) - 1
        scope, style = ("col", "figure") if is_last else ("colgroup", "over")
        yield [*corner, *(_Cell(each.text, _attributes(scope, columns=each.span, style=style)) for each in heads)]
        corner = []


def _row(shown: CrossedTable, row: CrossedRow) -> _Row:
    last = len(row.labels) - 1
    labels = [
        _Cell(head.text, _label_attributes(head, "row" if at == last else "rowgroup"))
        for at, head in enumerate(row.labels)
        if head is not None
    ]
    mark = shown.table.mark
    return _Row(labels, [_figure(*each, mark) for each in zip(row.figures, shown.measures, strict=True)])


def _figure(figure: Figure, measure: Measure, mark: str) -> _Cell:
    if isinstance(figure, Mark):
        return _Cell(mark if figure is Mark.SUPPRESSED else NO_FIGURE, Markup(' class="mark"'))
    return _Cell(f"{Decimal(figure):,.{measure.decimals}f}", Markup())


def _label_attributes(head: Head, scope: str) -> Markup:
    found = _attributes(scope, rows=head.span, style="" if head.depth else "total")
    if not head.depth:
        return found
    return found + Markup(' style="padding-left:{:.1f}em"').format(0.7 + 1.2 * min(head.depth, _DEEPEST))


def _attributes(scope: str, *, rows: int = 1, columns: int = 1, style: str = "") -> Markup:
    """The attributes of a head, with those of them that say nothing left out."""
    found = Markup(' scope="{}"').format(scope)
    if rows > 1:
        found += Markup(' rowspan="{}"').format(rows)
    if columns > 1:
        found += Markup(' colspan="{}"').format(columns)
    return found + (Markup(' class="{}"').format(style) if style else Markup())
