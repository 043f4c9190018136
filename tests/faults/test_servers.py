"""Servers that go away, lock, stop or run full: a clear error or the correct answer, and nothing is left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.catalogue.sources import ServerDescription
from ordermade.errors import SourceChanged, SourceFault
from ordermade.methods.shared.existing_release import ReturnedResult
from ordermade.release.measure import MeasuredRelease, measure_file
from ordermade.sources.executor import Purpose
from tests.faults.on_servers import CLASSES, At, Persons, classes, in_time, persons_on
from tests.services.fixtures import throwaway
from tests.services.servers import KINDS, POSTGRES, Kind, Server
from tests.services.skips import reason
from tests.services.throwaway import NotInstalled, Throwaway, start_standby

pytestmark = pytest.mark.services

AT_ONCE = 20
NAP = 1.0
"""Seconds that a slow statement takes."""


@pytest.fixture(params=[kind.name for kind in KINDS])
def server(request: pytest.FixtureRequest) -> Throwaway:
    given: Throwaway = request.getfixturevalue(f"throwaway_{request.param}")
    return given


@pytest.fixture
def persons(server: Server, tmp_path: Path) -> Iterator[Persons]:
    with persons_on(server, tmp_path) as made:
        yield made
        assert in_time(lambda: not made.sessions()), "a session is left"
        assert made.left() in (["persons"], ["persons", "slow"])


def released(engine: Engine, persons: Persons, name: str = "out.csv") -> bool:
    """Whether a request ends with the correct release, and not with an error."""
    try:
        result = engine.run(persons.request(name))
    except SourceFault as fault:
        is_clear = bool(fault.next_step) and not (persons.folder / name).exists()
        if not is_clear:
            raise
        return False
    assert result.released
    assert classes(persons.folder / name) == CLASSES
    return True


def while_it_runs(persons: Persons, does: Callable[[], object], times: int = 1) -> Callable[[], None]:
    """What does something as soon as a statement of the engine runs on the server, and again as one of another does."""

    def wait() -> None:
        known: set[int] = set()
        for _ in range(times):
            assert in_time(lambda known=known: persons.running() - known)
            known = known | persons.running()
            does()

    return wait


def test_a_connection_that_is_cut_before_anything_was_read_is_made_again(persons: Persons) -> None:
    cut = At(persons.cut, step="dataset version")
    assert released(persons.engine(progress=cut), persons)
    assert cut.done


def test_a_connection_that_is_made_again_over_altered_tables_fails_the_request(persons: Persons) -> None:
    def cut_and_alter() -> None:
        persons.cut()
        persons.run("ALTER TABLE persons ADD COLUMN town VARCHAR(40)")

    with pytest.raises(SourceChanged, match=r"tables were altered until it was made again.*Run it again"):
        persons.engine(progress=At(cut_and_alter, step="dataset version")).run(persons.request())
    assert not (persons.folder / "out.csv").exists()


def test_a_connection_that_is_cut_later_fails_the_request_whole(persons: Persons) -> None:
    engine = persons.engine(progress=At(persons.cut, after=Purpose.VERSION))
    with pytest.raises(SourceFault, match=r"the connection to the server was lost.*Run it again"):
        engine.run(persons.request())
    assert not (persons.folder / "out.csv").exists()
    assert released(engine, persons)


def test_a_connection_that_is_cut_in_its_first_statement_is_made_again_once(persons: Persons) -> None:
    persons.make_slow(3 * NAP)
    engine = persons.engine(table="slow")
    with ThreadPoolExecutor() as beside:
        cutting = beside.submit(while_it_runs(persons, persons.cut))
        assert released(engine, persons)
        cutting.result()
        cutting = beside.submit(while_it_runs(persons, persons.cut, times=2))
        with pytest.raises(SourceFault, match="the connection to the server was lost"):
            engine.run(persons.request("other.csv"))
        cutting.result()


@pytest.mark.parametrize("how", ["restart", "kill"])
def test_a_server_that_ends_in_the_middle_of_a_statement(persons: Persons, server: Throwaway, how: str) -> None:
    persons.make_slow(3 * NAP)
    engine = persons.engine(table="slow")

    def end() -> None:
        if how == "kill":
            server.kill()
        server.restart()

    with ThreadPoolExecutor() as beside:
        ending = beside.submit(while_it_runs(persons, end))
        released(engine, persons)
        ending.result()
    assert released(engine, persons, "again.csv")


def test_a_server_that_is_down_is_said_to_be(persons: Persons, server: Throwaway) -> None:
    engine = persons.engine()
    with server.stopped(), pytest.raises(SourceFault, match=r"does not answer\. Check host, port"):
        engine.run(persons.request())
    assert released(engine, persons)


def test_a_locked_table_is_waited_for_in_bounded_time(persons: Persons) -> None:
    engine = persons.engine(wait_seconds=1)
    begin, lock = "BEGIN", f"LOCK TABLE {persons.schema.name}.persons IN ACCESS EXCLUSIVE MODE"
    if not persons.is_postgres:
        begin, lock = "SET autocommit = 0", "LOCK TABLES persons WRITE"
    with closing(persons.schema.connect()) as other, closing(other.cursor()) as cursor:
        cursor.execute(begin)
        cursor.execute(lock)
        with pytest.raises(SourceFault, match=r"Another session locks the table.*--wait"):
            engine.run(persons.request())
    assert released(engine, persons)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_server_without_a_connection_left(kind: Kind, tmp_path: Path) -> None:
    with (
        throwaway(kind, "--max_connections=10") as server,
        persons_on(server, tmp_path) as persons,
        ExitStack() as others,
    ):
        engine = persons.engine()
        for _ in range(20):
            try:
                others.enter_context(closing(server.connect()))
            except Exception:  # noqa: BLE001 - each driver has its own errors
                break
        with pytest.raises(SourceFault, match=r"no connection left|max_connections"):
            engine.run(persons.request())
        others.close()
        assert in_time(lambda: released(engine, persons))


def test_many_requests_at_once(persons: Persons) -> None:
    first = persons.engine()
    folders = [Path(shutil.copytree(first.state_file.path.parent, persons.folder / str(i))) for i in range(AT_ONCE)]
    engines = [Engine(folder / "state.sqlite", use_cache=False) for folder in folders]
    with ThreadPoolExecutor(AT_ONCE) as beside:
        done = beside.map(lambda each: released(each[1], persons, f"{each[0]}.csv"), enumerate(engines))
        assert all(done)


def test_a_limit_of_what_the_server_may_write_down_is_a_clear_error(persons: Persons) -> None:
    if persons.is_postgres:
        persons.run("CREATE VIEW slow AS SELECT MD5(CAST(i AS TEXT)) AS word FROM GENERATE_SERIES(1, 100000) AS s (i)")
        limits = {"options": f"-csearch_path={persons.schema.name} -cwork_mem=64kB -ctemp_file_limit=100kB"}
    else:
        persons.run("CREATE VIEW slow AS SELECT CONCAT(REPEAT('x', 200), seq) AS word FROM seq_1_to_100000")
        limits = {"init_command": "SET SESSION tmp_memory_table_size = 1024, tmp_disk_table_size = 1000000"}
    engine = persons.engine(persons.location(**limits))
    with pytest.raises(SourceFault, match=r"temp_file_limit|disk for temporary tables is full"):
        engine.measure("s.slow", ["word"])
    assert released(engine, persons)


def test_a_statement_timeout_of_the_url_is_a_clear_error(persons: Persons) -> None:
    persons.make_slow(3 * NAP)  # well beyond the read_timeout, which is in whole seconds
    limits = {"options": f"-csearch_path={persons.schema.name} -cstatement_timeout=1000"}
    if not persons.is_postgres:
        limits = {"init_command": "SET SESSION max_statement_time = 1"}
    engine = persons.engine(persons.location(**limits), table="slow")
    with pytest.raises(SourceFault, match=r"The server stopped the statement: raise (statement_timeout|max_statement)"):
        engine.run(persons.request())
    if not persons.is_postgres:
        engine = persons.engine(persons.location(read_timeout="1"), table="slow")
        with pytest.raises(SourceFault, match="no answer came within the read_timeout of the URL"):
            engine.run(persons.request())
        assert in_time(lambda: not persons.sessions(), NAP)


def test_a_ctrl_c_ends_the_statement_on_the_server(persons: Persons) -> None:
    persons.make_slow(60)
    engine = persons.engine(table="slow")
    request = persons.folder / "request.yaml"
    out = persons.folder / "out.csv"
    request.write_text(f"dataset: d\nk: 7\nquasi_identifiers: {{age: {{hierarchy: age}}}}\nrelease: {{to: '{out}'}}\n")
    command = [sys.executable, "-m", "ordermade", "--state", str(engine.state), "request", "run", str(request)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        assert in_time(lambda: bool(persons.running()), 30)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=10)
    finally:
        process.kill()
        process.communicate()
    assert process.returncode == 130, said
    assert in_time(lambda: not persons.sessions(), 3)
    assert not out.exists()


def test_a_hot_standby_answers_as_its_primary(throwaway_postgres: Throwaway, tmp_path: Path) -> None:
    with persons_on(throwaway_postgres, tmp_path) as persons, ExitStack() as stack:
        try:
            standby = stack.enter_context(start_standby(throwaway_postgres))
        except NotInstalled as none:
            pytest.skip(reason(POSTGRES, none))
        there = Persons(replace(persons.schema, server=standby), tmp_path)
        engine = there.engine()
        assert released(engine, there)
        found = engine.sources.check("s")
        assert isinstance(found, ServerDescription)
        assert found.server.standby
        assert not found.server.writing_possible
        assert in_time(lambda: not there.sessions())


def test_a_release_that_stands_is_measured_while_the_server_counts(
    persons: Persons, monkeypatch: pytest.MonkeyPatch
) -> None:
    persons.make_slow(3 * NAP)
    engine = persons.engine(table="slow")
    first = engine.run(persons.request())
    counted_meanwhile = []

    def measured(*given: Any, **options: Any) -> MeasuredRelease:
        counted_meanwhile.append(in_time(persons.running, 3 * NAP))
        return measure_file(*given, **options)

    monkeypatch.setattr("ordermade.catalogue.verified_releases.measure_file", measured)
    again = engine.run(persons.request())
    assert isinstance(again, ReturnedResult)
    assert (again.request, again.k, again.divisions) == (first.request, 12, 2)
    assert counted_meanwhile == [True]


def test_a_release_that_stands_is_not_returned_for_other_rows_or_with_other_content(persons: Persons) -> None:
    engine, out = persons.engine(), persons.folder / "out.csv"
    assert engine.run(persons.request()).released
    persons.run("UPDATE persons SET sex = 'd' WHERE sex = 'm'")
    assert [isinstance(engine.run(persons.request()), ReturnedResult) for _ in range(2)] == [False, True]
    out.write_text(out.read_text().replace("low", "high"))
    assert [isinstance(engine.run(persons.request()), ReturnedResult) for _ in range(2)] == [False, True]
