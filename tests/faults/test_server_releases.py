"""A release as a table of PostgreSQL or MariaDB: as in a file, replaced where it is ours, all or nothing."""

from __future__ import annotations

import contextlib
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import quote_plus, urlsplit, urlunsplit

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, OrdermadeError, ReleaseFault, SourceChanged, Undecided
from ordermade.methods.shared import publishing
from ordermade.release import into_server
from ordermade.sources.mysql_writer import MySQLWriter
from ordermade.sources.postgresql_writer import PostgreSQLWriter
from ordermade.sources.server_writer import ServerWriter
from ordermade.state.runs import alive
from tests.long import rounds
from tests.made import new_engine, write_hierarchy
from tests.services.fixtures import throwaway
from tests.services.servers import MARIADB, POSTGRES, Schema, Server, fresh_schema
from tests.services.throwaway import Throwaway

pytestmark = [pytest.mark.services, pytest.mark.slow]

LOCATION = "ORDERMADE_TEST_LOCATION"
TEXTS = ("", None, "Ann", "ann", "ann ", "a\"b,\\N\n;'é\U0001f600%s")
ROWS = [(i % 4 + 1, TEXTS[i % 3 + i % 2 * 3], Decimal(i % 2) / 4, i % 3 == 0) for i in range(96)]
HALVES = ("value", "half"), [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]


@dataclass(frozen=True)
class Shop:
    """A schema with the table `persons`, and an engine that has it as source `s` and dataset `d`."""

    schema: Schema
    engine: Engine

    @property
    def is_postgres(self) -> bool:
        return self.schema.server.kind is POSTGRES

    def name(self, text: str) -> str:
        quote = '"' if self.is_postgres else "`"
        return quote + text.replace(quote, quote * 2) + quote

    def rows(self, table: str = "out") -> Counter[Any]:
        return Counter(self.schema.run(f"SELECT * FROM {self.name(table)}"))

    def tables(self) -> set[str]:
        listed = "SELECT table_name FROM information_schema.tables WHERE table_schema = %s"
        return {row[0] for row in self.schema.run(listed, (self.schema.name,))}

    def again(self) -> Engine:
        """The next command."""
        return Engine(self.engine.state_file.path)


def location_of(schema: Schema, url: str | None = None) -> str:
    url = url or schema.url
    return f"{url}?options={quote_plus(f'-csearch_path={schema.name}')}" if schema.server.kind is POSTGRES else url


def opened(schema: Schema, folder: Path, monkeypatch: pytest.MonkeyPatch, rows: list[Any] = ROWS) -> Shop:
    schema.run("CREATE TABLE persons (age INTEGER, plan VARCHAR(40), part DECIMAL(10, 2), active BOOLEAN)")
    with contextlib.closing(schema.connect()) as connection, connection.cursor() as cursor:
        cursor.executemany("INSERT INTO persons VALUES (%s, %s, %s, %s)", rows)
    monkeypatch.setenv(LOCATION, location_of(schema).split("://", 1)[1])
    engine = new_engine(folder)
    kind = schema.server.kind.schemes[0]
    engine.sources.add("s", f"{kind}://${{{LOCATION}}}", writable=True)
    engine.datasets.add("d", "s", table=f"{schema.name}.persons", least_k=2)
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", *HALVES), "header")
    return Shop(schema, engine)


@pytest.fixture(params=["postgres", "mariadb"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


@pytest.fixture
def shop(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shop]:
    with fresh_schema(server) as schema:
        yield opened(schema, tmp_path, monkeypatch)


def asked(to: str | dict[str, str] = "out", k: int = 2, **more: Any) -> dict[str, Any]:
    release = {"to": {"table": to} if isinstance(to, str) else to["file"], "replace": True, **more.pop("release", {})}
    return {"dataset": "d", "k": k, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": release, **more}


def expected(k: int = 2) -> Counter[Any]:
    halves = {1: "low", 2: "low", 3: "high", 4: "high"}
    return Counter((age if k <= 24 else halves[age], *rest) for age, *rest in ROWS)


# ---- the release itself ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("table", ["out", "名 o\"u`;%s 't"])
@pytest.mark.parametrize("k", [2, 30])
def test_rows_are_released_into_the_server(shop: Shop, table: str, k: int) -> None:
    result = shop.engine.run(asked(table, k, keep=["plan", "part", "active"]))
    assert result.release is not None
    assert (result.release.sha256, result.release.rows) == (None, 96)
    assert result.release.path == f"s.{shop.schema.name}.{table}"
    assert shop.rows(table) == expected(k)
    assert shop.tables() == {"persons", table}
    assert shop.engine.releases.verify(1).intact


def test_a_table_may_be_named_with_its_schema(shop: Shop) -> None:
    shop.engine.run(asked(f"{shop.schema.name}.out"))
    again = shop.engine.run(asked("out"))
    assert (again.request, shop.tables()) == (1, {"persons", "out"})


def test_tables_that_differ_by_case_alone_are_kept_apart(shop: Shop) -> None:
    for name in ("Persons", "PERSONS", "oUt", "OUT"):
        shop.schema.run(f"CREATE TABLE {shop.name(name)} (other VARCHAR(10))")
    result = shop.engine.run(asked("Out", keep=["plan", "part", "active"]))
    assert result.release is not None
    assert shop.rows("Out") == expected()
    assert shop.tables() == {"persons", "Persons", "PERSONS", "Out", "oUt", "OUT"}
    assert shop.engine.releases.verify(1).intact


def test_the_table_and_the_file_of_a_request_have_the_same_rows(shop: Shop, tmp_path: Path) -> None:
    more: dict[str, Any] = {"k": 9, "sensitive": {"plan": [{"model": "distinct_l", "l": 2}]}, "keep": ["part"]}
    for to in ("out", {"file": str(tmp_path / "r.parquet")}):
        shop.engine.run(asked(to, **more))
    in_file = duckdb.read_parquet(str(tmp_path / "r.parquet")).fetchall()
    assert shop.rows() == Counter(in_file)
    assert shop.engine.releases.verify(1).intact


def test_the_statistical_table_and_star_rows_are_released(shop: Shop) -> None:
    shop.engine.run(asked(k=30, release={"shape": "table"}))
    assert shop.rows() == Counter([("high", 48), ("low", 48)])
    shop.schema.run("INSERT INTO persons SELECT 4, plan, part, active FROM persons WHERE age = 1")
    shop.schema.run("DELETE FROM persons WHERE age IN (2, 3) AND active")
    levels = {"age": {"hierarchy": "age", "from": 0, "to": 0}}
    request = asked("stars", 20, quasi_identifiers=levels, suppression_limit=0.5, suppressed="star")
    shop.engine.run(request)
    assert shop.rows("stars")[("*",)] == 32
    assert shop.engine.releases.verify(2).intact


def test_the_comment_names_the_run_and_the_state_holds_no_password(shop: Shop) -> None:
    shop.engine.run(asked())
    if shop.is_postgres:
        ((comment,),) = shop.schema.run("SELECT obj_description('out'::regclass, 'pg_class')")
    else:
        ((comment,),) = shop.schema.run(
            "SELECT table_comment FROM information_schema.tables WHERE table_schema = %s AND table_name = 'out'",
            (shop.schema.name,),
        )
    assert comment.startswith("release of ordermade ")


def test_texts_are_compared_by_their_bytes_in_the_released_table(
    mariadb_schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = opened(mariadb_schema, tmp_path, monkeypatch)
    shop.engine.run(asked(keep=["plan"]))
    ((kind, collation),) = shop.schema.run(
        "SELECT column_type, collation_name FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = 'out' AND column_name = 'plan'",
        (shop.schema.name,),
    )
    assert (kind, collation) == ("longtext", "utf8mb4_nopad_bin")


def test_the_same_request_returns_the_table_that_stands_and_verify_finds_a_changed_one(shop: Shop) -> None:
    shop.engine.run(asked())
    assert shop.engine.run(asked()).request == 1
    shop.schema.run("DELETE FROM out WHERE age = 1" if shop.is_postgres else "DELETE FROM `out` WHERE age = 1")
    assert not shop.engine.releases.verify(1).intact


# ---- names that are taken -------------------------------------------------------------------------------------------


def test_our_own_table_is_replaced_and_no_other(shop: Shop) -> None:
    shop.engine.run(asked())
    with pytest.raises(InputError, match="a release of that name already"):
        shop.engine.run(asked(k=30, release={"replace": False}))
    shop.engine.run(asked(k=30, keep=["plan", "part", "active"]))
    assert (shop.rows(), shop.tables()) == (expected(30), {"persons", "out"})
    assert sorted(each.standing for each in shop.engine.releases.list()) == ["stands", "superseded by 2"]
    before = shop.rows("persons")
    with pytest.raises(InputError, match="not a release of ordermade"):
        shop.engine.run(asked("persons"))
    assert shop.rows("persons") == before


def test_a_table_that_appears_while_the_request_runs_is_left(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    check = into_server.check_version

    def then_taken(*arguments: Any) -> None:
        check(*arguments)
        shop.schema.run(f"CREATE TABLE {shop.name('out')} (precious INTEGER)")

    monkeypatch.setattr(into_server, "check_version", then_taken)
    with pytest.raises(OrdermadeError) as refused:
        shop.engine.run(asked())
    assert "choose another" in refused.value.next_step.lower()
    assert (shop.rows(), shop.tables()) == (Counter(), {"persons", "out"})
    assert all(each.standing == "withdrawn" for each in shop.engine.releases.list())


def test_a_foreign_table_put_where_ours_was_is_left(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.engine.run(asked())
    check = into_server.check_version

    def then_taken(*arguments: Any) -> None:
        check(*arguments)
        shop.schema.run(f"DROP TABLE {shop.name('out')}")
        shop.schema.run(f"CREATE TABLE {shop.name('out')} (precious INTEGER)")

    monkeypatch.setattr(into_server, "check_version", then_taken)
    with pytest.raises(InputError, match="another table took the name"):
        shop.engine.run(asked(k=30))
    assert (shop.rows(), shop.tables()) == (Counter(), {"persons", "out"})
    ((columns,),) = shop.schema.run(
        "SELECT COUNT(*) FROM information_schema.columns "
        "WHERE table_schema = %s AND table_name = 'out' AND column_name = 'precious'",
        (shop.schema.name,),
    )
    assert columns == 1


def test_owner_and_grants_of_a_replaced_table_stay(
    postgres_schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = opened(postgres_schema, tmp_path, monkeypatch)
    shop.engine.run(asked(keep=["plan"]))
    shop.schema.run("GRANT SELECT ON out TO PUBLIC")
    shop.schema.run("GRANT UPDATE (plan) ON out TO pg_monitor")
    shop.schema.run("GRANT INSERT ON out TO pg_monitor WITH GRANT OPTION")
    shop.schema.run("ALTER TABLE out OWNER TO pg_read_all_data")
    rights = (
        "SELECT pg_get_userbyid(relowner), relacl::TEXT, (SELECT attacl::TEXT FROM pg_attribute "
        "WHERE attrelid = class.oid AND attname = 'plan') FROM pg_class AS class WHERE oid = 'out'::regclass"
    )
    before = shop.schema.run(rights)
    shop.engine.run(asked(k=30, keep=["plan"]))
    ((owner, table, column),) = shop.schema.run(rights)
    assert (owner, column) == (before[0][0], before[0][2])
    assert sorted(table.strip("{}").split(",")) == sorted(before[0][1].strip("{}").split(","))


@pytest.mark.parametrize("name", ["x" * 65, "é" * 64])
def test_a_name_that_the_server_would_cut_is_refused_before_anything_is_counted(shop: Shop, name: str) -> None:
    if not shop.is_postgres and len(name) <= 64:
        return
    with pytest.raises(InputError, match="longer than"):
        shop.engine.run(asked(name))
    assert shop.engine.requests.list() == ()


def test_a_table_of_another_database_of_mariadb_is_refused(
    mariadb_schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = opened(mariadb_schema, tmp_path, monkeypatch)
    with pytest.raises(InputError, match="the source is of"):
        shop.engine.run(asked("test.out"))


def test_a_view_that_uses_the_release_keeps_it(
    postgres_schema: Schema, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = opened(postgres_schema, tmp_path, monkeypatch)
    shop.engine.run(asked())
    shop.schema.run("CREATE VIEW ages AS SELECT age FROM out")
    with pytest.raises(ReleaseFault) as refused:
        shop.engine.run(asked(k=30))
    assert "drop the view first" in refused.value.next_step
    assert shop.tables() == {"persons", "out", "ages"}
    assert shop.engine.releases.verify(1).intact


# ---- all or nothing -------------------------------------------------------------------------------------------------


def test_nothing_is_written_when_the_dataset_changed_meanwhile(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    write = publishing.server_table_written

    def after_a_change(*arguments: Any) -> Any:
        shop.schema.run("INSERT INTO persons VALUES (1, 'late', 0, TRUE)")
        return write(*arguments)

    monkeypatch.setattr(publishing, "server_table_written", after_a_change)
    with pytest.raises(SourceChanged):
        shop.engine.run(asked())
    assert shop.tables() == {"persons"}
    assert [each.status for each in shop.engine.requests.list()] == ["failed"]


@pytest.mark.parametrize("where", [publishing, into_server])
def test_a_table_that_does_not_measure_as_it_must_is_taken_back(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, where: Any
) -> None:
    shop.engine.run(asked())
    before = shop.rows()

    def refuse(*_: object, **__: object) -> None:
        raise ReleaseFault("what was written does not measure as it must")

    monkeypatch.setattr(where, "check_measured", refuse)
    with pytest.raises(ReleaseFault):
        shop.engine.run(asked(k=30))
    assert (shop.rows(), shop.tables()) == (before, {"persons", "out"})


def test_rows_that_the_server_stores_otherwise_are_not_released(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    for writer in (PostgreSQLWriter, MySQLWriter):
        fill = writer.fill

        def half(self: Any, new: Any, cells: Any, fill: Any = fill) -> None:
            fill(self, new, (each.slice(0, each.num_rows // 2) for each in cells))

        monkeypatch.setattr(writer, "fill", half)
    with pytest.raises(ReleaseFault, match="does not measure as it must"):
        shop.engine.run(asked())
    assert shop.tables() == {"persons"}


def test_a_source_that_is_not_writable_takes_no_table(shop: Shop) -> None:
    shop.engine.sources.add("read", location_of(shop.schema))
    shop.engine.datasets.add("r", "read", table=f"{shop.schema.name}.persons", least_k=2)
    with pytest.raises(InputError, match="--writable"):
        shop.engine.run({**asked(), "dataset": "r"})


def test_what_reads_the_source_cannot_write_to_it(shop: Shop) -> None:
    from ordermade.catalogue.sources import opened as opened_source
    from ordermade.sources.executor import Purpose
    from ordermade.sources.server import Server as Source

    with opened_source(shop.engine.sources.get("s"), shop.engine.limits) as backend:
        assert isinstance(backend, Source)
        with pytest.raises(OrdermadeError, match=r"ReadOnly|1792"):
            backend.executor.plain(Purpose.RELEASE, f"DELETE FROM {shop.schema.name}.persons")
    assert sum(shop.rows("persons").values()) == len(ROWS)


# ---- kills and lost connections -------------------------------------------------------------------------------------

CHILD = """
import os, signal, sys
from pathlib import Path
from ordermade import Engine
from ordermade.methods.shared import published, publishing, recorder
from ordermade.sources.mysql_writer import MySQLWriter
from ordermade.sources.postgresql_writer import PostgreSQLWriter
from tests.faults.test_server_releases import asked

state, where, k = sys.argv[1:]

def die(*_, **__):
    os.kill(os.getpid(), signal.SIGKILL)

def after(of, name):
    real = getattr(of, name)
    def then_die(*arguments, **more):
        real(*arguments, **more)
        die()
    setattr(of, name, then_die)

if where == "filled":
    after(PostgreSQLWriter, "fill")
    after(MySQLWriter, "fill")
elif where == "decided":
    recorder.Recorder._note_end = die
elif where == "recorded":
    published.Published.carry_out = die
elif where == "published":
    after(PostgreSQLWriter, "publish")
    after(MySQLWriter, "publish")
elif where == "renamed":
    after(MySQLWriter, "_replace")
    after(PostgreSQLWriter, "publish")
Engine(Path(state)).run(asked("out", int(k), keep=["plan", "part", "active"]))
"""


def started(shop: Shop, where: str, k: int) -> subprocess.Popen[str]:
    root = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", CHILD, str(shop.engine.state_file.path), where, str(k)]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True)


def killed(shop: Shop, where: str, k: int = 2) -> None:
    with started(shop, where, k) as child:
        _, said = child.communicate()
    assert child.returncode == -9, said


@pytest.mark.parametrize("where", ["filled", "decided", "recorded", "published"])
def test_after_a_kill_the_table_is_whole_or_absent_and_nothing_is_left(shop: Shop, where: str) -> None:
    killed(shop, where)
    engine = shop.again()
    released = where == "published"
    (request,) = engine.requests.list()
    assert request.status == {"recorded": "failed", "published": "released"}.get(where, "interrupted")
    assert shop.tables() == ({"persons", "out"} if released else {"persons"})
    if released:
        assert shop.rows() == expected()
        assert engine.releases.verify(1).intact
    assert alive(engine.state_file.path) == frozenset()
    assert engine.run(asked(keep=["plan", "part", "active"])).release is not None
    assert shop.rows() == expected()


@pytest.mark.parametrize("where", ["filled", "recorded", "renamed", "published"])
def test_after_a_kill_the_earlier_release_or_the_whole_new_one_is_there(shop: Shop, where: str) -> None:
    shop.engine.run(asked(keep=["plan", "part", "active"]))
    killed(shop, where, 30)
    engine = shop.again()
    is_new = where in ("renamed", "published")
    assert shop.rows() == expected(30 if is_new else 2)
    assert shop.tables() == {"persons", "out"}
    assert engine.releases.verify(2 if is_new else 1).intact


@pytest.mark.long
def test_kills_at_random_moments_leave_the_earlier_release_or_the_whole_new_one(shop: Shop, seed: int) -> None:
    moments = random.Random(seed)
    before = time.monotonic()
    with started(shop, "never", 2) as child:
        child.communicate()
    took = time.monotonic() - before
    k = {2: 30, 30: 2}
    now, ended = 2, 0
    for _ in range(rounds(4, 40)):
        with started(shop, "never", k[now]) as child:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.communicate(timeout=moments.uniform(0.5 * took, 1.05 * took))
            child.kill()
        engine = shop.again()
        assert shop.tables() == {"persons", "out"}
        assert shop.rows() in (expected(2), expected(30))
        standing = [each for each in engine.releases.list() if each.standing == "stands"]
        assert len(standing) == 1
        assert engine.releases.verify(standing[0].id).intact
        is_new = shop.rows() == expected(k[now])
        ended += is_new
        now = k[now] if is_new else now
    print(f"{ended} of {rounds(4, 40)} were released")


class Cut(Exception):
    """The connection is gone."""


def end_sessions(shop: Shop, writer: ServerWriter) -> None:
    """Cuts the connection of a writer from the server's side."""
    if isinstance(writer, PostgreSQLWriter):
        own = writer.connected.info.backend_pid
        shop.schema.run("SELECT pg_terminate_backend(%s)", (own,))
    elif isinstance(writer, MySQLWriter):
        shop.schema.run(f"KILL {writer._number}")
    time.sleep(0.2)


@pytest.mark.parametrize("step", ["fill", "prepare", "publish"])
def test_a_connection_that_is_cut_leaves_nothing_behind(shop: Shop, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    for kind in (PostgreSQLWriter, MySQLWriter):
        real = getattr(kind, step)

        def cut_first(self: Any, *arguments: Any, real: Any = real) -> Any:
            end_sessions(shop, self)
            return real(self, *arguments)

        monkeypatch.setattr(kind, step, cut_first)
    with pytest.raises(ReleaseFault):
        shop.engine.run(asked())
    assert shop.tables() == {"persons"}
    assert [each.status for each in shop.engine.requests.list()] == ["failed"]


def test_a_connection_that_is_cut_before_the_table_is_measured_is_not_made_again(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = into_server.measured_table

    def cut_first(writer: Any, *arguments: Any) -> Any:
        end_sessions(shop, writer)
        return measured(writer, *arguments)

    monkeypatch.setattr(into_server, "measured_table", cut_first)
    with pytest.raises(ReleaseFault):
        shop.engine.run(asked())
    assert shop.tables() == {"persons"}


def test_a_connection_that_is_cut_after_the_commit_does_not_withdraw_the_release(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in (PostgreSQLWriter, MySQLWriter):
        real = kind.publish

        def cut_after(self: Any, new: Any, real: Any = real) -> Any:
            real(self, new)
            end_sessions(shop, self)
            return self.fetch("SELECT 1", None)

        monkeypatch.setattr(kind, "publish", lambda self, new, cut=cut_after: _in_faults(self, cut, new))
    assert shop.engine.run(asked()).release is not None
    assert shop.engine.releases.verify(1).intact
    assert shop.tables() == {"persons", "out"}


def _in_faults(writer: Any, what: Any, new: Any) -> Any:
    with writer.faults("the release could not be committed"):
        return what(writer, new)


@pytest.mark.parametrize("kind", [POSTGRES, MARIADB], ids=["postgres", "mariadb"])
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_server_that_dies_at_the_commit_leaves_the_decision_to_the_next_command(
    kind: Any, moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with throwaway(kind) as server, fresh_schema(server) as schema:
        shop = opened(schema, tmp_path, monkeypatch)
        for writer in (PostgreSQLWriter, MySQLWriter):
            real = writer.publish

            def dies(self: Any, new: Any, real: Any = real) -> Any:
                if moment == "after":
                    real(self, new)
                server.kill()
                return self.fetch("SELECT 1", None)

            monkeypatch.setattr(writer, "publish", lambda self, new, dies=dies: _in_faults(self, dies, new))
        try:
            with pytest.raises(Undecided):
                shop.engine.run(asked())
        finally:
            server.start()
        engine = shop.again()
        assert shop.tables() == ({"persons", "out"} if moment == "after" else {"persons"})
        (request,) = engine.requests.list()
        assert request.status == ("released" if moment == "after" else "failed")
        assert alive(engine.state_file.path) == frozenset()


# ---- rights and room ------------------------------------------------------------------------------------------------


def _as_reader(server: Throwaway, schema: Schema) -> str:
    """The URL of a role that may read, and nothing else."""
    if server.kind is POSTGRES:
        server.run("CREATE ROLE reader LOGIN")
        schema.run(f"GRANT USAGE ON SCHEMA {schema.name} TO reader")
        schema.run("GRANT SELECT ON persons TO reader")
    else:
        server.run("CREATE USER reader@'%'")
        server.run(f"GRANT SELECT, CREATE ON {schema.name}.* TO reader@'%'")
    at = urlsplit(schema.url)
    return urlunsplit(at._replace(netloc=f"reader@{at.netloc.rpartition('@')[2]}"))


@pytest.mark.parametrize("kind", [POSTGRES, MARIADB], ids=["postgres", "mariadb"])
def test_without_the_right_to_make_tables_the_error_names_it(
    kind: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with throwaway(kind) as server, fresh_schema(server) as schema:
        shop = opened(schema, tmp_path, monkeypatch)
        monkeypatch.setenv(LOCATION, location_of(schema, _as_reader(server, schema)).split("://", 1)[1])
        with pytest.raises(ReleaseFault) as refused:
            shop.engine.run(asked())
        assert "release to a file" in refused.value.next_step
        assert "GRANT" in refused.value.next_step
        assert shop.tables() == {"persons"}


def test_room_that_runs_out_leaves_nothing_in_postgresql(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with throwaway(POSTGRES, "--temp_file_limit=64kB") as server, fresh_schema(server) as schema:
        shop = opened(schema, tmp_path, monkeypatch)
        fill = PostgreSQLWriter.fill

        def full(self: Any, new: Any, cells: Any) -> None:
            fill(self, new, cells)
            self.executor.plain(
                "release", "SELECT s FROM generate_series(1, 1000000) AS g(s) ORDER BY s DESC LIMIT 300000"
            )

        monkeypatch.setattr(PostgreSQLWriter, "fill", full)
        with pytest.raises(ReleaseFault, match="53"):
            shop.engine.run(asked())
        assert shop.tables() == {"persons"}


def test_a_full_table_leaves_nothing_in_mariadb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = "--innodb-data-file-path=ibdata1:12M:autoextend:max:16M"
    with throwaway(MARIADB, small, "--innodb-file-per-table=0") as server, fresh_schema(server) as schema:
        shop = opened(schema, tmp_path, monkeypatch, [(i % 4 + 1, "x" * 40, 0, True) for i in range(30_000)])
        with pytest.raises(ReleaseFault) as refused:
            shop.engine.run(asked(keep=["plan", "part", "active"]))
        assert "disk is full" in refused.value.next_step
        assert shop.tables() == {"persons"}
        assert [each.status for each in shop.engine.requests.list()] == ["failed"]
