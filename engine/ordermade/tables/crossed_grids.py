"""Cross-tabulated tables as offices publish them: a title, merged heads over the figures, labels beside them, notes.

From the top: rows of one text alone are titles. Heads begin with the first other row, and go down as far as the corner
is merged or blank. A first row of heads that is one text names the dimensions of the rows below it. Labels are the
leading columns with texts; a blank one goes on above it, and a blank head goes on from its left. Notes come after a
blank row. Whatever else there is, is refused, by its address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ordermade.errors import InputError
from ordermade.tables.codes import folded

Area = tuple[int, int, int, int]
"""The first row, first column, last row and last column of merged cells, from 0."""
Heads = tuple[str, ...]

_SEVERAL = re.compile(r"[,、，・×]")
"""What parts the names of dimensions in one head."""


@dataclass(frozen=True, slots=True)
class SheetTexts:
    """The cells of a sheet, or the fields of a file, as texts: all rows as wide, the blank ones, too.

    `numbers`: the number of each row in its file. `merged`: areas of merged cells; the first cell has their text.
    `labels`: whether each cell holds a text, as cells of a workbook say; None where nothing says it. `address`: gives
    the address of a cell for a message by the number of its row and its column, from 1.
    """

    where: str
    numbers: tuple[int, ...]
    rows: tuple[tuple[str, ...], ...]
    address: Callable[[int, int], str]
    merged: tuple[Area, ...] = ()
    labels: tuple[tuple[bool, ...], ...] | None = None

    @property
    def has_title(self) -> bool:
        """Whether the first row is one text, and others are wider."""
        first = next((row for row in self.rows if any(row)), ())
        return sum(map(bool, first)) == 1 and any(sum(map(bool, row)) > 1 for row in self.rows)


@dataclass(frozen=True, slots=True)
class CrossedGrid:
    """A cross-tabulated table that was understood.

    `down`, `across`: the names of its dimensions; `labels`: of each row, `heads`: of each column of figures, `figures`:
    of each row. `measures`: what each column of figures is, None where there is one for all.
    """

    down: tuple[str, ...]
    across: tuple[str, ...]
    labels: tuple[Heads, ...]
    heads: tuple[Heads, ...]
    figures: tuple[tuple[str, ...], ...]
    measures: tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class GridNames:
    """What is known of a cross-tabulated table beside its cells.

    `columns`: the names of dimensions, of which those at its left are the columns of labels. `across`: the dimensions
    of the heads, the outermost first; none: as the heads say. `is_figure`: whether a text is a figure or a mark.
    """

    columns: tuple[str, ...]
    across: tuple[str, ...]
    is_figure: Callable[[str], bool]


def crossed_grid(texts: SheetTexts, names: GridNames) -> CrossedGrid:
    """The table in a sheet. Raises InputError with the address of what was not understood."""
    sheet = _Sheet(_trimmed(texts), names)
    first = sheet.first_head()
    head_rows = sheet.head_rows(first)
    body = range(first + head_rows, len(sheet.rows))
    rows = list(range(first, body.start))
    if not any(any(sheet.figure(row, at) for at in range(1, sheet.width)) for row in body):
        raise sheet.refused("no row has a label and figures beside it", _LAYOUT)
    labels = sheet.label_columns(rows, body)
    down = sheet.corner(rows, labels)
    figures = [at for at in range(labels, sheet.width) if any(sheet.rows[row][at] for row in (rows[-1], *body))]
    kept = list(sheet.body_rows(body, figures))
    across, measures, head_lines = sheet.dimensions_across(rows, figures)
    heads = [sheet.heads(row, figures, is_last=row == rows[-1]) for row in head_lines]
    return CrossedGrid(
        down,
        across,
        tuple(sheet.labels_of(kept, labels)),
        tuple(zip(*heads[: len(across)], strict=True)) if across else ((),) * len(figures),
        tuple(tuple(sheet.rows[row][at] for at in figures) for row in kept),
        tuple(heads[-1]) if measures else None,
    )


_LAYOUT = (
    "A cross-tabulated table has heads above its figures and labels at their left. Leave out other rows with "
    "--skip-lines, or write a row a cell."
)


def _trimmed(texts: SheetTexts) -> SheetTexts:
    """The sheet without blank columns at its left and right, and with merged cells filled, each by its text."""
    used = [at for row in texts.rows for at, text in enumerate(row) if text]
    if not used:
        raise InputError("there is no cell in it", where=texts.where, next_step="Name another sheet with --table.")
    left, right = min(used), max(used) + 1
    rows = [list(row) for row in texts.rows]
    is_text = None if texts.labels is None else [list(row) for row in texts.labels]
    for top, first, bottom, last in texts.merged:
        for row in range(top, min(bottom + 1, len(rows))):
            for at in range(first, min(last + 1, right)):
                rows[row][at] = texts.rows[top][first]
                if is_text is not None:
                    is_text[row][at] = is_text[top][first]
    return replace(
        texts,
        rows=tuple(tuple(row[left:right]) for row in rows),
        address=lambda row, at: texts.address(row, at + left),
        merged=tuple((top, first - left, bottom, last - left) for top, first, bottom, last in texts.merged),
        labels=None if is_text is None else tuple(tuple(row[left:right]) for row in is_text),
    )


class _Sheet:
    """The rows of a trimmed sheet, and what stands where."""

    def __init__(self, texts: SheetTexts, names: GridNames) -> None:
        self._texts, self._names = texts, names
        self.rows = texts.rows
        self.width = len(texts.rows[0])
        self._area: dict[tuple[int, int], Area] = {
            (row, at): area
            for area in texts.merged
            for row in range(area[0], area[2] + 1)
            for at in range(area[1], area[3] + 1)
        }

    def refused(self, what: str, step: str) -> InputError:
        """The error for a table that is not understood."""
        return InputError(
            f"the cross-tabulated table is not understood: {what}", where=self._texts.where, next_step=step
        )

    def _address(self, row: int, at: int) -> str:
        return self._texts.address(self._texts.numbers[row], at + 1)

    def _line(self, row: int) -> str:
        return f"row {self._texts.numbers[row]:,}"

    def figure(self, row: int, at: int) -> bool:
        """Whether a cell holds a figure or a mark."""
        text = self.rows[row][at]
        return bool(text) and self._names.is_figure(text)

    def _is_label(self, row: int, at: int) -> bool:
        """Whether a cell holds a text that is no mark: of a workbook also one of digits."""
        text, says = self.rows[row][at], self._texts.labels
        if not text:
            return False
        if says is not None and says[row][at]:
            return not self._names.is_figure(text) or text.replace(",", "").isdigit()
        return not self._names.is_figure(text)

    def _one_text(self, row: int, first: int = 0) -> Area | None:
        """The area of the one text of a row from a column on; None where there are several, or none."""
        areas = {self._area.get((row, at), (row, at, row, at)) for at in range(first, self.width) if self.rows[row][at]}
        return areas.pop() if len(areas) == 1 else None

    def first_head(self) -> int:
        """The first row below the titles, each of which is one text at the left, or in one cell."""
        for row, texts in enumerate(self.rows):
            one = self._one_text(row)
            is_title = one is not None and (one[1] == 0 or one[1] == one[3])
            if any(texts) and not is_title:
                return row
        raise self.refused("no row has more than one text", _LAYOUT)

    def head_rows(self, first: int) -> int:
        """The rows of heads: as far as the corner is merged, or blank."""
        _, _, bottom, _ = self._area.get((first, 0), (first, 0, first, 0))
        if bottom > first:
            return bottom - first + 1
        blank = first
        while blank < len(self.rows) and not self.rows[blank][0]:
            blank += 1
        if blank == len(self.rows):
            raise self.refused("its first column is blank", _LAYOUT)
        if blank == first:  # the corner has a name in the first row of heads
            blank += 1
            while blank < len(self.rows) and any(self.rows[blank]) and not self.rows[blank][0]:
                blank += 1
            return blank - first
        across = len(self._names.across)
        has_figures = any(self.figure(blank, at) for at in range(1, self.width))
        has_corner = not has_figures or (across > 0 and blank - first < across)
        return blank - first + has_corner

    def label_columns(self, rows: Sequence[int], body: range) -> int:
        """How many columns at the left hold labels."""
        last, names = rows[-1], {folded(each) for each in self._names.columns}
        corner = [self._corner_text(rows, at) for at in range(self.width)]
        named = next((at for at, text in enumerate(corner) if folded(text) not in names), self.width)
        if named:
            return min(named, self.width - 1)
        if names and not any(corner[: len(names)]):
            return min(len(names), self.width - 1)

        def blank_above(at: int) -> bool:
            return len(rows) > 1 and bool(self.rows[last][at]) and not any(self.rows[row][at] for row in rows[:-1])

        found = 1
        while found < self.width - 1:
            if not blank_above(found) and not any(self._is_label(row, found) for row in self._until_blank(body)):
                break
            found += 1
        if found == self.width - 1 and self._texts.labels is not None and not blank_above(found):
            # All of its cells hold texts, figures too: then digits are no labels.
            loose = _Sheet(replace(self._texts, labels=None), self._names)
            return loose.label_columns(rows, body)
        return found

    def _until_blank(self, body: range) -> Iterator[int]:
        """The rows with figures, and those between them: not the notes."""
        last = max(row for row in body if any(self.figure(row, at) for at in range(1, self.width)))
        yield from range(body.start, last + 1)

    def _corner_text(self, rows: Sequence[int], at: int) -> str:
        """The text above a column of labels, if it has one alone."""
        found = {self.rows[row][at] for row in rows} - {""}
        return found.pop() if len(found) == 1 else ""

    def corner(self, rows: Sequence[int], labels: int) -> tuple[str, ...]:
        """The names of the dimensions at the left. Raises InputError where there are none."""
        names = tuple(self._corner_text(rows, at) for at in range(labels))
        if all(names) and len({folded(each) for each in names}) == labels:
            return names
        if len(self._names.columns) >= labels and not self._are_in(self._names.columns, names):
            return self._names.columns[:labels]
        raise self.refused(
            f"{labels} columns of labels have no heads of their own" if labels > 1 else "the labels have no head",
            "Name them with --columns, from the left.",
        )

    @staticmethod
    def _are_in(columns: Sequence[str], names: Sequence[str]) -> bool:
        found = {folded(each) for each in names} - {""}
        return len(found) == len(names) and any(folded(each) in found for each in columns)

    def body_rows(self, body: range, figures: Sequence[int]) -> Iterator[int]:
        """The rows of figures: notes after a blank row are left out. Raises InputError for others without figures."""
        rows = [row for row in body if any(self.rows[row])]
        filled = [row for row in rows if any(self.rows[row][at] for at in figures) and self._has_own(row, figures)]
        for row in rows:
            if row in set(filled):
                yield row
            elif row < filled[-1]:
                raise self.refused(
                    f"{self._line(row)} stands between figures and has none",
                    f"If it is a heading, leave it out with --skip-lines {self._texts.numbers[row]}; "
                    "if its cells are suppressed, write a mark into each.",
                )
            elif all(any(self.rows[between]) for between in range(filled[-1] + 1, row)):
                raise self.refused(
                    f"{self._line(row)}, directly below the figures, has none",
                    f"If it is a note, leave it out with --skip-lines {self._texts.numbers[row]}; "
                    "if its cells are suppressed, write a mark into each.",
                )
            else:
                return

    def _has_own(self, row: int, figures: Sequence[int]) -> bool:
        """Whether cells of figures are not filled from a label at their left."""
        return any(
            self.rows[row][at] and self._area.get((row, at), (0, figures[0], 0, 0))[1] >= figures[0] for at in figures
        )

    def labels_of(self, rows: Sequence[int], labels: int) -> Iterator[Heads]:
        """The labels of each row; blank outer ones are those of the row above. Raises InputError."""
        above = [""] * labels
        for row in rows:
            own = list(self.rows[row][:labels])
            for at in range(labels - 1):
                if own[at]:
                    break
                own[at] = above[at]
            blank = next((at for at, text in enumerate(own) if not text), None)
            if blank is not None:
                raise self.refused(
                    f"the cell {self._address(row, blank)} has no label, and figures at its right",
                    "Write the label into it; that of a total is Total or 計.",
                )
            above = own
            yield tuple(own)

    def heads(self, row: int, figures: Sequence[int], *, is_last: bool) -> list[str]:
        """The heads of a row, one a column; a blank one is that at its left, but in the last row. Raises InputError."""
        found: list[str] = []
        for at in figures:
            text = self.rows[row][at] or (found[-1] if found and not is_last else "")
            if not text:
                raise self.refused(
                    f"the cell {self._address(row, at)} has no head, and figures below it",
                    "Write the head into it; that of a total is Total or 計.",
                )
            found.append(text)
        return found

    def dimensions_across(
        self, rows: Sequence[int], figures: Sequence[int]
    ) -> tuple[tuple[str, ...], bool, Sequence[int]]:
        """The dimensions of the heads, whether the last row of heads are measures, and the rows of both.

        Raises InputError where it is not known which rows of heads are dimensions, or what they are called.
        """
        across, number = self._names.across, len(rows)
        one = self._one_text(rows[0], figures[0]) is not None and number > 1
        if across:
            wanted = len(across)
            has_names = one and number > wanted
            below = rows[1:] if has_names else rows
            if len(below) not in (wanted, wanted + 1):
                raise self.refused(
                    f"{_rows(len(below))} of heads, for {_dimensions(wanted)}",
                    "Give --across a name for each row of heads, the outermost first.",
                )
            return across, len(below) > wanted, below
        if number == 1:
            return (), True, rows
        names = self._names_of(rows, figures) if one else ()
        if len(names) not in (number - 1, number - 2) or not names:
            said = f", and the head {self._address(rows[0], figures[0])} names {_dimensions(len(names))}" if one else ""
            raise self.refused(
                f"{_rows(number - one)} of heads over the figures{said}",
                "Name their dimensions with --across, the outermost first, for example --across sex,age.",
            )
        return names, len(names) == number - 2, rows[1:]

    def _names_of(self, rows: Sequence[int], figures: Sequence[int]) -> tuple[str, ...]:
        """The names in the head over all figures: parted where there are so many rows below."""
        text = self.rows[rows[0]][figures[0]].strip()
        if len(rows) == 2:
            return (text,)
        parts = tuple(each.strip() for each in _SEVERAL.split(text) if each.strip())
        return parts or (text,)


def _rows(number: int) -> str:
    return "there is 1 row" if number == 1 else f"there are {number} rows"


def _dimensions(number: int) -> str:
    return "1 dimension" if number == 1 else f"{number} dimensions"
