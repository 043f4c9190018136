"""The endings of workbooks, of those that are read and of those that are not.

Reading one imports what unpacks it and looks through its XML, which nobody needs to know that a file is none.
"""

from __future__ import annotations

from pathlib import Path

ENDINGS = (".xlsx", ".xlsm", ".ods")
"""The endings of workbooks that are read."""
OLD_ENDINGS = (".xls", ".xlsb")
"""Those of workbooks that are not: nothing in them shows which of their cells hold errors."""


def is_workbook(path: Path) -> bool:
    """Whether the ending of a path is that of a workbook, of one that is read or not."""
    return ending_of(path) in (*ENDINGS, *OLD_ENDINGS)


def ending_of(path: Path) -> str:
    """The ending of a path in small letters."""
    return path.suffix.rstrip().lower()
