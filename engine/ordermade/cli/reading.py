"""The options that say how the texts of a table are to be read: missing values, dates, decimals, bounds."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.options import listed_names
from ordermade.drafts.reading_options import ReadingOptions, reading_options
from ordermade.errors import InputError

Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="TEXTS",
        help="Texts or numbers that mean a missing value: -9,unknown; of one column: age=-9,99. May be repeated.",
    ),
]
DateFormats = Annotated[
    list[str] | None,
    typer.Option(
        "--date-format",
        metavar="ORDER",
        help="dmy or mdy, where the texts do not show the order of day and month; dmy:1925 where years of two digits "
        "are of 1925 to 2024; of one column: birth=dmy. May be repeated.",
    ),
]
Decimals = Annotated[
    list[str] | None,
    typer.Option(
        "--decimal",
        metavar="SIGN",
        help="comma or point, where the texts do not show what is before decimals; of one column: price=comma.",
    ),
]
AtBounds = Annotated[
    list[str] | None,
    typer.Option(
        "--at-bounds", metavar="COLUMNS", help="Columns in which <0.1 and >100 are taken for 0.1 and 100: a,b."
    ),
]
Texts = list[str] | None


def reading_said(missing: Texts, dates: Texts, decimals: Texts, at_bounds: Texts) -> ReadingOptions:
    """The options of these texts. Raises InputError for one that is none of what it may be."""
    markers = [column_and_text("--missing", each) for each in missing or ()]
    return reading_options(
        [(column, listed_names("--missing", [text])) for column, text in markers],
        [column_and_text("--date-format", each) for each in dates or ()],
        [column_and_text("--decimal", each) for each in decimals or ()],
        listed_names("--at-bounds", at_bounds or ()),
    )


def column_and_text(option: str, written: str) -> tuple[str | None, str]:
    """The column and the text of `COLUMN=TEXT`, a column with odd signs in double quotes; None for a text alone.

    Raises InputError for a column or a text that is empty.
    """
    is_quoted = written.startswith('"')
    column, equals, text = written.partition('"=') if is_quoted else written.partition("=")
    if not equals:
        return None, written
    if not column.strip('"') or not text:
        raise InputError(
            "a column or what is said of it is empty", where=option, next_step=f"Write {option} COLUMN=TEXT."
        )
    return (listed_names(option, [f'{column}"'])[0] if is_quoted else column), text
