"""The options of commands that write the report of a release as a page, and what they print of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ordermade.reports.page_files import check_page_file
from ordermade.views.screen import say

if TYPE_CHECKING:
    from ordermade.engine import Engine
    from ordermade.methods.shared.result import Result
    from ordermade.reports.figures import Audience

Page = Annotated[
    Path | None,
    typer.Option(
        "--html",
        metavar="FILE",
        help="Write the report of the release as one page into this new .html file.",
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


ReportFor = Annotated[
    Literal["provider", "user"],
    typer.Option(
        "--for",
        help="The readers of the report: provider, with figures of the original, not to be passed on; user, with no "
        "count below k and nothing that was not released.",
    ),
]


@dataclass(frozen=True, slots=True)
class ReportPage:
    """The page that a command writes of a release: its file, None where none is wanted, and what it is to be."""

    path: Path | None
    audience: Audience
    language: str
    office: str
    contact: str

    def checked(self) -> ReportPage:
        """The same with its file expanded. Raises InputError, StateFault before anything runs."""
        return replace(self, path=checked_page(self.path))

    def write(self, engine: Engine, result: Result) -> int | None:
        """Writes the report of an answer; the number of the release, None where none is wanted or released.

        Raises InputError, ReleaseFault, SourceFault, StateFault: the release stands.
        """
        if self.path is None or result.release is None:
            return None
        from ordermade.reports.file import write_page
        from ordermade.reports.masthead import Masthead

        report = engine.releases.report_of(result, self.audience)
        write_page(report, self.path, self.language, Masthead(self.office, self.contact))
        return result.release.number

    def say(self, number: int | None, *, is_kept: bool) -> None:
        """Prints where the report is, and why there is none; `is_kept`: whether the state still knows the release."""
        if self.path is None:
            return
        if number is None:
            say(f"\nNothing was released, so no report was written to {self.path}.")
            return
        readers = "data users" if self.audience == "user" else "the provider"
        further = f" For data users: `ordermade release report {number} --for user`."
        say(f"\nReport, for {readers}: {self.path}.{further if is_kept and self.audience == 'provider' else ''}")


def checked_page(path: Path | None) -> Path | None:
    """The file for a report, None where none is wanted. Raises InputError, StateFault before anything runs."""
    if path is None:
        return None
    found = path.expanduser()
    check_page_file(found)
    return found
