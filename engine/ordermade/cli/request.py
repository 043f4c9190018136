"""`ordermade request`: a request file, and a release whose k was measured, or the reason why there is none."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli import request_again
from ordermade.cli.arguments import NoCache
from ordermade.cli.choices import one_of
from ordermade.cli.completion import registered
from ordermade.cli.options import (
    AsJson,
    Verbose,
    example,
    read_of,
    read_or_numbered,
    request_of,
    require_new,
    settings_of,
    write_new,
)
from ordermade.cli.permitted import may_run
from ordermade.cli.progress import shown_progress
from ordermade.cli.reports import Contact, Office, Page, PageLanguage, ReportFor, ReportPage
from ordermade.cli.request_moves import FileOrInput, run_submitted
from ordermade.cli.request_moves import app as moves
from ordermade.cli.request_records import app as records
from ordermade.documents.request import Drafted, Explained, Malformed
from ordermade.documents.run import OffersOfRefusal, RequestRun
from ordermade.errors import InputError, Refused
from ordermade.records.cells import counted
from ordermade.views.offers import accepted, as_promised, print_offers, under_refusal
from ordermade.views.request import beyond_k, script
from ordermade.views.screen import hand_over, print_document, print_facts, print_json, print_table, say

app = typer.Typer(
    no_args_is_help=True,
    help="Release on request, from a request file. Check it, read the SQL it would run, run it.",
)

app.registered_commands += moves.registered_commands
app.registered_commands += records.registered_commands

File = Annotated[Path, typer.Argument(metavar="FILE", help="The request file (YAML).")]
FileOrNumber = Annotated[
    Path, typer.Argument(metavar="FILE|ID", help="The request file (YAML), or the number of a request on record.")
]
NoRollUp = Annotated[
    bool,
    typer.Option("--no-rollup", help="Run every k-check in the source instead of on one frequency set; same figures."),
]


@app.command(epilog=example("ordermade request check request.yaml", "ordermade request check request.yaml --data"))
@may_run("data-user", "reviewer")
def check(
    context: typer.Context,
    file: FileOrInput,
    data: Annotated[
        bool,
        typer.Option(
            "--data",
            help="Look at the data too: dataset version, coverage of the hierarchies, identifying columns.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Report every mistake of a request at once. Each comes with its line and its correction; nothing is run.

    With --data the request is checked against its data too; nothing is released, and no request is recorded.

    Exit status 0 sound, 1 no release is possible of these data, 2 malformed, 3 a fault of the source or the state.
    """
    from ordermade.views.checks import checked, looked_at

    engine, found = settings_of(context).engine(), None
    try:
        asked = request_of(context, file)
        if data:
            found = engine.check_data(asked)
        resolved = engine.check(asked) if found is None else found.resolved
    except (InputError, Refused) as error:
        if as_json:
            print_document("request check", Malformed(str(file), getattr(error, "problems", ()) or (error.message,)))
        raise
    line, record = checked("standard input" if str(file) == "-" else str(file), resolved, found)
    if as_json:
        print_document("request check", record)
    else:
        say(line)
        say(looked_at(found))


@app.command(
    short_help="Draft a request for a dataset.",
    epilog=example(
        "ordermade request draft members --k 5 --to request.yaml", "ordermade request draft members > request.yaml"
    ),
)
def draft(
    context: typer.Context,
    dataset: Annotated[
        str, typer.Argument(metavar="DATASET", help="The registered dataset.", autocompletion=registered("datasets"))
    ],
    k: Annotated[
        int | None,
        typer.Option("--k", metavar="K", help="The k of the request. Left out: the least k of the dataset."),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the request to this new file, and its hierarchies into a new folder beside it. Left out: the "
            "request is printed, with the placeholder CHANGE ME for each hierarchy that is not registered.",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Draft a request for a dataset: the role of each column with the reason, and hierarchies. Nothing is registered.

    A hierarchy that is registered under the name of its column is used; others are drafted as files, which list values
    of the data. The commands that are printed register what the request needs. `request check` refuses placeholders.

    Exit status 0 drafted, 1 the dataset has fewer rows than k, 2 malformed, 3 a fault of the source or the state.
    """
    from ordermade.anonymization import drafted_files, outputs

    engine = settings_of(context).engine()
    if to is None:
        printed = drafted_files.drafted_files(engine, dataset, k)
        if as_json:
            print_document("request draft", Drafted.printed(dataset, printed))
        else:
            hand_over(printed.text)
        return

    path = to.expanduser()
    require_new(path)
    folder = path.absolute().with_suffix(".drafts")
    outputs.require_free(folder)
    found = drafted_files.drafted_files(engine, dataset, k, beside=folder.name)
    inside = {name.partition("/")[2]: content for name, content in found.files.items()}
    with outputs.staged_folder(folder, inside) as staged:
        write_new(path, found.text)
        if inside:
            staged.publish()
    commands = [*found.commands, f"ordermade request run {shlex.quote(path.name)}"]
    if as_json:
        drafts = path.with_suffix(".drafts") if inside else None
        print_document("request draft", Drafted.written(dataset, found, commands, path, drafts))
        return
    say(
        f"Wrote the draft {path}"
        + (f", and {counted(len(inside), 'file')} into {path.with_suffix('.drafts')}." if inside else ".")
    )
    if not found.commands:
        say(f"Look at it, then give this command{'' if path.parent == Path() else f', in {path.parent}'}:")
    else:
        say(f"Look at them, then give these commands{'' if path.parent == Path() else f', in {path.parent}'}:")
    for each in commands:
        say(f"  {each}")


@app.command(epilog=example("ordermade request explain request.yaml > steps.sql"))
def explain(context: typer.Context, file: File, no_rollup: NoRollUp = False, as_json: AsJson = False) -> None:
    """Print the SQL of every step, and run nothing. A comment above each step states its purpose."""
    _explain(context, file, roll_up=not no_rollup, as_json=as_json)


@app.command(
    short_help="Predict the outcome of a request; nothing is counted.",
    epilog=example("ordermade request predict request.yaml", "ordermade request predict 4 --all"),
)
def predict(
    context: typer.Context,
    file: FileOrNumber,
    as_json: AsJson = False,
    predictor: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="dependence, pairs, independence or power. Left out: the one that has erred least so far.",
            autocompletion=one_of("dependence", "pairs", "independence", "power"),
        ),
    ] = None,
    note: Annotated[
        bool, typer.Option("--note", help="Note the forecast in the state, to hold it against what comes out.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", help="List every predicted node, not 30 of them.")] = False,
    recipients: Annotated[
        list[str] | None,
        typer.Option("--recipient", metavar="NAME", help="Who would get it; repeat it for several. Left out: anyone."),
    ] = None,
) -> None:
    """Predict the outcome of a request from the counts of earlier ones; no row of the source is read.

    Reports whether it will pass, and for each accepted node the expected k, the interval that holds it in 90 cases of
    100, and the chance that it passes; facts proved by table C are marked. Under a suppression limit k is the least
    class after as much suppression as allowed. For a dataset that was never counted it reports the cost of an answer.
    Predictions are for the dataset as it was last seen. Of tables with totals the share of suppressed cells is
    foretold, the better the more of them were made. A database is opened, to say where the table or a column that the
    request needs is gone from its catalog. Where a policy is in force, the releases that its recipients have may decide
    the answer whatever the data are; that is said, too.

    Exit status 0 for any prediction, 2 malformed, 3 a fault of the state.
    """
    from ordermade.methods.generalization.predicted import node_table, predicted_facts, under_the_table
    from ordermade.methods.tables.predicted import PredictedTables, tables_facts
    from ordermade.requests.read import predictable, require_predictable

    asked = read_or_numbered(context, file)
    require_predictable(asked)
    predicted = (
        settings_of(context).engine().predict(asked, predictor=predictor, note=note, recipients=recipients or ())
    )
    if as_json:
        print_document("request predict", predicted)
        return
    wanted = f"k = {predicted.k:,} on {predicted.dataset}"
    if isinstance(predicted, PredictedTables):
        say(f"Predicted, nothing counted: {predicted.title or file}, tables with {wanted}")
        print_facts(tables_facts(predicted))
        return
    read = predictable(asked)
    say(f"Predicted, nothing counted: {predicted.title or file}, {wanted}{beyond_k(read.request)}")
    print_facts(predicted_facts(predicted))
    if predicted.nodes:
        headings, rows = node_table(predicted, everything=everything)
        print_table(headings, rows)
        say("")
        say(under_the_table(predicted, len(rows), read.request))


@app.command(
    short_help="Show what passes instead of a refused request.",
    epilog=example("ordermade request offers request.yaml", "ordermade request run request.yaml --offer 2"),
)
def offers(
    context: typer.Context,
    file: FileOrNumber,
    no_rollup: NoRollUp = False,
    as_json: AsJson = False,
    verbose: Verbose = False,
    recipients: Annotated[
        list[str] | None,
        typer.Option("--recipient", metavar="NAME", help="Who would get it; repeat it for several. Left out: anyone."),
    ] = None,
) -> None:
    """Show what passes instead of a request for generalisation or tables that is refused, and what each gives up.

    Looked for are a greater suppression limit (1, 2 or 5 %), a smaller k (down to the least k of the dataset), local
    recoding, coarser levels, one column left out, and Mondrian. Each offer has the figures that `request run FILE
    --offer N` gives exactly; no offer gives up as much as another one and more. Refusal and list are kept in the state:
    the same request on the same data is offered the same at once. Of tables with totals coarser ones are offered, a
    column coarser by a level or left out, worked out from cells that were counted once; under a policy those alone that
    are safe beside what the recipients have. Nothing is released.

    Exit status 0 offers were made, or the request passes as it is, 1 there are none, 2 malformed, 3 a fault of the
    source or the state.
    """
    read = read_or_numbered(context, file)
    with shown_progress() as progress:
        found = (
            settings_of(context)
            .engine(progress=progress)
            .offers(read, roll_up=not no_rollup, recipients=recipients or ())
        )
    if as_json:
        print_document("request offers", found)
    else:
        print_offers(found, read, verbose=verbose)
    if not found.offers and found.status != "passes":
        raise typer.Exit(1)


@app.command(
    short_help="Answer a request with a release, or with a reason.",
    epilog=example(
        "ordermade request run request.yaml", "ordermade request run request.yaml --json | jq '.levels, .k'"
    ),
)
def run(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE|ID", help="The request file, or the number of a request.")],
    as_json: AsJson = False,
    only_explain: Annotated[
        bool, typer.Option("--explain", help="Print the SQL of every step and run nothing, as `request explain`.")
    ] = False,
    no_rollup: NoRollUp = False,
    no_cache: NoCache = False,
    max_rows: Annotated[
        int | None,
        typer.Option(
            "--max-rows",
            metavar="N",
            min=1,
            help="Refuse a dataset of more rows before anything is counted: of a server by its estimate. "
            "Left out: no limit.",
        ),
    ] = None,
    again: Annotated[
        bool,
        typer.Option(
            "--again",
            help="Make the release of this request anew, although the present one still verifies.",
        ),
    ] = False,
    recipients: Annotated[
        list[str] | None,
        typer.Option(
            "--recipient",
            metavar="NAME",
            help="Who gets the release; repeat it for several. Where the dataset has a policy, the release is judged "
            "beside all that they, and those of their pools, have. Left out: anyone.",
        ),
    ] = None,
    beside: Annotated[
        bool,
        typer.Option(
            "--beside",
            help="Where another file has the name of the release, write beside it: members-2026-11-28.csv.",
        ),
    ] = False,
    release_best: Annotated[
        bool,
        typer.Option(
            "--release-best",
            help="After one Ctrl-C in the search: release the best node found so far, not proved to be the optimum. "
            "Left out: show it and write nothing.",
        ),
    ] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="For a microaggregation: draw its numbers before and after into this new file too, .png or .svg.",
        ),
    ] = None,
    as_view: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Print the statement of a view too, which follows the table at the released levels and shows classes "
            "of k rows alone.",
        ),
    ] = None,
    offer: Annotated[
        int | None,
        typer.Option(
            "--offer",
            metavar="N",
            min=1,
            help="Release this offer of a refused request (`request offers`) with the figures promised. Where the data "
            "changed since, offers are made anew and nothing is released.",
        ),
    ] = None,
    create: Annotated[
        bool, typer.Option("--create", help="With --as-view: make the view in the source, which must be writable.")
    ] = False,
    certify: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write why nothing better passes into this new file, of tables the witnesses of suppressed cells; "
            "`certificate verify` checks it. It has counts below k: it is the provider's.",
        ),
    ] = None,
    html: Page = None,
    audience: ReportFor = "provider",
    language: PageLanguage = "en",
    office: Office = "",
    contact: Contact = "",
    verbose: Verbose = False,
) -> None:
    """Answer a request with a release, or with the reason why there is none.

    The release is the most detailed one that passes, by the objective of the request: with k in every class, the
    requested models and risks, and no more suppression than the limit allows. It is written beside its name, measured
    again by a query of its own, and only then given its name. Where a release of the same request on the same dataset
    version has the name and still verifies, that one is the answer and nothing is written. Any other file of that name
    is kept and the request refused, unless the request has `release: {replace: true}`.

    A number runs the approved request that was submitted under it, as it was reviewed; only --json and --verbose apply.

    Ctrl-C ends the search: the best node so far is shown, with a bound on how far from the optimum it may be. A second
    Ctrl-C ends the program at once; nothing is left half written.

    Exit status 0 released, 1 refused, 2 malformed, 3 a fault of the source or the state, 130 interrupted.
    """
    from ordermade.catalogue import repeated_requests
    from ordermade.views.answers import checked_plot, print_answer

    if str(file).isdecimal():
        _require_alone(context, "file", "as_json", "verbose")
        run_submitted(context, int(str(file)), as_json=as_json, verbose=verbose)
        return
    if only_explain and offer is not None:
        raise typer.BadParameter("an offer is run, and not explained", param_hint="--offer")
    if only_explain and certify is not None:
        raise typer.BadParameter("nothing is run that could be certified", param_hint="--certify")
    if only_explain and html is not None:
        raise typer.BadParameter("nothing is run that could be reported", param_hint="--html")
    if only_explain:
        _explain(context, file, roll_up=not no_rollup, as_json=as_json, run=True)
        return

    if create and as_view is None:
        raise typer.BadParameter("it goes with --as-view NAME", param_hint="--create")
    read, promised, instead = read_of(file), None, None
    path = None if plot is None else checked_plot(plot, read)
    page = ReportPage(html, audience, language, office, contact).checked()
    with shown_progress(piped=True) as progress:
        engine = settings_of(context).engine(use_cache=not no_cache, progress=progress, max_rows=max_rows)
        if offer is not None:
            promised = accepted(engine, read, offer, recipients or (), as_json=as_json)
            read = promised.read
        if as_view is not None:
            engine.require_live(read, create=create)
        if certify is not None:
            engine.require_certifiable(read, certify.expanduser())
        run_once = partial(
            engine.run,
            roll_up=not no_rollup,
            distributions=path is not None,
            again=again,
            on_interrupt="release" if release_best else "answer",
            recipients=recipients or (),
        )
        result = repeated_requests.run_beside(run_once, read) if beside else run_once(read)
        view = None
        if as_view is not None and result.released:
            view = engine.live_view(read, result, as_view, create=create)
        answered = result.status == "refused" and not as_json
        if answered:  # before the offers, which take longer
            print_answer(result, read.request, shown=True, verbose=verbose)
        if result.status == "refused":
            instead = under_refusal(engine, read, result, recipients or ())
        certificate = reported = None
        try:
            if certify is not None:
                certificate = engine.certify(read, result, certify.expanduser())
            reported = page.write(engine, result)
        finally:  # the answer stands, whatever becomes of its certificate and report
            if as_json:
                run = RequestRun(
                    result=result,
                    view=view,
                    offers=OffersOfRefusal.of(instead),
                    certificate=certificate,
                    report=None if reported is None else page.path,
                )
                print_document("request run", run)
            if not answered:
                print_answer(result, read.request, shown=not as_json, verbose=verbose)
    if promised is not None:
        as_promised(promised, result, shown=not as_json)
    if instead is not None and not as_json:
        print_offers(instead, read, verbose=verbose)
    if certificate is not None and not as_json:
        say("")
        evidence = counted(certificate.evidence, "witness" if read.request.method == "table" else "node")
        say(f"Certificate, for the provider alone: {certificate.path}, {evidence} as evidence.")
    if path is not None:
        from ordermade.views.answer_plots import draw_plot

        draw_plot(result, path, shown=not as_json)
    if not as_json:
        page.say(reported, is_kept=True)
    if view is not None and not as_json:
        say("")
        hand_over(view.script)
    if not result.released:
        raise typer.Exit(1)


@app.command(epilog=example("ordermade request schema > request.schema.json"))
@may_run("data-user", "reviewer")
def schema() -> None:
    """Print the JSON Schema of request files. Editors complete and check them with it."""
    from ordermade.requests.schema import json_schema

    print_json(json_schema())


request_again.add_to(app)


def _require_alone(context: typer.Context, *kept: str) -> None:
    """Raises a usage error for an option of the command line that is not one of `kept`."""
    for each in context.command.params:
        source = context.get_parameter_source(each.name)
        if source is not None and source.name == "COMMANDLINE" and each.name not in kept:
            what = "it goes with a request file: a number runs the request as it was reviewed"
            raise typer.BadParameter(what, param_hint=each.opts[0])


def _explain(context: typer.Context, file: Path, *, roll_up: bool, as_json: bool, run: bool = False) -> None:
    steps = settings_of(context).engine().explain(file.expanduser(), roll_up=roll_up)
    if as_json:
        print_document("request run" if run else "request explain", Explained(steps))
    else:
        hand_over(script(steps))
