"""How CSV files are read: encodings, separators, texts that a number would lose, lines that do not fit."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from ordermade.errors import SourceFault
from ordermade.files.file_reading import FileReading
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source
from tests.conformance.backends import dataset


def read(path: Path | str, encoding: str = "auto") -> tuple[dict[str, str], list[tuple[Any, ...]]]:
    """Columns with types, and rows, of the CSV files at a path."""
    backend = open_source(str(path), "csv", writable=False, reading=FileReading(encoding), limits=Limits("256MB", 1))
    try:
        asked = dataset(backend)
        return {each.name: each.type for each in asked.columns}, backend.executor.rows(Purpose.CATALOG, asked.relation)
    finally:
        backend.close()


def written(folder: Path, content: str | bytes, called: str = "persons.csv") -> Path:
    path = folder / called
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_digits_with_leading_zeros_stay_text(tmp_path: Path) -> None:
    columns, rows = read(written(tmp_path, "postcode,n\n0010,1\n9020,2\n"))
    assert columns == {"postcode": "VARCHAR", "n": "BIGINT"}
    assert rows == [("0010", 1), ("9020", 2)]


@pytest.mark.slow
def test_a_leading_zero_far_down_the_file_is_seen(tmp_path: Path) -> None:
    lines = "\n".join(str(1000 + i) for i in range(30_000))
    columns, rows = read(written(tmp_path, f"postcode\n{lines}\n0010\n"))
    assert columns == {"postcode": "VARCHAR"}
    assert rows[-1] == ("0010",)


@pytest.mark.parametrize("value", ["+81901", " 01", "12345678901234567890", "007.5"])
def test_a_value_of_digits_loses_nothing(tmp_path: Path, value: str) -> None:
    _, rows = read(written(tmp_path, f"v,n\n{value},1\n12,2\n"))
    assert str(rows[0][0]) == value


@pytest.mark.parametrize("value", ["-07", "1E2", "1.10", "0.12345678901234567", "T"])
def test_a_value_that_its_type_would_rewrite_stays_text(tmp_path: Path, value: str) -> None:
    _, rows = read(written(tmp_path, f"v,n\n{value},1\n{value},2\n"))
    assert str(rows[0][0]) == value


@pytest.mark.parametrize("encoding", ["auto", "utf-8"])
@pytest.mark.parametrize("header", ["id,名", '"id","名"'])
def test_a_byte_order_mark_is_no_part_of_the_first_name(tmp_path: Path, header: str, encoding: str) -> None:
    columns, rows = read(written(tmp_path, b"\xef\xbb\xbf" + f"{header}\n1,x\n".encode()), encoding)
    assert (list(columns), rows) == (["id", "名"], [(1, "x")])


@pytest.mark.parametrize("encoding", ["auto", "cp932"])
@pytest.mark.parametrize("text", ["髙橋,東京～", "ｶﾅ,ｱｲｳ", "①,ソ表"])
def test_cp932_is_read_with_its_extensions_and_half_width_kana(tmp_path: Path, text: str, encoding: str) -> None:
    columns, rows = read(written(tmp_path, f"氏名,県\n{text}\n".encode("cp932")), encoding)
    assert (list(columns), rows) == (["氏名", "県"], [tuple(text.split(","))])


def test_files_of_one_glob_may_differ_in_encoding(tmp_path: Path) -> None:
    written(tmp_path, "県\n東京\n", "a-1.csv")
    written(tmp_path, "県\n大阪\n".encode("cp932"), "a-2.csv")
    assert read(tmp_path / "a-*.csv")[1] == [("東京",), ("大阪",)]


def test_files_of_one_glob_are_joined_by_the_names_of_their_columns(tmp_path: Path) -> None:
    written(tmp_path, "sex,plan\nf,basic\n", "a-1.csv")
    written(tmp_path, "plan,sex\nplus,m\n", "a-2.csv")
    columns, rows = read(tmp_path / "a-*.csv")
    assert [dict(zip(columns, row, strict=True)) for row in rows] == [
        {"sex": "f", "plan": "basic"},
        {"sex": "m", "plan": "plus"},
    ]


def test_files_of_one_glob_that_differ_in_columns_are_a_fault(tmp_path: Path) -> None:
    written(tmp_path, "sex,plan\nf,basic\n", "a-1.csv")
    written(tmp_path, "sex,other\nm,secret\n", "a-2.csv")
    with pytest.raises(SourceFault) as fault:
        read(tmp_path / "a-*.csv")
    assert "secret" not in fault.value.message


@pytest.mark.parametrize(("encoding", "content"), [("utf-8", "県\n東京\n".encode("cp932")), ("auto", b"a\n\x81\n")])
def test_the_wrong_encoding_is_a_fault_that_names_the_file_and_the_option(
    tmp_path: Path, encoding: str, content: bytes
) -> None:
    path = written(tmp_path, content)
    with pytest.raises(SourceFault, match=r"is not text in|may be text in") as fault:
        read(path, encoding)
    assert str(path) in fault.value.message
    assert "--encoding" in fault.value.message


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    other = ";" if separator == "," else ","
    lines = [separator.join(row) for row in (["sex", "plan"], ["f", f"a{other}b"], ["m", "c"])]
    columns, rows = read(written(tmp_path, "\n".join(lines) + "\n"))
    assert (list(columns), rows) == (["sex", "plan"], [("f", f"a{other}b"), ("m", "c")])


def test_a_value_in_quotes_may_hold_line_ends_quotes_and_separators(tmp_path: Path) -> None:
    content = 'sex,note\nf,"a\nb"\nm,"c\r\nd, ""e"""\n'
    assert read(written(tmp_path, content))[1] == [("f", "a\nb"), ("m", 'c\r\nd, "e"')]


def test_an_empty_line_of_a_file_with_one_column_is_a_row(tmp_path: Path) -> None:
    assert read(written(tmp_path, "sex\nf\n\nm\n"))[1] == [("f",), (None,), ("m",)]


def test_the_text_null_is_a_text_and_an_empty_field_is_null(tmp_path: Path) -> None:
    assert read(written(tmp_path, "v,n\nNULL,1\n,2\nx,3\n"))[1] == [("NULL", 1), (None, 2), ("x", 3)]


def test_gzipped_files_are_read(tmp_path: Path) -> None:
    columns, rows = read(written(tmp_path, gzip.compress("県,n\n東京,01\n".encode()), "persons.csv.gz"))
    assert (columns, rows) == ({"県": "VARCHAR", "n": "VARCHAR"}, [("東京", "01")])


@pytest.mark.parametrize("encoding", ["auto", "cp932"])
def test_a_gzipped_file_in_cp932_is_read(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, gzip.compress("県,n\n東京,1\n".encode("cp932")), "persons.csv.gz")
    assert read(path, encoding) == ({"県": "VARCHAR", "n": "BIGINT"}, [("東京", 1)])


def test_a_gzipped_file_in_another_encoding_than_is_told_is_a_fault_that_names_it(tmp_path: Path) -> None:
    path = written(tmp_path, gzip.compress("県,n\n東京,1\n".encode("cp932")), "persons.csv.gz")
    with pytest.raises(SourceFault) as fault:
        read(path, "utf-8")
    step = "Give another --encoding, or auto to have it found."
    assert fault.value.message == f"{path}: the file is not text in utf-8. {step}"


def test_a_file_without_rows_has_its_columns(tmp_path: Path) -> None:
    assert read(written(tmp_path, "sex,plan\n")) == ({"sex": "VARCHAR", "plan": "VARCHAR"}, [])


def many(line: str, after: int) -> str:
    return "name,n\n" + "".join(f"somebody,{i}\n" for i in range(after)) + line + "\nsomebody,1\n"


@pytest.mark.parametrize("line", ["Hanako Yamada,5,6", "Hanako Yamada"])
@pytest.mark.parametrize("after", [3, 30_000])
def test_a_line_that_does_not_fit_is_a_fault_with_its_number_and_nothing_of_it(
    tmp_path: Path, line: str, after: int
) -> None:
    path = written(tmp_path, many(line, after))
    with pytest.raises(SourceFault) as fault:
        read(path)
    assert f"ine {after + 2} " in fault.value.message
    assert str(path) in fault.value.message
    assert "Hanako" not in fault.value.message


def test_a_row_that_starts_with_a_number_sign_is_a_row(tmp_path: Path) -> None:
    assert len(read(written(tmp_path, "room,n\n#1,a\n2,b\n#3,c\n"))[1]) == 3


def test_the_values_of_a_person_never_become_the_names_of_columns(tmp_path: Path) -> None:
    with pytest.raises(SourceFault):
        read(written(tmp_path, "name,n\nHanako Yamada,1,2\nTaro Yamada,4,5\n"))


def test_a_pattern_in_the_name_of_one_file_is_its_name(tmp_path: Path) -> None:
    assert read(written(tmp_path, "sex\nfemale\n", "persons [1]?.csv"))[1] == [("female",)]


def test_a_star_in_the_name_of_one_file_does_not_read_its_neighbours(tmp_path: Path) -> None:
    written(tmp_path, "sex\nmale\n", "ab.csv")
    assert read(written(tmp_path, "sex\nfemale\n", "a*.csv"))[1] == [("female",)]
