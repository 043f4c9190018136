"""CSV releases with a byte order mark, by which spreadsheet programs know it: the same rows, measured again."""

from __future__ import annotations

import csv
import gzip
import io
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ordermade import Engine, InputError, RequestError, anonymize, measure
from ordermade.release.files import header_of, read_frame
from ordermade.requests.read import read_mapping
from ordermade.requests.resolving import request_hash
from tests.made import new_engine, write_hierarchy, write_table

MARK = b"\xef\xbb\xbf"
AGES = {"1": "若い, 一", "2": "若い, 一", "3": "=老", "4": "=老"}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    rows = [(number % 4 + 1, None if number % 5 == 0 else "", number % 3) for number in range(48)]
    write_table(tmp_path / "s.duckdb", {'年齢, ""満""': "INTEGER", "備考": "VARCHAR", "債務": "INTEGER"}, rows)
    made = new_engine(tmp_path, use_cache=False)
    made.sources.add("s", str(tmp_path / "s.duckdb"))
    made.datasets.add("d", "s", table="persons")
    made.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ("value", "label"), list(AGES.items())))
    return made


def wanted(to: Path, shape: str = "rows", **options: str) -> dict[str, Any]:
    return {
        "dataset": "d",
        "k": 12,
        "quasi_identifiers": {'年齢, "満"': {"hierarchy": "age", "from": "label", "to": "label"}},
        "keep": ["備考", "債務"] if shape == "rows" else [],
        "release": {"to": str(to), "shape": shape, **({"csv": options} if options else {})},
    }


def content(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("formulas", ["keep", "escape"])
@pytest.mark.parametrize("shape", ["rows", "table"])
@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_marked_release_is_the_plain_one_after_its_mark(
    engine: Engine, tmp_path: Path, ending: str, shape: str, formulas: str
) -> None:
    plain, marked = tmp_path / f"plain{ending}", tmp_path / f"marked{ending}"
    engine.run(wanted(plain, shape, formulas=formulas))
    found = engine.run(wanted(marked, shape, formulas=formulas, encoding="utf-8-sig"))

    assert content(marked) == MARK + content(plain)
    assert found.k == 24
    assert header_of(marked, ending) == header_of(plain, ending)
    assert engine.releases.verify(found.release.number).findings == ()
    pd.testing.assert_frame_equal(read_frame(marked), read_frame(plain))
    first = next(csv.reader(io.StringIO(content(marked).decode("utf-8-sig"), newline="")))
    assert first[0] == '年齢, "満"'


@pytest.mark.slow
def test_measure_and_judge_read_a_marked_release(engine: Engine, tmp_path: Path) -> None:
    engine.run(wanted(tmp_path / "marked.csv", encoding="utf-8-sig"))
    assert engine.measure(tmp_path / "marked.csv", ['年齢, "満"']).k == 24
    written = engine.releases.report(1, "user").to_html(tmp_path / "report.html", "ja")
    assert "=老" in written.read_text(encoding="utf-8")


def test_the_mark_is_part_of_the_request_and_of_csv_files_alone(tmp_path: Path) -> None:
    def hashed(**options: str) -> str:
        return request_hash(read_mapping(wanted(tmp_path / "out.csv", **options)).request)

    assert hashed() == hashed(encoding="utf-8") == hashed(formulas="keep")
    assert hashed(encoding="utf-8-sig") != hashed()
    for name in ("out.parquet", "out.xlsx"):
        with pytest.raises(RequestError, match="csv options are of a CSV file"):
            read_mapping(wanted(tmp_path / name, encoding="utf-8-sig"))
    with pytest.raises(RequestError, match="utf-8-sig"):
        read_mapping(wanted(tmp_path / "out.csv", encoding="cp932"))


@pytest.mark.slow
def test_a_call_writes_a_marked_release(tmp_path: Path) -> None:
    table = pd.DataFrame({"年齢": [20, 30, 40] * 20, "性別": ["男", "女"] * 30})
    given: dict[str, Any] = {"k": 5, "quasi_identifiers": ["年齢", "性別"]}
    release = anonymize(table, to=tmp_path / "marked.csv", output_encoding="utf-8-sig", **given)
    assert (tmp_path / "marked.csv").read_bytes().startswith(MARK + "年齢".encode())
    assert "encoding: utf-8-sig" in release.request
    assert measure(tmp_path / "marked.csv", ["年齢", "性別"]).k == release.k
    for to in (None, tmp_path / "marked.parquet"):
        with pytest.raises(InputError, match=r"output_encoding: .* is that of a CSV file.*with to, or"):
            anonymize(table, to=to, output_encoding="utf-8-sig", **given)
    with pytest.raises(InputError, match="no encoding 'cp932'"):
        anonymize(table, to=tmp_path / "other.csv", output_encoding="cp932", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_no_row_is_lost_below_a_quoted_name_after_a_mark(tmp_path: Path, ending: str) -> None:
    lines = '\ufeff"年齢, ""満""\n",性別\n' + "20,男\n30,女\n" * 20
    path = tmp_path / f"given{ending}"
    path.write_bytes(gzip.compress(lines.encode()) if ending == ".csv.gz" else lines.encode())
    found = measure(path, ['年齢, "満"\n', "性別"])
    assert (found.k, found.rows) == (20, 40)
