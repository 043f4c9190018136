"""What databases do with values behind one's back: collations, time zones, hashes, types a file cannot hold."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import (
    DatasetClosed,
    FilterError,
    InputError,
    ReleaseFault,
    ReleaseMismatch,
    RequestError,
    SourceChanged,
    SourceFault,
)
from ordermade.lattice.observation import Observation
from ordermade.methods.generalization import measurement
from ordermade.methods.shared import publishing
from ordermade.release.measure import MeasuredRelease
from ordermade.state.cache_contents import Contents
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow


def provider(folder: Path, *statements: str) -> Engine:
    """An engine on a DuckDB source made by these statements, its table `t` the dataset `d`."""
    make(folder, *statements)
    engine = new_engine(folder)
    engine.sources.add("s", str(folder / "s.duckdb"), writable=True)
    engine.datasets.add("d", "s", table="t", least_k=2)
    return engine


def make(folder: Path, *statements: str) -> None:
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        for statement in statements:
            connection.execute(statement)


def listed(engine: Engine, folder: Path, name: str, *paths: tuple[str, ...]) -> None:
    header = ["value", *(f"g{number}" for number in range(1, len(paths[0])))]
    engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", header, paths), "header")


def asked(folder: Path, column: str = "a", to: Any = "out.csv", **more: Any) -> dict[str, Any]:
    target = str(folder / to) if isinstance(to, str) else to
    request = {
        "dataset": "d",
        "k": 2,
        "quasi_identifiers": {column: {"hierarchy": column}},
        "release": {"replace": True, "to": target},
    }
    return request | more


@pytest.mark.parametrize("to", ["out.parquet", {"table": "released"}])
def test_a_number_that_parquet_cannot_hold_is_refused_with_its_line(tmp_path: Path, to: Any) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT 1 AS a, CAST(9007199254740993 AS HUGEINT) AS h FROM RANGE(4)")
    listed(engine, tmp_path, "a", ("1",))
    with pytest.raises(RequestError, match=r"'h' is a HUGEINT.*release to CSV"):
        engine.run(asked(tmp_path, to=to, keep=["h"]))
    engine.run(asked(tmp_path, keep=["h"]))
    assert (tmp_path / "out.csv").read_text().splitlines()[1] == "1,9007199254740993"


def test_a_value_that_parquet_does_not_hold_whole_is_released_to_csv_only(tmp_path: Path) -> None:
    kinds = ["TIMETZ", "TIMETZ[]", "STRUCT(t TIMETZ)", "INTERVAL", "STRUCT(i INTERVAL[])"]
    columns = ", ".join(f"CAST(NULL AS {kind}) AS v{place}" for place, kind in enumerate(kinds))
    engine = provider(tmp_path, f"CREATE TABLE t AS SELECT 1 AS a, {columns} FROM RANGE(4)")
    listed(engine, tmp_path, "a", ("1",))
    names = [f"v{place}" for place in range(len(kinds))]
    for name, ask in itertools.product(names, (engine.check, engine.run)):
        with pytest.raises(
            RequestError, match=rf"'{name}' is a .*(offset from UTC|microseconds) Parquet does not hold.*release to CSV"
        ):
            ask(asked(tmp_path, to="out.parquet", keep=[name]))
    assert engine.run(asked(tmp_path, keep=names)).k == 4


def test_texts_that_a_collation_calls_equal_stay_two(tmp_path: Path) -> None:
    engine = provider(
        tmp_path,
        "CREATE TABLE t (a VARCHAR COLLATE NOCASE, k VARCHAR COLLATE NOCASE)",
        "INSERT INTO t SELECT CASE WHEN i % 2 = 0 THEN 'x' ELSE 'X' END, CASE WHEN i % 4 < 2 THEN 'y' ELSE 'Y' END "
        "FROM RANGE(8) AS r(i)",
    )
    listed(engine, tmp_path, "a", ("x", "g"), ("X", "g"))
    result = engine.run(asked(tmp_path, keep=["k"]))
    assert (result.levels, result.k, result.divisions) == ({"a": 0}, 4, 2)
    rows = list(csv.reader((tmp_path / "out.csv").open()))[1:]
    assert sorted(rows) == [list(pair) for pair in ("XY", "XY", "Xy", "Xy", "xY", "xY", "xy", "xy")]


def test_a_span_of_time_is_neither_grouped_nor_counted_by(tmp_path: Path) -> None:
    spans = "CASE WHEN i % 2 = 0 THEN INTERVAL '1 month' ELSE INTERVAL '30 days' END"
    engine = provider(tmp_path, f"CREATE TABLE t AS SELECT 1 AS a, {spans} AS s, [{spans}] AS l FROM RANGE(8) AS r(i)")
    listed(engine, tmp_path, "a", ("1",))
    listed(engine, tmp_path, "s", ("1 mon",), ("30 days",))
    with pytest.raises(RequestError, match=r"quasi_identifiers.s.*compared as text, and a span of time has none"):
        engine.run(asked(tmp_path, "s"))
    for column in "sl":
        with pytest.raises(
            RequestError, match=rf"sensitive.{column}: .*equal ones have several texts; cast it to a text"
        ):
            engine.run(asked(tmp_path, sensitive={column: [{"model": "distinct_l", "l": 2}]}))


def test_an_instant_is_one_text_whatever_the_zone_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = provider(
        tmp_path, "CREATE TABLE t AS SELECT CAST('2020-01-01 00:00:00+00' AS TIMESTAMPTZ) AS a FROM RANGE(3)"
    )
    listed(engine, tmp_path, "a", ("2020-01-01 00:00:00+00",))
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    assert engine.run(asked(tmp_path)).levels == {"a": 0}


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [("INTEGER[]", "[]", "NULL"), ("INTERVAL", "INTERVAL '1 month'", "INTERVAL '30 days'")],
)
def test_a_change_that_the_database_hashes_alike_is_another_version(
    tmp_path: Path, kind: str, before: str, after: str
) -> None:
    engine = provider(tmp_path, f"CREATE TABLE t AS SELECT 1 AS a, CAST({before} AS {kind}) AS l FROM RANGE(4)")
    listed(engine, tmp_path, "a", ("1",))
    first = engine.run(asked(tmp_path))
    make(tmp_path, f"CREATE OR REPLACE TABLE t AS SELECT 1 AS a, CAST({after} AS {kind}) AS l FROM RANGE(4)")
    second = engine.run(asked(tmp_path))
    versions = {engine.requests.get(each.request).dataset_version_id for each in (first, second)}
    assert len(versions) == 2


def test_what_a_mismatch_contradicts_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT i % 2 AS a, i // 2 % 2 AS b FROM RANGE(8) AS r(i)")
    listed(engine, tmp_path, "a", ("0",), ("1",))
    both = {"quasi_identifiers": {column: {"hierarchy": "a"} for column in "ab"}}
    assert engine.run(asked(tmp_path, **both)).search.nodes_measured == 1  # of four: marginals prove the other three
    measured = publishing.measure_file
    monkeypatch.setattr(
        publishing, "measure_file", lambda *_, **__: MeasuredRelease(Observation.from_histogram([(8, 1)]), 8)
    )
    with pytest.raises(ReleaseMismatch, match="is forgotten"):
        engine.run(asked(tmp_path, **both), again=True)
    assert engine.cache.contents() == Contents()
    monkeypatch.setattr(publishing, "measure_file", measured)
    again = engine.run(asked(tmp_path, **both), again=True)
    assert (again.search.nodes_measured, again.search.source_queries) == (1, 1)


def test_a_file_where_the_manifest_would_stand_is_left(tmp_path: Path) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT 1 AS a FROM RANGE(4)")
    listed(engine, tmp_path, "a", ("1",))
    for note in ("precious", "[]", "{}"):
        (tmp_path / "out.csv.manifest.json").write_text(note)
        with pytest.raises(InputError, match="a file of this name already"):
            engine.run({**asked(tmp_path), "release": {"to": str(tmp_path / "out.csv")}})
        assert (tmp_path / "out.csv.manifest.json").read_text() == note


def test_a_target_that_cannot_be_is_malformed(tmp_path: Path) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT 1 AS a FROM RANGE(4)")
    listed(engine, tmp_path, "a", ("1",))
    (tmp_path / "file.txt").write_text("a file")
    for to in ("file.txt/out.csv", f"{'n' * 240}.csv"):
        with pytest.raises(InputError):
            engine.run(asked(tmp_path, to=to))


def test_a_filter_over_the_wrong_type_is_malformed(tmp_path: Path) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT 1 AS a, [1] AS b FROM RANGE(4)")
    listed(engine, tmp_path, "a", ("1",))
    for where, ask in itertools.product(("a LIKE '1%'", "b > 5"), (engine.check, engine.run)):
        with pytest.raises(RequestError, match="which a filter does not compare so"):
            ask(asked(tmp_path, where=where))


def test_a_column_may_end_in_a_space(tmp_path: Path) -> None:
    engine = provider(tmp_path, 'CREATE TABLE t AS SELECT 1 AS "a ", 2 AS " k" FROM RANGE(4)')
    listed(engine, tmp_path, "a", ("1",))
    spaced = {"quasi_identifiers": {"a ": {"hierarchy": "a"}}}
    for to in ("out.csv", "out.csv.gz", "out.parquet"):
        result = engine.run(asked(tmp_path, to=to, keep=[" k"]) | spaced)
        assert list(result.to_pandas().columns) == ["a ", " k"], to


def test_a_query_that_asks_the_clock_is_refused(tmp_path: Path) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT 1 AS a FROM RANGE(4)")
    for function in ("now()", "current_timestamp", "today()", "current_user"):
        with pytest.raises(FilterError):
            engine.datasets.add("clock", "s", query=f"SELECT a, {function} AS b FROM t", least_k=2)


def test_the_engines_own_state_is_no_source(tmp_path: Path) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT 1 AS a FROM RANGE(4)")
    with pytest.raises(InputError, match="own state"):
        engine.sources.add("own", str(engine.state_file.path))


def test_what_cannot_be_read_is_told_with_its_path(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    (tmp_path / "mixed.csv").write_bytes(b"a,b\r\nx,1\r\nx,1\ny,2\n")
    (tmp_path / "junk.parquet").write_bytes(b"not parquet at all")
    (tmp_path / "empty.csv").write_bytes(b"")
    for name, word in (("junk.parquet", "junk"), ("empty.csv", "empty")):
        with pytest.raises(SourceFault, match=word):
            engine.sources.add("s", str(tmp_path / name))
    try:
        engine.sources.add("mixed", str(tmp_path / "mixed.csv"))
    except SourceFault as fault:
        assert "line end" in fault.message  # noqa: PT017 read or told, either will do


def rewritable(folder: Path) -> tuple[Engine, Callable[[int], None]]:
    """An engine on a Parquet file of 40 rows, and what writes the file anew with so many different values."""

    def write(distinct: int) -> None:
        statement = f"COPY (SELECT i % {distinct} AS a FROM RANGE(40) AS r(i)) TO '{folder / 'p.parquet'}'"
        duckdb.connect().execute(statement + " (FORMAT parquet)")

    engine = new_engine(folder)
    write(2)
    engine.sources.add("s", str(folder / "p.parquet"))
    engine.datasets.add("d", "s", table="p", least_k=2)
    listed(engine, folder, "a", *((str(i),) for i in range(8)))
    return engine, write


def test_a_source_that_changes_in_mid_request_teaches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, write = rewritable(tmp_path)
    asking = asked(tmp_path, k=20) | {"quasi_identifiers": {"a": {"hierarchy": "a", "from": 0, "to": 0}}}
    ground = measurement.ground_all

    def swapped(*arguments: Any) -> Any:
        write(8)
        return ground(*arguments)

    monkeypatch.setattr(measurement, "ground_all", swapped)
    with pytest.raises(SourceChanged):
        engine.run(asking)
    monkeypatch.setattr(measurement, "ground_all", ground)
    write(2)
    assert engine.run(asking).k == 20


def test_a_request_that_fails_while_its_source_changes_teaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine, write = rewritable(tmp_path)
    asking = asked(tmp_path, k=5) | {"quasi_identifiers": {"a": {"hierarchy": "a", "from": 0, "to": 0}}}
    ground = measurement.ground_all

    def swapped(*arguments: Any) -> Any:
        write(8)
        return ground(*arguments)

    def stopped(*_: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(measurement, "ground_all", swapped)
        meanwhile.setattr("ordermade.methods.generalization.answer.release", stopped)
        with pytest.raises(KeyboardInterrupt):
            engine.run(asking)
    assert engine.observations.list() == ()
    assert engine.cache.contents() == Contents()
    write(2)
    assert engine.run(asking | {"k": 20}).k == 20


def test_rows_added_to_a_released_table_are_found(tmp_path: Path) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT i % 2 AS a FROM RANGE(8) AS r(i)")
    listed(engine, tmp_path, "a", ("0",), ("1",))
    engine.run(asked(tmp_path, to={"table": "released"}))
    make(tmp_path, "INSERT INTO released SELECT 1 FROM RANGE(50)")
    assert not engine.releases.verify(1).intact


def test_a_file_without_a_header_shows_nobody(tmp_path: Path) -> None:
    engine = new_engine(tmp_path)
    (tmp_path / "persons.csv").write_text("Suzuki,Suzuki,3\nSato,Ito,4\n")
    with pytest.raises(SourceFault, match="columns 1, 2 share a name") as fault:
        engine.sources.add("s", str(tmp_path / "persons.csv"))
    assert "Suzuki" not in fault.value.message


def test_a_damaged_release_is_a_fault(tmp_path: Path) -> None:
    engine = provider(tmp_path, "CREATE TABLE t AS SELECT 1 AS a FROM RANGE(4)")
    listed(engine, tmp_path, "a", ("1",))
    result = engine.run(asked(tmp_path, to="out.csv.gz"))
    (tmp_path / "out.csv.gz").write_bytes((tmp_path / "out.csv.gz").read_bytes()[:12])
    with pytest.raises(ReleaseFault, match="cannot be read"):
        result.to_pandas()


CALCULATED = """
    CREATE TABLE t AS SELECT 1 AS a, CAST({last} AS INTEGER) AS b, CAST({last} AS BIGINT) AS l,
        CAST(200 AS UTINYINT) AS u, 'SECRET-' || i AS s FROM RANGE(8) AS r(i)
"""


ONE_UNLIKE_THE_OTHERS = "CASE WHEN i = 7 THEN 1 ELSE 2147483647 END"


CALCULATING = [
    "l = 1 AND b * (1.797e308 / 211) > 0",
    "l * l * l > 1",
    "-u < 0",
    "CAST(s AS DATE) > DATE '2020-01-01'",
    "LENGTH(s) = 1",
    "a = b",
]


@pytest.mark.parametrize("last", ["1", ONE_UNLIKE_THE_OTHERS])
def test_a_filter_that_calculates_is_refused_before_anything_is_read(tmp_path: Path, last: str) -> None:
    engine = provider(tmp_path, CALCULATED.format(last=last))
    listed(engine, tmp_path, "a", ("1",))
    said = "where: a filter compares a column with constants of its type"
    for where in CALCULATING:
        with pytest.raises(RequestError, match=said):
            engine.run(asked(tmp_path, where=where))
        with pytest.raises(FilterError, match=f"--{said}"):
            engine.measure("s.t", ["a"], where=where)
    for ask in (engine.check, engine.check_data, lambda each: engine.sweep(each, [2])):
        with pytest.raises(RequestError, match=said):
            ask(asked(tmp_path, where=CALCULATING[0]))


def test_a_dataset_whose_query_goes_beyond_its_type_is_named_for_what_it_is(tmp_path: Path) -> None:
    make(tmp_path, "CREATE TABLE t AS SELECT 1 AS a, CAST(2000000000 AS INTEGER) AS b FROM RANGE(8)")
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", query="SELECT a, b * 1000000000 AS b FROM t", least_k=2)
    listed(engine, tmp_path, "a", ("1",))
    with pytest.raises(DatasetClosed) as fault:
        engine.run(asked(tmp_path))
    assert "calculation goes beyond the range" in fault.value.reason
    assert "files are whole" not in fault.value.reason


def test_a_union_is_refused_before_anything_is_counted(tmp_path: Path) -> None:
    kinds = ["UNION(n INTEGER, s VARCHAR)", "UNION(n INTEGER, s VARCHAR)[]", "STRUCT(u UNION(n INTEGER, s VARCHAR))"]
    columns = ", ".join(f"CAST(NULL AS {kind}) AS v{place}" for place, kind in enumerate(kinds))
    engine = provider(tmp_path, f"CREATE TABLE t AS SELECT 1 AS a, {columns} FROM RANGE(8)")
    listed(engine, tmp_path, "a", ("1",))
    for name, to, ask in itertools.product(("v0", "v1", "v2"), ("out.csv", "out.parquet"), (engine.check, engine.run)):
        for role in ({"keep": [name]}, {"sensitive": {name: [{"model": "distinct_l", "l": 2}]}}):
            with pytest.raises(RequestError, match=rf"'{name}' is a .*UNION.*cast it in a dataset query"):
                ask(asked(tmp_path, to=to, **role))
            assert not (tmp_path / to).exists()


VALUES = {
    "BOOLEAN": "true", "TINYINT": "1", "BIGINT": "1", "HUGEINT": "9007199254740993", "UBIGINT": "1", "FLOAT": "1.5",
    "DOUBLE": "1.5", "DECIMAL(18, 3)": "1.5", "VARCHAR": "'x'", "BLOB": "'ab'", "BIT": "'101'", "BIGNUM": "'1'",
    "UUID": "'00000000-0000-0000-0000-000000000001'", "DATE": "'2020-01-01'", "TIME": "'10:00:00'",
    "TIMETZ": "'10:00:00+00'", "TIMESTAMP": "'2020-01-01 10:00:00'", "TIMESTAMP_NS": "'2020-01-01 10:00:00.123456789'",
    "TIMESTAMPTZ": "'2020-01-01 10:00:00+00'", "INTERVAL": "'1 month'", "ENUM('a', 'b')": "'a'", "INTEGER[]": "[1]",
    "INTEGER[2]": "[1, 2]", "STRUCT(a INTEGER)": "{'a': 1}", "MAP(VARCHAR, INTEGER)": "MAP {'a': 1}", "JSON": "'{}'",
}  # fmt: skip


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_kept_column_of_any_type_reads_back_as_it_was(tmp_path: Path, ending: str) -> None:
    kinds = {
        kind: value
        for kind, value in VALUES.items()
        if ending == "csv" or kind not in ("HUGEINT", "TIMETZ", "INTERVAL")
    }
    columns = ", ".join(f"CAST({value} AS {kind}) AS v{at}" for at, (kind, value) in enumerate(kinds.items()))
    engine = provider(tmp_path, f"CREATE TABLE t AS SELECT 1 AS a, {columns} FROM RANGE(6)")
    listed(engine, tmp_path, "a", ("1",))
    names = [f"v{at}" for at in range(len(kinds))]
    engine.run(asked(tmp_path, to=f"out.{ending}", keep=names))
    texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
    path = tmp_path / f"out.{ending}"
    released = f"read_csv('{path}', all_varchar = true)" if ending == "csv" else f"'{path}'"
    with duckdb.connect(str(tmp_path / "s.duckdb"), read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        expected = connection.execute(f"SELECT {texts} FROM t").fetchall()
        assert connection.execute(f"SELECT {texts} FROM {released}").fetchall() == expected
