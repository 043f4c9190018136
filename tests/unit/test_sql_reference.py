"""The page of SQL templates says what the files say."""

from __future__ import annotations

import importlib.util
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def test_page_of_sql_templates_is_what_the_files_say() -> None:
    spec = importlib.util.spec_from_file_location("sql_reference", REPOSITORY / "checks" / "sql_reference.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)

    written = (REPOSITORY / "docs" / "reference" / "sql-templates.md").read_text(encoding="utf-8")

    assert written == made.page(), "run: python checks/sql_reference.py > docs/reference/sql-templates.md"
