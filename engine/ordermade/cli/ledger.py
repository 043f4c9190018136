"""`ordermade ledger`: what was released to whom, and what a request would tell beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.judge import hierarchies_of
from ordermade.cli.options import (
    AsJson,
    CellMarks,
    Encoding,
    Header,
    TableName,
    TotalNames,
    example,
    level_of,
    listed_names,
    settings_of,
)
from ordermade.cli.progress import shown_progress
from ordermade.documents.ledger import LedgerShown
from ordermade.errors import InputError
from ordermade.sources.kinds import FILES
from ordermade.views.screen import notify, print_document, print_facts, print_list, say

app = typer.Typer(
    no_args_is_help=True,
    help="What was released to whom, as later releases see it. The ledger is a private file beside the state, and no "
    "restore of the state takes anything back from it.",
)


@app.command(
    "show",
    short_help="Show what was released to whom.",
    epilog=example("ordermade ledger show", "ordermade ledger show --recipient hokkaido"),
)
def show_entries(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Of this dataset alone.", autocompletion=registered("datasets")),
    ] = None,
    recipient: Annotated[
        str | None, typer.Option(metavar="NAME", help="What this recipient has, with all that is for anyone.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what was released to whom, the latest first; no counts of classes.

    Beneath it, what answers to requests tell recipients besides: an upper bound, in bits. Answers that the figures
    decide which they have already tell nothing more.
    """
    ledger = settings_of(context).engine().ledger
    found, disclosed = ledger.list(dataset, recipient), ledger.bits(dataset, recipient)
    if as_json:
        print_document("ledger show", LedgerShown(found, disclosed))
        return
    from ordermade.catalogue.ledger import DISCLOSED, SHOWN

    print_list(SHOWN, found, empty="Nothing was released yet.")
    if disclosed:
        say("")
        print_list(DISCLOSED, disclosed)


@app.command(
    "check",
    short_help="Judge a request beside what its readers have.",
    epilog=example("ordermade ledger check request.yaml --recipient hokkaido"),
)
def check_request(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The request file.")],
    recipients: Annotated[
        list[str] | None,
        typer.Option("--recipient", metavar="NAME", help="Who would get it; repeat it for several. Left out: anyone."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run a request up to its release, and judge that beside what its recipients have: nothing is released.

    Exit status 0 safe, 1 a breach, undecided, or refused anyway, 2 malformed, 3 a fault of the source or the state.
    """
    with shown_progress() as progress:
        found = settings_of(context).engine(progress=progress).judge_request(file, recipients or ())
    if as_json:
        print_document("ledger check", found)
    else:
        print_facts(found.facts)
    if found.answer != "safe":
        raise typer.Exit(1)


@app.command(
    "import",
    short_help="Take in a release that was made elsewhere.",
    epilog=example(
        "ordermade ledger import out/members.csv --as members --recipient hokkaido",
        "ordermade ledger import old.csv --as members --hierarchy age=age",
        "ordermade ledger import t.csv --as members --count n --hierarchy sex=sex",
    ),
)
def import_file(
    context: typer.Context,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help=f"The release: a {FILES} file of rows, or a table of counts; or a table of a registered source, as "
            "SOURCE.TABLE.",
        ),
    ],
    dataset: Annotated[
        str,
        typer.Option(
            "--as",
            metavar="DATASET",
            help="The dataset that it is of; its columns have the same names there.",
            autocompletion=registered("datasets"),
        ),
    ],
    recipients: Annotated[
        list[str] | None,
        typer.Option("--recipient", metavar="NAME", help="Who has it; repeat it for several. Left out: anyone."),
    ] = None,
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=NAME|FILE",
            help="The hierarchy of a column whose labels are of its levels: a registered name, or a file. May be given "
            "several times. Left out: as in the manifest beside the release. Other columns have values as they are.",
        ),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LEVEL",
            help="The level of a column, by number or name. May be given several times. Left out: as its labels say.",
        ),
    ] = None,
    k: Annotated[
        int | None,
        typer.Option(
            "--k",
            metavar="NUMBER",
            help="The k that it promises. Left out: as in the manifest, else the least k of the dataset.",
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="FILTER", help="Its row filter, such as 'age >= 18', in the dataset's columns."),
    ] = None,
    dropped: Annotated[
        bool | None,
        typer.Option(
            "--dropped/--complete",
            help="Whether it leaves classes of fewer than k rows out. Left out: as the manifest or today's data say.",
        ),
    ] = None,
    count: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column of counts, of a table of a row a cell, with or without totals."
        ),
    ] = None,
    across: Annotated[
        str | None,
        typer.Option(metavar="NAMES", help="Of a cross-tabulated table: the dimensions in its heads, outermost first."),
    ] = None,
    mark: CellMarks = None,
    total: TotalNames = None,
    table: TableName = None,
    encoding: Encoding = "auto",
    header: Header = False,
    as_json: AsJson = False,
) -> None:
    """Take a release that was made elsewhere into the ledger: later releases are judged beside it.

    Its labels are those of hierarchies, one level a column; a table of counts may have totals, which have to add up. A
    file that is not k-anonymous is taken in, too, since its recipients have it, and never called safe. The same content
    for the same recipients is there once. With a manifest beside it the file must be the one that it is of.
    """
    from ordermade.evaluation.shown_file import ImportOptions

    wanted = ImportOptions(
        hierarchies=hierarchies_of(hierarchy or ()),
        levels={column: level_of(each) for column, each in _named("--level", level or ()).items()},
        k=k,
        where=where,
        dropped=dropped,
        count=count,
        across=None if across is None else listed_names("--across", [across]),
        marks=mark,
        totals=total,
    )
    with shown_progress() as progress:
        found = (
            settings_of(context)
            .engine(progress=progress)
            .import_release(file, dataset, recipients or (), wanted, table=table, encoding=encoding, header=header)
        )
    if as_json:
        print_document("ledger import", found)
        return
    print_facts(found.facts)
    if found.warning is not None:
        notify(found.warning)


def _named(option: str, written: Sequence[str]) -> dict[str, str]:
    """The texts in `COLUMN=TEXT`, by column. Raises InputError for another writing, or a column twice."""
    found: dict[str, str] = {}
    for each in written:
        column, sign, text = each.partition("=")
        if not sign or not column or not text or column in found:
            raise InputError(
                "a level is given as a column and its name, each column once",
                where=option,
                next_step=f"For example {option} age=decade.",
            )
        found[column] = text
    return found


@app.command(
    "destroyed",
    short_help="Note that the recipients of a release destroyed it.",
    epilog=example('ordermade ledger destroyed 3 --why "confirmed by letter"'),
)
def note_destroyed(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="ID", help="The number of the entry, as `ledger show` has it.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="How that is known, for the audit.")] = "",
    as_json: AsJson = False,
) -> None:
    """Note that all recipients of a release destroyed it: later releases are judged beside it no more."""
    found = settings_of(context).engine().ledger.destroyed(number, why)
    if as_json:
        print_document("ledger destroyed", found)
        return
    notify(f"Entry {number} of the ledger is noted as destroyed.")
    say("Releases from now on are judged without it.")
