"""Cards: a record in a title, a few facts and small tables, as `repr` shows it and as a notebook does.

A card on a terminal has at most 15 lines of 100 columns, whatever the names in it. As HTML it has every fact and the
first rows of every table; each text in it is escaped, for the names of columns and tables are not ours.
"""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from rich.cells import cell_len, chop_cells, set_cell_size

from ordermade.records.cells import cell, is_number

MAX_LINES = 15
MAX_COLUMNS = 100
_INDENT = "  "
_FOLDED = 3
"""Lines that one fact may take on a terminal."""

MAX_ROWS = 30
"""Rows of each table in a notebook."""
_LONGEST = 400
"""Characters of one text in a notebook."""

Facts = Iterable[tuple[str, Any]]
"""Names with their values; what is None is left out."""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its headings, its rows, and the words above it in a notebook."""

    headings: tuple[str, ...]
    rows: Sequence[Sequence[Any]]
    title: str = ""


@dataclass(frozen=True, slots=True)
class Card:
    """The title, the facts and the tables of a record. A terminal shows the first table alone."""

    title: str
    facts: tuple[tuple[str, Any], ...] = ()
    grids: tuple[Grid, ...] = ()

    @classmethod
    def of(cls, title: str, facts: Facts = (), *grids: Grid) -> Card:
        """The card, without facts that are None and tables without rows."""
        told = tuple((name, value) for name, value in facts if value is not None and value != "")
        return cls(title, told, tuple(each for each in grids if each.rows))


class HasSummary:
    """A record that is shown as its card: a dataclass with `repr=False`, which may make a card of its own."""

    __slots__ = ()

    def _card(self) -> Card:
        """The card of the record: its fields, records within it and long lists by their number alone."""
        shown = (each.name for each in fields(cast("Any", self)) if each.repr)
        facts = ((name.replace("_", " "), _in_short(getattr(self, name))) for name in shown)
        return Card.of(type(self).__name__, facts)

    def __repr__(self) -> str:
        return as_text(self._card())

    def _repr_html_(self) -> str:
        """The card as a notebook shows it."""
        return as_html(self._card())


_LISTED = 8
"""Texts and numbers of a field that are listed; of more, only their number is shown."""


def _in_short(value: Any) -> Any:
    match value:
        case None | "" | () | []:
            return None
        case bool() | int() | float() | str() | datetime() | Path():
            return value
        case tuple() | list() if _is_short(value):
            return value
        case Sized():
            return f"{len(value):,}"
        case _:
            return getattr(value, "name", None) or type(value).__name__


def _is_short(listed: Sequence[Any]) -> bool:
    return len(listed) <= _LISTED and all(isinstance(each, str | int | float) for each in listed)


def as_text(card: Card, *, every_row: bool = False) -> str:
    """The card in at most 15 lines of 100 columns, in as many as it takes with `every_row` of its first table."""
    lines = [_clipped(_one_line(card.title), MAX_COLUMNS), *_fact_lines(card.facts)]
    if every_row:
        lines = lines if len(lines) <= MAX_LINES else [*lines[: MAX_LINES - 1], f"{_INDENT}…"]
        return "\n".join([*lines, *(line for grid in card.grids[:1] for line in _grid_lines(grid, len(grid.rows) + 1))])
    if len(lines) > MAX_LINES:
        return "\n".join([*lines[: MAX_LINES - 1], f"{_INDENT}…"])
    # A table of fewer than a heading, two rows and the count of the others says nothing.
    if card.grids and (room := MAX_LINES - len(lines)) >= 4:
        lines += _grid_lines(card.grids[0], room)
    return "\n".join(lines)


def as_html(card: Card, *, every_row: bool = False) -> str:
    """The card as HTML, every text escaped; mathematics in a name is not set. `every_row`: of its first table."""
    parts = [f"<p><b>{_escaped(card.title)}</b></p>"]
    if card.facts:
        names = (f'<th style="text-align:left">{_escaped(name)}</th>' for name, _ in card.facts)
        told = (f"<tr>{name}{_data(value)}</tr>" for name, (_, value) in zip(names, card.facts, strict=True))
        parts.append(f"<table>{''.join(told)}</table>")
    for place, grid in enumerate(card.grids):
        most = len(grid.rows) if every_row and not place else MAX_ROWS
        if grid.title:
            parts.append(f"<p>{_escaped(grid.title)}</p>")
        headings = "".join(f"<th>{_escaped(each)}</th>" for each in grid.headings)
        rows = (f"<tr>{''.join(map(_data, row))}</tr>" for row in grid.rows[:most])
        parts.append(f"<table><thead><tr>{headings}</tr></thead><tbody>{''.join(rows)}</tbody></table>")
        if len(grid.rows) > most:
            parts.append(f"<p>and {len(grid.rows) - most:,} more</p>")
    return f'<div class="ordermade tex2jax_ignore mathjax_ignore">{"".join(parts)}</div>'


def _data(value: Any) -> str:
    side = "right" if is_number(value) else "left"
    return f'<td style="text-align:{side}">{_escaped(value)}</td>'


def _escaped(value: Any) -> str:
    text = cell(value)
    return html.escape(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…", quote=True)


def _fact_lines(facts: Sequence[tuple[str, Any]]) -> Iterator[str]:
    named = [(_clipped(_one_line(name), 32), _one_line(cell(value))) for name, value in facts]
    across = max((_width(name) for name, _ in named), default=0)
    for name, value in named:
        room = MAX_COLUMNS - len(_INDENT) - across - 2
        first, *others = _fold(value, room)
        yield f"{_INDENT}{_padded(name, across)}  {first}".rstrip()
        for each in others:
            yield f"{_INDENT}{' ' * across}  {each}"


def _fold(text: str, room: int) -> list[str]:
    """The text in lines of so many columns, at most three of them."""
    if _width(text) <= room:
        return [text]
    lines = textwrap.wrap(text, room, break_on_hyphens=False) if text.isascii() else chop_cells(text, room)
    if len(lines) > _FOLDED:
        lines = [*lines[: _FOLDED - 1], _clipped(lines[_FOLDED - 1] + " …", room, always=True)]
    return [each.strip() for each in lines] or [""]


def _grid_lines(grid: Grid, room: int) -> Iterator[str]:
    """The headings and the first rows; the last line counts the rest."""
    shown = grid.rows if len(grid.rows) <= room - 1 else grid.rows[: room - 2]
    lines = [[_one_line(cell(each)) for each in row] for row in (grid.headings, *shown)]
    widths = _narrowed([max(_width(line[place]) for line in lines) for place in range(len(grid.headings))])
    right = [all(is_number(row[place]) or row[place] is None for row in shown) for place in range(len(grid.headings))]
    for line in lines:
        cells = (
            _padded(_clipped(text, wide), wide, right=to_the_right)
            for text, wide, to_the_right in zip(line, widths, right, strict=True)
        )
        yield f"{_INDENT}{'  '.join(cells)}".rstrip()
    if len(shown) < len(grid.rows):
        yield f"{_INDENT}and {len(grid.rows) - len(shown):,} more"


def _narrowed(widths: Sequence[int]) -> list[int]:
    """Widths that fit beside each other: the widest give way."""
    found = [min(each, MAX_COLUMNS) for each in widths]
    while sum(found) + 2 * len(found) > MAX_COLUMNS and max(found) > 1:
        found[found.index(max(found))] -= 1
    return found


def _one_line(text: str) -> str:
    return cell(text).replace("\n", "\\n")


def _width(text: str) -> int:
    return len(text) if text.isascii() else cell_len(text)


def _padded(text: str, width: int, *, right: bool = False) -> str:
    spaces = " " * (width - _width(text))
    return spaces + text if right else text + spaces


def _clipped(text: str, width: int, *, always: bool = False) -> str:
    """The text in so many columns, an ellipsis at its end where it is longer (or `always`)."""
    if _width(text) <= width and not always:
        return text
    return f"{set_cell_size(text, min(_width(text), width) - 1).rstrip()}…" if width > 1 else "…"
