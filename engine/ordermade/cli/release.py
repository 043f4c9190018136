"""`ordermade release`: the releases so far, and whether each is intact."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.options import AsJson, Verbose, example, settings_of
from ordermade.cli.screen import notify, print_json, print_table, say

app = typer.Typer(no_args_is_help=True, help="Releases so far. List them, show one, measure it again.")

Number = Annotated[int, typer.Argument(metavar="ID", help="The number of the release, as `release list` shows it.")]


@app.command("list", epilog=example("ordermade release list"))
def list_releases(context: typer.Context, as_json: AsJson = False) -> None:
    """List every release, the latest first."""
    from ordermade.cli.documents import release as documents

    releases = settings_of(context).engine().releases.list()
    if as_json:
        print_json(documents.listed(releases))
        return
    print_table(
        ("id", "request", "k", "classes", "rows", "released", "stands", "where"),
        [
            (
                each.id,
                each.request_id,
                each.k,
                each.divisions,
                each.rows,
                each.released_at,
                "yes" if each.ended is None else each.standing,
                each.name,
            )
            for each in releases
        ],
        empty="Nothing was released yet.",
    )


@app.command(epilog=example("ordermade release show 1"))
def show(context: typer.Context, number: Number, as_json: AsJson = False, verbose: Verbose = False) -> None:
    """Show a release: its columns with their levels, its figures, and where it is."""
    from ordermade.cli.documents import release as documents

    found = settings_of(context).engine().releases.get(number)
    if as_json:
        print_json(documents.shown(found))
        return
    from ordermade.cli.render.releases import print_release

    print_release(found, verbose=verbose)


@app.command(epilog=example("ordermade release verify 1"))
def verify(context: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Measure a release again in its place: k, classes, rows, and models and persons as far as it shows them itself.

    Facts that the release alone does not show are listed. Exit status 1 if a later release took its place, 3 if it has
    changed.
    """
    from ordermade.cli.documents import release as documents

    found = settings_of(context).engine().releases.verify(number)
    where = found.release.name
    if as_json:
        print_json(documents.verified(found))
    elif found.intact:
        figures = [
            f"k {found.measured.k:,}",
            f"{found.measured.divisions:,} classes",
            f"{found.rows:,} rows",
            *([] if found.persons is None else [f"{found.persons:,} persons"]),
            *([f"{found.star_rows:,} star rows"] if found.star_rows else []),
            *found.models,
        ]
        say(f"Release {number} is intact: {', '.join(figures)}, measured again in {where}")
        for each in found.untold:
            say(f"Not measured again, as the release alone does not show it: {each}")
        if found.vouched_by is not None:
            say(f"The dataset's version was vouched for by the provider's query, SHA-256 {found.vouched_by}")
    if not found.intact:
        notify(f"Error: {where}: release {number} has changed since it was released: {'; '.join(found.findings)}.")
        raise typer.Exit(3)
