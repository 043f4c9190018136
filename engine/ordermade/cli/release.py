"""`ordermade release`: the releases so far, and whether each is intact."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ordermade.cli.completion import registered
from ordermade.cli.options import AsJson, Verbose, example, new_file_of, settings_of
from ordermade.cli.permitted import may_run
from ordermade.cli.progress import shown_progress
from ordermade.cli.reports import Contact, Office, PageLanguage, ReportFor, checked_page
from ordermade.documents.release import ReleaseList, ReleaseReported
from ordermade.records.cells import counted
from ordermade.views.screen import from_here, hand_over, notify, print_document, print_list, say

app = typer.Typer(no_args_is_help=True, help="Releases so far. List them, show one, measure it again.")

Number = Annotated[
    int,
    typer.Argument(
        metavar="ID",
        help="The number of the release, as `release list` shows it.",
        autocompletion=registered("releases"),
    ),
]


@app.command("list", epilog=example("ordermade release list"))
def list_releases(context: typer.Context, as_json: AsJson = False) -> None:
    """List every release, the latest first."""
    releases = settings_of(context).engine().releases.list()
    if as_json:
        print_document("release list", ReleaseList(releases))
        return
    from ordermade.catalogue.releases import SHOWN

    print_list(
        SHOWN,
        releases,
        instead={
            "stands": lambda each: "yes" if each.ended is None else each.standing,
            "where": lambda each: from_here(each.name),
        },
        empty="Nothing was released yet.",
    )


@app.command(short_help="Show a release: its columns, figures and place.", epilog=example("ordermade release show 1"))
def show(context: typer.Context, number: Number, as_json: AsJson = False, verbose: Verbose = False) -> None:
    """Show a release: its columns with their levels, its figures, and where it is."""
    from ordermade.views.releases import print_release

    found = settings_of(context).engine().releases.get(number)
    if as_json:
        print_document("release show", found)
        return

    print_release(found, verbose=verbose)


@app.command(
    short_help="Report on a release, as a page or in sentences.",
    epilog=example(
        "ordermade release report 1",
        "ordermade release report 1 --html report.html",
        "ordermade release report 1 --for user --lang ja --html report-ja.html",
    ),
)
@may_run("data-user", "reviewer")
def report(
    context: typer.Context,
    number: Number,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|-",
            help="Write the report as one page into this new .html file; - prints the page, by a token - alone. Left "
            "out: a summary is printed.",
        ),
    ] = None,
    audience: ReportFor = "provider",
    language: PageLanguage = "en",
    title: Annotated[
        str,
        typer.Option(metavar="TEXT", help="The title of the report. Left out: that of the request, else the dataset."),
    ] = "",
    office: Office = "",
    contact: Contact = "",
    as_json: AsJson = False,
) -> None:
    """Report on a release: request, codebook, classes, risks, losses, distributions, limits, certificate, citation.

    The page is one file that loads nothing and runs nothing. Figures of the original need the dataset as it was; where
    it has changed they are left out. Nothing is written where the release no longer measures as it must. The report of
    tables with totals has the cells, the rules, the checks, and the tables as their file has them.

    Exit status 0 reported, 1 a later release took its place, 2 malformed, 3 a fault of the source or the state, or the
    release has changed.
    """
    from ordermade.reports import file as pages
    from ordermade.reports.masthead import Masthead

    masthead = Masthead(office, contact, title)
    if str(html) == "-":
        if as_json:
            raise typer.BadParameter("standard output has the page", param_hint="--json")
        hand_over(pages.page_of(settings_of(context).engine().releases.report(number, audience), language, masthead))
        return
    path = None if html is None else checked_page(new_file_of(context, html))
    found = settings_of(context).engine().releases.report(number, audience)
    if path is not None:
        pages.write_page(found, path, language, masthead)
    if as_json:
        print_document("release report", ReleaseReported(found, path))
    elif path is not None:
        say(f"Report of release {number}, for the {audience}: {path}")
    else:
        say(pages.summary_of(found, language))
        options = ("" if audience == "provider" else f" --for {audience}") + ("" if language == "en" else " --lang ja")
        say(f"\nThe whole report: ordermade release report {number} --html report-{number}.html{options}")


@app.command(
    short_help="Put a delivered release in the catalogue, for every user.",
    epilog=example('ordermade release publish 1 --title "Members by sex and age, 2026"'),
)
def publish(
    context: typer.Context,
    number: Number,
    title: Annotated[
        str, typer.Option(metavar="TEXT", help="Its title in the catalogue: what it shows, not who requested it.")
    ],
    reviewed: Annotated[
        bool,
        typer.Option(
            "--reviewed",
            help="A reviewer looked at what the policy leaves to one, and at texts of its user in the file.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Put a delivered release in the catalogue: every user reads it there, and may have its file.

    It is measured again, and judged beside what every pool of recipients received; the ledger has it as released to
    anyone from then on. Exit status 1 where it may not be published, 3 if it has changed.
    """
    with shown_progress() as progress:
        found = settings_of(context).engine(progress=progress).releases.publish(number, title, reviewed=reviewed)
    if as_json:
        print_document("release publish", found)
        return
    for each in found.warnings:
        notify(f"Warning: {each}.")
    say(f"Release {number} is in the catalogue of {found.dataset}: {found.title}")


@app.command(
    short_help="Take a release out of the catalogue.",
    epilog=example('ordermade release unpublish 1 --why "a column was wrong"'),
)
def unpublish(
    context: typer.Context,
    number: Number,
    why: Annotated[str | None, typer.Option(metavar="TEXT", help="The reason, for the audit.")] = None,
    as_json: AsJson = False,
) -> None:
    """Take a release out of the catalogue, with its file; the ledger keeps it as released to anyone."""
    found = settings_of(context).engine().releases.unpublish(number, why)
    if as_json:
        print_document("release unpublish", found)
        return
    say(f"Release {number} is in the catalogue of {found.dataset} no more; its own user has it still.")


@app.command(short_help="Measure a release again in its place.", epilog=example("ordermade release verify 1"))
def verify(context: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Measure a release again in its place: k, classes, rows, and models and persons as far as it shows them itself.

    Facts that the release alone does not show are listed. Exit status 1 if a later release took its place, 3 if it has
    changed.
    """
    found = settings_of(context).engine().releases.verify(number)
    where = found.release.name
    if as_json:
        print_document("release verify", found)
    elif found.intact:
        figures = [
            f"k {found.measured.k:,}",
            counted(found.measured.divisions, "class"),
            counted(found.rows, "row"),
            *([] if found.persons is None else [counted(found.persons, "person")]),
            *([counted(found.star_rows, "star row")] if found.star_rows else []),
            *found.models,
        ]
        say(f"Release {number} is intact: {', '.join(figures)}, measured again in {where}.")
        for each in found.untold:
            say(f"Not measured again, as the release alone does not show it: {each}.")
        if found.vouched_by == "fingerprint":
            say("The dataset's version was vouched for by the fingerprints of its files.")
        elif found.vouched_by is not None:
            say(f"The dataset's version was vouched for by the provider's query, SHA-256 {found.vouched_by}.")
    if not found.intact:
        notify(f"Error: {where}: release {number} has changed since it was released: {'; '.join(found.findings)}.")
        raise typer.Exit(3)
