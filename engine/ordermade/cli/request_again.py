"""`ordermade request rerun`, `diff` and `schedule`: requests that are run again."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.arguments import RequestNumber
from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, Verbose, example, settings_of
from ordermade.cli.permitted import may_run
from ordermade.cli.progress import shown_progress
from ordermade.cli.request_moves import print_rerun
from ordermade.documents.repeated_requests import RequestRerun, RequestsCompared
from ordermade.views.screen import print_document, print_table, say


def add_to(app: typer.Typer) -> None:
    """Adds these commands to those of `ordermade request`."""
    for command, short, typed in (
        (rerun, "Answer an earlier request on the data of today.", "request rerun 1"),
        (diff, "Compare two requests.", "request diff 1 2"),
        (schedule, "Print what runs a request again and again.", "request schedule 1 --monthly"),
    ):
        app.command(short_help=short, epilog=example(f"ordermade {typed}"))(command)


@may_run("data-user")
def rerun(
    context: typer.Context,
    number: RequestNumber,
    replace: Annotated[
        bool, typer.Option("--replace", help="Let the release take the place of the earlier one.")
    ] = False,
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Answer an earlier request on the data of today; its release is written beside the earlier one.

    Its name has the day, as members-2026-11-28.csv, and a number where that is taken: nothing is overwritten.

    Where the data has not changed and the release still verifies, it stays as it is. A request that was submitted is
    submitted again, and reviewed; its earlier release is superseded once the new one is delivered.

    Exit status 0 released, 1 refused, 2 the request cannot be run again, 3 a fault of the source or the state.
    """
    from ordermade.catalogue import repeated_requests
    from ordermade.views.answers import print_answer

    submissions = settings_of(context).engine().submissions
    submitted = submissions.numbered(number)
    if submitted is not None:
        print_rerun(submissions, submitted, as_json=as_json)
        return
    with shown_progress(piped=True) as progress:
        engine = settings_of(context).engine(progress=progress)
        read = repeated_requests.read_again(engine, number)
        result = repeated_requests.rerun(engine, number, replace=replace)
    if as_json:
        place = None if result.release is None else result.release.path
        print_document("request rerun", RequestRerun(number, result.request, result.status, result.reason, place))
    else:
        print_answer(result, read.request, shown=True, verbose=verbose)
    if result.released and result.request == number and not as_json:
        say(f"\nNothing has changed since: the release of request {number} stands.")
    if not result.released:
        raise typer.Exit(1)


def diff(
    context: typer.Context,
    first: RequestNumber,
    second: Annotated[
        int,
        typer.Argument(metavar="OTHER", help="The number of the other.", autocompletion=registered("requests")),
    ],
    as_json: AsJson = False,
) -> None:
    """Compare two requests: each key and each figure of the outcome that differs."""
    from ordermade.catalogue import repeated_requests

    found = repeated_requests.differences(settings_of(context).state_file(), first, second)
    if as_json:
        print_document("request diff", RequestsCompared(first, second, found))
        return
    print_table(
        ("", "what", str(first), str(second)),
        [(each.where, each.what, each.first, each.second) for each in found],
        empty="The two asked for the same, and the same came out.",
    )


def schedule(
    context: typer.Context,
    number: RequestNumber,
    daily: Annotated[bool, typer.Option("--daily", help="Every day.")] = False,
    weekly: Annotated[bool, typer.Option("--weekly", help="Every Monday.")] = False,
    monthly: Annotated[bool, typer.Option("--monthly", help="Every first day of a month.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print what runs a request again and again: a line for cron, and a service and a timer for systemd.

    Nothing is run and nothing installed. The time is 3 in the morning.
    """
    from ordermade.catalogue import repeated_requests

    if daily + weekly + monthly != 1:
        raise typer.BadParameter("give one of them", param_hint="--daily, --weekly, --monthly")
    every: repeated_requests.Every = "day" if daily else "week" if weekly else "month"
    program = Path(shutil.which("ordermade") or sys.argv[0]).absolute()
    made = repeated_requests.schedule(settings_of(context).state_file(), number, every, program, Path.cwd())
    if as_json:
        print_document("request schedule", made)
        return
    say(f"# crontab\n{made.cron}\n")
    say(f"# ordermade-{number}.service\n{made.service}")
    say(f"# ordermade-{number}.timer\n{made.timer}")
