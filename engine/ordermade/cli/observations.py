"""`ordermade observations`: table C, every measured node, and its statistics."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, example, settings_of
from ordermade.documents.observation import (
    Exported,
    ObservationList,
    ObservationsPruned,
    Plotted,
    no_statistics,
    statistics,
)
from ordermade.errors import InputError, TooLittleKnown
from ordermade.plots.plot_files import check_plot
from ordermade.records.cells import cell, counted
from ordermade.views.screen import hand_over, notify, print_document, print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.catalogue.learning import Learnt
    from ordermade.prediction.calibration import Bin, Calibration, ForecastErrors
    from ordermade.prediction.predictors import JudgedPredictor
    from ordermade.state.observations import Pruned

MAX_ROWS = 30
"""Rows of a list without --all."""

app = typer.Typer(
    no_args_is_help=True,
    short_help="Table C: the measured nodes, each with its k.",
    help="Table C: every node that was ever measured, with its k. It answers later requests and predicts them. Counts, "
    "levels and hashes only, never a value of a person.",
)

Dataset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Only those of the dataset that has or had this name, under whatever row filter.",
        autocompletion=registered("measured"),
    ),
]


@app.command("list", epilog=example("ordermade observations list --dataset members"))
def list_observations(
    context: typer.Context,
    dataset: Dataset = None,
    every: Annotated[bool, typer.Option("--all", help=f"Show all. Left out: the latest {MAX_ROWS}.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the measured nodes, the latest first. With --json, all of them."""
    observations = settings_of(context).engine().observations
    shown = observations.list(dataset, None if every or as_json else MAX_ROWS)
    if as_json:
        print_document("observations list", ObservationList(shown))
        return
    # On a terminal there is no room for a column that says the same of every node.
    versions = not sys.stdout.isatty() or not all(each.is_latest for each in shown)
    print_table(
        ("id", "dataset", *(["version"] if versions else []), "node", "k", "classes", "rows", "request", "measured"),
        [
            (
                each.id,
                each.dataset if each.filter is None else f"{each.dataset} where {each.filter}",
                *(["latest" if each.is_latest else "earlier"] if versions else []),
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
    if not every and len(shown) == MAX_ROWS < (number := observations.count(dataset)):
        notify(f"The latest {MAX_ROWS:,} of {number:,}; --all shows all.")


@app.command(
    short_help="Write the measured nodes to a file, one row each.",
    epilog=example(
        "ordermade observations export measured.parquet --dataset members",
        "ordermade observations export --by-attribute > levels.csv",
    ),
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
    """Write the measured nodes to a file, one row each: levels, rows, classes (`divisions`), k, class sizes."""
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
        print_document("observations export", Exported(path, rows))
    else:
        say(f"Wrote {counted(rows, 'row')} to {path}.")


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
        print_document("observations prune", ObservationsPruned(dry_run, pruned))
    else:
        say(_summary(pruned, dry_run=dry_run))


def _summary(pruned: Pruned, *, dry_run: bool) -> str:
    observations = counted(pruned.observations, "observation")
    versions = counted(pruned.versions, "dataset version")
    if dry_run:
        return f"{observations} of {versions} would be forgotten, and {pruned.left:,} kept. Nothing was changed."
    return f"{observations} of {versions} forgotten; {pruned.left:,} kept."


LearntDataset = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="A dataset, also one removed. Left out: the one seen last that was measured.",
        autocompletion=registered("measured"),
    ),
]
Version = Annotated[
    int | None,
    typer.Option(metavar="ID", help="A dataset version by its number. Left out: the one seen last that was measured."),
]


@app.command(
    short_help="Show how well k is predicted from measured nodes.",
    epilog=example("ordermade observations stats --dataset members"),
)
def stats(
    context: typer.Context,
    dataset: LearntDataset = None,
    version: Version = None,
    as_json: AsJson = False,
) -> None:
    """Show how well k is predicted from measured nodes: now, and as they accumulated."""
    learnt = _learnt(context, dataset, version)
    of = dataset if learnt is None else learnt.dataset
    observations = settings_of(context).engine().observations
    calibration, errors = observations.calibration(of), observations.forecast_errors(of)
    if learnt is None:
        if as_json:
            print_document("observations stats", no_statistics(dataset, calibration, errors))
        else:
            say("Nothing was measured yet." if dataset is None else f"Nothing was measured of the dataset '{dataset}'.")
            _print_forecasts(of, calibration, errors)
        return
    record = learnt.track_record()
    if as_json:
        print_document("observations stats", statistics(learnt, record, calibration, errors))
        return
    print_facts(_facts(learnt))
    print_table(
        ("predictor", "R", "R²", "standard error", "ratio error", "nodes"),
        [_row(each) for each in record.now],
        title="Each node predicted from the others, as if it had not been measured:",
    )
    print_table(
        ("first", "predictor", "R", "R²", "standard error", "ratio error", "nodes"),
        [(each.known, *_row(judged)) for each in record.so_far for judged in each.judged],
        title="As measured nodes accumulated: the nodes after the first so many, predicted from these:",
        empty="Fewer than five nodes were measured: too few to judge predictions as they accumulated.",
    )
    _print_forecasts(of, calibration, errors)
    for reason in _reasons(record.now):
        notify(f"Not judged: {reason}.")
    say("\nRatio error: the mean of max(measured / predicted, predicted / measured). 1 is perfect.")


@app.command(
    short_help="Draw k against classes for every measured node.",
    epilog=example(
        "ordermade observations plot k.png --dataset members --k 50",
        "ordermade observations plot calibration.svg --calibration",
    ),
)
def plot(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The new file, .png or .svg.")],
    dataset: LearntDataset = None,
    version: Version = None,
    k: Annotated[
        int | None,
        typer.Option(metavar="K", min=1, help="The k to draw as a line. Left out: that of the version's last request."),
    ] = None,
    calibration: Annotated[
        bool, typer.Option("--calibration", help="Draw noted forecasts against what came out instead.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Draw k against classes for every measured node, with the power law, its 90 % band and the requested k.

    With --calibration: how often the requests passed that were given a chance of 10, 20, … %.
    """
    path = file.expanduser()
    if calibration:
        for option, given in (("--version", version), ("--k", k)):
            if given is not None:
                raise typer.BadParameter("it is of measured nodes, not of forecasts", param_hint=option)
    check_plot(path)
    if calibration:
        _plot_calibration(context, path, dataset, as_json=as_json)
        return
    learnt = _learnt(context, dataset, version)
    if learnt is None:
        of_what = "any dataset" if dataset is None else f"the dataset '{dataset}'"
        raise TooLittleKnown(
            f"no node of {of_what} was measured yet", next_step="Run a request on it, then plot what it measured."
        )
    from ordermade.views.curve_plots import KPlot, curve_of, plot_k, plot_of_table_c

    points = [point for point in learnt.points if point[1] > 0]
    curve = curve_of(learnt.history.evidence(learnt.history.measured), max((x for x, _ in points), default=1))
    title, note = plot_of_table_c(learnt.dataset, learnt.version.rows, learnt.version.filter)
    plot_k(KPlot(title, points, curve, k or learnt.k, note), path)
    if curve is None:
        notify(f"No curve was drawn: {learnt.no_law}.")
    if as_json:
        print_document("observations plot", Plotted(path, len(points), law=curve is not None))
        return
    say(f"Drew {counted(len(points), 'measured node')} in {path}.")


def _plot_calibration(context: typer.Context, path: Path, dataset: str | None, *, as_json: bool) -> None:
    from ordermade.views.calibration_plot import plot_calibration

    found = settings_of(context).engine().observations.calibration(dataset)
    if not found.forecasts:
        raise TooLittleKnown(
            "every noted forecast that came out was proved: there is no chance to judge"
            if found.proved
            else "no noted forecast came out yet",
            next_step="Note forecasts (`ordermade request predict --note`), then run the requests.",
        )
    plot_calibration(found, dataset, path)
    if as_json:
        print_document("observations plot", Plotted(path, found.forecasts, law=False))
        return
    say(f"Drew {counted(found.forecasts, 'forecast')} in {path}.")


def _learnt(context: typer.Context, dataset: str | None, version: int | None) -> Learnt | None:
    from ordermade.catalogue.learning import Learning

    engine = settings_of(context).engine()
    return Learning(engine.state_file, engine.cache).of(dataset, version)


def _print_forecasts(dataset: str | None, found: Calibration, errors: ForecastErrors) -> None:
    """Noted forecasts by their chance, the share that came out, and their other figures; nothing where none came out.

    `dataset`: of which they are; None: of every one.
    """
    of = "every dataset" if dataset is None else f"'{dataset}'"
    if found.brier is not None:
        print_table(
            ("chance", "forecasts", "mean chance", "passed", "90 %"),
            [
                (f"{each.low:.1f} to {each.high:.1f}", each.forecasts, each.chance, each.passed, _ends(each))
                for each in found.bins
                if each.forecasts
            ],
            title=f"Noted forecasts of {of} that came out: {found.forecasts:,}, Brier score {found.brier:.3f}:",
        )
    if found.proved:
        besides = "besides" if found.forecasts else f"of {of}"
        say(f"\nProved {besides}: {found.proved:,}, {found.proved_wrong:,} came out otherwise.")
    if found.forecasts or found.proved:
        print_table(
            ("expected", "judged", "right", "median ratio error"),
            [
                ("levels", errors.levels, errors.levels_right, None),
                ("k at these levels", errors.k.forecasts, None, errors.k.ratio),
                ("nodes to measure", errors.questions.forecasts, None, errors.questions.ratio),
                ("seconds", errors.seconds.forecasts, None, errors.seconds.ratio),
            ],
            title="Their other figures:",
        )


def _ends(each: Bin) -> str:
    return f"{each.least or 0:.2f} to {each.most or 0:.2f}"


def _facts(learnt: Learnt) -> list[tuple[str, Any]]:
    version, law = learnt.version, learnt.law
    facts: list[tuple[str, Any]] = [
        ("dataset", learnt.dataset or "(described in a request)"),
        ("where", version.filter),
        ("version", str(version.id)),
        ("seen", version.last_seen_at),
        ("other versions measured", learnt.other_versions or None),
        ("rows", version.rows),
        ("measured nodes", len(learnt.points)),
    ]
    if law is None:
        return [*facts, ("power law", f"none: {learnt.no_law}")]
    fit = law.scores
    of_fit = f"R {cell(fit.r)}, R² {cell(fit.r2)}, ratio error {cell(fit.mean_ratio_error)}"
    return [*facts, ("power law", law.law.in_words()), ("its fit", of_fit)]


def _row(judged: JudgedPredictor) -> tuple[Any, ...]:
    found = judged.scores
    if found is None:
        return (judged.predictor, None, None, None, None, None)
    return (judged.predictor, found.r, found.r2, found.standard_error, found.mean_ratio_error, found.nodes)


def _reasons(judged: Sequence[JudgedPredictor]) -> list[str]:
    """The reasons why predictors could not be judged, each once."""
    return [f"{each.predictor}: {each.why_not}" for each in judged if each.scores is None]
