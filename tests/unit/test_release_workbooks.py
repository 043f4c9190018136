"""Releases to workbooks: cells of their own types, measured from the file, the same bytes again, refused before."""

from __future__ import annotations

import sys
import zipfile
from collections import Counter
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from python_calamine import CalamineWorkbook

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, ReleaseFault, RequestError
from ordermade.files.private import FILE_MODE, sha256_of
from ordermade.release import workbooks
from ordermade.release.files import MANIFEST
from tests.conformance.prepared import copied, prepare
from tests.long import sampled
from tests.made import Row, write_table
from tests.workbooks import write_workbook

pytestmark = pytest.mark.slow

AGES = ("value", "half"), [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]
COLUMNS = {"age": "INTEGER", "plan": "VARCHAR", "id": "INTEGER"}
ROWS: list[Row] = [(i % 4 + 1, "basic" if i % 3 else None, i) for i in range(24)]
HOSTILE = [
    "=1+1", "+1", "-1", "@x", "{=1}", "http://example.org", "mailto:a@b.c", "internal:Sheet1!A1", "007", "1e5", "TRUE",
    "2020-01-01", " lead", "trail ", " ", "a\nb", "a\r\nb", "\r", "\t", "\x01\x1f", "_x0041_", "<r>", "<r>x</r>",
    "<r><t>x</t></r>", "&amp;", "]]>", '"', "'=1", "東京", "😀", "e\u0301", "\ufeff", "#N/A", "x" * 32_767,
    "😀" * 16_383,
]  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, {"age": AGES}, writable=False)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


def asked(to: Path, k: int = 2, **more: Any) -> dict[str, Any]:
    release = {"to": str(to), **{key: more.pop(key) for key in ("shape", "replace", "mode") if key in more}}
    return {"dataset": "d", "k": k, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": release, **more}


def cells(path: Path) -> list[list[Any]]:
    (name,) = (book := CalamineWorkbook.from_path(path)).sheet_names
    return book.get_sheet_by_name(name).to_python()


def holding(engine: Engine, folder: Path, kind: str, values: list[Any]) -> None:
    """Makes the source two rows of each value."""
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(f"CREATE OR REPLACE TABLE persons (age INTEGER, v {kind})")
        connection.executemany("INSERT INTO persons VALUES (1, ?), (2, ?)", [[value, value] for value in values])
    engine.datasets.refresh("d")


def test_texts_stay_texts_and_come_back_as_they_were(engine: Engine, tmp_path: Path) -> None:
    write_table(tmp_path / "s.duckdb", {"age": "INTEGER", "note": "VARCHAR"}, [(a, t) for a in (1, 2) for t in HOSTILE])
    engine.datasets.refresh("d")
    out = tmp_path / "out" / "release.xlsx"
    assert engine.run(asked(out, keep=["note"])).released
    header, *rows = cells(out)
    assert header == ["age", "note"]
    assert Counter(map(tuple, rows)) == Counter((float(age), text) for age in (1, 2) for text in HOSTILE)
    with zipfile.ZipFile(out) as packed:
        sheet = packed.read("xl/worksheets/sheet1.xml")
        assert b"<f>" not in sheet
        assert b"<f " not in sheet
        assert b"hyperlink" not in sheet
        assert not any("sharedStrings" in each or "rels/sheet" in each for each in packed.namelist())
    assert {path.name for path in out.parent.iterdir()} == {out.name, out.name + MANIFEST}
    assert {path.stat().st_mode & 0o777 for path in out.parent.iterdir()} == {FILE_MODE}


DAY = date(2020, 2, 29)
TYPES: dict[str, tuple[str, list[Any], list[Any]]] = {
    "whole": ("BIGINT", [1, -(10**14)], [1.0, -1e14]),
    "decimals": ("DECIMAL(38,10)", [Decimal("1234567890.12345"), Decimal("0.5")], [1234567890.12345, 0.5]),
    "fractions": ("DOUBLE", [0.1 + 0.2, 1e300, 1 / 3], [0.1 + 0.2, 1e300, 1 / 3]),
    "singles": ("FLOAT", [0.1, 16777216.0], [0.1, 16777216.0]),
    "truth values": ("BOOLEAN", [True, False], [True, False]),
    "days": ("DATE", [DAY, date(1900, 1, 1), date(9999, 12, 31)], [DAY, date(1900, 1, 1), date(9999, 12, 31)]),
    "moments": ("TIMESTAMP", [datetime(2020, 2, 29, 10, 30, 15, 123000)], [datetime(2020, 2, 29, 10, 30, 15, 123000)]),
    "times": ("TIME", [time(0, 0), time(10, 30, 1)], [time(0, 0), time(10, 30, 1)]),
    "lists": ("INTEGER[]", [[1, 2]], ["[1, 2]"]),
    "instants": ("TIMESTAMPTZ", ["2020-01-01 10:00:00+00"], ["2020-01-01 10:00:00+00"]),
    "choices": ("ENUM('=a', 'b')", ["=a", "b"], ["=a", "b"]),
}


@pytest.mark.parametrize("case", sampled(TYPES, 2))
def test_values_are_cells_of_their_own_types(engine: Engine, tmp_path: Path, case: str) -> None:
    kind, values, expected = TYPES[case]
    holding(engine, tmp_path, kind, [*values, None])
    out = tmp_path / "out.xlsx"
    result = engine.run(asked(out, keep=["v"], replace=True))
    assert result.released
    found = Counter((type(row[1]), row[1]) for row in cells(out)[1:])
    assert found == Counter({(type(value), value): 2 for value in [*expected, ""]})


UNFIT: dict[str, tuple[str, list[Any], str]] = {
    "an empty text": ("VARCHAR", ["", "a"], "the column 'v' has empty texts"),
    "a long text": ("VARCHAR", ["x" * 32_768], "more than 32,767 characters"),
    "a text of pairs": ("VARCHAR", ["😀" * 16_384], "more than 32,767 characters"),
    "a character": ("VARCHAR", ["a\uffffb"], "a character that no workbook holds"),
    "digits": ("BIGINT", [2**53 + 1], "more than 15 digits"),
    "decimals": ("DECIMAL(38,10)", [Decimal("1234567.8901234567")], "more than 15 digits"),
    "huge": ("HUGEINT", [10**30 + 1], "more than 15 digits"),
    "infinity": ("DOUBLE", [float("inf")], "not finite"),
    "no number": ("FLOAT", [float("nan")], "not finite"),
    "early": ("DATE", [date(1899, 12, 31)], "days before 1900"),
    "fine": ("TIMESTAMP", [datetime(2020, 1, 1, 0, 0, 0, 1)], "finer than a millisecond"),
    "fine times": ("TIME", [time(1, 1, 1, 1)], "finer than a millisecond"),
}


@pytest.mark.parametrize("case", UNFIT)
def test_what_a_workbook_cannot_hold_is_refused_before_anything_is_written(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    kind, values, expected = UNFIT[case]
    holding(engine, tmp_path, kind, values)
    monkeypatch.setattr(workbooks, "write", None)
    with pytest.raises(InputError, match=expected) as caught:
        engine.run(asked(tmp_path / "out" / "r.xlsx", keep=["v"]))
    assert ".csv or .parquet" in caught.value.message
    assert not (tmp_path / "out").exists()


def test_rows_without_a_value_and_too_many_rows_are_refused(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_table(tmp_path / "s.duckdb", {"age": "INTEGER"}, [(1,), (1,), (None,), (None,)])
    with pytest.raises(InputError, match="a row of the release has no value"):
        engine.run(asked(tmp_path / "r.xlsx"))
    write_table(tmp_path / "s.duckdb", {"age": "INTEGER"}, [(1,)] * 6)
    monkeypatch.setattr(workbooks, "MAX_ROWS", 5)
    with pytest.raises(InputError, match="the release has 6 rows"):
        engine.run(asked(tmp_path / "r.xlsx"))
    monkeypatch.setattr(workbooks, "MAX_ROWS", 6)
    assert engine.run(asked(tmp_path / "r.xlsx")).released


def test_the_same_rows_are_the_same_bytes_and_are_verified(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "r.xlsx"
    first = engine.run(asked(out, keep=["plan"], mode="0644"))
    assert first.release is not None
    content = out.read_bytes()
    assert out.stat().st_mode & 0o777 == 0o644
    again = engine.run(asked(tmp_path / "s.xlsx", keep=["plan"]))
    assert again.release is not None
    assert (tmp_path / "s.xlsx").read_bytes() == content
    assert again.release.sha256 == sha256_of(out)
    verified = engine.releases.verify(1)
    assert (verified.intact, verified.measured.k) == (True, 6)
    frame = first.to_pandas()
    assert frame["age"].tolist() == sorted(row[0] for row in ROWS)
    write_workbook(out, {"release": [("age", "plan"), *[(1, "basic")] * 24]})
    assert not engine.releases.verify(1).intact
    out.write_bytes(content[:-50])
    with pytest.raises(ReleaseFault, match="damaged"):
        engine.releases.verify(1)


def test_statistical_tables_and_star_rows_are_measured_in_the_file(engine: Engine, tmp_path: Path) -> None:
    out = tmp_path / "t.xlsx"
    assert engine.run(asked(out, k=7, shape="table")).released
    assert cells(out) == [["age", "count"], ["high", 12.0], ["low", 12.0]]
    rows: list[Row] = [*[(1, "a", 1)] * 10, *[(2, "b", 1)] * 10, (3, "a", 1), (4, "b", 1)]
    write_table(tmp_path / "s.duckdb", COLUMNS, rows)
    stars = {"suppression_limit": 0.2, "suppressed": "star"}
    result = engine.run(asked(tmp_path / "s.xlsx", keep=["plan"], **stars))
    assert result.release is not None
    assert Counter(map(tuple, cells(tmp_path / "s.xlsx")[1:]))[("*", "*")] == 2
    assert engine.releases.verify(2).intact


def test_all_that_is_written_on_the_way_is_private(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import xlsxwriter

    seen: list[tuple[int, int]] = []
    close = xlsxwriter.Workbook.close

    def looked(book: Any) -> None:
        folder = Path(book.filename).parent
        seen.extend((path.stat().st_mode & 0o077, folder.stat().st_mode & 0o077) for path in folder.iterdir())
        close(book)

    monkeypatch.setattr(xlsxwriter.Workbook, "close", looked)
    assert engine.run(asked(tmp_path / "r.xlsx")).released
    assert len(seen) >= 2  # the file, and the rows that XlsxWriter keeps outside memory
    assert set(seen) == {(0, 0)}


def test_a_file_that_measures_otherwise_is_not_released(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = workbooks._rows
    monkeypatch.setattr(workbooks, "_rows", lambda *given: iter(list(real(*given))[:-1]))
    with pytest.raises(ReleaseFault, match="does not measure as it must"):
        engine.run(asked(tmp_path / "out" / "r.xlsx"))
    assert not list((tmp_path / "out").iterdir())


def test_a_full_disk_is_a_fault_and_leaves_nothing(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import xlsxwriter

    def full(book: Any) -> None:
        raise xlsxwriter.exceptions.FileCreateError("No space left on device")

    monkeypatch.setattr(xlsxwriter.Workbook, "close", full)
    with pytest.raises(ReleaseFault, match="cannot be written"):
        engine.run(asked(tmp_path / "out" / "r.xlsx"))
    assert not list((tmp_path / "out").iterdir())


def test_other_workbooks_are_refused_and_the_extra_is_named(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(RequestError, match=r"only \.xlsx is written"):
        engine.run(asked(tmp_path / "r.ods"))
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(OrdermadeError, match=r"XlsxWriter is not installed.*pip install 'ordermade\[excel\]'"):
        engine.run(asked(tmp_path / "r.xlsx"))


def test_explain_shows_the_rows_and_how_they_are_measured(engine: Engine, tmp_path: Path) -> None:
    steps = engine.explain(asked(tmp_path / "r.xlsx"))
    written = [each.sql for each in steps if "release, written" in each.title]
    assert any("released_sorted" in text for text in written)
    assert any("r.xlsx.parquet" in each.sql for each in steps)
