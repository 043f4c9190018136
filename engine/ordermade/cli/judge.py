"""`ordermade judge`: the usefulness and the safety of a release, by any tool."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Literal

import typer

from ordermade.cli.arguments import Seed
from ordermade.cli.completion import registered
from ordermade.cli.options import (
    AsJson,
    CellMarks,
    Encoding,
    Header,
    RowFilter,
    Skip,
    SkipLines,
    TableName,
    TotalNames,
    example,
    level_of,
    lines_named,
    listed_names,
    new_file_of,
    settings_of,
)
from ordermade.cli.progress import shown_progress
from ordermade.cli.reports import Contact, Office, checked_page
from ordermade.errors import InputError, quoted
from ordermade.files.file_reading import skipped_lines
from ordermade.sources.kinds import FILES, TABLE_FILES
from ordermade.state.new_files import require_new, write_new_file
from ordermade.views.screen import print_document, print_facts, print_table, say

DEFAULT_WIDTH = 3


def units_of(written: Sequence[str]) -> dict[str, Decimal]:
    """The units in `COLUMN=NUMBER`, by column. Raises InputError for another writing, or a unit that is not above 0."""
    found: dict[str, Decimal] = {}
    for each in written:
        name, sign, number = each.rpartition("=")
        try:
            unit = Decimal(number)
        except InvalidOperation:
            unit = Decimal(0)
        if not sign or not name or not unit.is_finite() or unit <= 0 or abs(unit.adjusted()) > 12:
            raise InputError(
                "a unit is a column and a number above 0", where="--unit", next_step="For example --unit Price=0.01."
            )
        found[name] = unit
    return found


def hierarchies_of(written: Sequence[str]) -> dict[str, str]:
    """The hierarchies in `COLUMN=NAME|FILE`, by column. Raises InputError for another writing, or a column twice."""
    found: dict[str, str] = {}
    for each in written:
        column, sign, given = each.partition("=")
        if not sign or not column or not given:
            raise InputError(
                "a hierarchy is given as a column and a name or file",
                where="--hierarchy",
                next_step="For example --hierarchy age=age.csv.",
            )
        if column in found:
            raise InputError(
                f"{quoted(column)} is named twice", where="--hierarchy", next_step="A column has one hierarchy."
            )
        found[column] = given
    return found


app = typer.Typer(
    no_args_is_help=True,
    help="Usefulness and safety of a release, by any tool. For the provider alone.",
)


@app.callback()
def judge() -> None:
    """Nothing is registered or kept."""


@app.command(
    short_help="Judge a release of purchase histories.",
    epilog=example(
        "ordermade judge history sales.parquet out/purchases.csv --map map.csv",
        "ordermade judge history sales.csv release.csv --map rows --no-attacks",
        "ordermade judge history T.csv A.csv --map map.csv --taxonomy goods.csv",
    ),
)
def history(
    context: typer.Context,
    original: Annotated[
        str,
        typer.Argument(
            metavar="ORIGINAL",
            help=f"The purchases: a {FILES} file, a folder of {TABLE_FILES} files, or a quoted glob; or a table of a "
            "registered source, as SOURCE.TABLE.",
        ),
    ],
    release: Annotated[
        str,
        typer.Argument(metavar="RELEASE", help="The release of them: values, [a, b], {a, b, c} and *. Likewise."),
    ],
    truth: Annotated[
        str,
        typer.Option(
            "--map",
            metavar="FILE|rows",
            help="The map written with the release: the original row of each released one. Or `rows`: they are those "
            "of the original in its order, deleted ones as *.",
        ),
    ],
    customer: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of the original that identifies the customer. This and the other columns, left "
            "out: as in the manifest beside the release.",
        ),
    ] = None,
    when: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of days or time stamps.")] = None,
    item: Annotated[str | None, typer.Option(metavar="COLUMN", help="The column of the item bought.")] = None,
    numbers: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="The columns of numbers that are released: a,b. A name with a comma stands in double quotes. May be "
            "given several times.",
        ),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NUMBER",
            help="The unit of a column of numbers, such as Price=0.01. Left out: the finest decimal that all have. May "
            "be given several times.",
        ),
    ] = None,
    pseudonym: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column of the release that has the pseudonyms.")
    ] = None,
    price: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Of the numbers the price. Left out: the first of two or more."),
    ] = None,
    quantity: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Of the numbers the quantity. Left out: the second of two or more."),
    ] = None,
    taxonomy: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The hierarchy of items, where categories are released instead of them."),
    ] = None,
    level: Annotated[
        str | None,
        typer.Option(metavar="LEVEL", help="Its level that is released, by number or name. Left out: 1."),
    ] = None,
    attempts: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="The number of customers each attack tries to find. Left out: all released."
        ),
    ] = None,
    seed: Seed = 1,
    no_attacks: Annotated[bool, typer.Option("--no-attacks", help="Run no attacks.")] = False,
    table: TableName = None,
    release_table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table of the release, where its database has several.")
    ] = None,
    where: RowFilter = None,
    encoding: Encoding = "auto",
    header: Header = False,
    as_json: AsJson = False,
) -> None:
    """Judge a release of purchase histories: utility, k, attacks that are really run, and remaining usefulness.

    Nothing is registered, and a path needs no state. The output has counts and shares: no customer, no item.
    """
    from ordermade.documents import judgement as documents
    from ordermade.evaluation import judge as words
    from ordermade.evaluation import options

    wanted = options.JudgementOptions(
        map=truth,
        customer=customer,
        when=when,
        item=item,
        numbers=None if numbers is None else listed_names("--numbers", numbers),
        units=units_of(unit or ()),
        pseudonym=pseudonym,
        price=price,
        quantity=quantity,
        taxonomy=None if taxonomy is None else taxonomy.expanduser(),
        level=None if level is None else level_of(level),
        attacks=not no_attacks,
        attempts=attempts,
        seed=seed,
    )
    with shown_progress() as progress:
        found = (
            settings_of(context)
            .engine(progress=progress)
            .judge_history(
                original,
                release,
                wanted,
                table=table,
                release_table=release_table,
                where=where,
                encoding=encoding,
                header=header,
            )
        )
    if as_json:
        print_document("judge history", documents.history(found))
        return
    print_facts(words.facts(found))
    print_table(words.LOSS_HEADINGS, words.loss_rows(found), title="Utility (mean error of a cell, 0 is none):")
    if found.attacks is not None:
        print_table(words.ATTACK_HEADINGS, words.attack_rows(found.attacks), title="Attempts to find customers:")
    print_table(words.USE_HEADINGS, words.use_rows(found.understood), title="Remaining usefulness:")
    if found.understood.months is not None:
        print_table(
            words.MONTH_HEADINGS, words.month_rows(found.understood.months), title="Sales, in % of all of the original:"
        )
    for line in words.notes(found):
        say(line)


@app.command(
    short_help="Judge a locally recoded release.",
    epilog=example(
        "ordermade judge recoding out/local.parquet --original shop.members",
        "ordermade judge recoding anonymised.csv --hierarchy age=age.csv --k 5",
        "ordermade judge recoding out/local.csv --rounds run.json --json",
    ),
)
def recoding(
    context: typer.Context,
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help=f"The release: a {FILES} file, or a table of a registered source, as SOURCE.TABLE.",
        ),
    ],
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NAME|FILE",
            help="The hierarchy of a column: a registered name, or a file. May be given several times. Left out: as in "
            "the manifest beside the release.",
        ),
    ] = None,
    original: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE|FILE", help="The original: what is inferred is checked against its rows. Named likewise."
        ),
    ] = None,
    rounds: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="The rounds: what `request run --json` printed, or a manifest. Left out: those of the manifest beside "
            "the release, if it lists them.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="The quasi-identifiers: a,b. A name with a comma stands in double quotes. Left out: as in the "
            "manifest, else the columns with a hierarchy.",
        ),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Sensitive columns: a,b. Of each, the values that remain possible for persons whose quasi-identifiers "
            "are known; with --original. Left out: as in the manifest.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option("--k", metavar="NUMBER", help="The k that the release promises. Left out: as in the manifest."),
    ] = None,
    table: TableName = None,
    original_table: Annotated[
        str | None, typer.Option(metavar="NAME", help="The table of the original, where its database has several.")
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="FILTER", help="Only the rows of the original that satisfy this, such as 'age >= 18'."),
    ] = None,
    encoding: Encoding = "auto",
    header: Header = False,
    as_json: AsJson = False,
) -> None:
    """Judge a locally recoded release: the rows that can be narrowed below their labels, by elimination.

    A coarser class has no rows that a class released before it could hold, so its labels may name more values than are
    possible. Nothing is registered, and a path needs no state. Classes are shown only if they have k rows or more.
    """
    from ordermade.documents import judgement as documents
    from ordermade.evaluation import recoding as words

    given = hierarchies_of(hierarchy or ())
    with shown_progress() as progress:
        found = (
            settings_of(context)
            .engine(progress=progress)
            .judge_recoding(
                release,
                given,
                original=original,
                rounds=None if rounds is None else rounds.expanduser(),
                columns=None if columns is None else listed_names("--columns", columns),
                sensitive=None if sensitive is None else listed_names("--sensitive", sensitive),
                k=k,
                table=table,
                original_table=original_table,
                where=where,
                encoding=encoding,
                header=header,
            )
        )
    if as_json:
        print_document("judge recoding", documents.recoded(found))
        return
    print_facts(words.facts(found))
    print_table(words.COLUMN_HEADINGS, words.column_rows(found), title="By column:")
    if found.sensitive:
        print_table(
            words.POSSIBLE_HEADINGS,
            words.possible_rows(found),
            title="Sensitive values possible for persons whose quasi-identifiers are known:",
        )
    if found.worst:
        print_table(
            words.worst_headings(found), words.worst_rows(found), title="Classes narrowed most, of k rows or more:"
        )
    for line in words.notes(found):
        say(line)


@app.command(
    short_help="Judge published tables with suppressed cells.",
    epilog=example(
        "ordermade judge table table.csv",
        "ordermade judge table table.xlsx margin.csv --k 10 --total 計",
        "ordermade judge table cross.xlsx",
        "ordermade judge table cross.csv --across 性別,年齢 --mark X",
    ),
)
def table(
    context: typer.Context,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help=f"Tables of one population: {FILES} files with a row a cell, cross-tabulated .xlsx and .csv files, or "
            "tables of a registered source, as SOURCE.TABLE.",
        ),
    ],
    count: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMNS",
            help="The column of counts or sums. Left out: the one of a usual name, such as count or 件数. Several, "
            "a,b,c, of a cross-tabulated table, with --across.",
        ),
    ] = None,
    across: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Of cross-tabulated tables: the dimensions of the rows of heads, a,b, the outermost first. Left out: "
            "as the heads of a workbook say.",
        ),
    ] = None,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="The dimensions: a,b. A name with a comma stands in double quotes. Left out: all other columns.",
        ),
    ] = None,
    status: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="A column that says which cells are suppressed: all whose word is not published, safe, ok, s, v, 公表 "
            "or nothing.",
        ),
    ] = None,
    mark: CellMarks = None,
    total: TotalNames = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NAME|FILE",
            help="The hierarchy of a dimension, whose levels are subtotals: a registered name, or a file. May be given "
            "several times.",
        ),
    ] = None,
    k: Annotated[
        int, typer.Option("--k", metavar="NUMBER", help="The least width of an interval that is safe.")
    ] = DEFAULT_WIDTH,
    least: Annotated[
        int, typer.Option(metavar="NUMBER", help="What readers know of every suppressed cell: it is not below this.")
    ] = 0,
    absent: Annotated[
        Literal["auto", "empty", "suppressed"],
        typer.Option(help="What cells without a row are. auto: suppressed if no cell has a mark, else empty."),
    ] = "auto",
    sums: Annotated[bool, typer.Option("--sums", help="The values are sums, which may have decimals.")] = False,
    programs: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER",
            help="The most linear programs; cells left over are not audited. Left out: by the size of the tables.",
        ),
    ] = None,
    microdata: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="The rows that the tables were counted from, with a column a dimension: every cell is counted again.",
        ),
    ] = None,
    entity: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of the microdata that identifies persons: k counts them, and who is alone in a cell knows "
            "it.",
        ),
    ] = None,
    intervals: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the interval of every suppressed cell into this new .csv file."),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE", help="Write the judgement as one page into this new .html file."),
    ] = None,
    language: Annotated[
        Literal["en", "ja"],
        typer.Option("--lang", help="The language of the page, and of the headings of the file: English or Japanese."),
    ] = "en",
    office: Office = "",
    contact: Contact = "",
    table: TableName = None,
    encoding: Encoding = "auto",
    header: Header = False,
    skip: Skip = 0,
    skip_lines: SkipLines = None,
    as_json: AsJson = False,
) -> None:
    """Judge published tables, by any tool: the least and most that each suppressed cell can be.

    It follows from the published cells, from totals by name and from hierarchies; equal dimensions of several tables
    are one. Nothing is registered, and a path needs no state. The output has values that readers can compute.
    """
    from ordermade.documents import judgement as documents
    from ordermade.evaluation.judged_tables import TableOptions
    from ordermade.reports.masthead import Masthead
    from ordermade.reports.tables_page import write_tables_page
    from ordermade.tables import judgement as words

    wanted = TableOptions(
        counts=None if count is None else listed_names("--count", [count]),
        across=None if across is None else listed_names("--across", [across]),
        columns=None if columns is None else listed_names("--columns", columns),
        status=status,
        marks=mark,
        totals=total,
        hierarchies=hierarchies_of(hierarchy or ()),
        k=k,
        least=least,
        absent=absent,
        sums=sums,
        programs=programs,
        microdata=microdata,
        entity=entity,
    )
    path = None if intervals is None else new_file_of(context, intervals)
    if path is not None:
        require_new(path, "file of intervals")
    page = checked_page(None if html is None else new_file_of(context, html))
    with shown_progress() as progress:
        found = (
            settings_of(context)
            .engine(progress=progress)
            .judge_table(
                files,
                wanted,
                table=table,
                encoding=encoding,
                header=header,
                skipped=skipped_lines(skip, lines_named(skip_lines)),
            )
        )
    if path is not None:
        # The mark at the beginning lets Excel read it as UTF-8.
        write_new_file(path, "\ufeff" + words.intervals_file(found, language), "file of intervals")
    if page is not None:
        write_tables_page(found, page, language, Masthead(office, contact))
    if as_json:
        print_document("judge table", documents.tables(found))
        return
    print_facts(words.facts(found))
    if found.cells:
        print_table(words.headings(found), words.cell_rows(found), title="Suppressed cells, the worst first:")
    for line in words.notes(found):
        say(line)


@app.command(
    short_help="Judge several releases of a dataset together.",
    epilog=example("ordermade judge releases 1 2", "ordermade judge releases 1 2 5 --k 10 --json"),
)
def releases(
    context: typer.Context,
    numbers: Annotated[
        list[int],
        typer.Argument(
            metavar="ID...",
            help="The numbers of 2 to 12 releases, as `release list` shows them.",
            autocompletion=registered("releases"),
        ),
    ],
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            min=2,
            help="Groups of fewer persons may not follow from them. Left out: the least k of the dataset.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Judge releases of one dataset beside each other: what their readers together can work out about few persons.

    Of releases by generalisation, with row filters and dropped classes, and of tables with totals; of the data as they
    are today. A group is safe where other data agree with every release and have nobody in it, or k.

    Exit status 0 safe, 1 a breach or undecided, 2 malformed, 3 a fault of the source or the state.
    """
    from ordermade.views.releases_together import print_together

    with shown_progress() as progress:
        found = settings_of(context).engine(progress=progress).judge_releases(numbers, k=k)
    if as_json:
        print_document("judge releases", found)
    else:
        print_together(found)
    if found.answer != "safe":
        raise typer.Exit(1)
