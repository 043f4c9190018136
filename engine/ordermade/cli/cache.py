"""`ordermade cache`: the frequency sets, marginals, counts of values and twins of CSV files kept beside the state."""

from __future__ import annotations

from typing import Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, Settings, example, settings_of
from ordermade.documents.cache import CacheList, CachePurged
from ordermade.records.cells import counted
from ordermade.views.screen import print_document, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    short_help="Counts and rows kept for the next request.",
    help="Frequency sets, marginals (the class sizes of single columns) and counts of the values of columns, kept "
    "beside the state, which save counting the source again, and the rows of CSV files as Parquet, which save parsing "
    "them. They are personal data: the files are private and no part of any backup.",
)


@app.command("list", short_help="List what is kept, used longest ago first.", epilog=example("ordermade cache list"))
def list_cache(context: typer.Context, as_json: AsJson = False) -> None:
    """List frequency sets, then marginals, counts of values and rows of CSV files; what was used longest ago first."""
    stored = settings_of(context).engine().cache.contents()
    if as_json:
        print_document("cache list", CacheList.of(stored))
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
            f"marginals of {counted(each.levels, 'level')}",
            str(each.dataset_version_id),
            ", ".join(each.columns),
            None,
            each.bytes,
            each.last_used_at,
        )
        for each in stored.marginals
    ]
    counts = [
        (
            "counts of values",
            str(each.dataset_version_id),
            each.column.column,
            None,
            each.bytes,
            each.last_used_at,
        )
        for each in stored.counts
    ]
    what = "rows of a CSV file, or counts of a part or source"
    twins = [(what, "", "", None, each.bytes, each.last_used_at) for each in stored.twins]
    print_table(
        ("what", "dataset version", "columns", "cells", "bytes", "last used"),
        [*sets, *marginals, *counts, *twins],
        empty="The cache is empty.",
    )


@app.command(
    short_help="Drop what is kept; a request makes anew what it needs.",
    epilog=example("ordermade cache purge", "ordermade cache purge --dataset members"),
)
def purge(
    context: typer.Context,
    dataset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Only what is kept of the dataset that has or had this name. Left out: all, the file included.",
            autocompletion=registered("measured"),
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Drop frequency sets, marginals, counts of values and rows of CSV files; a request makes anew what it needs."""
    settings = settings_of(context)
    cache = settings.engine().cache
    dropped = cache.purge() if dataset is None else cache.purge(*_kept_of(settings, dataset))
    if as_json:
        print_document("cache purge", CachePurged(dataset, dropped))
        return
    sets, levels, counts, twins = dropped.frequency_sets, dropped.marginals, dropped.counts, dropped.twins
    rows = f", and the rows of {counted(twins, 'CSV source')}" if twins else ""
    of_values = f", the counts of the values of {counted(counts, 'column')}" if counts else ""
    say(f"Dropped {counted(sets, 'frequency set')} and the marginals of {counted(levels, 'level')}{of_values}{rows}.")


def _kept_of(settings: Settings, dataset: str) -> tuple[list[int], tuple[str, ...]]:
    from ordermade.state.cache_ages import kept_of

    with settings.state_file().reading() as connection:
        return kept_of(connection, dataset)
