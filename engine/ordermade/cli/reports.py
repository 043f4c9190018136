"""The options of commands that write the report of a release as a page, and what they print of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ordermade.reports.page_files import check_page_file
from ordermade.views.screen import say

if TYPE_CHECKING:
    from ordermade.engine import Engine
    from ordermade.methods.shared.result import Result

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

Office = Annotated[
    str, typer.Option(metavar="TEXT", envvar="ORDERMADE_OFFICE", help="In a report: the office that releases.")
]
Contact = Annotated[
    str,
    typer.Option(
        metavar="TEXT", envvar="ORDERMADE_CONTACT", help="In a report: where questions about it are answered."
    ),
]


def checked_page(path: Path | None) -> Path | None:
    """The file for a report, None where none is wanted. Raises InputError, StateFault before anything runs."""
    if path is None:
        return None
    found = path.expanduser()
    check_page_file(found)
    return found


def write_report(
    engine: Engine, result: Result, path: Path | None, language: str, office: str, contact: str
) -> int | None:
    """Writes the provider's report of an answer; the number of the release, None where none is wanted or released.

    Raises InputError, ReleaseFault, SourceFault, StateFault: the release stands.
    """
    if path is None or result.release is None:
        return None
    from ordermade.reports.file import write_page
    from ordermade.reports.masthead import Masthead

    write_page(engine.releases.report_of(result), path, language, Masthead(office, contact))
    return result.release.number


def say_report(number: int | None, path: Path | None, *, is_kept: bool) -> None:
    """Prints where the report is, and why there is none; `is_kept`: whether the state still knows the release."""
    if path is None:
        return
    if number is None:
        say(f"\nNothing was released, so no report was written to {path}.")
        return
    further = f" For data users: `ordermade release report {number} --for user`." if is_kept else ""
    say(f"\nReport, for the provider: {path}.{further}")
