"""The types of CSV columns, and the content of the first line, are those that all the texts at once give."""

from __future__ import annotations

import contextlib
import csv
import tempfile
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade import sql
from ordermade.errors import SourceFault
from ordermade.files.file_reading import FileReading
from ordermade.sources import csv_format
from ordermade.sources.backend import Backend
from ordermade.sources.csv_format import FirstLine, likeness
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.open import open_source
from tests.conformance.backends import dataset, the_table
from tests.long import rounds

pytestmark = pytest.mark.slow

_TEXTS = """
CREATE TABLE texts AS FROM read_csv(
  $path, delim = ',', quote = '"', escape = '"', header = true, nullstr = '', allow_quoted_nulls = false,
  auto_detect = false, columns = {}
)
"""
_NUMBER = "'-?(0|[1-9][0-9]*)([.][0-9]+)?'"
_RULE = f"""
SELECT
  count(v),
  bool_and(coalesce(CAST(TRY_CAST(v AS BIGINT) AS VARCHAR) = v, false)) FILTER (WHERE v IS NOT NULL),
  bool_and(regexp_full_match(v, {_NUMBER})),
  bool_and(regexp_full_match(v, {_NUMBER}) AND length(v) <= 16),
  bool_and(coalesce(CAST(TRY_CAST(v AS DATE) AS VARCHAR) = v, false)) FILTER (WHERE v IS NOT NULL),
  bool_and(coalesce(CAST(TRY_CAST(v AS TIMESTAMP) AS VARCHAR) = v, false)) FILTER (WHERE v IS NOT NULL),
  bool_and(v IN ('true', 'false')),
  list(DISTINCT CASE WHEN contains(v, '.') THEN length(v) - strpos(v, '.') ELSE 0 END),
  max(length(v))
FROM (SELECT "{{name}}" AS v FROM texts)
"""

ODD = (
    *("", "NULL", "007", "+1", "1e3", "1E2", "-0", "-0.00", "1.", ".5", " 1", "1 ", "true ", "True", "t", "NaN", "inf"),
    *("infinity", "2020-1-1", "2020-01-01 00:00:00", "2020-01-01 00:00", "2020-02-30", "0044-03-15 (BC)", "１２"),
    *("9223372036854775807", "9223372036854775808", "0.1234567890123456789", "x", "é", "a,b", 'q"', "1_000", "0x1F"),
)
KINDS: dict[str, st.SearchStrategy[str]] = {
    "whole": st.integers(-(10**6), 10**6).map(str),
    "huge": st.integers(-(2**70), 2**70).map(str),
    "two decimals": st.decimals(-1000, 1000, places=2).map("{:f}".format),
    "decimals": st.decimals(-1000, 1000, places=3).map(lambda each: f"{each.normalize():f}"),
    "long decimals": st.decimals(-(10**20), 10**20, places=4).map("{:f}".format),
    "dates": st.dates().map(str),
    "times": st.datetimes().map(lambda each: str(each).removesuffix(".000000")),
    "booleans": st.sampled_from(["true", "false"]),
    "odd": st.sampled_from(ODD),
}
NAMES = st.sampled_from(
    ["a", "b", "q1", "2020", "x_9", "12.5", "007", "n", "2020-01-01", "infinity", "x", "M01", "Refuted"]
)


@st.composite
def columns(draw: st.DrawFn) -> tuple[str, list[str | None]]:
    """A name, and texts of one kind (None: an empty field) with now and then a text of another at the end."""
    texts = KINDS[draw(st.sampled_from(sorted(KINDS)))]
    values: list[str | None] = draw(st.lists(st.none() | texts, max_size=12))
    if draw(st.booleans()):
        values += draw(st.lists(st.sampled_from(sorted(KINDS)).flatmap(KINDS.get), max_size=2))  # type: ignore[arg-type]
    return draw(NAMES), values


def _written(path: Path, table: dict[str, list[str | None]]) -> int:
    rows = max((len(values) for values in table.values()), default=0)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerow(["line", *table])
        for at in range(rows):
            cells = [None if at >= len(values) else values[at] for values in table.values()]
            # Two quotes are an empty text, nothing is NULL.
            fields = ["" if each is None else '"' + each.replace('"', '""') + '"' for each in cells]
            file.write(",".join([f"line {'abc'[at % 3]}", *fields]) + "\n")
    return rows


def _opened(path: Path, reading: FileReading) -> contextlib.closing[Backend]:
    return contextlib.closing(open_source(str(path), "csv", writable=False, reading=reading, limits=Limits("256MB", 1)))


def _plain(path: Path, names: list[str]) -> duckdb.DuckDBPyConnection:
    """All texts of the file in a table `texts`."""
    connection = duckdb.connect()
    listed = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
    connection.execute(_TEXTS.replace("{}", f"{{{listed}}}"), {"path": str(path)})
    return connection


def _type_by_rule(connection: duckdb.DuckDBPyConnection, name: str) -> str:
    """The type of a column from all its texts at once."""
    found: Any = connection.execute(_RULE.replace("{name}", name)).fetchone()
    count, whole, decimal, short, date, time, truth, scales, length = found
    if not count:
        return "VARCHAR"
    if whole:
        return "BIGINT"
    if decimal and len(scales) == 1 and scales[0] > 0 and length + scales[0] <= 38:
        return f"DECIMAL({max(18, length)},{scales[0]})"
    kinds = {"DOUBLE": short, "DATE": date, "TIMESTAMP": time, "BOOLEAN": truth}
    return next((kind for kind, fits in kinds.items() if fits), "VARCHAR")


def _first_line_by_rule(connection: duckdb.DuckDBPyConnection, names: list[str]) -> FirstLine:
    """The content of the first line, every column counted whole."""
    found = likeness(Executor(connection, "source"), sql.table("texts"), names)
    shown = {each.shown(name) for name, each in found.items()}
    return next((each for each in (FirstLine.DATA, FirstLine.NAMES) if each in shown), FirstLine.UNCLEAR)


SAMPLED = (1, 4, 20_480)
TABLES = st.lists(columns(), min_size=1, max_size=4, unique_by=lambda each: each[0].casefold()).map(dict)


@pytest.mark.slow
@pytest.mark.long
@settings(max_examples=rounds(8, 60))
@given(sampled=st.sampled_from(SAMPLED), table=TABLES)
def test_types_values_and_names_are_those_of_every_text_at_once(
    sampled: int, table: dict[str, list[str | None]]
) -> None:
    _check(sampled, table)


@pytest.mark.thorough
@pytest.mark.parametrize("sampled", SAMPLED)
@pytest.mark.long
@settings(max_examples=rounds(30, 60))
@given(table=TABLES)
def test_types_are_those_of_every_text_whatever_the_sample_is(sampled: int, table: dict[str, list[str | None]]) -> None:
    _check(sampled, table)


def _check(sampled: int, table: dict[str, list[str | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_format, "SAMPLED", sampled)
        patched.setattr(csv_format, "SAMPLED_OF_FEW", sampled)
        path = Path(folder) / "t.csv"
        _written(path, table)
        names = ["line", *table]
        with _plain(path, names) as connection:
            kinds = {name: _type_by_rule(connection, name) for name in names}
            casts = ", ".join(f'CAST("{name}" AS {kind}) AS "{name}"' for name, kind in kinds.items())
            values = connection.execute(f"SELECT {casts} FROM texts").fetchall()
            holds = _first_line_by_rule(connection, names)
        with _opened(path, FileReading(header=True)) as backend:
            assert {each.name: each.type for each in the_table(backend).columns} == kinds
            assert repr(backend.executor.rows(Purpose.CATALOG, dataset(backend).relation)) == repr(values)
        if holds is FirstLine.DATA:
            with pytest.raises(SourceFault, match="looks like data"), _opened(path, FileReading()):
                pass
        else:
            with _opened(path, FileReading()) as backend:
                assert backend.unvouched == (frozenset(names) if holds is FirstLine.UNCLEAR else frozenset())


@pytest.mark.parametrize("last", ["007", "1e3", "2.5", "", "9223372036854775808", "x"])
def test_a_text_behind_the_sample_changes_the_type_of_its_column_alone(tmp_path: Path, last: str) -> None:
    table: dict[str, list[str | None]] = {
        "n": [*(str(at) for at in range(csv_format.SAMPLED)), last],
        "m": [str(at) for at in range(csv_format.SAMPLED + 1)],
        "late": [*[None] * csv_format.SAMPLED, "2020-01-01"],
    }
    _written(tmp_path / "t.csv", table)
    with _opened(tmp_path / "t.csv", FileReading()) as backend:
        kinds = {each.name: each.type for each in the_table(backend).columns}
        assert kinds == {
            "line": "VARCHAR",
            "n": "DOUBLE" if last == "2.5" else "VARCHAR",
            "m": "BIGINT",
            "late": "DATE",
        }
        assert str(backend.executor.rows(Purpose.CATALOG, dataset(backend).relation)[-1][1]) == last
