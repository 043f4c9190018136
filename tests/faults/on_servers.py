"""A table of persons on a server, an engine that has it as a source, and what the server shows of the engine there."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit, urlunsplit

from ordermade import Engine
from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement, Purpose
from tests.made import new_engine, write_hierarchy
from tests.services.servers import POSTGRES, Schema, Server, fresh_schema

PERSONS = 24
ROWS = [(i % 4 + 1, "f" if i % 2 else "m") for i in range(PERSONS)]
SECRET = "a person's own words"
"""A value in the table, which no message, log or state may quote."""
CLASSES = {"low": 12, "high": 12}
"""The classes of the request below while nothing is changed."""
TRANSACTIONAL = {"postgres": "", "mariadb": " ENGINE=InnoDB"}


@dataclass(frozen=True)
class Persons:
    """The table `persons` in a schema of its own, and a folder for the state and releases."""

    schema: Schema
    folder: Path

    @property
    def server(self) -> Server:
        return self.schema.server

    @property
    def is_postgres(self) -> bool:
        return self.server.kind is POSTGRES

    def location(self, user: str | None = None, password: str | None = None, **options: str) -> str:
        """The URL of the source, as another user where one is named; `password` stands there as it is."""
        at = urlsplit(self.schema.url)
        place = at.netloc.rpartition("@")[2]
        if user is not None:
            at = at._replace(netloc=f"{user}{'' if password is None else ':' + password}@{place}")
        if self.is_postgres:
            options = {"options": f"-csearch_path={self.schema.name}", **options}
        query = "&".join(f"{name}={quote(value, safe='${}')}" for name, value in options.items())
        return urlunsplit(at._replace(query=query))

    def engine(self, location: str | None = None, table: str = "persons", name: str = "d", **options: Any) -> Engine:
        """A fresh engine with the table as the dataset `d`, and the hierarchy of its ages."""
        folder = self.folder / secrets.token_hex(4)
        folder.mkdir()
        engine = new_engine(folder, **({"use_cache": False, "wait_seconds": 5} | options))
        engine.sources.add("s", location or self.location())
        engine.datasets.add(name, "s", table=self.named(table))
        paths = [("1", "low"), ("2", "low"), ("3", "high"), ("4", "high")]
        engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("value", "half"), paths))
        return engine

    def named(self, table: str) -> str:
        """The table as a dataset names it; the schema is the source's own."""
        return table

    def request(self, name: str = "out.csv", **parts: Any) -> dict[str, Any]:
        """A request whose answer is that ages go up one level: 6 persons have each age, and k is 7."""
        to = str(self.folder / name)
        release = {"to": to, "replace": True}
        return {"dataset": "d", "k": 7, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "release": release} | parts

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        return self.schema.run(statement)

    def make_slow(self, seconds: float, view: str = "slow") -> None:
        """A view of the table that takes so long to read: by a function that says of itself that it gives the same."""
        if self.is_postgres:
            ((rows,),) = self.run("SELECT count(*) FROM persons")
            nap = f"BEGIN PERFORM pg_sleep({seconds / rows}); RETURN 1; END"
            self.run(f"CREATE FUNCTION {view}_nap(n INTEGER) RETURNS INTEGER LANGUAGE plpgsql IMMUTABLE AS '{nap}'")
            self.run(f"CREATE VIEW {view} AS SELECT age, sex FROM persons WHERE {view}_nap(age) = 1")
        else:
            nap = f"BEGIN DO SLEEP({seconds}); RETURN 1; END"
            self.run(f"CREATE FUNCTION {view}_nap() RETURNS INTEGER DETERMINISTIC {nap}")
            self.run(
                f"CREATE VIEW {view} AS SELECT age, sex FROM persons CROSS JOIN (SELECT {view}_nap() AS slept) AS nap"
            )

    def sessions(self) -> list[tuple[int, bool]]:
        """The engine's sessions: number, and whether a statement runs."""
        if self.is_postgres:
            wanted = "SELECT pid, state = 'active' FROM pg_stat_activity WHERE application_name = 'ordermade'"
            return [(int(number), bool(runs)) for number, runs in self.server.run(wanted)]
        wanted = (
            "SELECT id, command = 'Query' FROM information_schema.processlist WHERE db = %s AND id <> connection_id()"
        )
        return [(int(number), bool(runs)) for number, runs in self.server.run(wanted, (self.schema.name,))]

    def cut(self) -> None:
        """Ends the engine's sessions as an administrator does."""
        for number, _ in self.sessions():
            self.server.run(f"SELECT pg_terminate_backend({number})" if self.is_postgres else f"KILL {number}")

    def running(self) -> set[int]:
        """The engine's sessions that run a statement that takes its time."""
        if self.is_postgres:
            asleep = "SELECT pid FROM pg_stat_activity WHERE wait_event = 'PgSleep'"
        else:
            asleep = "SELECT id FROM information_schema.processlist WHERE state = 'User sleep'"
        return {int(row[0]) for row in self.server.run(asleep)}

    def left(self) -> list[str]:
        """The tables and views of the schema, and what the engine made elsewhere: nothing."""
        rows = self.run(
            f"SELECT table_name FROM information_schema.tables WHERE table_schema = '{self.schema.name}'"
            " OR table_schema LIKE 'pg\\_temp%' OR table_name LIKE 'ordermade%'"
        )
        return sorted(row[0] for row in rows)


@contextmanager
def persons_on(server: Server, folder: Path) -> Iterator[Persons]:
    """The table of persons in a fresh schema; afterwards no session of the engine may be left."""
    with fresh_schema(server) as schema:
        made = Persons(schema, folder)
        made.run(f"CREATE TABLE persons (age INTEGER, sex VARCHAR(40)){TRANSACTIONAL[server.kind.name]}")
        made.run("INSERT INTO persons VALUES " + ", ".join(f"({age}, '{sex}')" for age, sex in ROWS))
        yield made


def in_time(holds: Callable[[], object], seconds: float = 10) -> bool:
    """Whether something comes to hold in so many seconds."""
    give_up = time.monotonic() + seconds
    while not holds() and time.monotonic() < give_up:
        time.sleep(0.05)
    return bool(holds())


class At(Silent):
    """Does something once: when a step of the request begins, or after a statement for a purpose ran."""

    def __init__(self, does: Callable[[], object], *, step: str = "", after: Purpose | None = None) -> None:
        self._does, self._step, self._after, self.done = does, step, after, False
        self.purposes: set[Purpose] = set()

    def step(self, name: str) -> None:
        if self._step and self._step in name:
            self._once()

    def statement(self, statement: ExecutedStatement) -> None:
        self.purposes.add(statement.purpose)
        if statement.purpose == self._after:
            self._once()

    def _once(self) -> None:
        if not self.done:
            self.done = True
            self._does()


def classes(path: Path) -> Mapping[str, int]:
    """The rows of each age in a release."""
    lines = path.read_text(encoding="utf-8").splitlines()[1:]
    ages = [line.split(",")[0].strip('"') for line in lines]
    return {age: ages.count(age) for age in dict.fromkeys(ages)}
