"""`ordermade request`: ask, and get a release whose k was measured, or the reason why there is none."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.screen import print_facts, print_json, print_table, say
from ordermade.cli.settings import AsJson, example, settings_of

app = typer.Typer(
    no_args_is_help=True,
    help="Ask for a release, with a request file. Check it, read the SQL it would run, run it.",
)

File = Annotated[Path, typer.Argument(metavar="FILE", help="The request file (YAML).")]
NoRollUp = Annotated[
    bool,
    typer.Option("--no-rollup", help="Ask the source for every k-check instead of one frequency set; same figures."),
]


@app.command(epilog=example("ordermade request check request.yaml", "ordermade request check request.yaml --data"))
def check(
    context: typer.Context,
    file: File,
    data: Annotated[
        bool,
        typer.Option(
            "--data",
            help="Look at the data too: dataset version, coverage of the hierarchies, identifying columns.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Tell every mistake of a request at once. Each comes with its line and what to write instead; nothing is run.

    With --data the request is held against its data too; nothing is released, and no request is noted.

    Exit status 0 sound, 1 no release is possible of these data, 2 malformed, 3 a fault of the source or the state.
    """
    from ordermade.cli.answers import checked, looked_at
    from ordermade.errors import InputError, Refused

    engine, found = settings_of(context).engine(), None
    try:
        if data:
            found = engine.check_data(file.expanduser())
        resolved = engine.check(file.expanduser()) if found is None else found.resolved
    except (InputError, Refused) as error:
        if as_json:
            problems = getattr(error, "problems", ()) or (error.message,)
            print_json({"request": str(file), "sound": False, "problems": problems})
        raise
    line, document = checked(str(file), resolved)
    more, facts = looked_at(found)
    if as_json:
        print_json(document | facts)
    else:
        say(line)
        say(more)


@app.command(epilog=example("ordermade request explain request.yaml > steps.sql"))
def explain(context: typer.Context, file: File, no_rollup: NoRollUp = False, as_json: AsJson = False) -> None:
    """Print the SQL of every step, and run nothing. A comment above each step says what it is for."""
    _explain(context, file, roll_up=not no_rollup, as_json=as_json)


@app.command(epilog=example("ordermade request predict request.yaml", "ordermade request predict request.yaml --all"))
def predict(
    context: typer.Context,
    file: File,
    as_json: AsJson = False,
    predictor: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="pairs, independence or power. Left out: the best one that enough is known for."
        ),
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="List every predicted node, not 30 of them.")] = False,
) -> None:
    """Tell what to expect of a request, from what earlier ones counted; the source is not touched.

    Says whether it will pass, and of each accepted node the expected k, the interval that holds it in 90 cases of 100,
    and the chance that it passes; what table C proves is marked. Under a suppression limit k is the one reached where
    all that may be withheld is. On a dataset that was never counted it says what it would cost to know. Rests on the
    dataset as it was last seen.

    Exit status 0 whatever is predicted, 2 malformed, 3 a fault of the state.
    """
    from ordermade.cli.predict_words import node_table, predicted_facts, under_the_table
    from ordermade.cli.request_words import beyond_k
    from ordermade.requests.read import predictable, read_request

    asked = predictable(read_request(file.expanduser()))
    predicted = settings_of(context).engine().predict(asked, predictor=predictor)
    if as_json:
        print_json(predicted.as_dict())
        return
    asks = f"k = {predicted.k:,} on {predicted.dataset}{beyond_k(asked.request)}"
    say(f"Predicted, nothing counted: {predicted.title or file}, {asks}")
    print_facts(predicted_facts(predicted))
    if predicted.nodes:
        headings, rows = node_table(predicted, everything=everything)
        print_table(headings, rows)
        say("")
        say(under_the_table(predicted, len(rows), asked.request))


@app.command(
    epilog=example("ordermade request run request.yaml", "ordermade request run request.yaml --json | jq '.levels, .k'")
)
def run(
    context: typer.Context,
    file: File,
    as_json: AsJson = False,
    only_explain: Annotated[
        bool, typer.Option("--explain", help="Print the SQL of every step and run nothing, as `request explain`.")
    ] = False,
    no_rollup: NoRollUp = False,
    no_cache: Annotated[
        bool, typer.Option("--no-cache", help="Neither read nor keep frequency sets beside the state.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Make the release of this request anew, though the one that stands under its name still verifies.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Of a microaggregation: draw its numbers before and after into this new file too, .png or .svg.",
        ),
    ] = None,
) -> None:
    """Answer a request with a release, or say why there is none.

    The release is the most detailed one that passes, by the objective of the request: with k in every class, the models
    and risks asked for, and no more withheld than the limit allows. It is written beside its name, measured again by a
    query of its own, and only then given its name. Where a release of the same request on the same dataset version
    stands there and still verifies, that one is the answer and nothing is written. A name that is taken otherwise is
    refused, unless the request says `release: {replace: true}`.

    Exit status 0 released, 1 refused, 2 malformed, 3 a fault of the source or the state.
    """
    if only_explain:
        _explain(context, file, roll_up=not no_rollup, as_json=as_json)
        return
    from ordermade.cli.answers import checked_plot, tell_answer, tell_plot
    from ordermade.cli.progress import shown_progress
    from ordermade.requests.read import read_request

    asked = read_request(file.expanduser())
    path = None if plot is None else checked_plot(plot, asked)
    with shown_progress() or nullcontext() as progress:
        engine = settings_of(context).engine(use_cache=not no_cache, progress=progress)
        result = engine.run(asked, roll_up=not no_rollup, distributions=path is not None, again=again)
    if as_json:
        print_json(result.as_dict())
    tell_answer(result, asked.request, shown=not as_json)
    if path is not None:
        tell_plot(result, path, shown=not as_json)
    if not result.released:
        raise typer.Exit(1)


@app.command("list", epilog=example("ordermade request list"))
def list_requests(context: typer.Context, as_json: AsJson = False) -> None:
    """List every request that was run, the latest first."""
    requests = settings_of(context).engine().requests()
    if as_json:
        print_json(requests)
        return
    print_table(
        ("id", "status", "dataset", "k", "started", "title"),
        [(each.id, each.status, each.dataset_name, each.k, each.started_at, each.title) for each in requests],
        empty="No request was run yet.",
    )


@app.command(epilog=example("ordermade request show 1"))
def show(
    context: typer.Context,
    number: Annotated[int, typer.Argument(metavar="ID", help="The number of the request, as `request list` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Show what was asked, how it ended and what it cost."""
    from ordermade.cli.answers import tell_record

    details = settings_of(context).engine().request(number)
    if as_json:
        print_json(details)
    else:
        tell_record(details)


@app.command(epilog=example("ordermade request schema > request.schema.json"))
def schema() -> None:
    """Print the JSON Schema of request files. Editors complete and check them with it."""
    from ordermade.requests.schema import json_schema

    print_json(json_schema())


def _explain(context: typer.Context, file: Path, *, roll_up: bool, as_json: bool) -> None:
    from ordermade.cli.request_words import script
    from ordermade.cli.screen import hand_over

    steps = settings_of(context).engine().explain(file.expanduser(), roll_up=roll_up)
    if as_json:
        print_json(steps)
    else:
        hand_over(script(steps))
