"""`ordermade microaggregation`: the methods, and their losses on a table. Nothing is released."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.arguments import Seed, TablePlace
from ordermade.cli.choices import listed
from ordermade.cli.options import (
    AsJson,
    Encoding,
    Header,
    RowFilter,
    TableName,
    example,
    ks_of,
    listed_names,
    settings_of,
)
from ordermade.cli.permitted import may_run
from ordermade.cli.progress import shown_progress
from ordermade.documents.microaggregation import MethodList, compared
from ordermade.methods.microaggregation.algorithm.methods import METHODS
from ordermade.plots.plot_files import new_plot
from ordermade.views.comparison import MAX_KS, METHOD_HEADINGS, method_rows
from ordermade.views.screen import print_document, print_facts, print_table, say


def methods_listed(ctx: typer.Context, incomplete: str) -> list[tuple[str, str]]:
    """The names of methods, to complete a list of them."""
    return listed(*METHODS)(ctx, incomplete)


app = typer.Typer(
    no_args_is_help=True,
    short_help="Methods of making groups of near records.",
    help="Methods of making groups of k or more near records. A request with `method: microaggregation` releases them.",
)


@app.command(epilog=example("ordermade microaggregation methods"))
@may_run("data-user", "reviewer")
def methods(as_json: AsJson = False) -> None:
    """List the methods, by their names in requests and `compare`."""
    if as_json:
        print_document("microaggregation methods", MethodList(tuple(METHODS.values())))
    else:
        print_table(METHOD_HEADINGS, method_rows())


@app.command(
    short_help="Compare the loss of methods on any table.",
    epilog=example(
        "ordermade microaggregation compare members.csv --attributes income,age",
        "ordermade microaggregation compare shop.members --attributes age --k 2..9",
        "ordermade microaggregation compare m.csv --attributes a,b --plot loss.png",
    ),
)
def compare(
    context: typer.Context,
    named: TablePlace,
    attributes: Annotated[
        list[str],
        typer.Option(
            metavar="COLUMNS",
            help="The numeric columns to group by: a,b,c. A name with a comma stands in double quotes. May be given "
            "several times.",
        ),
    ],
    k: Annotated[str, typer.Option("--k", metavar="NUMBERS", help="Each k, such as 3,5,10 or 2..15.")] = "3,5,10",
    algorithms: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            help="Such as mdav,fdh,auto; `ordermade microaggregation methods` lists them. Left out: all that take the "
            "attributes.",
            autocompletion=methods_listed,
        ),
    ] = None,
    table: TableName = None,
    where: RowFilter = None,
    encoding: Encoding = "auto",
    header: Header = False,
    seconds: Annotated[
        str, typer.Option(metavar="SECONDS", help="Most seconds of each algorithm at each k, where it has a choice.")
    ] = "1",
    improve: Annotated[
        bool,
        typer.Option(
            "--improve",
            help="Improve the groups of every algorithm within the seconds, as requests do. Left out: of auto alone, "
            "the others as they make them, as papers compare them.",
        ),
    ] = False,
    no_standardise: Annotated[
        bool,
        typer.Option("--no-standardise", help="Every column counts in its own unit, not as if its variance were 1."),
    ] = False,
    gamma: Annotated[
        str, typer.Option(metavar="NUMBER", help="For vmdav: how readily a group takes a near record.")
    ] = "0.2",
    anchors: Annotated[
        int, typer.Option(metavar="NUMBER", help="For fdh: the number of records at the centres of regions.")
    ] = 3,
    seed: Seed = 1,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw loss against k into this new file too, .png or .svg.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Compare the loss (SSE/SST) of methods on the numeric columns of any table, and their seconds, for each k.

    Nothing is released or registered, and a path needs no state. Seconds are without compiling.
    """
    from ordermade.methods.microaggregation import compare as words
    from ordermade.views.comparison_options import options_of

    path = new_plot(plot)
    wanted = words.ComparisonOptions(
        attributes=listed_names("--attributes", attributes),
        ks=ks_of(k, MAX_KS),
        algorithms=() if algorithms is None else listed_names("--algorithms", [algorithms]),
        options=options_of(seconds, gamma, anchors, seed, improve=improve),
        standardise=not no_standardise,
    )
    with shown_progress() as progress:
        engine = settings_of(context).engine(progress=progress)
        found = engine.compare(named, wanted, table=table, where=where, encoding=encoding, header=header)
    if path is not None:
        from ordermade.views.curve_plots import plot_losses

        plot_losses(found, path)
    if as_json:
        print_document("microaggregation compare", compared(found))
        return
    print_facts(words.facts(found))
    print_table(words.loss_headings(found), words.loss_rows(found), title="Loss (SSE/SST) in %:")
    print_table(words.loss_headings(found), words.seconds_rows(found), title="Seconds:")
    if path is not None:
        say(f"\nDrew the losses in {path}.")
