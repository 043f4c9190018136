"""`ordermade retention`: what the policies of datasets keep for a time alone."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.options import AsJson, example, settings_of
from ordermade.records.cells import counted
from ordermade.views.screen import notify, print_document, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    short_help="Erase what policies keep for a time alone.",
    help="What the policies of datasets keep for a time alone: cached counts, files of releases, requests.",
)


@app.callback()
def retention() -> None:
    """Keeps `apply` a command of the noun."""


@app.command(
    short_help="Erase what is older than policies keep it.",
    epilog=example("ordermade retention apply --dry-run", "ordermade retention apply"),
)
def apply(
    context: typer.Context,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List what would be erased, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Erase cached counts, files of releases and texts of requests that are older than policies keep them.

    Submitted requests whose time is over expire first. Numbers, hashes and figures stay, also of releases: later
    requests are compared with them. A release is left where another file is in its place, or where it is a table. Where
    a policy keeps requests for a time alone, states that `state restore` and `state convert` left beside the state go.
    """
    found = settings_of(context).engine().retention.apply(dry_run=dry_run)
    if as_json:
        print_document("retention apply", found)
        return
    print_table(
        ("dataset", "of the cache", "releases", "requests", "submitted requests"),
        [
            (each.dataset, each.cached, _numbers(each.releases), _numbers(each.requests), _numbers(each.submitted))
            for each in found.datasets
        ],
        empty="No dataset has a policy.",
    )
    for dataset in found.datasets:
        for left in dataset.left:
            notify(f"Release {left.release} of {dataset.dataset} is left: {left.reason}.")
    if found.expired:
        verb = "would expire" if dry_run else "expired"
        say(f"{counted(len(found.expired), 'submitted request')} {verb}: {_numbers(found.expired)}.")
    if found.old_states:
        verb = "would go" if dry_run else "went"
        names = ", ".join(each.name for each in found.old_states)
        say(f"{counted(len(found.old_states), 'state')} of before {verb}: {names}.")
    if dry_run:
        say("Nothing was changed.")


def _numbers(found: tuple[int, ...]) -> str:
    return ", ".join(map(str, found)) or "none"
