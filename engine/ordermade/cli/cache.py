"""`ordermade cache`: the frequency sets kept beside the state."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.screen import print_json, print_table, say
from ordermade.cli.settings import AsJson, Settings, example, settings_of

app = typer.Typer(
    no_args_is_help=True,
    help="Frequency sets kept beside the state. They save counting the source again. They are personal data as codes: "
    "the file is private and no part of any backup.",
)


@app.command("list", epilog=example("ordermade cache list"))
def list_sets(context: typer.Context, as_json: AsJson = False) -> None:
    """List the stored frequency sets, the one used longest ago first."""
    entries = settings_of(context).engine().cache.entries()
    if as_json:
        print_json(entries)
        return
    print_table(
        ("dataset version", "columns", "cells", "bytes", "last used"),
        [
            (
                str(each.dataset_version_id),
                ", ".join(column.column for column in each.columns),
                each.length,
                each.bytes,
                each.last_used_at,
            )
            for each in entries
        ],
        empty="The cache is empty.",
    )


@app.command(epilog=example("ordermade cache purge", "ordermade cache purge --dataset members"))
def purge(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only the sets of this dataset. Left out: everything, the file included."),
    ] = None,
) -> None:
    """Drop stored frequency sets; they are made again when a request needs them."""
    settings = settings_of(context)
    dropped = settings.engine().cache.purge(None if dataset is None else _versions_of(settings, dataset))
    say(f"Dropped {dropped:,} frequency set{'' if dropped == 1 else 's'}.")


def _versions_of(settings: Settings, dataset: str) -> list[int]:
    """The versions that the dataset of this name was seen with."""
    from ordermade.state import datasets, versions

    with settings.state_file().reading() as connection:
        number = datasets.get(connection, dataset).id
        return [each.id for each in versions.listed(connection) if each.dataset_id == number]
