"""The fixtures of servers: schemas are dropped, and throwaway servers obey and have few rights."""

from __future__ import annotations

import subprocess
from contextlib import closing

import pytest

from tests.services.servers import KINDS, POSTGRES, Schema, Server, fresh_schema
from tests.services.throwaway import Throwaway

pytestmark = pytest.mark.services

SCHEMAS = "SELECT COUNT(*) FROM information_schema.schemata WHERE schema_name = %s"


@pytest.fixture(params=[kind.name for kind in KINDS])
def server(request: pytest.FixtureRequest) -> Server:
    given: Server = request.getfixturevalue(request.param)
    return given


@pytest.fixture(params=[kind.name for kind in KINDS])
def schema(request: pytest.FixtureRequest) -> Schema:
    given: Schema = request.getfixturevalue(f"{request.param}_schema")
    return given


@pytest.fixture(params=[kind.name for kind in KINDS])
def own(request: pytest.FixtureRequest) -> Throwaway:
    given: Throwaway = request.getfixturevalue(f"throwaway_{request.param}")
    return given


def test_a_schema_is_of_one_test_and_is_dropped_with_all_in_it(server: Server) -> None:
    with fresh_schema(server) as one, fresh_schema(server) as other:
        for schema in (one, other):
            schema.run("CREATE TABLE persons (age INTEGER)")
            schema.run("INSERT INTO persons VALUES (%s), (%s)", (30, None))
        other.run("DELETE FROM persons")

        assert one.run("SELECT age FROM persons ORDER BY age IS NULL") == [(30,), (None,)]
        assert one.name != other.name
        assert one.name.startswith("ordermade_test_")

    assert [server.run(SCHEMAS, (schema.name,)) for schema in (one, other)] == [[(0,)]] * 2


def test_a_schema_is_dropped_where_the_test_fails(server: Server) -> None:
    names = []

    def fail() -> None:
        with fresh_schema(server) as schema:
            names.append(schema.name)
            schema.run("CREATE TABLE persons (age INTEGER)")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()

    assert server.run(SCHEMAS, names) == [(0,)]


def test_the_fixture_gives_an_empty_schema_and_its_url(schema: Schema) -> None:
    schema.run("CREATE TABLE persons (name VARCHAR(20))")
    schema.run("INSERT INTO persons VALUES ('Ærøskøbing 東京 100%')")

    assert Server(schema.server.kind, schema.url).run(f"SELECT name FROM {schema.name}.persons") == [
        ("Ærøskøbing 東京 100%",)
    ]


def test_a_throwaway_server_keeps_its_data_and_its_url_when_it_is_restarted_and_when_it_is_killed(
    own: Throwaway,
) -> None:
    with fresh_schema(own) as schema:
        schema.run("CREATE TABLE persons (age INTEGER)")
        schema.run("INSERT INTO persons VALUES (30)")
        first = own.process.id
        own.restart()
        second = own.process.id
        assert schema.run("SELECT age FROM persons") == [(30,)]

        schema.run("INSERT INTO persons VALUES (40)")
        own.kill()
        assert own.process.id is None
        with pytest.raises(Exception, match=r"(?i)refused|can't connect"):
            own.run("SELECT 1")
        own.start()

        assert schema.run("SELECT SUM(age) FROM persons") == [(70,)]
        assert len({first, second, own.process.id}) == 3


def test_a_throwaway_server_that_was_stopped_runs_again(own: Throwaway) -> None:
    with closing(own.connect()), own.stopped():
        assert own.process.id is None

    assert own.run("SELECT 1") == [(1,)]


def test_a_throwaway_server_is_not_the_shared_one_and_does_not_run_as_root(own: Throwaway) -> None:
    listed = subprocess.run(["ps", "-o", "uid=", "-p", str(own.process.id)], capture_output=True, text=True, check=True)

    assert own.throwaway
    assert int(listed.stdout) != 0
    assert own.process.folder.stat().st_uid == int(listed.stdout)
    assert own.process.folder.stat().st_mode & 0o077 == 0


def test_rights_are_checked(own: Throwaway) -> None:
    """What reads with few rights is tested on throwaway servers, so they must not run without."""
    own.run("CREATE USER reader PASSWORD 'x'" if own.kind is POSTGRES else "CREATE USER reader IDENTIFIED BY 'x'")
    port = own.url.partition("@")[2]
    reader = Server(own.kind, f"{own.kind.schemes[0]}://reader:x@{port}")
    try:
        with fresh_schema(own) as schema:
            schema.run("CREATE TABLE persons (age INTEGER)")
            with pytest.raises(Exception, match="denied"):
                reader.run(f"SELECT age FROM {schema.name}.persons")
    finally:
        own.run("DROP USER reader")
