"""`ordermade ledger`: what was released to whom, and what a request would tell beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, example, settings_of
from ordermade.cli.progress import shown_progress
from ordermade.documents.ledger import LedgerShown
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
    """Show what was released to whom, the latest first; no counts of classes."""
    found = settings_of(context).engine().ledger.list(dataset, recipient)
    if as_json:
        print_document("ledger show", LedgerShown(found))
        return
    from ordermade.catalogue.ledger import SHOWN

    print_list(SHOWN, found, empty="Nothing was released yet.")


@app.command(
    "check",
    short_help="Judge a request beside what its readers have.",
    epilog=example("ordermade ledger check request.yaml --for hokkaido"),
)
def check_request(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The request file.")],
    recipients: Annotated[
        list[str] | None,
        typer.Option("--for", metavar="NAME", help="Who would get it; repeat it for several. Left out: anyone."),
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
