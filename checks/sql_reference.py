"""`docs/reference/sql-templates.md`, from the headers of `sql/*.sql`: `python checks/sql_reference.py` prints it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

SQL = Path(__file__).resolve().parents[1] / "sql"
RUN_BY_HAND = re.compile(r"-- (\$\w+ = |after:)")

INTRODUCTION = """\
# SQL templates

Every statement that the engine issues is a file in `sql/`: valid DuckDB SQL on stand-in names, which are replaced in
its tree, never in its text; those of the state, `sql/state/`, are SQLite's. A file runs by hand on the stand-in tables:

```text
cd sql && duckdb -init stand_ins.sql -f k_check.sql
```

A statement that runs in a source keeps to a portable subset of SQL. `ordermade request explain` prints the statements
of a request with the real names in them. This page has the headers of the files; `sql/state/` and `sql/cache/` (the
engine's own files) and `sql/demo/` have headers of the same form.
"""

PARTS = {
    "Before the search": "catalog columns row_count dataset dataset_version file_view parquet_files "
    "csv_text csv_sample csv_types csv_loaded csv_tried csv_refuted csv_evidence csv_first_line csv_typed time_zone "
    "identifying",
    "Coverage and marginals": "marginal_values marginal_codes codes leaf_keys coded_keys value_keys attribute_figures "
    "placed_values repeated_keys never_used missing_values level_classes marginal_counts",
    "Counting": "frequency_set cached_columns widen roll_up k_check source_k_check rows_of_node store taken",
    "Releasing": "labels released_classes released_sorted released_rows released_table released_labels write_parquet "
    "write_csv write_csv_gz written_parquet written_csv written_csv_gz measure_rows measure_table release_table "
    "threads set_threads released_formulas released_escaped released_unescaped "
    "release_marks mark_release_table drop_release_table",
    "Suppression, persons and models in a release": "released_sizes released_numbered released_class_values "
    "released_class_sizes released_too_small released_decided released_all released_and_suppressed "
    "released_histogram released_suppressed released_pseudonyms released_linkable released_shown released_starred "
    "released_sorted_stars measure_persons measure_histories measure_apart measure_stars measure_person_count "
    "measure_counted measure_distribution measure_ancestors measure_values measure_value_levels measure_own_values "
    "measure_unknown_values",
}
"""The order of the page; files that are in no part come after them."""

FOLDERS = {
    "Profiles of columns, for drafts": "profile",
    "Slices of records": "slices",
    "Microaggregation": "microdata",
    "Mondrian": "mondrian",
    "Purchase histories": "history",
    "A release judged": "judging",
    "Categories of items": "taxonomies",
    "Privacy models": "privacy",
    "Measuring a table as it is": "measure",
    "SQLite as a source": "sqlite",
    "PostgreSQL as a source": "postgres",
    "MariaDB and MySQL as sources": "mysql",
}
"""The folders that have a part of their own, all files of them."""


def header(path: Path) -> str:
    """The header of a file, without the lines that say how to run it by hand."""
    lines = path.read_text(encoding="utf-8").splitlines()
    end = next((number for number, line in enumerate(lines) if not line.startswith("--")), len(lines))
    return " ".join(line.removeprefix("--").strip() for line in lines[:end] if not RUN_BY_HAND.match(line))


def page() -> str:
    """The whole page as Markdown."""
    left = {path.stem: path for path in sorted(SQL.glob("*.sql")) if path.stem != "stand_ins"}
    sections = [INTRODUCTION]
    for title, names in PARTS.items():
        sections.append(_section(title, [left.pop(name) for name in names.split()]))
    if left:
        sections.append(_section("Others", list(left.values())))
    for title, folder in FOLDERS.items():
        sections.append(_section(title, sorted((SQL / folder).glob("*.sql"))))
    return "\n".join(sections)


def _section(title: str, paths: list[Path]) -> str:
    rows = [_row(path) for path in paths]
    return "\n".join([f"## {title}", "", "| file | content |", "|---|---|", *rows, ""])


def _row(path: Path) -> str:
    place = path.relative_to(SQL).as_posix()
    return f"| [`{path.stem}`](../../sql/{place}) | {header(path).replace('|', chr(92) + '|')} |"


if __name__ == "__main__":
    sys.stdout.write(page())
