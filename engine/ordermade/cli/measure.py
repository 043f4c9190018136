"""`ordermade measure`: the anonymity of a table as it is. Nothing is registered, and a path needs no state."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.arguments import PersonsColumn, TablePlace
from ordermade.cli.options import (
    AsJson,
    Encoding,
    Header,
    RowFilter,
    Skip,
    SkipLines,
    TableName,
    example,
    lines_named,
    listed_names,
    settings_of,
)
from ordermade.counting import table_figures as words
from ordermade.documents.measurement import measured
from ordermade.errors import InputError
from ordermade.plots.plot_files import new_plot
from ordermade.views.screen import notify, print_document, print_facts, print_table, say

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(
    short_help="Measure how anonymous any table is.",
    epilog=example(
        "ordermade measure members.csv --quasi-identifiers sex,age,city",
        "ordermade measure members.parquet --quasi-identifiers sex --sensitive plan",
        "ordermade measure shop.members --quasi-identifiers sex,age --plot k.png",
    ),
)
def measure(
    context: typer.Context,
    named: TablePlace,
    quasi_identifiers: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMNS",
            help="The columns by which others could recognise a person: a,b,c. A name with a comma stands in double "
            "quotes. May be given several times.",
        ),
    ],
    sensitive: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMNS", help="The columns with values to protect: c,d. Likewise."),
    ] = None,
    entity: PersonsColumn = None,
    table: TableName = None,
    where: RowFilter = None,
    sampling_fraction: Annotated[
        str,
        typer.Option(
            metavar="SHARE", help="The share of the population in the table, such as 0.1, for the journalist's risk."
        ),
    ] = "1",
    encoding: Encoding = "auto",
    header: Header = False,
    skip: Skip = 0,
    skip_lines: SkipLines = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw the class sizes into this new file too, .png or .svg."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure any table as it is: k, l, t, alpha, unique classes, class sizes, risks. Nothing is registered."""
    fraction = _fraction(sampling_fraction)
    path = new_plot(plot)
    found = (
        settings_of(context)
        .engine()
        .measure(
            named,
            listed_names("--quasi-identifiers", quasi_identifiers),
            listed_names("--sensitive", sensitive or ()),
            entity=entity,
            table=table,
            where=where,
            encoding=encoding,
            header=header,
            skip=skip,
            skip_lines=lines_named(skip_lines),
        )
    )
    if path is not None:
        from ordermade.views.distribution_plots import plot_sizes

        plot_sizes(found, path)
    if as_json:
        print_document("measure", measured(found, fraction))
        return
    print_facts(words.facts(found))
    print_table(words.BELOW_HEADINGS, words.below_rows(found), title=words.below_title(found))
    print_table(words.SIZE_HEADINGS, words.size_rows(found), title="Class sizes:")
    print_table(
        words.risk_headings(fraction), words.risk_rows(found, fraction), title=words.risk_title(found, fraction)
    )
    if found.sensitive:
        print_table(words.sensitive_headings(found), words.sensitive_rows(found), title="Sensitive columns:")
    for note in words.notes(found):
        notify(note)
    if path is not None:
        say(f"\nDrew the class sizes in {path}.")


def _fraction(written: str) -> Fraction:
    """The sampling fraction as the decimal that was written. Raises InputError unless 0 < fraction <= 1."""
    try:
        decimal = Decimal(written)
    except InvalidOperation:
        decimal = Decimal("NaN")
    if not decimal.is_finite() or not 0 < decimal <= 1 or len(written) > 100 or decimal.adjusted() < -100:
        raise InputError(
            "a sample is a part of the population",
            where="--sampling-fraction",
            next_step="Write a number above 0 and at most 1, such as 0.1.",
        )
    return Fraction(decimal)
