"""The program `ordermade`: its nouns, the options before them, and its exit."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from ordermade import __version__
from ordermade.cli import (
    cache,
    dataset,
    demo,
    hierarchy,
    judge,
    measure,
    microaggregation,
    observations,
    release,
    request,
    rules,
    source,
    state,
    sweep,
    taxonomy,
)
from ordermade.cli.exit_status import exit_status_of
from ordermade.cli.options import Settings, checked_wait
from ordermade.cli.screen import forgive_encoding, say
from ordermade.waiting import DEFAULT_WAIT

app = typer.Typer(
    name="ordermade",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="k-anonymised releases on request: register a database and its generalisation hierarchies, "
    "run a request file, get a release whose k was measured, or the reason why there is none.",
    epilog="\n".join(
        (
            "\b",
            "From a file to a release:",
            "  $ ordermade init",
            "  $ ordermade source add shop members.csv",
            "  $ ordermade dataset add members --source shop --table members",
            "  $ ordermade hierarchy add age age.csv",
            "  $ ordermade request run request.yaml",
            "",
            "\b",
            "Exit status: 0 done or released, 1 refused, 2 malformed input,",
            "3 a fault of the source or the state. Set ORDERMADE_LOG=debug to log",
            "every statement to stderr.",
        )
    ),
)

# The nouns, one line each.
app.command("init", epilog=state.INIT_EXAMPLE)(state.init)
app.command("demo", epilog=demo.EXAMPLE)(demo.demo)
app.command("measure", epilog=measure.EXAMPLE)(measure.measure)
app.add_typer(state.app, name="state")
app.add_typer(cache.app, name="cache")
app.add_typer(source.app, name="source")
app.add_typer(dataset.app, name="dataset")
app.add_typer(hierarchy.app, name="hierarchy")
app.add_typer(taxonomy.app, name="taxonomy")
app.add_typer(request.app, name="request")
app.command("sweep", epilog=sweep.EXAMPLE)(sweep.sweep)
app.add_typer(microaggregation.app, name="microaggregation")
app.add_typer(rules.app, name="rules")
app.add_typer(release.app, name="release")
app.add_typer(judge.app, name="judge")
app.add_typer(observations.app, name="observations")
observations.app.command("stats", epilog=observations.STATS_EXAMPLE)(observations.stats)
observations.app.command("plot", epilog=observations.PLOT_EXAMPLE)(observations.plot)


def _print_version(wanted: bool) -> None:
    if wanted:
        say(f"ordermade {__version__}")
        raise typer.Exit


@app.callback()
def before(
    context: typer.Context,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="PATH",
            help="The state file. Left out: ORDERMADE_STATE, else .ordermade/state.duckdb in this folder.",
        ),
    ] = None,
    wait: Annotated[
        float,
        typer.Option(
            metavar="SECONDS",
            callback=checked_wait,
            help="The longest wait while another process holds the state or a source.",
        ),
    ] = DEFAULT_WAIT,
    version: Annotated[  # noqa: ARG001
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and stop.")
    ] = False,
) -> None:
    """Options before the noun apply to every command."""
    context.obj = Settings(state, wait)


def run() -> None:
    """Runs the command line and ends the process with its exit status."""
    # The matrices of a prediction are small: a second thread only waits, and takes a core from the database.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    forgive_encoding(sys.stdout, sys.stderr)
    sys.exit(exit_status_of(lambda: app(prog_name="ordermade")))
