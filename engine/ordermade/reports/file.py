"""Write a report as a new HTML file that only its owner can read, or as text."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast

from ordermade.reports import page, released_tables_page, sentences, table_sentences
from ordermade.reports.figures import ReportFigures
from ordermade.reports.masthead import NO_MASTHEAD, Masthead
from ordermade.reports.page_files import WHAT, check_page_file
from ordermade.reports.table_figures import TablesFigures
from ordermade.state.new_files import write_new_file


def page_of(report: ReportFigures | TablesFigures, language: str = "en", masthead: Masthead = NO_MASTHEAD) -> str:
    """The report as one HTML document. Raises UnknownName for an unknown language."""
    if isinstance(report, TablesFigures):
        return released_tables_page.page(report, language, masthead)
    return page.page(report, language, masthead)


def summary_of(report: ReportFigures | TablesFigures, language: str) -> str:
    """The summary of the report as plain text, a sentence a line. Raises UnknownName for an unknown language."""
    if isinstance(report, TablesFigures):
        return table_sentences.plain_summary(report, language)
    return sentences.plain_summary(report, language)


def write_page(
    report: ReportFigures | TablesFigures, path: Path, language: str = "en", masthead: Masthead = NO_MASTHEAD
) -> Path:
    """Write the report into the new file `path`, mode 0600; returns `path`. `language`: `en` or `ja`.

    Raises the errors of `check_page_file`, and UnknownName for an unknown language; no file is then left behind.
    """
    check_page_file(path)
    text = page_of(report, language, masthead)
    write_new_file(path, text, WHAT)
    return path


class _Paged:
    """A report that can be written as a page."""

    __slots__ = ()

    def to_html(
        self,
        path: str | Path,
        language: Literal["en", "ja"] = "en",
        *,
        office: str = "",
        contact: str = "",
        title: str = "",
    ) -> Path:
        """Write the report as one page into the new file `path`, mode 0600; returns the path.

        `office`: who releases; `contact`: who answers questions; `title`: in place of that of the request. The page
        loads nothing and runs nothing. Raises InputError for a file that exists or does not end in .html, StateFault if
        it cannot be written.
        """
        report = cast("ReportFigures | TablesFigures", self)
        return write_page(report, Path(path).expanduser(), language, Masthead(office, contact, title))


@dataclass(frozen=True, slots=True, repr=False)
class Report(ReportFigures, _Paged):
    """The figures of a release, which can be written as a page."""


@dataclass(frozen=True, slots=True, repr=False)
class ReportOfTables(TablesFigures, _Paged):
    """The figures of released tables with totals, which can be written as a page."""
