"""`ordermade cache`: the frequency sets and marginals kept beside the state."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.options import AsJson, Settings, example, settings_of
from ordermade.cli.screen import plain, print_json, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    help="Frequency sets and marginals (the class sizes of single columns) kept beside the state. They save counting "
    "the source again. They are personal data as codes and counts: the file is private and no part of any backup.",
)


@app.command("list", epilog=example("ordermade cache list"))
def list_cache(context: typer.Context, as_json: AsJson = False) -> None:
    """List the stored frequency sets, then the marginals of each dataset version; what was used longest ago first."""
    stored = settings_of(context).engine().cache.contents()
    if as_json:
        print_json(
            [
                *({"kind": "frequency set", **plain(each)} for each in stored.sets),
                *({"kind": "marginals", **plain(each)} for each in stored.marginals),
            ]
        )
        return
    sets = [
        (
            "frequency set",
            str(each.dataset_version_id),
            ", ".join(column.column for column in each.columns),
            each.length,
            each.bytes,
            each.last_used_at,
        )
        for each in stored.sets
    ]
    marginals = [
        (
            f"marginals of {each.levels:,} level{'' if each.levels == 1 else 's'}",
            str(each.dataset_version_id),
            ", ".join(each.columns),
            None,
            each.bytes,
            each.last_used_at,
        )
        for each in stored.marginals
    ]
    print_table(
        ("what", "dataset version", "columns", "cells", "bytes", "last used"),
        [*sets, *marginals],
        empty="The cache is empty.",
    )


@app.command(epilog=example("ordermade cache purge", "ordermade cache purge --dataset members"))
def purge(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only what is kept of the dataset that has or had this name. Left out: all, the file included.",
        ),
    ] = None,
) -> None:
    """Drop stored frequency sets and marginals; they are made again when a request needs them."""
    settings = settings_of(context)
    dropped = settings.engine().cache.purge(None if dataset is None else _versions_of(settings, dataset))
    sets, levels = dropped.frequency_sets, dropped.marginals
    say(
        f"Dropped {sets:,} frequency set{'' if sets == 1 else 's'} "
        f"and the marginals of {levels:,} level{'' if levels == 1 else 's'}."
    )


def _versions_of(settings: Settings, dataset: str) -> list[int]:
    """The versions that the dataset which has or had this name was seen with, under any row filter."""
    from ordermade.state import datasets, versions

    with settings.state_file().reading() as connection:
        numbers = datasets.ever_named(connection, dataset)
        return [each.id for number in numbers for each in versions.under_any_filter(connection, number)]
