"""The statements of `sql/` stand in sections of files, and a name says which."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlglot.errors import SqlglotError

from ordermade import sql
from ordermade.files import resources

TWO = (
    "-- Numbers.\n\n-- name: one\n-- The number. One row.\nSELECT 1 AS n;\n\n-- name: two_2\nSELECT ';' AS n -- ;\n;\n"
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty folder in place of `sql/`."""
    monkeypatch.setattr(resources, "folder", {"sql": tmp_path}.__getitem__)
    resources._sections_of.cache_clear()  # of the engine's own files, which a test before this one may have used
    yield tmp_path
    resources._sections_of.cache_clear()


def test_sections_are_texts_by_name_in_the_order_of_the_file() -> None:
    assert list(resources.sections(TWO).items()) == [
        ("one", "-- The number. One row.\nSELECT 1 AS n"),
        ("two_2", "SELECT ';' AS n -- ;\n"),
    ]
    assert resources.sections("-- A topic alone.\n") == {}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("SELECT 0;\n" + TWO, "a statement stands before the first line"),
        ("SELECT 0;\n", "a statement stands before the first line"),
        (TWO.replace("two_2", "one"), "two sections are called one"),
        (TWO.replace("two_2", ""), "not ''"),
        (TWO.replace("two_2", "Two"), "not 'Two'"),
        (TWO.replace("two_2", "two words"), "not 'two words'"),
        (TWO.replace("AS n;", "AS n"), "section one does not end with `;`"),
        (TWO.replace("SELECT ';' AS n -- ;\n;\n", ""), "section two_2 does not end with `;`"),
    ],
)
def test_a_file_that_is_not_written_in_sections_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        resources.sections(text)


def test_a_name_is_a_file_and_a_section(folder: Path) -> None:
    (folder / "release").mkdir()
    (folder / "release" / "rows.sql").write_text(TWO, encoding="utf-8")

    assert resources.statement("release/rows/one") == "-- The number. One row.\nSELECT 1 AS n"
    with pytest.raises(KeyError, match=r"sql/release/rows\.sql has no section three"):
        resources.statement("release/rows/three")
    with pytest.raises(FileNotFoundError):
        resources.statement("release/one")


def test_a_file_is_read_once_and_only_what_is_used_of_it_is_parsed(folder: Path) -> None:
    (folder / "read_once.sql").write_text(TWO.replace("SELECT ';'", "SELECT FROM FROM"), encoding="utf-8")

    first = sql.template("read_once/one")
    (folder / "read_once.sql").unlink()

    assert first.sql(comments=False) == "SELECT 1 AS n"
    assert sql.template("read_once/one") is not first
    assert sql.script("read_once/two_2") == "SELECT FROM FROM AS n -- ;"
    with pytest.raises(SqlglotError):
        sql.template("read_once/two_2")
