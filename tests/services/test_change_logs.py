"""Change logs on real servers: whatever is done to the tables, one version never stands for two contents."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, TypeVar
from urllib.parse import urlsplit, urlunsplit

import jsonschema
import pytest

from ordermade import Engine
from ordermade.cli.exit_status import exit_status_of
from ordermade.counting.dataset import Version, version
from ordermade.documents.schema import output_schema
from ordermade.errors import InputError, SourceFault
from tests.cli.conftest import PROGRAM
from tests.long import rounds
from tests.made import new_engine
from tests.services.fixtures import throwaway
from tests.services.servers import MARIADB, POSTGRES
from tests.services.throwaway import Throwaway, program

pytestmark = pytest.mark.services

READER, WRITER, PLACE = "reader", "writer", "lab"
HISTORIES = rounds(20, 500)
STEPS = 6
EVERYTHING = f"""
CREATE VIEW everything AS
  SELECT a, b FROM shown UNION ALL SELECT a, b FROM p UNION ALL SELECT a, b FROM parent
  UNION ALL SELECT a, b FROM cascaded UNION ALL SELECT a, b || CAST(label AS TEXT) FROM labelled;
GRANT SELECT ON everything TO {READER}"""
RARE, SELDOM = 0.004, 0.03
"""The shares of steps that restart the server or restore a dump, and after which MariaDB has no version for 2 s."""


def url_as(server: Throwaway, user: str, path: str | None = None) -> str:
    at = urlsplit(server.url)
    return urlunsplit(
        at._replace(netloc=f"{user}@{at.netloc.rpartition('@')[2]}", path=at.path if path is None else path)
    )


@dataclass
class Seen:
    """The contents by the versions that stood for them, and what came of each look."""

    contents: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    last: str = ""

    def note(self, found: str | None, content: str, step: str) -> None:
        """Notes a look. Fails where the version stood for another content before: a change would be missed."""
        changed = content != self.last
        if found is None:
            self.counts["no version"] += 1
        elif found in self.contents:
            assert self.contents[found] == content, f"missed a change: {step}"
            self.counts["the same"] += 1
        else:
            self.contents[found] = content
            self.counts["changes" if changed else "false changes"] += 1
            if not changed:
                self.counts[f"false: {step}"] += 1
        self.last = content


@dataclass
class Laboratory:
    """A server with tables that are written in every way, and a reader that has the rights of a source."""

    server: Throwaway
    draw: random.Random
    engine: Engine
    seen: Seen = field(default_factory=Seen)
    sessions: list[Any] = field(default_factory=list)
    ran: str = ""
    tables: ClassVar[Sequence[str]] = ()

    def connect(self, user: str) -> Any:
        raise NotImplementedError

    def setup(self) -> None:
        raise NotImplementedError

    def run(self, text: str) -> None:
        """Several statements, as an administrator."""
        raise NotImplementedError

    def look(self) -> tuple[str | None, str]:
        """The version and the content, of one snapshot of the reader."""
        raise NotImplementedError

    def steps(self) -> Mapping[str, Callable[[], None]]:
        raise NotImplementedError

    def seldom(self) -> Mapping[str, Callable[[], None]]:
        """The steps that take their time."""
        return {}

    def do(self, *statements: str, session: int = 0) -> None:
        with closing(self.sessions[session].cursor()) as cursor:
            for each in statements:
                cursor.execute(each)

    def number(self) -> int:
        return self.draw.randrange(20)

    def write(self, table: str | None = None) -> str:
        """One statement that writes."""
        table = table or self.draw.choice(self.tables)
        if table == "cascaded":  # its keys may be gone
            return f"INSERT INTO cascaded SELECT a, 'x' FROM keys WHERE a = {self.number()}"
        return self.draw.choice(
            (
                f"INSERT INTO {table} VALUES ({self.number()}, 'x{self.number()}')",
                f"UPDATE {table} SET b = 'y{self.number()}' WHERE a % 3 = {self.draw.randrange(3)}",
                f"DELETE FROM {table} WHERE a = {self.number()}",
            )
        )

    def open_sessions(self) -> None:
        self.sessions = [self.connect(WRITER), self.connect(WRITER), self.connect("admin"), self.connect(READER)]

    def restart(self) -> None:
        for each in self.sessions:
            with suppress(Exception):
                each.close()
        self.server.restart()
        self.open_sessions()

    def out_of_order(self) -> None:
        """Two sessions write; the one that began last commits first, with a look between."""
        self.do("BEGIN", f"INSERT INTO t VALUES ({self.number()}, 'first')")  # no row lock that the other waits for
        self.do("BEGIN", "INSERT INTO t VALUES (99, 'other')", session=1)
        self.check("two sessions are open")
        self.do("COMMIT", session=1)
        self.check("the second session committed")
        self.do(self.draw.choice(("COMMIT", "ROLLBACK")))

    def rolled_back(self) -> None:
        self.do("BEGIN", self.write(), "SAVEPOINT s", self.write(), "ROLLBACK TO SAVEPOINT s")
        self.do(self.draw.choice(("COMMIT", "ROLLBACK")))

    def check(self, step: str) -> None:
        found, content = self.look()
        self.seen.note(found, content, step)

    def histories(self, number: int) -> None:
        """So many histories of a few steps, looked at after each."""
        steps, seldom = self.steps(), self.seldom()
        rare = {"restart": self.restart, "restored dump": self.restored}
        for _ in range(number):
            for _ in range(STEPS):
                at = self.draw.random()
                some = rare if at < RARE else seldom if seldom and at < RARE + SELDOM else steps
                self.ran = self.draw.choice(list(some))
                some[self.ran]()
                self.check(self.ran)
        for name, count in (("histories", number), *sorted(self.seen.counts.items())):
            print(f"{self.server.kind.title}: {name} {count:,}")

    def restored(self) -> None:
        raise NotImplementedError

    def begin(self) -> None:
        """Makes the tables and the log, by the script that the engine prints."""
        self.setup()
        self.engine.sources.add("s", self.location())
        self.engine.datasets.add("d", "s", **self.dataset(), least_k=2)
        self.run(self.engine.datasets.change_log("d").script)
        self.engine.datasets.use_change_log("d")

    def location(self) -> str:
        raise NotImplementedError

    def dataset(self) -> dict[str, str]:
        raise NotImplementedError

    def version(self) -> Version:
        with self.engine.datasets.open("d") as opened:
            return version(opened.filtered(None))


Made = TypeVar("Made", bound=Laboratory)


class OnPostgres(Laboratory):
    """A view of a table, a partitioned table, a parent with a child, and a table whose rows cascade."""

    tables = ("t", "p", "p0", "parent", "child", "cascaded", "labelled")

    def connect(self, user: str) -> Any:
        connection = POSTGRES.connect(urlsplit(url_as(self.server, "postgres" if user == "admin" else user)))
        connection.execute(f"SET search_path = {PLACE}")
        return connection

    def location(self) -> str:
        return f"{url_as(self.server, READER)}?options=-csearch_path%3D{PLACE}"

    def dataset(self) -> dict[str, str]:
        return {"table": "everything"}

    def setup(self) -> None:
        self.server.run(f"CREATE ROLE {READER} LOGIN")
        self.server.run(f"CREATE ROLE {WRITER} LOGIN")
        self.server.run(f"CREATE SCHEMA {PLACE}")
        self.open_sessions()
        self.run(
            f"""
            CREATE TYPE label AS ENUM ('x', 'y');
            CREATE TABLE t (a INTEGER, b TEXT);
            CREATE TABLE p (a INTEGER, b TEXT) PARTITION BY RANGE (a);
            CREATE TABLE p0 PARTITION OF p FOR VALUES FROM (0) TO (100);
            CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (100) TO (200);
            CREATE TABLE spare (a INTEGER, b TEXT);
            CREATE TABLE parent (a INTEGER, b TEXT);
            CREATE TABLE child () INHERITS (parent);
            CREATE TABLE keys (a INTEGER PRIMARY KEY);
            CREATE TABLE cascaded (a INTEGER REFERENCES keys ON DELETE CASCADE ON UPDATE CASCADE, b TEXT);
            CREATE TABLE labelled (a INTEGER, b TEXT, label label DEFAULT 'x');
            INSERT INTO keys SELECT generate_series(0, 99);
            CREATE VIEW shown AS SELECT a, b FROM t;
            {EVERYTHING};
            GRANT USAGE ON SCHEMA {PLACE} TO {READER}, {WRITER};
            GRANT SELECT, INSERT, UPDATE, DELETE, TRUNCATE ON ALL TABLES IN SCHEMA {PLACE} TO {WRITER};
            """
        )

    def run(self, text: str) -> None:
        self.sessions[2].execute(text)

    def look(self) -> tuple[str | None, str]:
        reader = self.sessions[3]
        reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        ((found,),) = reader.execute("SELECT version FROM ordermade.version_d").fetchall()
        rows = reader.execute('SELECT a, b FROM everything ORDER BY a, b COLLATE "C"').fetchall()
        reader.execute("COMMIT")
        return found, hashlib.sha256(repr(rows).encode()).hexdigest()

    def copied(self) -> None:
        table = self.draw.choice(("t", "p", "p0", "child"))
        with self.sessions[0].cursor() as cursor, cursor.copy(f"COPY {table} (a, b) FROM STDIN (FORMAT csv)") as copy:
            copy.write(f"{self.number()},copied\n")

    def admin(self, *statements: str) -> Callable[[], None]:
        return lambda: self.do(*statements, session=2)

    def replica(self) -> None:
        self.do("SET session_replication_role = replica", self.write(), "RESET session_replication_role", session=2)

    def switched_off(self) -> None:
        self.do("ALTER TABLE t DISABLE TRIGGER ALL", session=2)
        if self.draw.random() < 0.5:
            self.do(self.write("t"))
            self.check("a write while triggers are off")
        self.do(f"INSERT INTO t VALUES ({self.number()}, 'unseen')", session=1)
        self.do("ALTER TABLE t ENABLE TRIGGER ALL", "ALTER TABLE t ENABLE ALWAYS TRIGGER ordermade", session=2)

    def swapped(self) -> None:
        """The rows of a partition for those of another table, in one transaction."""
        self.do("DELETE FROM spare", f"INSERT INTO spare VALUES ({100 + self.number()}, 'spare')")
        self.do(
            "BEGIN",
            "ALTER TABLE p DETACH PARTITION p1",
            "ALTER TABLE p ATTACH PARTITION spare FOR VALUES FROM (100) TO (200)",
            "ALTER TABLE p1 RENAME TO other",
            "ALTER TABLE spare RENAME TO p1",
            "ALTER TABLE other RENAME TO spare",
            "COMMIT",
            session=2,
        )

    def detached(self) -> None:
        self.do("ALTER TABLE p DETACH PARTITION p0", session=2)
        self.check("a partition is detached")
        self.do(self.write("p0"))
        self.do("ALTER TABLE p ATTACH PARTITION p0 FOR VALUES FROM (0) TO (100)", session=2)

    def new_partition(self) -> None:
        self.do("DROP TABLE IF EXISTS p2", session=2)
        self.do("CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (200) TO (300)", session=2)
        self.check("a new partition")
        self.do(f"INSERT INTO p2 VALUES ({200 + self.number()}, 'new')", session=2)

    def without_event_trigger(self) -> None:
        """A partition that gets no trigger gives no version."""
        self.do("ALTER EVENT TRIGGER ordermade DISABLE", "DROP TABLE IF EXISTS p2", session=2)
        self.do("CREATE TABLE p2 PARTITION OF p FOR VALUES FROM (200) TO (300)", session=2)
        self.do(f"INSERT INTO p2 VALUES ({200 + self.number()}, 'unseen')", session=2)
        assert self.look()[0] is None
        self.do("ALTER EVENT TRIGGER ordermade ENABLE ALWAYS", "SELECT ordermade.watch()", session=2)

    def rewritten(self) -> None:
        """Every text of a table is written anew, in a statement that fires no trigger."""
        alter = f"ALTER TABLE p ALTER COLUMN b TYPE TEXT USING {self.draw.choice(('upper', 'lower'))}(b)"
        self.run(f"BEGIN; DROP VIEW everything; {alter}; {EVERYTHING}; COMMIT")

    def relabelled(self) -> None:
        self.do("ALTER TYPE label RENAME VALUE 'x' TO 'z'", session=2)
        self.check("a label was changed")
        self.do("ALTER TYPE label RENAME VALUE 'z' TO 'x'", session=2)

    def redefined(self) -> None:
        shift = self.number()
        self.do(f"CREATE OR REPLACE VIEW shown AS SELECT a + {shift} AS a, b FROM t", session=2)

    def renamed(self) -> None:
        self.do("BEGIN", "ALTER TABLE t RENAME TO t_before", "CREATE TABLE t (a INTEGER, b TEXT)", "COMMIT", session=2)
        self.do("BEGIN", "DROP TABLE t", "ALTER TABLE t_before RENAME TO t", "COMMIT", session=2)

    def restored(self) -> None:
        """An older dump is restored, with its log, and other rows are written."""
        at = urlsplit(self.server.url)
        place = [f"--host={at.hostname}", f"--port={at.port}", f"--username={at.username}", f"--dbname={at.path[1:]}"]
        named = [f"--schema={PLACE}", "--schema=ordermade"]
        dump = subprocess.run(
            [program(POSTGRES, "pg_dump"), *place, *named], capture_output=True, check=True, text=True
        ).stdout
        for _ in range(2):
            self.do(self.write())
            self.check("after a dump")
        self.do(f"DROP SCHEMA {PLACE} CASCADE", "DROP SCHEMA ordermade CASCADE", session=2)
        done = subprocess.run(
            [program(POSTGRES, "psql"), *place, "--quiet", "--set=ON_ERROR_STOP=1"],
            input=dump,
            capture_output=True,
            check=False,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        self.check("a restored dump")
        self.do(self.write())
        self.run(self.engine.datasets.change_log("d").script)  # the event trigger was no part of the dump

    def steps(self) -> Mapping[str, Callable[[], None]]:
        return {
            "nothing": lambda: None,
            "write": lambda: self.do(self.write()),
            "write of the second session": lambda: self.do(self.write(), session=1),
            "rolled back": self.rolled_back,
            "out of order": self.out_of_order,
            "truncate": lambda: self.do(f"TRUNCATE {self.draw.choice(self.tables)}"),
            "copy": self.copied,
            "replica": self.replica,
            "switched off": self.switched_off,
            "swapped": self.swapped,
            "detached": self.detached,
            "new partition": self.new_partition,
            "no event trigger": self.without_event_trigger,
            "cascade": lambda: self.do(f"DELETE FROM keys WHERE a = {self.number()}"),
            "cascading update": lambda: self.do(
                f"UPDATE keys SET a = (SELECT max(a) + 1 FROM keys) WHERE a = {self.number()}"
            ),
            "keys": lambda: self.do("INSERT INTO keys SELECT generate_series(0, 99) ON CONFLICT DO NOTHING"),
            "relabelled": self.relabelled,
            "redefined": self.redefined,
            "renamed": self.renamed,
            "rewritten": self.rewritten,
            "inherited again": self.admin("ALTER TABLE child NO INHERIT parent", "ALTER TABLE child INHERIT parent"),
            "filled": self.admin("VACUUM FULL t", "ANALYZE"),
            "pruned": self.admin("DELETE FROM ordermade.changes"),
            "emptied": self.admin("TRUNCATE ordermade.changes"),
        }


class OnMariaDB(Laboratory):
    """Two tables, one whose foreign key does not cascade, and a partitioned one, with which a table may be swapped."""

    tables = ("t", "p")

    def connect(self, user: str) -> Any:
        import pymysql
        from pymysql.constants import CLIENT

        at = urlsplit(self.server.url)
        return pymysql.connect(
            host=at.hostname or "",
            port=at.port or 0,
            user="root" if user == "admin" else user,
            database=PLACE,
            charset="utf8mb4",
            autocommit=True,
            local_infile=True,
            client_flag=CLIENT.MULTI_STATEMENTS,
        )

    def location(self) -> str:
        return url_as(self.server, READER, f"/{PLACE}")

    def dataset(self) -> dict[str, str]:
        return {"query": "SELECT a, b FROM t UNION ALL SELECT a, b FROM p UNION ALL SELECT a, b FROM pointing"}

    def setup(self) -> None:
        self.server.run(f"CREATE DATABASE {PLACE}")
        self.server.run(f"CREATE USER {READER}")
        self.server.run(f"CREATE USER {WRITER}")
        self.sessions = [None, None, self.connect("admin")]
        self.run(
            f"""
            CREATE TABLE t (a INTEGER, b VARCHAR(40)) ENGINE = InnoDB;
            CREATE TABLE p (a INTEGER, b VARCHAR(40)) ENGINE = InnoDB;
            CREATE TABLE others (a INTEGER, b VARCHAR(40)) ENGINE = InnoDB PARTITION BY RANGE (a)
              (PARTITION every VALUES LESS THAN MAXVALUE);
            CREATE TABLE `keys` (a INTEGER PRIMARY KEY) ENGINE = InnoDB;
            CREATE TABLE pointing (a INTEGER, b VARCHAR(40), u INTEGER UNIQUE, FOREIGN KEY (a) REFERENCES `keys` (a));
            INSERT INTO `keys` SELECT seq FROM seq_0_to_99;
            GRANT SELECT ON {PLACE}.t TO {READER};
            GRANT SELECT ON {PLACE}.p TO {READER};
            GRANT SELECT ON {PLACE}.pointing TO {READER};
            GRANT SELECT, INSERT, UPDATE, DELETE ON {PLACE}.t TO {WRITER};
            GRANT SELECT, INSERT, UPDATE, DELETE ON {PLACE}.p TO {WRITER};
            GRANT SELECT, INSERT, UPDATE, DELETE ON {PLACE}.pointing TO {WRITER};
            """
        )
        self.sessions[2].close()
        self.open_sessions()

    def run(self, text: str) -> None:
        with closing(self.sessions[2].cursor()) as cursor:
            cursor.execute(text)
            while cursor.nextset():
                pass

    def look(self) -> tuple[str | None, str]:
        import pymysql

        with closing(self.sessions[3].cursor()) as cursor:
            cursor.execute("SET time_zone = '+00:00', timestamp = 86400")
            cursor.execute("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY")
            try:
                cursor.execute("SELECT version FROM ordermade_version_d")
                ((found,),) = cursor.fetchall()
            except pymysql.MySQLError:  # a trigger or a table is gone
                found = None
            rows = []
            for table in ("t", "p", "pointing"):
                cursor.execute(f"SELECT a, b FROM {table} ORDER BY a, b")
                rows.append(cursor.fetchall())
            cursor.execute("COMMIT")
        return found, hashlib.sha256(repr(rows).encode()).hexdigest()

    def wait(self) -> None:
        """Until there is a version again after a definition was changed."""
        give_up = time.monotonic() + 10
        while self.look()[0] is None and time.monotonic() < give_up:
            time.sleep(0.1)

    def loaded(self) -> None:
        path = self.folder / "rows.csv"
        path.write_text("".join(f"{self.number()},loaded\n" for _ in range(3)), encoding="utf-8")
        self.do(
            f"LOAD DATA LOCAL INFILE '{path}' INTO TABLE {self.draw.choice(self.tables)} FIELDS TERMINATED BY ','",
            session=2,
        )

    @property
    def folder(self) -> Path:
        return Path(str(self.server.process.folder))

    def admin(self, *statements: str) -> Callable[[], None]:
        return lambda: self.do(*statements, session=2)

    def defined(self, *statements: str) -> Callable[[], None]:
        def done() -> None:
            self.do(*statements, session=2)
            self.check("a definition was changed")
            self.wait()

        return done

    def swapped(self) -> None:
        self.do(
            f"INSERT INTO others VALUES ({self.number()}, 'unseen')",
            "ALTER TABLE others EXCHANGE PARTITION every WITH TABLE p",
            session=2,
        )

    def swapped_twice(self) -> None:
        """A table goes into a partition of another, is written there, and comes back."""
        self.do("ALTER TABLE others EXCHANGE PARTITION every WITH TABLE p", session=2)
        self.check("a partition was swapped")
        if self.draw.random() < 0.5:
            self.do(f"INSERT INTO others VALUES ({self.number()}, 'unseen')", session=2)
        self.do("ALTER TABLE others EXCHANGE PARTITION every WITH TABLE p", session=2)

    def without_trigger(self) -> None:
        """A trigger is dropped, a row is written, and the script gives it back."""
        with closing(self.sessions[2].cursor()) as cursor:
            cursor.execute(
                "SELECT trigger_name FROM information_schema.TRIGGERS WHERE event_object_table = 't'"
                " AND event_manipulation = 'INSERT'"
            )
            for (name,) in cursor.fetchall():
                cursor.execute(f"DROP TRIGGER {name}")
        self.do("INSERT INTO t VALUES (1, 'unseen')")
        self.check("a trigger was dropped")
        self.run(self.engine.datasets.change_log("d").script.replace("DO SLEEP(3);", ""))
        self.wait()

    def restored(self) -> None:
        at = urlsplit(self.server.url)
        place = [f"--host={at.hostname}", f"--port={at.port}", "--user=root", "--protocol=tcp"]
        dump = subprocess.run(
            [program(MARIADB, "mariadb-dump", "mysqldump"), "--no-defaults", *place, "--routines", PLACE],
            capture_output=True,
            check=True,
            text=True,
        ).stdout
        for _ in range(2):
            self.do(self.write())
            self.check("after a dump")
        self.do("SET foreign_key_checks = 0", session=2)
        subprocess.run(
            [program(MARIADB, "mariadb", "mysql"), "--no-defaults", *place, PLACE], input=dump, check=True, text=True
        )
        self.check("a restored dump")
        time.sleep(2.2)
        self.check("a restored dump")
        self.do(self.write())

    def steps(self) -> Mapping[str, Callable[[], None]]:
        pointing = "INSERT INTO pointing VALUES"
        return {
            "nothing": lambda: None,
            "write": lambda: self.do(self.write()),
            "write of the second session": lambda: self.do(self.write(), session=1),
            "rolled back": self.rolled_back,
            "out of order": self.out_of_order,
            "truncate": self.admin("TRUNCATE TABLE t"),
            "truncate of the other": self.admin("TRUNCATE TABLE p"),
            "load data": self.loaded,
            "replace": lambda: self.do(f"REPLACE INTO pointing VALUES (1, 'r{self.number()}', {self.number()})"),
            "on duplicate": lambda: self.do(
                f"{pointing} (2, 'd', {self.number()}) ON DUPLICATE KEY UPDATE b = 'again{self.number()}'"
            ),
            "refused row": self.refused,
            "two tables": self.admin("UPDATE t, p SET t.b = 'joined', p.b = 'joined' WHERE t.a = p.a"),
            "swapped": self.swapped,
            "swapped twice": self.swapped_twice,
            "rebuilt": self.admin("ANALYZE TABLE t, p", "FLUSH TABLES"),
            "pruned": self.admin("TRUNCATE TABLE ordermade_changes"),
        }

    def seldom(self) -> Mapping[str, Callable[[], None]]:
        return {
            "instant column": self.defined(
                "ALTER TABLE t ADD COLUMN c INTEGER DEFAULT 5, ALGORITHM = INSTANT",
                "ALTER TABLE t DROP COLUMN c, ALGORITHM = INSTANT",
            ),
            "column anew": self.defined(
                "ALTER TABLE t DROP COLUMN b, ALGORITHM = INSTANT",
                "ALTER TABLE t ADD COLUMN b VARCHAR(40) DEFAULT 'anew', ALGORITHM = INSTANT",
            ),
            "trigger dropped": self.without_trigger,
        }

    def refused(self) -> None:
        """A statement that fails after its first row."""
        import pymysql

        with suppress(pymysql.MySQLError):
            self.do("INSERT INTO pointing VALUES (1, 'first', NULL), (1000, 'no such key', NULL)")


@pytest.fixture
def on_postgres(tmp_path: Path) -> Iterator[OnPostgres]:
    """A server of its own, for an event trigger is of a whole database."""
    with throwaway(POSTGRES) as server, laboratory(OnPostgres, server, tmp_path) as made:
        yield made


@pytest.fixture
def on_mariadb(tmp_path: Path) -> Iterator[OnMariaDB]:
    with throwaway(MARIADB, "--local-infile=1") as server, laboratory(OnMariaDB, server, tmp_path) as made:
        yield made


@contextmanager
def laboratory(kind: type[Made], server: Throwaway, folder: Path) -> Iterator[Made]:
    """The tables and their log, and at the end no session."""
    made = kind(server, random.Random(42), new_engine(folder, use_cache=False))
    try:
        made.begin()
        yield made
    finally:
        for each in made.sessions:
            with suppress(Exception):
                each.close()


@pytest.mark.slow
def test_no_change_is_missed_in_random_histories_on_postgresql(on_postgres: OnPostgres) -> None:
    on_postgres.histories(HISTORIES)


@pytest.mark.slow
def test_no_change_is_missed_in_random_histories_on_mariadb(on_mariadb: OnMariaDB) -> None:
    on_mariadb.histories(HISTORIES)


def test_a_dataset_uses_its_change_log_on_postgresql(on_postgres: OnPostgres) -> None:
    made = on_postgres
    first = made.version()
    assert first.vouched_by is not None
    assert made.version() == first
    made.do("INSERT INTO child VALUES (1, 'x')")
    assert made.version() != first
    made.do("ALTER TABLE t DISABLE TRIGGER ALL", session=2)
    with pytest.raises(SourceFault, match=r"the version query gives a NULL.*`ordermade dataset change-log`") as caught:
        made.version()
    assert caught.value.where == "dataset 'd': version query"
    assert made.sessions[2].execute("SELECT fault FROM ordermade.version_d").fetchall() == [
        ("lab.t: has no trigger of the change log, or it is off",)
    ]
    made.run(made.engine.datasets.change_log("d").script)
    assert made.version() != first
    made.do("DROP SCHEMA ordermade CASCADE", session=2)
    with pytest.raises(InputError, match="the change log is not there"):
        made.engine.datasets.use_change_log("d")
    made.run(made.engine.datasets.change_log("d").script)  # it is printed though the dataset's own query fails
    assert made.version() != first


def test_what_triggers_do_not_show_is_refused_on_postgresql(on_postgres: OnPostgres) -> None:
    calling = "CREATE OR REPLACE VIEW shown AS SELECT one() AS a, b FROM t"
    for done, undone, reason in (
        ("ALTER TABLE t SET UNLOGGED", "ALTER TABLE t SET LOGGED", "'t': it is unlogged or temporary"),
        (
            "ALTER TABLE p0 ENABLE ROW LEVEL SECURITY",
            "ALTER TABLE p0 DISABLE ROW LEVEL SECURITY",
            "'p0': it has row security",
        ),
        (
            f"CREATE FUNCTION one() RETURNS INTEGER LANGUAGE sql IMMUTABLE AS 'SELECT 1'; {calling}",
            calling.replace("one()", "a"),
            "'shown': it calls functions of the database's own",
        ),
    ):
        on_postgres.run(done)
        with pytest.raises(InputError, match=f"no trigger shows every change of {reason}"):
            on_postgres.engine.datasets.change_log("d")
        assert on_postgres.look()[0] is None
        on_postgres.run(undone)
        assert on_postgres.look()[0] is not None


def test_a_dataset_uses_its_change_log_on_mariadb(on_mariadb: OnMariaDB) -> None:
    made = on_mariadb
    first = made.version()
    assert first.vouched_by is not None
    assert made.version() == first
    made.do("UPDATE t SET b = 'other'", "INSERT INTO p VALUES (1, 'x')")
    assert made.version() != first
    made.do("ALTER TABLE t COMMENT = 'altered'", session=2)
    with pytest.raises(SourceFault, match="no version for 2 seconds after a definition was changed"):
        made.version()
    for table, statement, reason in (
        ("others", "DO 0", "is partitioned"),
        ("watched", "CREATE VIEW watched AS SELECT a FROM t", "is a view"),
        ("flat", "CREATE TABLE flat (a INTEGER) ENGINE = Aria", "is not of the engine InnoDB"),
        (
            "cascading",
            "CREATE TABLE cascading (a INTEGER, FOREIGN KEY (a) REFERENCES `keys` (a) ON DELETE CASCADE)",
            "has a foreign key that cascades",
        ),
    ):
        made.do(statement, f"GRANT SELECT, SHOW VIEW ON {PLACE}.* TO {READER}", session=2)
        made.engine.datasets.add(table, "s", table=table)
        with pytest.raises(InputError, match=f"no trigger shows every change of '{table}': it {reason}"):
            made.engine.datasets.change_log(table)


def test_the_command_prints_the_script_and_uses_the_log(
    on_postgres: OnPostgres, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state = str(tmp_path / "state" / "state.sqlite")
    log = on_postgres.engine.datasets.change_log("d")
    assert log.version_query == "SELECT version FROM ordermade.version_d"
    assert "ordermade dataset change-log d --use" in log.script

    def printed(*options: str) -> str:
        words = ["--state", state, "dataset", "change-log", "d", *options]
        assert exit_status_of(lambda: PROGRAM(words, prog_name="ordermade"), words) == 0
        return capsys.readouterr().out

    assert printed() == log.script
    assert "vouches for the versions of the dataset 'd'" in printed("--use")
    schema = jsonschema.Draft202012Validator(output_schema())
    for options in (("--json",), ("--use", "--json")):
        schema.validate(json.loads(printed(*options)))


def test_a_subscription_gives_no_version_while_it_writes_and_another_when_it_is_gone(tmp_path: Path) -> None:
    """Rows that a subscription applies fire no trigger of a statement."""
    with throwaway(POSTGRES, "--wal_level=logical") as server, laboratory(OnPostgres, server, tmp_path) as made:
        at = urlsplit(server.url)
        server.run("CREATE DATABASE publisher")
        with closing(POSTGRES.connect(at._replace(path="/publisher"))) as publisher:
            publisher.execute(f"CREATE SCHEMA {PLACE}")
            publisher.execute(f"CREATE TABLE {PLACE}.t (a INTEGER, b TEXT)")
            publisher.execute(f"CREATE PUBLICATION published FOR TABLE {PLACE}.t")
            publisher.execute("SELECT pg_create_logical_replication_slot('published', 'pgoutput')")
            before, content = made.look()
            place = f"host={at.hostname} port={at.port} user={at.username} dbname=publisher"
            options = "create_slot = false, slot_name = 'published', copy_data = false"
            made.do(f"CREATE SUBSCRIPTION s CONNECTION '{place}' PUBLICATION published WITH ({options})", session=2)
            publisher.execute(f"INSERT INTO {PLACE}.t VALUES (1, 'applied')")
            give_up = time.monotonic() + 20
            while made.look()[1] == content and time.monotonic() < give_up:
                time.sleep(0.1)
            found, applied = made.look()
            assert found is None
            assert applied != content
            made.do(
                "ALTER SUBSCRIPTION s DISABLE",
                "ALTER SUBSCRIPTION s SET (slot_name = NONE)",
                "DROP SUBSCRIPTION s",
                session=2,
            )
            assert made.look()[0] not in (None, before)
