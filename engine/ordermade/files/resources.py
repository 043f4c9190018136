"""Where the engine's own files are, `sql/` and `migrations/`, in the wheel or the repository; the text of a statement.

A file of `sql/` has the statements of one topic in sections, as aiosql has them: each stands under its line
`-- name: <name>`, begins with its header comment and ends with `;`. Its name in the engine is the file without `.sql`,
a slash and the name of the section, `classes/checked_node` or `release/rows/sorted`, so that it says where it stands.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_NAME_LINE = "\n-- name:"
_NAME = re.compile(r"[a-z][a-z0-9_]*")


@cache
def folder(name: str) -> Path:
    """The folder `name` (`sql` or `migrations`): the package's own if it is there (a wheel), else the repository's.

    Raises FileNotFoundError if neither exists, which means a broken installation.
    """
    for candidate in (_PACKAGE / name, _PACKAGE.parents[1] / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the folder '{name}' of ordermade is missing: install the package again")


def statement(name: str) -> str:
    """The text of the statement `<file>/<section>`: its header comment, and the SQL without the `;` at its end.

    Raises FileNotFoundError if there is no file `sql/<file>.sql`, KeyError if it has no such section, and ValueError
    where the file is not written in sections. The file is read once in a process; nothing in it is parsed here.
    """
    file, _, section = name.rpartition("/")
    found = _sections_of(file)
    if section not in found:
        raise KeyError(f"sql/{file}.sql has no section {section}")
    return found[section]


@cache
def _sections_of(file: str) -> Mapping[str, str]:
    return sections((folder("sql") / f"{file}.sql").read_text(encoding="utf-8"))


def sections(text: str) -> Mapping[str, str]:
    """The statements of the text of a file by the names of their sections, in the order of the file.

    Raises ValueError where anything but comments stands before the first name, where a name stands twice or is not of
    small letters, digits and `_`, and where a section does not end with `;`.
    """
    before, *parts = f"\n{text}".split(_NAME_LINE)
    if any(line.strip() and not line.startswith("--") for line in before.splitlines()):
        raise ValueError("a statement stands before the first line `-- name: <name>`")
    found: dict[str, str] = {}
    for each in parts:
        name, _, part = map(str.strip, each.partition("\n"))
        if not _NAME.fullmatch(name):
            raise ValueError(f"the name of a section is in small letters, digits and `_`, not '{name}'")
        if name in found:
            raise ValueError(f"two sections are called {name}")
        if not part.endswith(";"):
            raise ValueError(f"section {name} does not end with `;`")
        found[name] = part[:-1]
    return found
