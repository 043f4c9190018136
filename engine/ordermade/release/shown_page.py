"""Shown tables as one page of HTML, cross-tabulated: it loads nothing, runs nothing, and works on paper.

Every label is escaped, and in characters that have a picture (`as_on_page`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from markupsafe import Markup

from ordermade.files.templates import templates_of
from ordermade.records.inert import inert, width
from ordermade.tables.codes import folded
from ordermade.tables.layouts import CrossedRow, CrossedTable, crossed
from ordermade.tables.shown import Figure, Mark, ShownTable, TableMeasure, distinct
from ordermade.tables.shown_words import NO_FIGURE, Words
from ordermade.version import VERSION

_DEEPEST = 12
_SHORT = 20
"""Letters of a label that is not broken."""
_PORTRAIT, _LANDSCAPE = 8, 18
"""The columns that fit on paper, upright and across; more of them are printed smaller."""


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
    paper: str
    heads: list[list[_Cell]]
    groups: list[list[_Row]]
    notes: list[str]


def page_of(tables: Sequence[ShownTable], words: Words) -> str:
    """The tables as one HTML document."""
    shown = _on_page(tables, words)
    environment = templates_of("ordermade.release")
    style = environment.loader.get_source(environment, "shown_tables.css")[0]  # type: ignore[union-attr]
    return environment.get_template("shown_tables.html.j2").render(
        words=words,
        version=VERSION,
        style=Markup(style),
        title=words.several.join(each.title for each in shown),
        tables=shown,
    )


def sections_of(tables: Sequence[ShownTable], words: Words) -> Markup:
    """The tables as the sections of such a page alone, for another page that has them within."""
    shown = _on_page(tables, words)
    return Markup(templates_of("ordermade.release").get_template("shown_sections.html.j2").render(tables=shown))


def _on_page(tables: Sequence[ShownTable], words: Words) -> list[_Table]:
    return [_table(crossed(as_on_page(each)), words) for each in tables]


def _table(shown: CrossedTable, words: Words) -> _Table:
    groups: list[list[_Row]] = []
    found: set[Mark] = set()
    for row in shown.rows():
        if not groups or (len(shown.corner) > 1 and row.labels[0] is not None):
            groups.append([])
        groups[-1].append(_row(shown, row))
        found |= {each for each in row.figures if isinstance(each, Mark)}
    columns = len(shown.corner) + len(shown.measures)
    return _Table(
        title=shown.title(words),
        style="one" if len(shown.corner) == 1 else "several",
        paper="upright" if columns <= _PORTRAIT else "across" if columns <= _LANDSCAPE else "across small",
        heads=list(_heads(shown, words)),
        groups=groups,
        notes=[text.format(mark=mark) for mark, text in shown.marks_said(found, words)],
    )


def _heads(shown: CrossedTable, words: Words) -> Iterator[list[_Cell]]:
    corner = [_head(name, "col", rows=shown.head_rows) for name in shown.corner]
    if shown.table.columns:
        names = words.several.join(each.name for each in shown.table.columns)
        yield [*corner, _head(names, "colgroup", columns=len(shown.measures), style="axis")]
        corner = []
    for at, heads in enumerate(shown.heads):
        scope, style = ("col", "figure") if at == len(shown.heads) - 1 else ("colgroup", "over")
        yield [*corner, *(_head(each.text, scope, columns=each.span, style=style) for each in heads)]
        corner = []


def _row(shown: CrossedTable, row: CrossedRow) -> _Row:
    last = len(row.labels) - 1
    labels = [
        _head(
            head.text,
            "row" if at == last else "rowgroup",
            rows=head.span,
            style="total" if head.is_total else "",
            depth=head.depth,
        )
        for at, head in enumerate(row.labels)
        if head is not None
    ]
    mark = shown.table.mark
    return _Row(labels, [_figure(*each, mark) for each in zip(row.figures, shown.measures, strict=True)])


def _figure(figure: Figure, measure: TableMeasure, mark: str) -> _Cell:
    if isinstance(figure, Mark):
        return _Cell(mark if figure is Mark.SUPPRESSED else NO_FIGURE, Markup(' class="mark"'))
    return _Cell(f"{Decimal(figure):,.{measure.decimals}f}", Markup())


def _head(text: str, scope: str, *, rows: int = 1, columns: int = 1, style: str = "", depth: int = 0) -> _Cell:
    """A head with its attributes, those left out that say nothing."""
    styles = f"{style} long".strip() if width(text) > _SHORT else style
    indent = 0.55 + 1.1 * min(depth, _DEEPEST)
    said = {
        "scope": scope,
        "rowspan": rows if rows > 1 else "",
        "colspan": columns if columns > 1 else "",
        "class": styles,
        "style": f"padding-left:{indent:.2f}em" if depth else "",
    }
    written = (Markup(' {}="{}"').format(name, value) for name, value in said.items() if value)
    return _Cell(text, Markup("").join(written))
