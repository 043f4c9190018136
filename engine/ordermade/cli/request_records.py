"""`ordermade request list` and `show`: the requests on record, those submitted and those run."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.arguments import RequestNumber
from ordermade.cli.options import AsJson, Verbose, example, settings_of
from ordermade.cli.permitted import may_run
from ordermade.cli.request_moves import print_dossier, print_submitted
from ordermade.documents.request import RequestList
from ordermade.service.collections import submitted_of
from ordermade.views.records import print_record
from ordermade.views.screen import notify, print_document, print_list

app = typer.Typer()

MAX_LISTED = 100
"""Requests that a list shows without --all."""


@app.command("list", short_help="List the requests.", epilog=example("ordermade request list"))
@may_run("data-user", "reviewer")
def list_requests(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help=f"Show all. Left out: the latest {MAX_LISTED} run.")] = False,
    as_json: AsJson = False,
) -> None:
    """List every request that was submitted, and those that were run, the latest first. With --json, all of them."""
    engine = settings_of(context).engine()
    noun = submitted_of(engine)
    submitted = noun.list()
    is_provider = noun.acting().is_provider
    requests = engine.requests.list(None if every or as_json else MAX_LISTED) if is_provider else ()
    if as_json:
        print_document("request list", RequestList(requests, submitted))
        return
    if submitted:
        print_submitted(submitted)
        if not requests:
            return
    from ordermade.catalogue.requests import SHOWN

    print_list(SHOWN, requests, empty="No request was run yet.")
    if not every and len(requests) == MAX_LISTED < (number := engine.requests.count()):
        notify(f"The latest {MAX_LISTED:,} of {number:,}; --all shows all.")


@app.command(short_help="Show a request.", epilog=example("ordermade request show 1"))
@may_run("data-user", "reviewer")
def show(
    context: typer.Context,
    number: RequestNumber,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Show a request: where a submitted one stands, with its text; of one that was run the outcome and the cost."""
    if print_dossier(context, number, as_json=as_json):
        return

    details = settings_of(context).engine().requests.get(number)
    if as_json:
        print_document("request show", details)
    else:
        print_record(details, verbose=verbose)
