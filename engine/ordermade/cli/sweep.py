"""`ordermade sweep`: a request with one k after another: loss, safety, total, their curve. Nothing is released."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.arguments import NoCache
from ordermade.cli.options import AsJson, Verbose, example, ks_of, settings_of
from ordermade.cli.progress import shown_progress
from ordermade.documents.sweep import SweepAnswer
from ordermade.plots.plot_files import new_plot
from ordermade.views.screen import notify, print_document, print_facts, print_table, say

PIPED = 80
"""The columns of the table in a pipe or a file, too: it is read, and programs have --json."""

app = typer.Typer(rich_markup_mode=None, add_completion=False)


@app.command(
    short_help="Run a request with one k after another.",
    epilog=example(
        "ordermade sweep request.yaml --k 2..20",
        "ordermade sweep request.yaml --k 2..20,50,100 --plot curve.png",
        "ordermade sweep request.yaml --k 5,10,20 --json | jq '.points[].loss'",
    ),
)
def sweep(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The request file (YAML), of any method.")],
    k: Annotated[
        str,
        typer.Option(
            "--k", metavar="NUMBERS", help="Each k, such as 3,5,10 or 2..20, in the place of the file's; at most 1,000."
        ),
    ],
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Draw loss and risk against k into this new file, .png or .svg."),
    ] = None,
    no_cache: NoCache = False,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Run a request with one k after another, and show the risk and the loss of each. Nothing is released.

    Reports for each k the highest risk, 1 / k measured; the loss, 0 where nothing is lost (all losses reach at most 1
    but SSE/SST, which coarse rounding takes beyond it); the suppressed rows. No k is the best by itself. --verbose adds
    k measured, classes and seconds. The figures are those of `request run` with that k. A k that is refused, or below
    the least k of the dataset, has its reason in its row. The source is read once for all of them.

    Exit status 0 if some k passes, 1 if every k is refused, 2 malformed, 3 a fault of the source or the state.
    """
    from ordermade.methods.shared import sweep as words

    path = new_plot(plot)
    ks = ks_of(k, words.MAX_KS)
    with shown_progress() as progress:
        engine = settings_of(context).engine(use_cache=not no_cache, progress=progress)
        found = engine.sweep(file.expanduser(), ks)
    if path is not None and found.passes:
        from ordermade.plots.sweep_plot import plot_sweep

        plot_sweep(found, path)
    if as_json:
        print_document("sweep", SweepAnswer(file, found))
    else:
        print_facts(words.facts(found), piped=PIPED)
        print_table(words.headings(found, everything=verbose), words.rows(found, everything=verbose), piped=PIPED)
        say("")
        print_facts(words.under_the_table(found, everything=verbose), piped=PIPED)
        if path is not None and found.passes:
            say(f"\nDrew the curve in {path}.")
    if not found.passes:
        notify(f"Refused: with every k of {k}. Ask for a smaller k, or see the reasons for other remedies.")
        raise typer.Exit(1)
