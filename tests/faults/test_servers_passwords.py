"""Passwords of servers: from the environment, files or a prompt; in no state, log, message, manifest or output."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from ordermade import Engine
from ordermade.errors import InputError, PasswordNeeded, ReleaseFault, SourceFault
from ordermade.release import into_server
from ordermade.sources.mysql_writer import MySQLWriter
from ordermade.sources.postgresql_writer import PostgreSQLWriter
from tests.faults.on_servers import Persons, persons_on
from tests.services.servers import KINDS, POSTGRES
from tests.services.throwaway import Throwaway

pytestmark = pytest.mark.services

SECRET = "s%/?#@: '\"\\&=+$x"
"""A password of the signs that URLs mean something by."""
ROLE = "ordermade_secret"


@pytest.fixture(params=[kind.name for kind in KINDS])
def persons(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Persons]:
    server: Throwaway = request.getfixturevalue(f"throwaway_{request.param}")
    written = SECRET.replace("\\", "\\\\") if server.kind is not POSTGRES else SECRET
    written = written.replace("'", "''")
    with persons_on(server, tmp_path) as made:
        if made.is_postgres:
            rules = server.process.folder / "data" / "pg_hba.conf"
            before = rules.read_text(encoding="utf-8")
            rules.write_text(f"host all {ROLE} 127.0.0.1/32 scram-sha-256\n{before}", encoding="utf-8")
            made.run("SELECT pg_reload_conf()")
            made.run(f"CREATE ROLE {ROLE} LOGIN PASSWORD '{written}'")
            made.run(f"GRANT USAGE ON SCHEMA {made.schema.name} TO {ROLE}")
            made.run(f"GRANT SELECT ON persons TO {ROLE}")
        else:
            made.run(f"CREATE USER {ROLE} IDENTIFIED BY '{written}'")
            made.run(f"GRANT SELECT ON {made.schema.name}.* TO {ROLE}")
        try:
            yield made
        finally:
            if made.is_postgres:
                made.run(f"DROP OWNED BY {ROLE}")
                rules.write_text(before, encoding="utf-8")
                made.run("SELECT pg_reload_conf()")
            made.run(f"DROP ROLE {ROLE}" if made.is_postgres else f"DROP USER {ROLE}")


def told(persons: Persons, state: str, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of its own process, with debug logs; nothing that it says or writes may hold the password."""
    done = subprocess.run(
        [sys.executable, "-m", "ordermade", "--state", state, *command],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env={**os.environ, "ORDERMADE_LOG": "debug", **environment},
    )
    for text in (done.stdout, done.stderr):
        assert is_silent(text.encode())
    for path in persons.folder.rglob("*"):
        assert path.is_dir() or path.name.startswith("secret") or is_silent(path.read_bytes())
    return done


def is_silent(content: bytes) -> bool:
    """Whether the password is in it, neither as it is nor as a URL writes it."""
    return SECRET.encode() not in content and quote(SECRET, safe="").encode() not in content


def test_a_password_of_the_environment_is_nowhere(persons: Persons, monkeypatch: pytest.MonkeyPatch) -> None:
    location = persons.location(ROLE, "${DB_PASSWORD}")
    monkeypatch.setenv("DB_PASSWORD", SECRET)
    state = str(persons.engine(location).state)
    request, out = persons.folder / "request.yaml", persons.folder / "out.csv"
    asked = f"dataset: d\nk: 7\nquasi_identifiers: {{age: {{hierarchy: age}}}}\nrelease: {{to: '{out}'}}\n"
    request.write_text(asked, encoding="utf-8")
    for command in (["source", "add", "t", location], ["request", "run", str(request)]):
        done = told(persons, state, *command)
        assert done.returncode == 0, done.stderr
    assert out.exists()
    wrong = told(persons, state, "source", "check", "s", DB_PASSWORD=SECRET + "x")
    assert wrong.returncode == 3
    assert "user and password" in wrong.stderr
    monkeypatch.delenv("DB_PASSWORD")
    with pytest.raises(SourceFault, match="the environment variable DB_PASSWORD is not set"):
        persons.engine(location)


@pytest.mark.parametrize("written", ["hunter2", "${A}${B}", "hunter2/x"])
def test_a_password_that_is_spelled_out_is_refused(persons: Persons, written: str) -> None:
    with pytest.raises(InputError, match="must not hold a password"):
        persons.engine(persons.location(ROLE, written))
    with pytest.raises(InputError, match="must not hold a password"):
        persons.engine(persons.location(ROLE, password=None, sslpassword="hunter2"))


def test_a_password_of_a_file_that_the_driver_reads(persons: Persons, monkeypatch: pytest.MonkeyPatch) -> None:
    file = persons.folder / "secret"
    if persons.is_postgres:
        file.write_text("*:*:*:*:" + SECRET.replace("\\", "\\\\").replace(":", "\\:"), encoding="utf-8")
        options = {"passfile": str(file)}
    else:
        file.write_text(f"[client]\npassword={SECRET}\n", encoding="utf-8")
        options = {"read_default_file": str(file)}
    file.chmod(0o600)
    assert persons.engine(persons.location(ROLE, **options)).run(persons.request()).released


def test_a_password_is_asked_for_where_none_is_known(persons: Persons) -> None:
    asked: list[str] = []

    def ask(url: str) -> str:
        asked.append(url)
        return SECRET

    engine = persons.engine(persons.location(ROLE), ask_password=ask)
    assert engine.run(persons.request()).released
    assert all(f"{ROLE}@127.0.0.1" in url for url in asked)
    with pytest.raises(PasswordNeeded):
        persons.engine(persons.location(ROLE))
    with pytest.raises(PasswordNeeded) as error:
        persons.engine(persons.location(ROLE), ask_password=lambda _: SECRET + "x")
    assert is_silent(str(error.value).encode())
    change = "ALTER ROLE {} PASSWORD" if persons.is_postgres else "ALTER USER {} IDENTIFIED BY"
    persons.run(f"{change.format(ROLE)} 'é€'")
    assert persons.engine(persons.location(ROLE), ask_password=lambda _: "é€").run(persons.request("2.csv")).released


def test_a_release_into_a_table_and_what_is_left_of_one_ask_for_the_password(
    persons: Persons, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = persons.schema.name
    persons.run(
        f"GRANT CREATE ON SCHEMA {of} TO {ROLE}"
        if persons.is_postgres
        else f"GRANT SELECT, INSERT, CREATE, ALTER, DROP ON {of}.* TO {ROLE}"
    )
    asked: list[str] = []

    def ask(url: str) -> str:
        asked.append(url)
        return SECRET

    engine = persons.engine(persons.location(ROLE), ask_password=ask)
    engine.sources.add("w", persons.location(ROLE), writable=True)
    engine.datasets.add("e", "w", table=persons.named("persons"))
    request = persons.request() | {"dataset": "e", "release": {"to": {"table": "out"}}}

    def fails(*_: object, **__: object) -> None:
        raise ReleaseFault("the disk is full")

    with monkeypatch.context() as patch:
        for writer in (PostgreSQLWriter, MySQLWriter):
            patch.setattr(writer, "fill", fails)
        patch.setattr(into_server, "put_away", fails)
        with pytest.raises(ReleaseFault, match="the disk is full"):
            engine.run(request)
    assert len(persons.left()) == (1 if persons.is_postgres else 2)
    asked.clear()
    assert [each.status for each in Engine(engine.state, ask_password=ask).requests.list()] == ["failed"]
    assert persons.left() == ["persons"]
    assert bool(asked) is not persons.is_postgres
    assert engine.run(request).released
    assert persons.left() == ["out", "persons"]
