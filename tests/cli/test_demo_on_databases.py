"""`ordermade demo --on` from outside: the same figures on another database, and nothing left there."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote_plus

import pytest

from tests.cli.test_demo import demo
from tests.services.servers import Schema

pytestmark = pytest.mark.slow

ROWS = ("--rows", "20000")


def figures(shown: str) -> list[str]:
    """The lines of a demo without its seconds, its paths, and the step of loading."""
    timed = r"^(Released |(prediction [\d.]+ s, )?dataset version ).*?\n\n"
    shown = re.sub(timed, "", shown, flags=re.DOTALL | re.MULTILINE)
    lines = [re.sub(r"\s*\d+\.\d+( s)?\s*$", "", line) for line in shown.splitlines()]
    return [line for line in lines if not re.search(r"loaded into|^Done|seconds", line)]


def on(place: str, folder: Path) -> list[str]:
    done = demo(*ROWS, "--on", place, folder=folder)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) <= 80
    return figures(done.stdout)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return figures(demo(*ROWS, folder=tmp_path_factory.mktemp("demo")).stdout)


@pytest.mark.thorough
def test_a_sqlite_file_gives_the_same_figures(expected: list[str], tmp_path: Path) -> None:
    assert on("members.sqlite", tmp_path) == expected
    with closing(sqlite3.connect(tmp_path / "members.sqlite")) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == []
    assert (tmp_path / "members.sqlite").stat().st_mode & 0o777 == 0o600


def test_postgresql_gives_the_same_figures(expected: list[str], postgres_schema: Schema, tmp_path: Path) -> None:
    place = f"{postgres_schema.server.url}?options={quote_plus(f'-csearch_path={postgres_schema.name}')}"
    assert on(place, tmp_path) == expected
    assert postgres_schema.run("SELECT 1 FROM pg_tables WHERE schemaname = %s", (postgres_schema.name,)) == []


def test_mariadb_gives_the_same_figures(expected: list[str], mariadb_schema: Schema, tmp_path: Path) -> None:
    assert on(mariadb_schema.url, tmp_path) == expected
    assert mariadb_schema.run("SHOW TABLES") == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("recommend", "--on", "members.sqlite"), "only the demo of members"),
        (("--on", "members.csv"), "the demo is loaded into"),
        (("--on", "postgresql://nobody:x@127.0.0.1:1/none"), "cannot be loaded"),
    ],
)
def test_another_place_is_refused(arguments: tuple[str, ...], message: str, tmp_path: Path) -> None:
    done = demo(*arguments, *ROWS, folder=tmp_path)
    assert done.returncode in (2, 3)
    assert message in " ".join(done.stderr.split())
    assert "x@" not in done.stderr


def test_a_table_of_that_name_is_kept(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "mine.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE members (a)")
    done = demo(*ROWS, "--on", "mine.sqlite", folder=tmp_path)
    assert (done.returncode, "there is a table 'members' already" in " ".join(done.stderr.split())) == (2, True)
    with closing(sqlite3.connect(tmp_path / "mine.sqlite")) as connection:
        assert connection.execute("SELECT COUNT(*) FROM members").fetchall() == [(0,)]
