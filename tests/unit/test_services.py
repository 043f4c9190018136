"""Which server the tests marked `services` run against, that no password is shown, and which of them may be skipped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack, contextmanager

import pytest

from tests.services import __main__ as services
from tests.services import throwaway as throwaways
from tests.services.servers import (
    KINDS,
    MARIADB,
    POSTGRES,
    Kind,
    NoServer,
    Schema,
    Server,
    SwitchedOff,
    Unreachable,
    find,
    shown,
)
from tests.services.skips import Skips, is_excused, reason

HOST = "127.0.0.1"
NAMED = "postgresql://reader:pa%40ss@db.example:5433/people?sslpassword=pa%40ss"


def probe(*running: str) -> Callable[[Server], str | None]:
    return lambda server: None if server.url in running else "connection refused"


@pytest.mark.parametrize("kind", KINDS)
def test_the_named_server_comes_before_one_that_answers(kind: Kind) -> None:
    url = f"{kind.schemes[0]}://me@db.example/test"

    assert find(kind, {kind.variable: url}, probe(url, *kind.addresses())).url == url


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("environment", [{}, {"ORDERMADE_TEST_POSTGRES": "", "ORDERMADE_TEST_MARIADB": " "}])
def test_the_first_address_that_answers_is_used(kind: Kind, environment: Mapping[str, str]) -> None:
    last = kind.addresses()[-1]

    assert find(kind, environment, probe(last)) == Server(kind, last)
    assert find(kind, environment, probe(*kind.addresses())).url == kind.addresses()[0]


def test_the_addresses_are_those_of_a_local_server() -> None:
    assert [address.partition("@")[2] for address in POSTGRES.addresses()][-1] == f"{HOST}:5432/test"
    assert POSTGRES.addresses()[-1].startswith("postgresql://postgres@")
    assert MARIADB.addresses() == (f"mysql://root@{HOST}:3306/test",)


@pytest.mark.parametrize("kind", KINDS)
def test_where_none_answers_the_reason_names_every_address(kind: Kind) -> None:
    with pytest.raises(NoServer) as raised:
        find(kind, {}, probe())

    assert all(f"{address} cannot be used: connection refused" in str(raised.value) for address in kind.addresses())


def test_a_named_server_that_does_not_answer_is_a_fault_and_no_other_is_used() -> None:
    with pytest.raises(Unreachable) as raised:
        find(POSTGRES, {POSTGRES.variable: NAMED}, probe(*POSTGRES.addresses()))

    assert "ORDERMADE_TEST_POSTGRES names postgresql://reader@db.example:5433/people" in str(raised.value)
    assert "pa" not in str(raised.value).replace("people", "")


@pytest.mark.parametrize(
    ("value", "reason"), [("none", "ORDERMADE_TEST_MARIADB is none"), (" None: no room: here ", "no room: here")]
)
def test_none_switches_a_kind_off(value: str, reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MARIADB.variable, value)

    with pytest.raises(SwitchedOff, match=reason):
        find(MARIADB, probe=probe(*MARIADB.addresses()))
    with pytest.raises(SwitchedOff, match=reason), throwaways.start_throwaway(MARIADB):
        pass


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://reader:5/secret@db.example/people",
        "postgresql://reader:secret/@db.example/people",
        "postgresql://reader:1#secret@db.example/people",
        "postgresql://reader:1?secret@db.example/people",
        "postgresql://[reader:secret@db.example/people",
        "mysql://reader:secret@db.example/people",
        "reader:secret@db.example",
        "host=db.example password=secret",
    ],
)
def test_what_is_no_url_is_refused_and_not_shown(url: str) -> None:
    with pytest.raises(Unreachable, match="is no URL like postgresql://user:password@host") as raised:
        find(POSTGRES, {POSTGRES.variable: url}, probe(url))

    assert "secret" not in str(raised.value)
    assert raised.value.__suppress_context__ or raised.value.__context__ is None


def test_no_password_is_ever_shown() -> None:
    server = Server(POSTGRES, NAMED)
    schema = Schema(server, "ordermade_test_1")

    assert shown(NAMED) == "postgresql://reader@db.example:5433/people"
    for text in (str(server), repr(server), str(schema), repr(schema), f"{server}", repr([server])):
        assert "pa%40ss" not in text
        assert "reader@db.example:5433" in text


def test_a_schema_of_mariadb_is_a_database_and_one_of_postgresql_is_in_it() -> None:
    there = Server(MARIADB, "mysql://me:x@db.example:1/test?a=b")

    assert Schema(there, "ordermade_test_1").url == "mysql://me:x@db.example:1/ordermade_test_1?a=b"
    assert Schema(Server(POSTGRES, NAMED), "ordermade_test_1").url == NAMED


@pytest.fixture
def nothing_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(kind: Kind) -> Server:
        raise NoServer("nothing answers")

    monkeypatch.setattr(throwaways, "find", none)
    monkeypatch.delenv(POSTGRES.variable, raising=False)


def test_one_is_started_only_where_none_is_found(nothing_answers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def start(kind: Kind):
        yield Server(kind, "postgresql://postgres@127.0.0.1:1/test", throwaway=True)

    monkeypatch.setattr(throwaways, "start_throwaway", start)
    with throwaways.obtained(POSTGRES) as server:
        assert server.throwaway

    monkeypatch.setattr(throwaways, "find", lambda kind: Server(kind, "postgresql://found/test"))
    with throwaways.obtained(POSTGRES) as server:
        assert not server.throwaway


def test_a_server_that_cannot_be_started_is_reported_with_its_log(
    nothing_answers: None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def start(kind: Kind):
        raise throwaways.NotStarted("initdb failed", "no space left\non device\n")
        yield

    monkeypatch.setattr(throwaways, "start_throwaway", start)
    monkeypatch.setenv(POSTGRES.variable, "")
    with ExitStack() as stack:
        assert services.had(POSTGRES, stack) is None

    assert capsys.readouterr().out == (
        "PostgreSQL: none; nothing answers; initdb failed\n    no space left\n    on device\n"
    )
    with pytest.raises(SwitchedOff, match="initdb failed"):
        find(POSTGRES)


def test_a_missing_program_is_named(nothing_answers: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throwaways.shutil, "which", lambda name, path=None: None)

    with pytest.raises(throwaways.NotInstalled, match="nothing answers; postgres is not installed"):
        throwaways.obtained(POSTGRES).__enter__()


@pytest.mark.parametrize(
    ("reason", "answers", "excused"),
    [
        ("no PostgreSQL: nothing answers", False, True),
        ("no PostgreSQL: it ended as it started", True, False),
        ("no programs for PostgreSQL: postgres is not installed", True, True),
        ("no MariaDB: nothing answers", False, False),
        ("not today", False, False),
    ],
)
def test_a_skip_is_excused_where_there_is_no_server(reason: str, answers: bool, excused: bool) -> None:
    assert is_excused(reason, POSTGRES, answers) is excused


@pytest.mark.parametrize("kind", KINDS)
def test_the_reasons_that_fixtures_give_are_those_that_are_excused(kind: Kind) -> None:
    missing, broken = throwaways.NotInstalled("mariadbd is not installed"), throwaways.NotStarted("it ended", "a\nb\n")

    assert is_excused(reason(kind, missing), kind, answers=True)
    assert is_excused(reason(kind, NoServer("nothing answers")), kind, answers=False)
    assert not is_excused(reason(kind, broken), kind, answers=True)
    assert reason(kind, broken) == f"no {kind.title}: it ended; a | b"


def skips(**reasons: str) -> Skips:
    plugin = Skips()
    for test, why in reasons.items():
        where = ("test.py", 1, f"Skipped: {why}")
        plugin.pytest_runtest_logreport(pytest.TestReport(test, ("test.py", 1, test), {}, "skipped", where, "setup"))
    return plugin


def test_a_skip_counts_where_a_server_answers() -> None:
    plugin = skips(a="no MariaDB: nothing answers", b="not today")

    assert plugin.unexcused({POSTGRES: True, MARIADB: False}) == {"b": "not today"}
    assert set(plugin.unexcused({POSTGRES: True, MARIADB: True})) == {"a", "b"}
    assert plugin.unexcused({POSTGRES: False, MARIADB: False}) == {}
