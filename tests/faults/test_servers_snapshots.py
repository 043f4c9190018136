"""Counts that PostgreSQL gave before are repeated while its snapshot proves that nothing changed: 0 changes missed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ordermade import Engine
from ordermade.catalogue.open_dataset import opened_dataset
from ordermade.catalogue.registered import described
from ordermade.counting.dataset import Version, version
from tests.faults.on_servers import Persons, in_time, persons_on
from tests.long import rounds
from tests.services.throwaway import Throwaway

pytestmark = pytest.mark.services

PARTS, HISTORIES = rounds(1, 20), rounds(12, 50)
STEPS = 8
SEED = 20261128


@pytest.fixture
def persons(throwaway_postgres: Throwaway, tmp_path: Path) -> Iterator[Persons]:
    with persons_on(throwaway_postgres, tmp_path) as made:
        yield made


def seen_by(engine: Engine, *, keeps: bool) -> Version:
    """The version of the dataset as a request finds it; the counts of before are repeated where it `keeps` them."""
    limits = engine.limits if keeps else replaced(engine.limits, twins=lambda: None)
    with engine.state_file.reading() as connection:
        found = described(connection, "d")
    with opened_dataset(found, limits) as opened:
        seen = version(opened.filtered(None))
        assert not opened.backend.changed()
        if keeps:
            opened.backend.keep_counts()
    return seen


@dataclass
class History:
    """What happens to a table of two partitions, one of them not logged, by a generator of random numbers."""

    persons: Persons
    random: random.Random
    sessions: ExitStack
    open: list[Any] = field(default_factory=list)
    done: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """The tables as each history begins with them."""
        self.persons.run("DROP TABLE IF EXISTS parted CASCADE")
        self.persons.run("DROP TABLE IF EXISTS spare CASCADE")
        self.persons.run("CREATE TABLE parted (age INTEGER, sex VARCHAR(40)) PARTITION BY RANGE (age)")
        self.persons.run("CREATE TABLE young PARTITION OF parted FOR VALUES FROM (0) TO (3)")
        self.persons.run("CREATE UNLOGGED TABLE old PARTITION OF parted FOR VALUES FROM (3) TO (9)")
        self.persons.run("INSERT INTO parted SELECT age, sex FROM persons")

    def step(self) -> None:
        """Something that changes the table, or not."""
        name = self.random.choice(sorted(self.steps))
        self.done.append(name)
        self.steps[name]()

    @property
    def steps(self) -> dict[str, Callable[[], object]]:
        return {
            "insert": lambda: self.run(f"INSERT INTO parted VALUES ({self.age}, 'f')"),
            "update": lambda: self.run(f"UPDATE parted SET sex = sex || 'x' WHERE age = {self.age}"),
            "update back": lambda: self.run("UPDATE parted SET sex = left(sex, 1)"),
            "delete": lambda: self.run(f"DELETE FROM parted WHERE age = {self.age}"),
            "into a partition": lambda: self.run("INSERT INTO young VALUES (1, 'm')"),
            "rollback": self.roll_back,
            "savepoint": self.savepoint,
            "truncate": lambda: self.run(self.random.choice(["TRUNCATE parted", "TRUNCATE young"])),
            "bulk load": self.bulk,
            "swap": self.swap,
            "begin": self.begin_another,
            "end": self.end_another,
            "vacuum": lambda: self.run("VACUUM parted"),
            "analyze": lambda: self.run("ANALYZE parted"),
            "read": lambda: self.run("SELECT count(*) FROM parted"),
            "rewrite": lambda: self.run("VACUUM FULL young"),
            "not at once": self.asynchronous,
            "dump": self.restore,
        }

    @property
    def age(self) -> int:
        return self.random.randint(1, 4)

    def run(self, *statements: str) -> None:
        with closing(self.persons.schema.connect()) as session:
            session.autocommit = True
            session.execute("SET lock_timeout = '50ms'")
            with contextlib.suppress(psycopg.errors.LockNotAvailable):  # another session has the table
                for each in statements:
                    session.execute(each)

    def roll_back(self) -> None:
        self.run("BEGIN", f"INSERT INTO parted VALUES ({self.age}, 'r')", "ROLLBACK")

    def savepoint(self) -> None:
        self.run(
            "BEGIN",
            "SAVEPOINT one",
            f"INSERT INTO parted VALUES ({self.age}, 's')",
            self.random.choice(["ROLLBACK TO one", "RELEASE one"]),
            "COMMIT",
        )

    def bulk(self) -> None:
        with closing(self.persons.schema.connect()) as session:
            session.execute("SET lock_timeout = '50ms'")
            with session.cursor().copy("COPY parted (age, sex) FROM STDIN") as copy:
                copy.write("".join(f"{self.age}\tb\n" for _ in range(5)))
            session.commit()

    def swap(self) -> None:
        bounds = "FOR VALUES FROM (0) TO (3)"
        self.run(
            "BEGIN",
            "DROP TABLE IF EXISTS spare",
            "CREATE TABLE spare AS SELECT age, sex FROM young",
            f"INSERT INTO spare VALUES ({self.random.randint(1, 2)}, 'w')",
            "ALTER TABLE parted DETACH PARTITION young",
            "DROP TABLE young",
            "ALTER TABLE spare RENAME TO young",
            f"ALTER TABLE parted ATTACH PARTITION young {bounds}",
            "COMMIT",
        )

    def begin_another(self) -> None:
        session = self.sessions.enter_context(closing(self.persons.schema.connect()))
        session.execute(f"INSERT INTO young VALUES ({self.random.randint(1, 2)}, 'o')")
        self.open.append(session)

    def end_another(self) -> None:
        for session in self.open[: self.random.randint(0, len(self.open))]:
            session.commit() if self.random.random() < 0.7 else session.rollback()
            self.open.remove(session)

    def asynchronous(self) -> None:
        self.run("SET synchronous_commit = off", f"INSERT INTO parted VALUES ({self.age}, 'a')")

    def restore(self) -> None:
        """The table made anew with the rows of an earlier moment, as a dump brings it back."""
        self.run(
            "BEGIN",
            "CREATE TEMP TABLE dumped AS SELECT age, sex FROM parted",
            "TRUNCATE parted",
            "INSERT INTO parted SELECT age, sex FROM dumped" + self.random.choice(["", " WHERE age < 4"]),
            "COMMIT",
        )

    def close(self) -> None:
        for session in self.open:
            session.rollback()
        self.open.clear()


def crash(server: Throwaway) -> None:
    """Kills a session of the server, whose other processes then begin anew and empty what is not logged."""
    with closing(server.connect()) as session:
        os.kill(session.info.backend_pid, signal.SIGKILL)
    assert in_time(lambda: _answers(server))


def _answers(server: Throwaway) -> bool:
    try:
        server.run("SELECT 1")
    except Exception:  # noqa: BLE001 - whatever the driver says while the server begins anew
        return False
    return True


@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_no_change_is_missed_in_random_histories(persons: Persons, throwaway_postgres: Throwaway, part: int) -> None:
    seen, false, repeated = 0, Counter[str](), 0
    print(f"seed {SEED}, {HISTORIES} histories of {STEPS} steps, from {part * HISTORIES}")
    engine: Engine | None = None
    for number in range(part * HISTORIES, (part + 1) * HISTORIES):
        with ExitStack() as sessions:
            history = History(persons, random.Random(SEED + number), sessions)
            history.begin()
            engine = engine or persons.engine(use_cache=True, table="parted")
            before = seen_by(engine, keeps=True)
            for place in range(STEPS):
                history.step()
                if number % 50 == 7 and place == STEPS // 2:
                    history.close()
                    crash(throwaway_postgres) if number % 100 == 7 else throwaway_postgres.restart()
                    history.done.append("crash or restart")
                found, whole = seen_by(engine, keeps=True), seen_by(engine, keeps=False)
                assert found == whole, f"missed in history {number} after {history.done}"
                assert whole.proof == "rows"
                seen += 1
                repeated += found.proof == "snapshot"
                if found.proof != "snapshot" and whole == before:
                    false[history.done[-1]] += 1
                before = whole
            history.close()
    print(f"{seen} looks: {repeated} by the snapshot; content the same and hashed again, by step: {dict(false)}")
    assert repeated
