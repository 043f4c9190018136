"""`ordermade observations`: table C, every node that was ever measured."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ordermade.cli.screen import hand_over, notify, print_json, print_table, say
from ordermade.cli.settings import AsJson, example, settings_of

if TYPE_CHECKING:
    from ordermade.state.table_c import Pruned

MOST_ROWS = 30
"""Rows of a list without --all."""

app = typer.Typer(
    no_args_is_help=True,
    help="Table C: every node that was ever measured, with its k. It answers later requests and predicts them. Counts, "
    "levels and hashes only, never a value of a person.",
)

Dataset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", help="Only those of the dataset that has or had this name, under whatever row filter."
    ),
]


@app.command("list", epilog=example("ordermade observations list --dataset members"))
def list_observations(
    context: typer.Context,
    dataset: Dataset = None,
    every: Annotated[bool, typer.Option("--all", help=f"Show all. Left out: the latest {MOST_ROWS}.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the measured nodes, the latest first. With --json, all of them."""
    observations = settings_of(context).engine().observations
    shown = observations.list(dataset, None if every or as_json else MOST_ROWS)
    if as_json:
        print_json(shown)
        return
    print_table(
        ("id", "dataset", "version", "node", "k", "classes", "rows", "request", "measured"),
        [
            (
                each.id,
                each.dataset if each.filter is None else f"{each.dataset} where {each.filter}",
                "latest" if each.is_latest else "earlier",
                each.node,
                each.k,
                each.divisions,
                each.rows,
                each.request_id,
                each.measured_at,
            )
            for each in shown
        ],
        empty="Nothing was measured yet." if dataset is None else f"Nothing was measured of the dataset '{dataset}'.",
    )
    if not every and len(shown) == MOST_ROWS < (number := observations.count(dataset)):
        notify(f"The latest {MOST_ROWS:,} of {number:,}; --all shows all.")


@app.command(
    epilog=example(
        "ordermade observations export measured.parquet --dataset members",
        "ordermade observations export --by-attribute > levels.csv",
    )
)
def export(
    context: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="The new file, .csv or .parquet. Left out: CSV on stdout."),
    ] = None,
    dataset: Dataset = None,
    by_attribute: Annotated[
        bool, typer.Option("--by-attribute", help="One row for each observation and attribute, with the level's hash.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the measured nodes to a file, one row each: levels, rows, divisions (classes), k, class sizes."""
    from ordermade.errors import InputError

    observations = settings_of(context).engine().observations
    if file is None:
        if as_json:
            raise InputError(
                "without a FILE the export itself is printed, as CSV",
                where="--json",
                next_step="Name a file, or use `ordermade observations list --json`.",
            )
        hand_over(observations.csv(dataset, by_attribute=by_attribute))
        return
    path = file.expanduser()
    rows = observations.export(path, dataset, by_attribute=by_attribute)
    if as_json:
        print_json({"path": path, "rows": rows})
    else:
        say(f"Wrote {rows:,} row{'' if rows == 1 else 's'} to {path}.")


@app.command(
    epilog=example(
        "ordermade observations prune --earlier-versions --dry-run",
        "ordermade observations prune --dataset members --before 2025-01-31",
    )
)
def prune(
    context: typer.Context,
    dataset: Dataset = None,
    earlier_versions: Annotated[
        bool,
        typer.Option("--earlier-versions", help="Only those not measured on the version a dataset was last seen with."),
    ] = False,
    before: Annotated[
        datetime | None,
        typer.Option(
            metavar="DATE",
            formats=["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"],
            help="Only those measured before this date, or time (2025-01-31T12:00), of this place.",
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="All of them; stands alone.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count them, and change nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget measured nodes for good. Options narrow the choice; a later request measures them again."""
    observations = settings_of(context).engine().observations
    pruned = observations.prune(
        dataset=dataset,
        earlier_versions=earlier_versions,
        before=before,
        everything=everything,
        dry_run=dry_run,
    )
    if as_json:
        print_json(
            {
                "dry_run": dry_run,
                "observations": pruned.observations,
                "versions": pruned.versions,
                "left": pruned.left,
            }
        )
    else:
        say(_summary(pruned, dry_run=dry_run))


def _summary(pruned: Pruned, *, dry_run: bool) -> str:
    observations = f"{pruned.observations:,} observation{'' if pruned.observations == 1 else 's'}"
    versions = f"{pruned.versions:,} dataset version{'' if pruned.versions == 1 else 's'}"
    did, stay = ("Would forget", "would be left") if dry_run else ("Forgot", "are left")
    return f"{did} {observations} of {versions}; {pruned.left:,} {stay}."
