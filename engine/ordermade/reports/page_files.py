"""The files that reports become: their endings, and whether one can be written."""

from __future__ import annotations

from pathlib import Path

from ordermade.errors import InputError
from ordermade.state.new_files import require_new

ENDINGS = (".html", ".htm")
WHAT = "report"


def check_page_file(path: Path) -> None:
    """Raises InputError if no report can become the file `path`: another ending, an existing file, no folder.

    Raises StateFault where no file can be written.
    """
    if path.suffix.lower() not in ENDINGS:
        raise InputError(
            f"a report is a {ENDINGS[0]} file", where=str(path), next_step=f"Give the file the ending {ENDINGS[0]}."
        )
    require_new(path, WHAT)
