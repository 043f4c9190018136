"""`docs/reference/sql-templates.md`, from the headers in `sql/*.sql`: `python checks/sql_reference.py` prints it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from ordermade.files.resources import sections

SQL = Path(__file__).resolve().parents[1] / "sql"
RUN_BY_HAND = re.compile(r"-- (\$\w+ = |after:)")
OWN = {"stand_ins", "state", "ledger", "cache", "convert", "demo"}
"""The files, and the folders, whose statements read no data of a source."""

INTRODUCTION = """\
# SQL templates

Every statement that the engine issues on data is a section of a file in `sql/`, under its line `-- name:`: valid
DuckDB SQL on stand-in names, which are replaced in its tree, never in its text; joins of the state are SQLite's. In the
engine it is called by file and section, `counting/k_check`. It runs by hand on the stand-in tables:

```text
cd sql && sed -n '/^-- name: k_check$/,/^-- name:/p' counting.sql | duckdb -init stand_ins.sql
```

A statement that runs in a source keeps to a portable subset of SQL. `ordermade request explain` prints the statements
of a request with the real names in them. This page has the headers of the statements; those of the state and the cache
(the engine's own files) and of the demos have headers of the same form.
"""


def header(text: str) -> str:
    """The header of a statement, without the lines that say how to run it by hand."""
    lines = text.splitlines()
    end = next((number for number, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return " ".join(line.removeprefix("--").strip() for line in lines[:end] if not RUN_BY_HAND.match(line))


def page() -> str:
    """The whole page as Markdown: a part for each file, in the order of their names."""
    files = {path.relative_to(SQL).as_posix(): path for path in SQL.rglob("*.sql")}
    shown = [place for place in sorted(files) if place.removesuffix(".sql").partition("/")[0] not in OWN]
    return "\n".join([INTRODUCTION, *(_part(place, files[place].read_text(encoding="utf-8")) for place in shown)])


def _part(place: str, text: str) -> str:
    title = text.partition("\n")[0].removeprefix("-- ").removesuffix(".")
    rows = (f"| `{name}` | {header(each).replace('|', chr(92) + '|')} |" for name, each in sections(text).items())
    linked = f"[`sql/{place}`](../../sql/{place}):"
    return "\n".join([f"## {title}", "", linked, "", "| section | content |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    sys.stdout.write(page())
