"""A request of a server up to its decision, against the server's own GROUP BY of the same columns, written by hand.

The servers are those that tests use (`tests/services`), with the settings that they have: both sides run in sessions of
the same settings, PostgreSQL with 256 MB of work_mem and without JIT, MariaDB as it is.
"""

from __future__ import annotations

import csv
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from importlib.resources import as_file
from pathlib import Path
from typing import Any
from unittest import mock
from urllib.parse import quote

import duckdb
import pyarrow as pa

from bench.figure import Figure, median
from bench.members import Bench, timed
from ordermade import Engine, initialise
from ordermade.demo.tables import MEMBERS
from ordermade.sources.executor import Purpose
from ordermade.sources.server import ServerExecutor
from tests.services.servers import MARIADB, POSTGRES, NoServer, Schema, find, fresh_schema

REPETITIONS = 5
COLUMNS: Mapping[str, Mapping[str, Any]] = {
    "sex": {},
    "age": {},
    "prefecture": {},
    "occupation": {},
    "plan": {},
    "joined": {"from": "year"},
}
TYPES = {"UTINYINT": "SMALLINT"}
COUNTS = (Purpose.FREQUENCY_SET, Purpose.COVERAGE, Purpose.VERSION)
KEPT = "name"
"""A column of texts that is released as it is, so that a release has as many rows as the table."""
SETTINGS = "-cwork_mem=256MB -cjit=off"


def postgresql(bench: Bench) -> Sequence[Figure]:
    """The figures of PostgreSQL: six columns of a million members, medians of runs taken in turns."""
    with ExitStack() as stack:
        try:
            server = find(POSTGRES)
        except NoServer as none:
            return not_measured("PostgreSQL", none)
        schema = stack.enter_context(fresh_schema(server))
        into_postgresql(bench, schema)
        options = quote(f"-csearch_path={schema.name} {SETTINGS}")
        url = f"{server.url}?options={options}"
        session = stack.enter_context(closing(schema.connect()))
        for context in ("SET work_mem = '256MB'", "SET jit = off"):
            session.execute(context)

        def read_to(path: Path, query: str) -> None:
            with path.open("wb") as file, session.cursor().copy(f"COPY ({query}) TO STDOUT (FORMAT csv)") as copy:
                for part in copy:
                    file.write(part)

        return _figures(bench, url, session, read_to, most=2.5)


def mariadb(bench: Bench) -> Sequence[Figure]:
    """The figures of MariaDB: six columns of a million members, medians of runs taken in turns."""
    from pymysql.cursors import SSCursor

    with ExitStack() as stack:
        try:
            server = find(MARIADB)
        except NoServer as none:
            return not_measured("MariaDB", none)
        schema = stack.enter_context(fresh_schema(server))
        into_mariadb(bench, schema)
        session = stack.enter_context(closing(schema.connect()))

        def read_to(path: Path, query: str) -> None:
            with path.open("w", newline="", encoding="utf-8") as file, session.cursor(SSCursor) as cursor:
                cursor.execute(query)
                csv.writer(file).writerows(cursor)

        return _figures(bench, schema.url, session, read_to, most=3.0)


def not_measured(name: str, reason: NoServer) -> Sequence[Figure]:
    print(f"\n{name}: not measured, {reason}")
    return []


def _figures(
    bench: Bench,
    url: str,
    session: Any,
    read_to: Callable[[Path, str], None],
    *,
    most: float,
) -> Sequence[Figure]:
    by_hand, decided, repeats, versions, released, plain = [], [], [], [], [], []
    moved = expected = 0
    listed = ", ".join(COLUMNS)
    for number in range(REPETITIONS):
        name = f"server-{number}"
        by_hand.append(_seconds(_answer, session, f"SELECT {listed}, COUNT(*) FROM members GROUP BY {listed}"))
        engine = engine_on(bench, url, name)
        with rows_sent() as rows:
            run = timed(engine, bench.request(COLUMNS, name))
        steps = dict(run.timeline.steps)
        decided.append(steps["release"] - (run.ended - run.seconds))
        moved = sum(n for purpose, n in rows if purpose is not Purpose.RELEASE)
        expected = sum(
            n for purpose, n in rows if purpose in (Purpose.FREQUENCY_SET, Purpose.COVERAGE, Purpose.VERSION)
        )
        versions.append(run.timeline.seconds_of_first(Purpose.VERSION))
        repeats.append(_seconds(engine.run, bench.request(COLUMNS, name)))
        whole = timed(engine, _with_names(bench, name))
        released.append(dict(whole.timeline.steps)["record"] - dict(whole.timeline.steps)["release"])
        every_row = f"SELECT {listed}, {KEPT} FROM members"
        plain.append(_seconds(read_to, bench.folder / name / "plain.csv", every_row))
        shutil.rmtree(bench.folder / name)
    hand, version, read = median(by_hand), median(versions), median(plain)
    return [
        Figure(
            "request up to its decision / GROUP BY written by hand",
            median(decided) / hand,
            target=most,
            note=f"GROUP BY {hand:.3f} s, up to the decision {median(decided):.3f} s with opening and version",
        ),
        Figure(
            "the same request again / the version statement",
            median(repeats) / version,
            target=1.2,
            note=f"version {version:.3f} s, again {median(repeats):.3f} s",
        ),
        Figure("rows moved up to the decision / frequency set and marginals", moved / expected, target=1.0, digits=3),
        Figure(
            "release of 1,000,000 rows to a file / plain read of them",
            median(released) / read,
            target=2.0,
            note=f"plain read {read:.3f} s, release {median(released):.3f} s, measured again",
        ),
    ]


def _with_names(bench: Bench, name: str) -> dict[str, Any]:
    """The request with a column of a million texts released as they are."""
    request = {**bench.request(COLUMNS, name), "keep": [KEPT], "identifiers": ["member_id"]}
    return {**request, "release": {"to": str(bench.folder / name / "kept.csv"), "replace": True}}


def _seconds(work: Callable[..., object], *given: object) -> float:
    started = time.perf_counter()
    work(*given)
    return time.perf_counter() - started


def _answer(session: Any, statement: str) -> object:
    with session.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


@contextmanager
def rows_sent() -> Iterator[list[tuple[Purpose, int]]]:
    """The purpose and the rows of each batch that a server sends."""
    rows: list[tuple[Purpose, int]] = []
    read = ServerExecutor.read

    def counting(executor: ServerExecutor, purpose: Purpose, *given: Any) -> Any:
        reader = read(executor, purpose, *given)

        def batches() -> Iterator[Any]:
            for batch in reader:
                rows.append((purpose, batch.num_rows))
                yield batch

        return pa.RecordBatchReader.from_batches(reader.schema, batches())

    with mock.patch.object(ServerExecutor, "read", counting):
        yield rows


def engine_on(bench: Bench, url: str, name: str) -> Engine:
    engine = Engine(bench.folder / name / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("shop", url)
    engine.datasets.add("members", "shop", table="members", least_k=2)
    with as_file(MEMBERS) as data:
        for file in sorted((data / "hierarchies").iterdir()):
            engine.hierarchies.add(file.stem, file)
    return engine


def _as_csv(bench: Bench) -> tuple[list[tuple[str, str]], Path]:
    """The columns of the members, and a file of them."""
    path = bench.folder / "members.csv"
    with duckdb.connect(str(bench.database), read_only=True) as source:
        described = source.execute("DESCRIBE members").fetchall()
        if not path.exists():
            source.execute(f"COPY members TO '{path}' (HEADER FALSE, NULLSTR '\\N')")
    return [(name, TYPES.get(kind, kind)) for name, kind, *_ in described], path


def into_postgresql(bench: Bench, schema: Schema) -> None:
    columns, path = _as_csv(bench)
    schema.run(f"CREATE TABLE members ({', '.join(f'{name} {kind}' for name, kind in columns)})")
    with closing(schema.connect()) as session, session.cursor() as cursor:
        with cursor.copy("COPY members FROM STDIN (FORMAT csv, NULL '\\N')") as copy, path.open("rb") as file:
            while part := file.read(1 << 20):
                copy.write(part)
        cursor.execute("VACUUM ANALYZE members")


def into_mariadb(bench: Bench, schema: Schema) -> None:
    columns, path = _as_csv(bench)
    defined = ", ".join(f"{name} {kind.replace('VARCHAR', 'VARCHAR(200)')}" for name, kind in columns)
    schema.run(f"CREATE TABLE members ({defined}) CHARACTER SET utf8mb4")
    places = ", ".join(["%s"] * len(columns))
    with closing(schema.connect()) as session, session.cursor() as cursor, path.open(encoding="utf-8") as file:
        cursor.execute("START TRANSACTION")
        rows = ([None if cell == "\\N" else cell for cell in row] for row in csv.reader(file))
        while part := [row for row, _ in zip(rows, range(50_000), strict=False)]:
            cursor.executemany(f"INSERT INTO members VALUES ({places})", part)
        session.commit()
        cursor.execute("ANALYZE TABLE members")
