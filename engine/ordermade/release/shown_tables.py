"""Shown tables as files: their form, what fits into a file of it, and the files written.

A function that writes gets the path of an existing empty file, as a format of released files does, and gives the same
bytes for the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ordermade.errors import InputError
from ordermade.release.files import cannot_write, ending_of
from ordermade.release.rows import escaped, unescaped
from ordermade.release.shown_lines import csv_lines_of, write_csv, write_parquet
from ordermade.release.shown_page import page_of
from ordermade.release.shown_sheets import require_sheets_fit, write_lines_sheet, write_sheets
from ordermade.release.workbooks import require_installed
from ordermade.requests.table import TableRequest
from ordermade.requests.table_options import Layout
from ordermade.tables.layouts import Lines, crossed, long_rows
from ordermade.tables.published import MAX_VALUE
from ordermade.tables.shown import ShownTable
from ordermade.tables.shown_intervals import Known, intervals_rows
from ordermade.tables.shown_words import ENGLISH, Words, words_in

LAYOUTS: dict[str, tuple[Layout, ...]] = {
    ".csv": ("long", "crossed"),
    ".csv.gz": ("long", "crossed"),
    ".parquet": ("long",),
    ".xlsx": ("long", "crossed"),
    ".html": ("crossed",),
}
"""The layouts that a file of each ending can have, the usual one first."""
LONGEST_LABEL = 100_000
"""The most characters of a label; readers of CSV files refuse longer ones."""
MAX_PLACES = 15
"""The most decimal places of a figure."""
_CSV = (".csv", ".csv.gz")


@dataclass(frozen=True, slots=True)
class ShownForm:
    """The form of a file of shown tables: its ending, the language of its heads, its layout.

    Of CSV files, `has_mark`: with a byte order mark; `escapes_formulas`: with an apostrophe before labels that a
    spreadsheet would run as formulas.
    """

    ending: str
    words: Words = ENGLISH
    layout: Layout = "long"
    has_mark: bool = False
    escapes_formulas: bool = False

    @property
    def text_in(self) -> Callable[[str], str]:
        """Gives a label as the file has it."""
        return escaped if self.escapes_formulas and self.ending in _CSV else str

    @property
    def text_from(self) -> Callable[[str], str]:
        """Gives a label by what the file has: the inverse."""
        return unescaped if self.escapes_formulas and self.ending in _CSV else str


def form_of(request: TableRequest, path: Path) -> ShownForm:
    """The form of the file that a request for tables is released to."""
    return ShownForm(
        ending_of(path),
        words_in(request.language),
        "crossed" if request.is_crossed else "long",
        request.release.has_mark,
        request.release.escapes_formulas,
    )


def require_shown(tables: Sequence[ShownTable], form: ShownForm, where: str) -> None:
    """Raises InputError where a file of this form cannot show the tables, ReleaseFault where a package is missing."""
    if form.layout not in LAYOUTS.get(form.ending, ()):
        allowed = [f"{ending} {layout}" for ending, layouts in LAYOUTS.items() for layout in layouts]
        raise InputError(
            f"a {form.ending} file has no {form.layout} tables", where=where, next_step=f"Take {', '.join(allowed)}."
        )
    texts = [text for table in tables for axis in table.axes for text in (axis.name, *axis.labels)]
    if any(len(each) > LONGEST_LABEL for each in texts):
        raise InputError(
            f"a label has more than {LONGEST_LABEL:,} characters",
            where=where,
            next_step="Give a hierarchy with shorter labels.",
        )
    measures = [each for table in tables for each in table.measures]
    if any(each.decimals > MAX_PLACES or each.largest > MAX_VALUE for each in measures):
        raise InputError(
            f"a figure is beyond {MAX_VALUE:,}, or has more than {MAX_PLACES} decimal places",
            where=where,
            next_step="Give sums in thousands or millions, and round means and shares.",
        )
    if not tables or len({each.name for each in tables}) < len(tables):
        raise InputError(
            "there is no table, or two have one name", where=where, next_step="Give each table a name of its own."
        )
    if form.ending in _CSV and form.layout == "crossed" and len(tables) > 1:
        raise InputError(
            f"a CSV file has one cross-tabulated table, and there are {len(tables):,}",
            where=where,
            next_step="Take long rows, or a .xlsx or .html file.",
        )
    if form.ending == ".xlsx":
        require_installed(where)
        require_sheets_fit(tables, where, form.layout)


def write_shown(path: Path, tables: Sequence[ShownTable], form: ShownForm) -> None:
    """Writes the tables as the file `path`, which exists and is empty; `require_shown` is called first.

    Raises ReleaseFault where it cannot be written.
    """
    try:
        if form.ending == ".xlsx":
            write_sheets(path, tables, form.words, form.layout)
        elif form.ending == ".html":
            path.write_text(page_of(tables, form.words), encoding="utf-8", newline="")
        elif form.layout == "crossed":
            write_csv(path, csv_lines_of(crossed(tables[0])), form.text_in, has_mark=form.has_mark)
        else:
            _write_lines(path, long_rows(tables, form.words), form)
    except OSError as error:
        raise cannot_write(path, error) from None


def write_intervals(
    path: Path, tables: Sequence[ShownTable], known: Sequence[Known], form: ShownForm, *, for_user: int | None = None
) -> None:
    """Writes the intervals of all suppressed cells as the file `path`, which exists and is empty.

    `for_user`: rounded outwards to multiples of it. Raises ReleaseFault, InputError for an ending without rows.
    """
    if "long" not in LAYOUTS.get(form.ending, ()):
        raise InputError(
            f"a {form.ending} file has no rows of intervals", where=str(path), next_step="Take .csv, .xlsx or .parquet."
        )
    lines = intervals_rows(tables, known, form.words, for_user=for_user)
    try:
        if form.ending == ".xlsx":
            require_installed(str(path))
            write_lines_sheet(path, lines, form.words)
        else:
            _write_lines(path, lines, form)
    except OSError as error:
        raise cannot_write(path, error) from None


def _write_lines(path: Path, lines: Lines, form: ShownForm) -> None:
    if form.ending == ".parquet":
        write_parquet(path, lines)
    else:
        write_csv(path, chain([lines.heads], lines.rows), form.text_in, has_mark=form.has_mark)
