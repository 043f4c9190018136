"""The page of a report as a new file of its owner's alone: staged beside its name, private from its first byte."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ordermade.reports.figures import ReportFigures
from ordermade.reports.page import page
from ordermade.reports.page_files import WHAT, check_page_file
from ordermade.state.new_files import write_new_file


def write_page(report: ReportFigures, path: Path, language: str = "en") -> Path:
    """Writes the report as the new file `path`, mode 0600, in a language; gives `path`.

    Raises what `check_page_file` does, and UnknownName for an unknown language; then nothing is left behind.
    """
    check_page_file(path)
    text = page(report, language)
    write_new_file(path, text, WHAT)
    return path


@dataclass(frozen=True, slots=True, repr=False)
class Report(ReportFigures):
    """The figures of a release, which can be written as a page."""

    def to_html(self, path: str | Path, language: Literal["en", "ja"] = "en") -> Path:
        """Writes the report as one page into the new file `path`, mode 0600; gives the path.

        The page loads nothing and runs nothing. Raises InputError for a file that exists or does not end in .html, and
        StateFault where it cannot be written.
        """
        return write_page(self, Path(path).expanduser(), language)
