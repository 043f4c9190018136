"""The options of commands that write the report of a release as a page, and what they print of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ordermade.cli.screen import say

if TYPE_CHECKING:
    from ordermade.engine import Engine
    from ordermade.methods.shared.result import Result
    from ordermade.reports.figures import Audience, Report

Page = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write the report of the release, for the provider, as one page into this new .html file.",
    ),
]
PageLanguage = Annotated[
    Literal["en", "ja"], typer.Option("--lang", help="The language of the report: English or Japanese.")
]


def checked_page(path: Path | None) -> Path | None:
    """The file for a report, None where none is wanted. Raises InputError, StateFault before anything runs."""
    if path is None:
        return None
    from ordermade.reports.file import check_page_file

    found = path.expanduser()
    check_page_file(found)
    return found


def write_report(engine: Engine, result: Result, path: Path | None, language: str, *, shown: bool) -> str | None:
    """Writes the provider's report of an answer; its path, None where no report is wanted or nothing was released.

    It says so where it is `shown`. Raises InputError, ReleaseFault, SourceFault, StateFault: the release stands.
    """
    if path is None:
        return None
    if not result.released:
        if shown:
            say(f"\nNothing was released, so no report was written to {path}.")
        return None
    from ordermade.reports.file import write_page

    number = _release_of(engine, result)
    write_page(engine.releases.report(number), path, language)
    if shown:
        say(f"\nReport, for the provider: {path}. For data users: `ordermade release report {number} --for user`.")
    return str(path)


def _release_of(engine: Engine, result: Result) -> int:
    """The number of the release of an answer: of an earlier one that was returned, that one."""
    returned: int | None = getattr(result, "returned", None)
    if returned is not None:
        return returned
    return next(each.id for each in engine.releases.list() if each.request_id == result.request)


def print_summary(report: Report, language: str, audience: Audience) -> None:
    """Prints the summary of a report, a sentence a line, and the command that writes all of it."""
    from ordermade.reports.language import Language
    from ordermade.reports.sentences import audience as for_whom
    from ordermade.reports.sentences import summary

    speech = Language.of(language, markup=False)
    say(f"{speech.value(report.title or report.dataset)}, {speech.text('release %(n)s', n=report.release)}")
    say(for_whom(report, speech)[0])
    say("")
    for sentence in summary(report, speech):
        say(sentence)
    say("")
    options = "" if audience == "provider" else f" --for {audience}"
    options += "" if language == "en" else f" --lang {language}"
    say(f"ordermade release report {report.release} --html report-{report.release}.html{options}")
