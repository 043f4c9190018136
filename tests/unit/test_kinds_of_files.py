"""Kinds of files: what reads one, what it is called in a message, and how its endings show it, all by its entry."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from ordermade.files.file_reading import FileReading
from ordermade.sources.files import Files, format_of
from ordermade.sources.kinds import FILES, KINDS, TABLE_ENDINGS, TABLE_FILES, SourceKind
from ordermade.sources.limits import Limits
from ordermade.sources.open import kind_of_source

OF_FILES = [each for each in KINDS.values() if each.endings]


@pytest.mark.parametrize("kind", OF_FILES, ids=lambda each: each.name)
def test_every_ending_shows_its_kind(kind: SourceKind) -> None:
    assert {kind_of_source(f"members{ending}") for ending in kind.endings} == {kind.name}


def test_messages_name_every_kind_of_file() -> None:
    assert FILES == "DuckDB, SQLite, Parquet, CSV or Excel"
    assert TABLE_FILES == "Parquet or CSV"
    assert all(each.called in FILES for each in OF_FILES)


def test_files_of_these_endings_are_one_table() -> None:
    assert TABLE_ENDINGS == (".parquet", ".pq", ".csv", ".tsv", ".txt", ".csv.gz")


def test_every_parser_has_what_its_files_are_read_with() -> None:
    parsers = {each.parser for each in KINDS.values() if each.parser is not None}

    assert parsers
    for parser in parsers:
        assert format_of(parser).RULE >= 1
        assert callable(format_of(parser).read_once)


def test_files_are_read_as_their_kind_says(tmp_path: Path) -> None:
    (tmp_path / "a.lines").write_text("age,city\n31,Kobe\n", encoding="utf-8")
    parsed = SourceKind("lines", endings=(".lines",), one_table=True, parser="csv_format")
    source = Files(str(tmp_path / "a.lines"), parsed, reading=FileReading(), limits=Limits())
    assert [each.name for each in source.tables()[0].columns] == ["age", "city"]
    assert source.parts == ()
    source.close()

    duckdb.sql("SELECT 31 AS age").write_parquet(str(tmp_path / "b.rows"))
    in_place = SourceKind("rows", endings=(".rows",), one_table=True)
    source = Files(str(tmp_path / "b.rows"), in_place, reading=FileReading(), limits=Limits())
    assert [each.name for each in source.tables()[0].columns] == ["age"]
    assert [each.path for each in source.parts] == [tmp_path / "b.rows"]
    source.close()
