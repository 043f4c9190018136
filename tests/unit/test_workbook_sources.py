"""Workbooks as sources: each sheet is a table with a type a column, or refused by the address of what is wrong."""

from __future__ import annotations

import builtins
import re
import zipfile
from collections.abc import Callable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest

from ordermade.catalogue.any_table import AnyTable
from ordermade.errors import InputError, OrdermadeError, SourceFault, UnknownName
from ordermade.files.file_reading import FileReading
from ordermade.sources.backend import Backend, find_table
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import kind_of_source, open_source
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.made import new_engine
from tests.workbooks import Formula, write_ods, write_workbook

SMALL = Limits(memory="256MB", threads=1)
Rows = Sequence[Sequence[Any]]


def opened(path: Path, *, header: bool = False) -> Backend:
    return open_source(str(path), "workbook", writable=False, reading=FileReading(header=header), limits=SMALL)


def read(path: Path, table: str | None = None, *, header: bool = False) -> tuple[dict[str, str], list[Any]]:
    """The types of the columns of a sheet, the only one unless it is named, and its rows."""
    backend = opened(path, header=header)
    try:
        found = backend.tables()[0] if table is None else find_table(backend, table)
        rows = backend.executor.rows(Purpose.CATALOG, backend_rows(found))
        return {each.name: each.type for each in found.readable().columns}, rows
    finally:
        backend.close()


def backend_rows(table: Any) -> Any:
    from ordermade import sql

    return sql.with_relations(sql.select("workspace/taken"), {"dataset": table.reference})


def one_sheet(folder: Path, rows: Rows, **options: Any) -> Path:
    return write_workbook(folder / "t.xlsx", {"data": rows}, **options)


def message(read_it: Callable[[], object], fault: type[OrdermadeError] = SourceFault) -> str:
    with pytest.raises(fault) as caught:
        read_it()
    return caught.value.message


FIRST = date(1900, 1, 1)
DAY, MOMENT = date(2020, 2, 29), datetime(2020, 2, 29, 10, 30, 15, 250000)
COLUMNS: dict[str, tuple[list[Any], str, list[Any]]] = {
    "whole numbers": ([1, -2, 0, None], "BIGINT", [1, -2, 0, None]),
    "fractions": ([1, 2.5, None, 0.1], "DOUBLE", [1.0, 2.5, None, 0.1]),
    "wide": ([2.0**53, -(2.0**53)], "BIGINT", [2**53, -(2**53)]),
    "too wide": ([1, 1e17], "DOUBLE", [1.0, 1e17]),
    "truth values": ([True, False, None], "BOOLEAN", [True, False, None]),
    "days": (
        [DAY, None, date(1900, 1, 1), date(1900, 2, 28)],
        "DATE",
        [DAY, None, date(1900, 1, 1), date(1900, 2, 28)],
    ),
    "moments": ([MOMENT, None], "TIMESTAMP", [MOMENT, None]),
    "days and moments": ([DAY, MOMENT], "TIMESTAMP", [datetime(2020, 2, 29), MOMENT]),
    "times": ([time(10, 30), time(0, 0), None], "TIME", [time(10, 30), time(0, 0), None]),
    "durations": ([timedelta(hours=30, seconds=5), None], "VARCHAR", ["30:00:05", None]),
    "texts": (["a", " b ", "007", "", "東京"], "VARCHAR", ["a", " b ", "007", None, "東京"]),
    "mixed": ([1, "x", 2.5, True, DAY, MOMENT], "VARCHAR", ["1", "x", "2.5", "true", "2020-02-29", f"{MOMENT}"]),
    "results": ([Formula.of("=1+1", 2), Formula.of("=3", 3)], "BIGINT", [2, 3]),
    "texts of formulas": ([Formula.of('="x"', "x"), None], "VARCHAR", ["x", None]),
    "error-like texts": (["#N/A", "=1+1"], "VARCHAR", ["#N/A", "=1+1"]),
    "nothing": ([None, None], "VARCHAR", [None, None]),
}


@pytest.mark.parametrize("case", COLUMNS)
@pytest.mark.parametrize("epoch", [1900, 1904])
def test_a_column_has_the_type_of_all_its_cells(tmp_path: Path, case: str, epoch: int) -> None:
    given, kind, expected = COLUMNS[case]
    if epoch == 1904 and case == "days":
        given, expected = given[:2], expected[:2]
    rows = [("nr", "value"), *((number, cell) for number, cell in enumerate(given))]
    types, found = read(one_sheet(tmp_path, rows, date_1904=epoch == 1904))
    assert types == {"nr": "BIGINT", "value": kind}
    assert [row[1] for row in found] == expected


def test_formats_of_numbers_are_not_theirs(tmp_path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(str(tmp_path / "t.xlsx")) as book:
        sheet = book.add_worksheet("data")
        for column, (name, cell, shown) in enumerate(
            [
                ("share", 0.25, "0%"),
                ("yen", 1200, "¥#,##0"),
                ("day", 43890, "[$-411]ggge年m月d日"),
                ("y", 43890, "yyyy"),
            ]
        ):
            sheet.write_string(0, column, name)
            sheet.write_number(1, column, cell, book.add_format({"num_format": shown}))
    types, rows = read(tmp_path / "t.xlsx")
    assert types == {"share": "DOUBLE", "yen": "BIGINT", "day": "DATE", "y": "DATE"}
    assert rows == [(0.25, 1200, DAY, DAY)]


def test_blank_rows_and_columns_are_no_part_of_the_table(tmp_path: Path) -> None:
    rows: Rows = [
        (),
        (),
        (None, None, "a", None, "b"),
        (None, None, 1, None, "x"),
        (),
        (None, None, 2, None, "y"),
        ("",),
    ]
    assert read(one_sheet(tmp_path, rows)) == ({"a": "BIGINT", "b": "VARCHAR"}, [(1, "x"), (2, "y")])


@pytest.mark.slow
def test_more_rows_than_are_taken_at_once_are_typed_by_all(tmp_path: Path) -> None:
    numbers = [*range(20_000), 0.5]
    types, rows = read(one_sheet(tmp_path, [("a", "b"), *((number, "x") for number in numbers)]))
    assert types["a"] == "DOUBLE"
    assert [row[0] for row in rows] == numbers


REFUSED: dict[str, tuple[Rows, str]] = {
    "an error": ([("a",), (1,), (Formula.of("=NA()", "#N/A"),)], "sheet 'data': a cell holds an error .*A3"),
    "errors": ([("a",), *[(Formula.of("=1/0", "#DIV/0!"),)] * 5], r"5 cells hold an error .*\(A2, A3, A4, …\)"),
    "a number as a name": ([(None, "a", 2013), (None, 1, 2)], "cell C1: the first row holds a number"),
    "a day as a name": ([("a", DAY), (1, 2)], "cell B1: the first row holds"),
    "no name": ([(), ("a", None, "b"), (1, 2, 3)], "cell B2: a column with values has no name"),
    "a blank name": ([("a", "  "), (1, 2)], "cell B1: a column with values has no name"),
    "two of one name": ([("a", "b", "A"), (1, 2, 3)], "columns at A1, C1 share a name"),
    "data above data": ([("Ann", "town"), ("Bob", "town"), ("Ann", "city")], "first row looks like data"),
    "an address above": ([("name", "ann@example.org"), ("x", "y")], "first row looks like data"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_table_is_refused_by_address_and_without_its_texts(tmp_path: Path, case: str) -> None:
    rows, expected = REFUSED[case]
    path = one_sheet(tmp_path, rows)
    said = message(lambda: opened(path))
    assert re.search(expected, said), said
    assert not re.search("Ann|town|example|2013|2020", said.replace(str(path), ""))


def test_header_says_that_the_first_row_has_names(tmp_path: Path) -> None:
    path = one_sheet(tmp_path, [("town", 2013, DAY), ("town", 1, 2)])
    assert list(read(path, header=True)[0]) == ["town", "2013", "2020-02-29"]


def test_names_that_nothing_shows_to_be_names_are_not_listed(tmp_path: Path) -> None:
    backend = opened(one_sheet(tmp_path, [("Ann", "Lee"), ("Bob", "Ray"), ("Cid", "Fox")]))
    backend.close()
    assert backend.unvouched == {"Ann", "Lee"}


def test_merged_cells_are_refused(tmp_path: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(str(tmp_path / "t.xlsx")) as book:
        sheet = book.add_worksheet("data")
        sheet.write_row(0, 0, ["a", "b"])
        sheet.merge_range(1, 0, 3, 0, "x")
        sheet.write_column(1, 1, [1, 2, 3])
    assert "the cells A2:A4 are merged" in message(lambda: opened(tmp_path / "t.xlsx"))


def test_a_formula_that_was_never_calculated_is_refused(tmp_path: Path) -> None:
    path = one_sheet(tmp_path, [("a", "b"), (1, Formula.of("=A2+1", 2)), (2, Formula.of('="x"&""', "x"))])
    assert [row[1] for row in read(path)[1]] == ["2", "x"]
    made = tmp_path / "made.xlsx"
    replaced(path, made, b"</f><v>x</v>", b"</f><v></v>")
    assert [row[1] for row in read(made)[1]] == [2, None]  # its result is the empty text
    for calculated in (b"", b"<v/>", b"<v></v>"):
        replaced(path, made, b"</f><v>2</v>", b"</f>" + calculated)
        assert "a cell holds a formula that was never calculated (B2)" in message(lambda: opened(made))


def replaced(path: Path, made: Path, old: bytes, new: bytes) -> None:
    """Writes the workbook with some bytes of its XML replaced."""
    with zipfile.ZipFile(path) as before, zipfile.ZipFile(made, "w") as after:
        contents = {each: before.read(each) for each in before.namelist()}
        assert any(old in each for each in contents.values())
        for each, content in contents.items():
            after.writestr(each, content.replace(old, new))


def sheets(folder: Path, **options: Any) -> Path:
    table = [("a", "b"), (1, "x"), (2, "y")]
    given = {
        "visits 2024": table,
        "表 一": [("k",), (7,)],
        "empty": [],
        "notes": [("a", "a"), (1, 2)],
        "list": [("c",), (1,)],
    }
    return write_workbook(folder / "t.xlsx", given, hidden=["list"], **options)


@pytest.mark.slow
def test_the_sheets_with_a_value_are_the_tables(tmp_path: Path) -> None:
    path = sheets(tmp_path)
    backend = opened(path)
    backend.close()
    assert [(each.schema, each.name) for each in backend.tables()] == [
        ("main", "visits 2024"), ("main", "表 一"), ("main", "notes"), ("hidden", "list")
    ]  # fmt: skip
    assert read(path, "表 一") == ({"k": "BIGINT"}, [(7,)])
    assert read(path, "VISITS 2024")[1] == [(1, "x"), (2, "y")]
    assert read(path, "list") == ({"c": "BIGINT"}, [(1,)])
    assert "columns at A1, B1 share a name" in message(lambda: read(path, "notes"))


@pytest.mark.slow
def test_several_sheets_need_a_name_and_one_visible_sheet_none(tmp_path: Path) -> None:
    state = StateFile(tmp_path / "none.sqlite", SHELL)

    def rows(path: Path, table: str | None = None) -> int:
        return AnyTable(str(path), table=table).measured(state, SMALL, ["a"]).rows

    several = sheets(tmp_path)
    assert "there are 3 tables in it" in message(lambda: rows(several), InputError)
    assert "there is no table 'vists'" in message(lambda: rows(several, "vists"), UnknownName)
    with AnyTable(str(several), table="visits 2024").dataset(state, SMALL) as (found, _):
        assert [each.name for each in found.columns] == ["a", "b"]
    alone = write_workbook(tmp_path / "one.xlsx", {"x": [("a",), (1,)], "list": [("a",), (2,)]}, hidden=["list"])
    with AnyTable(str(alone)).dataset(state, SMALL) as (found, _):
        assert [each.name for each in found.columns] == ["a"]


@pytest.mark.slow
@pytest.mark.parametrize("called", ["it's", 'a "b"', "a;--", "表 一", "source.data", "${HOME}", "%s", "select", "a\tb"])
def test_sheets_may_be_called_anything(tmp_path: Path, called: str) -> None:
    path = write_workbook(tmp_path / "t.xlsx", {called: [("a",), (1,)], "other": [("b",), (2,)]})
    assert read(path, called) == ({"a": "BIGINT"}, [(1,)])
    engine = new_engine(tmp_path)
    engine.sources.add("s.x", str(path))
    assert engine.measure(f"s.x.{called}", ["a"]).rows == 1
    engine.datasets.add("d", "s.x", table=called)
    assert engine.datasets.show("d").rows == 1


def test_files_that_are_no_workbooks_are_named(tmp_path: Path) -> None:
    good = one_sheet(tmp_path, [("a",), (1,)]).read_bytes()
    with zipfile.ZipFile(tmp_path / "other.xlsx", "w") as packed:
        packed.writestr("readme.txt", "no workbook")
    cases = {
        "cut.xlsx": good[:-200],
        "text.xlsx": b"a,b\n1,2\n",
        "empty.xlsx": b"",
        "old.xlsx": bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 600,
        "other.xlsx": (tmp_path / "other.xlsx").read_bytes(),
        "other.ods": good,
    }
    said = {}
    for called, content in cases.items():
        (tmp_path / called).write_bytes(content)
        said[called] = message(lambda called=called: opened(tmp_path / called))  # type: ignore[misc]
        assert called in said[called]
    assert "is empty" in said["empty.xlsx"]
    assert "encrypted" in said["old.xlsx"]
    assert "no workbook" in said["text.xlsx"]
    assert "no workbook" in said["other.xlsx"]
    assert "damaged" in said["cut.xlsx"]


@pytest.mark.slow
def test_bytes_changed_anywhere_are_read_or_refused_and_never_crash(tmp_path: Path) -> None:
    good = one_sheet(tmp_path, [("a", "b"), (1, "x"), (2, DAY)]).read_bytes()
    path = tmp_path / "made.xlsx"
    for at in range(0, len(good), len(good) // 60):
        path.write_bytes(good[:at] + bytes([good[at] ^ 0x5A]) + good[at + 1 :])
        try:
            opened(path).close()
        except SourceFault as fault:
            assert str(path) in fault.message  # noqa: PT017 either may be


def test_a_sheet_that_spans_too_many_cells_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = one_sheet(tmp_path, [("a",), (1,)])
    made = tmp_path / "made.xlsx"
    replaced(path, made, b'ref="A1:A2"', b'ref="A1:XFD1048576"')
    assert "spans 17,179,869,184 cells" in message(lambda: opened(made))


def test_old_workbooks_and_several_are_refused_with_a_next_step(tmp_path: Path) -> None:
    assert "Save it as .xlsx" in message(lambda: kind_of_source("a.xls"), InputError)
    for called in ("a.xlsx", "b.xlsx"):
        write_workbook(tmp_path / called, {"x": [("a",), (1,)]})
    assert "2 workbooks match" in message(lambda: opened(tmp_path / "*.xlsx"))


def test_a_changed_workbook_is_noticed(tmp_path: Path) -> None:
    path = one_sheet(tmp_path, [("a",), (1,)])
    backend = opened(path)
    assert not backend.changed()
    one_sheet(tmp_path, [("a",), (1,), (2,)])
    assert backend.changed()
    backend.close()


def test_without_the_extra_the_command_that_installs_it_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = one_sheet(tmp_path, [("a",), (1,)])
    real = builtins.__import__

    def without(name: str, *given: Any, **options: Any) -> Any:
        if name == "python_calamine":
            raise ImportError(name=name)
        return real(name, *given, **options)

    monkeypatch.setattr(builtins, "__import__", without)
    assert "pip install 'ordermade[excel]'" in message(lambda: opened(path))


def test_an_open_document_is_read_alike(tmp_path: Path) -> None:
    share = (
        '<table:table-cell office:value-type="percentage" office:value="0.25"><text:p>25%</text:p></table:table-cell>'
    )
    rows: Rows = [
        (), (None, "nr", "share", "text", "day", "moment", "time", "is"),
        (None, 1, share, "x", DAY, datetime(2020, 2, 29, 10, 30), time(10, 30), True),
        (None, 2, None, "", None, None, None, None),
        ('<table:table-cell table:number-columns-repeated="1024"/>',),
    ]  # fmt: skip
    path = write_ods(tmp_path / "t.ods", {'表 "1"': rows, "empty": []})
    types, found = read(path)
    assert list(types.values()) == ["BIGINT", "DOUBLE", "VARCHAR", "DATE", "TIMESTAMP", "TIME", "BOOLEAN"]
    assert found == [
        (1, 0.25, "x", DAY, datetime(2020, 2, 29, 10, 30), time(10, 30), True),
        (2, None, None, None, None, None, None),
    ]


ODS_REFUSED = {
    "an error": ('<table:table-cell office:value-type="string" calcext:value-type="error"/>', "holds an error"),
    "merged": ('<table:table-cell table:number-columns-spanned="2"/><table:covered-table-cell/>', "are merged"),
}


@pytest.mark.parametrize("case", ODS_REFUSED)
def test_an_open_document_with_errors_or_merged_cells_is_refused(tmp_path: Path, case: str) -> None:
    cell, expected = ODS_REFUSED[case]
    path = write_ods(tmp_path / "t.ods", {"good": [("a",), (1,)], "bad": [("a", "b"), (1, cell)]})
    assert read(path, "good") == ({"a": "BIGINT"}, [(1,)])
    assert expected in message(lambda: read(path, "bad"))
