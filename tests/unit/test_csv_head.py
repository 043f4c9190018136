"""The heads of CSV files: separators, lines above the names, fields without a name, lines that are left out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from ordermade.errors import InputError, SourceFault
from ordermade.files.file_reading import FileReading, skipped_lines
from ordermade.sources.csv_head import CsvHead, csv_head, original_line
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source
from tests.made import new_engine
from tests.workbooks import write_workbook


def rows_of(path: Path, reading: FileReading) -> tuple[list[str], list[tuple[object, ...]], tuple[str, ...]]:
    """The names, the rows and the unnamed columns of a file."""
    kind = "workbook" if path.suffix == ".xlsx" else "csv"
    backend = open_source(str(path), kind, writable=False, reading=reading, limits=Limits("256MB", 1))
    try:
        (table,) = backend.tables()
        names = [each.name for each in table.columns]
        rows = backend.connection.execute(f'SELECT * FROM memory.main."{table.name}"').fetchall()
        return names, rows, backend.unnamed
    finally:
        backend.close()


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("a,b\n1,2\n", CsvHead(("a", "b"), ",")),
        ("a;b\n1,5;2,5\n3,5;4,5\n", CsvHead(("a", "b"), ";")),
        (",a,b\n0,1,2\n", CsvHead((None, "a", "b"), ",")),
        ("a;b;c;\n1;2;3;\n", CsvHead(("a", "b", "c", None), ";")),
        ('a,"b\nc"\n1,2\n', CsvHead(("a", "b\nc"), ",")),
        ("a\n1\n2\n", CsvHead(("a",), ",")),
    ],
)
def test_separator_and_names(text: str, head: CsvHead) -> None:
    assert csv_head(text, "t.csv", ()) == head


@pytest.mark.parametrize(
    ("text", "step"),
    [
        ("Visits of 2025\nsex;age\nf;1\nm;2\n", "--skip 1"),
        ("Visits, by ward\n\nsex;age;town\nf;1;A\nm;2;B\n", "--skip 2"),
        ('"A title\nof two lines"\nsex,age\nf,1\nm,2\n', "--skip 2"),
        ("Visits;;\nsex;age;town\nf;1;A\nm;2;B\n", "--skip 1 if line 2"),
        ("Visits, by ward\nsex;age;town;plz;cost\n" + "m;2;B;Z;1,5\n" * 20, "--skip 1 if line 2"),
        (",,\n1,2,3\n4,5,6\n", "--skip 1"),
        (",a,,\n1,2,,3\n4,5,6,\n", "--skip N"),
        ("a,,c\n1,2,3\n4,5,6\n", "a column has no name"),
    ],
)
def test_lines_above_the_names_are_named_with_the_option_that_skips_them(text: str, step: str) -> None:
    with pytest.raises(SourceFault, match=step) as raised:
        csv_head(text, "t.csv", ())
    assert "Visits" not in raised.value.message


def test_lines_are_counted_in_the_file_as_it_is() -> None:
    assert [original_line(each, {1, 2, 5}) for each in (1, 2, 3, 4)] == [3, 4, 6, 7]
    assert skipped_lines(2, [7, 5]) == (1, 2, 5, 7)
    with pytest.raises(InputError, match="from 1"):
        skipped_lines(-1)
    with pytest.raises(InputError, match="from 1"):
        skipped_lines(0, [0])
    with pytest.raises(InputError, match="1,000"):
        skipped_lines(900, range(2000, 2200))


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_lines_are_left_out_whatever_they_end_with(tmp_path: Path, ending: str, encoding: str) -> None:
    lines = ["Gäste", "sex;alter", "Geschlecht;Jahre", "w;31", "m;4", "Summe;35"]
    path = tmp_path / "t.csv"
    path.write_bytes(ending.join([*lines, ""]).encode(encoding))
    names, rows, _ = rows_of(path, FileReading(encoding.removesuffix("-sig"), skipped=(1, 3, 6)))
    assert (names, rows) == (["sex", "alter"], [("w", 31), ("m", 4)])


def test_the_line_of_a_separator_is_no_part_of_the_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("sep=;\nsex;age\nf;1\nm;2\n")
    assert rows_of(path, FileReading())[1] == [("f", 1), ("m", 2)]
    packed = tmp_path / "u.csv.gz"
    packed.write_bytes(gzip.compress(b"Title\nsep\nsex;age\nf;1\nm;2\n"))
    assert rows_of(packed, FileReading(skipped=(1, 2)))[1] == [("f", 1), ("m", 2)]


def test_fields_without_a_name_are_left_out_and_said(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(",sex,age,\n0,f,1,\n1,m,2,\n")
    assert rows_of(path, FileReading()) == (["sex", "age"], [("f", 1), ("m", 2)], ("field 1", "field 4"))
    source = new_engine(tmp_path).sources.add("t", str(path))
    assert source.unnamed == ("field 1", "field 4")


def test_rows_of_a_sheet_are_left_out_and_its_numbered_rows_need_no_name(tmp_path: Path) -> None:
    path = write_workbook(
        tmp_path / "t.xlsx", {"visits": [["Visits of 2025", ""], ["", "sex", "age"], [0, "f", 1], [1, "m", 2]]}
    )
    names, rows, unnamed = rows_of(path, FileReading(skipped=(1,)))
    assert (names, rows, unnamed) == (["sex", "age"], [("f", 1), ("m", 2)], ("visits!A2",))


def test_a_source_keeps_the_lines_that_it_leaves_out(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("Title\nsex,age\nf,1\nm,2\nTotal,3\n")
    engine = new_engine(tmp_path)
    assert engine.sources.add("t", str(path), skip=1, skip_lines=[5]).skipped_lines == (1, 5)
    assert engine.sources.get("t").skipped_lines == (1, 5)
    assert engine.datasets.add("d", "t", table="t").name == "d"
    assert engine.datasets.show("d").rows == 2
    with pytest.raises(InputError, match="no lines"):
        engine.sources.add("u", str(tmp_path / "state.sqlite"), skip=1)
