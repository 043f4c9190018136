"""Partitions as parts on real servers: whatever is done to a table, its parts are the table; no change is missed."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

from ordermade import Engine
from ordermade.counting.dataset import Version, version
from ordermade.errors import InputError, SourceFault
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, in_mariadb, in_postgresql
from tests.long import rounds
from tests.made import new_engine, write_hierarchy
from tests.services.servers import Schema

pytestmark = pytest.mark.services

HISTORIES = rounds(15, 300)
STEPS = 6
COLUMNS = "(person INTEGER, month INTEGER, age INTEGER, name TEXT, paid NUMERIC)"
EMPTY = Table("unpartitioned", {"a": "BIGINT"}, [(1,)])


@dataclass
class Partitioned:
    """A partitioned table `t` (`month` from 0 to 5), as the dataset `d` in parts and as `w` whole."""

    schema: Schema
    made: Made
    engine: Engine
    folder: Path
    draw: random.Random = field(default_factory=lambda: random.Random(20131001))
    contents: dict[Version, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    fresh: int = 0

    def month(self) -> int:
        return self.draw.randrange(6)

    def rows(self, number: int, month: Callable[[], int] | None = None) -> str:
        drawn = month or self.month
        made = [(self.draw.randrange(99), drawn(), self.draw.randrange(8)) for _ in range(number)]
        return ", ".join(f"({one}, {month}, {age}, 'n{one}', {one}.25)" for one, month, age in made)

    def content(self) -> str:
        return repr(sorted(map(repr, self.schema.run("SELECT person, month, age, name, paid FROM t"))))

    def names(self) -> list[str]:
        raise NotImplementedError

    def steps(self) -> Mapping[str, Callable[[], object]]:
        run, month = self.schema.run, self.month
        return {
            "insert": lambda: run(f"INSERT INTO t (person, month, age, name, paid) VALUES {self.rows(3)}"),
            "update": lambda: run(f"UPDATE t SET age = {self.draw.randrange(8)} WHERE month = {month()}"),
            "move": lambda: run(f"UPDATE t SET month = {month()} WHERE person % 5 = {self.draw.randrange(5)}"),
            "delete": lambda: run(f"DELETE FROM t WHERE person % 9 = {self.draw.randrange(9)}"),
            "more": lambda: run(f"INSERT INTO t (person, month, age, name, paid) VALUES {self.rows(9)}"),
            "the same twice": lambda: run("INSERT INTO t SELECT * FROM t WHERE person % 4 = 1"),
            "nothing": lambda: None,
        }

    def versions(self) -> tuple[Version, Version, int]:
        """The version of the parts, that of the whole, and the number of parts, of the dataset that is in parts."""
        with self.engine.datasets.open("d") as found:
            parts = found.filtered(None)
            assert parts.parts is not None
            seen, number = version(parts), parts.parts.number
        with self.engine.datasets.open("w") as found:
            whole = found.filtered(None)
            assert whole.parts is None
            return seen, version(whole), number

    def look(self, step: str) -> None:
        seen, whole, number = self.versions()
        content = self.content()
        assert seen == whole, step
        assert number == len(self.names()), step
        assert self.contents.setdefault(seen, content) == content, f"missed a change: {step}"
        self.counts["looks"] += 1

    def histories(self, number: int) -> None:
        for _ in range(number):
            steps = self.steps()
            for _ in range(STEPS):
                step = self.draw.choice(list(steps))
                steps[step]()
                self.counts[step] += 1
                self.look(step)
        print(
            f"{self.schema.server.kind.title}: {number} histories, {len(self.contents)} contents, 0 changes missed",
            dict(self.counts),
        )

    def run(self, dataset: str, **more: Any) -> Any:
        to = {"to": str(self.folder / f"{dataset}.csv"), "replace": True}
        asked = {"dataset": dataset, "k": 2, "suppression_limit": 1.0, "release": to}
        return self.engine.run({**asked, "quasi_identifiers": {"age": {"hierarchy": "age"}}, **more}, again=True)

    def filled(self) -> None:
        """Twelve rows in each month."""
        self.schema.run("DELETE FROM t")
        for month in range(6):
            rows = ", ".join(f"({one}, {month}, {one % 8}, 'n{one}', {one + month}.5)" for one in range(12))
            self.schema.run(f"INSERT INTO t (person, month, age, name, paid) VALUES {rows}")


class OnPostgres(Partitioned):
    """By range, list and hash, in two layers, with a default partition."""

    def setup(self) -> None:
        for each in (
            f"CREATE TABLE t {COLUMNS} PARTITION BY RANGE (month)",
            "CREATE TABLE t0 PARTITION OF t FOR VALUES FROM (0) TO (2)",
            "CREATE TABLE t1 (paid NUMERIC, age INTEGER, junk TEXT, month INTEGER, name TEXT, person INTEGER)",
            "ALTER TABLE t1 DROP COLUMN junk",
            "ALTER TABLE t ATTACH PARTITION t1 FOR VALUES FROM (2) TO (4)",
            "CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (4) TO (5) PARTITION BY HASH (person)",
            "CREATE TABLE t2a PARTITION OF t2 FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
            "CREATE TABLE t2b PARTITION OF t2 FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
            "CREATE TABLE t_rest PARTITION OF t DEFAULT",
        ):
            self.schema.run(each)

    def names(self) -> list[str]:
        leaves = "SELECT relid::TEXT FROM pg_partition_tree('t') WHERE isleaf AND level > 0"
        return [name for (name,) in self.schema.run(leaves)]

    def steps(self) -> Mapping[str, Callable[[], object]]:
        run = self.schema.run

        def apart() -> None:
            """A partition is detached, written to, and attached again; its rows are gone meanwhile."""
            run("ALTER TABLE t DETACH PARTITION t1")
            self.look("detached")
            run(f"INSERT INTO t1 (person, month, age, name, paid) VALUES {self.rows(2, lambda: 2)}")
            self.look("written apart")
            run("ALTER TABLE t ATTACH PARTITION t1 FOR VALUES FROM (2) TO (4)")

        def swapped() -> None:
            """Another table takes the place of a partition."""
            self.fresh += 1
            run(f"CREATE TABLE n{self.fresh} (LIKE t)")
            run(f"INSERT INTO n{self.fresh} (person, month, age, name, paid) VALUES {self.rows(2, lambda: 1)}")
            ((old,),) = run("SELECT relid::TEXT FROM pg_partition_tree('t') WHERE relid::TEXT ~ '^(t0|n)' LIMIT 1")
            run(f"ALTER TABLE t DETACH PARTITION {old}")
            run(f"ALTER TABLE t ATTACH PARTITION n{self.fresh} FOR VALUES FROM (0) TO (2)")
            run(f"DROP TABLE {old}")

        return {
            **super().steps(),
            "truncate": lambda: run(f"TRUNCATE {self.draw.choice(self.names())}"),
            "into a leaf": lambda: run("INSERT INTO t2a SELECT * FROM t2a LIMIT 2"),
            "apart": apart,
            "swapped": swapped,
            "rolled back": lambda: run(f"BEGIN; DELETE FROM t; INSERT INTO t VALUES {self.rows(1)}; ROLLBACK"),
        }


class OnMariaDB(Partitioned):
    """By range, each partition in two."""

    def setup(self) -> None:
        self.schema.run(
            "CREATE TABLE t (person INTEGER, month INTEGER, age INTEGER, name VARCHAR(20), paid DECIMAL(9, 3)) "
            "ENGINE = InnoDB PARTITION BY RANGE (month) SUBPARTITION BY HASH (person) SUBPARTITIONS 2 "
            "(PARTITION p0 VALUES LESS THAN (2), PARTITION `p ``1` VALUES LESS THAN (4), "
            "PARTITION rest VALUES LESS THAN MAXVALUE)"
        )

    def names(self) -> list[str]:
        named = (
            "SELECT DISTINCT partition_name FROM information_schema.PARTITIONS "
            "WHERE table_schema = DATABASE() AND table_name = 't' AND partition_name IS NOT NULL"
        )
        return [name for (name,) in self.schema.run(named)]

    def steps(self) -> Mapping[str, Callable[[], object]]:
        run = self.schema.run

        def split() -> None:
            """The last partition is parted in two, or what it became is made one."""
            last = "PARTITION rest VALUES LESS THAN MAXVALUE"
            if "p2" in self.names():
                run(f"ALTER TABLE t REORGANIZE PARTITION p2, rest INTO ({last})")
            else:
                run(f"ALTER TABLE t REORGANIZE PARTITION rest INTO (PARTITION p2 VALUES LESS THAN (5), {last})")

        return {
            **super().steps(),
            "truncate": lambda: run("ALTER TABLE t TRUNCATE PARTITION p0"),
            "split": split,
            "rebuilt": lambda: run("ALTER TABLE t REBUILD PARTITION p0"),
        }


def _made(kind: type[Partitioned], schema: Schema, folder: Path) -> Partitioned:
    made = (in_postgresql if kind is OnPostgres else in_mariadb)(schema, EMPTY)
    engine = new_engine(folder, limits=Limits("256MB", 1))
    found = kind(schema, made, engine, folder)
    found.setup()  # type: ignore[attr-defined]
    engine.sources.add("s", made.location)
    engine.datasets.add("d", "s", table="t", least_k=2)
    engine.datasets.add("w", "s", table="t", least_k=2, whole=True)
    paths = [(age, f"a{age // 4}") for age in range(8)]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("age", "a"), paths), "header")
    return found


@pytest.fixture(params=[OnPostgres, OnMariaDB])
def partitioned(request: pytest.FixtureRequest, tmp_path: Path) -> Partitioned:
    name = "postgres_schema" if request.param is OnPostgres else "mariadb_schema"
    return _made(request.param, request.getfixturevalue(name), tmp_path)


def test_no_change_is_missed_in_random_histories(partitioned: Partitioned) -> None:
    partitioned.look("empty")
    partitioned.histories(HISTORIES)


def test_a_partition_is_counted_once_and_again_when_it_changed(partitioned: Partitioned) -> None:
    partitioned.filled()
    number = len(partitioned.names())
    for more in ({}, {"where": "age < 7"}, {"sensitive": {"month": [{"model": "distinct_l", "l": 2}]}}):
        first = partitioned.run("d", **more)
        assert first.search.source_queries == number
        assert partitioned.run("d", **more).search.source_queries == 0
        whole = partitioned.run("w", **more)
        assert (first.k, first.levels, first.divisions, first.rows) == (
            whole.k,
            whole.levels,
            whole.divisions,
            whole.rows,
        )
        assert (partitioned.folder / "d.csv").read_bytes() == (partitioned.folder / "w.csv").read_bytes()
    partitioned.schema.run("UPDATE t SET age = 3 WHERE month = 0 AND person = 1")
    assert partitioned.run("d").search.source_queries == 1
    partitioned.schema.run("UPDATE t SET month = 0 WHERE month = 2 AND person = 1")
    found = partitioned.run("d")
    assert (found.search.source_queries, found.rows) == (2, 72)
    partitioned.schema.run("ALTER TABLE t ADD COLUMN extra INTEGER DEFAULT 7")
    assert partitioned.run("d").search.source_queries == 0


def test_a_plain_table_and_a_whole_one_have_no_parts(partitioned: Partitioned) -> None:
    datasets = partitioned.engine.datasets
    plain = datasets.add("plain", "s", table="unpartitioned", least_k=2)
    vouched = datasets.add("vouched", "s", table="t", least_k=2, version_query="SELECT count(*) FROM t")
    assert [each.in_parts for each in (plain, vouched, datasets.get("w"), datasets.get("d"))] == [
        False,
        False,
        False,
        True,
    ]
    with pytest.raises(InputError, match="not made of Parquet files"):
        datasets.add("files", "s", table="t", file_parts=True)


def test_persons_who_opted_out_are_left_out_of_a_partitioned_table(partitioned: Partitioned) -> None:
    partitioned.filled()
    datasets = partitioned.engine.datasets
    datasets.add("p", "s", table="t", least_k=2, entity="person")
    assert partitioned.run("p").rows == 72
    datasets.opt_outs.add("p", ["1", "2"])
    assert partitioned.run("p").rows == 60
    datasets.opt_outs.remove("p")
    assert partitioned.run("p").rows == 72


CHANGES = {
    "detached": ["ALTER TABLE t DETACH PARTITION t1"],
    "attached": [
        "CREATE TABLE late (LIKE t)",
        "INSERT INTO late SELECT person, 0, age, name, paid FROM t",
        "ALTER TABLE t DETACH PARTITION t0",
        "ALTER TABLE t ATTACH PARTITION late FOR VALUES FROM (0) TO (2)",
    ],
    "truncated": ["TRUNCATE t1"],
    "dropped": ["DROP TABLE t1"],
    "renamed": ["ALTER TABLE t0 RENAME TO other", "ALTER TABLE t1 RENAME TO t0"],
    "moved": ["UPDATE t SET month = 2 WHERE month = 0"],
    "parted": ["CREATE TABLE t3 PARTITION OF t FOR VALUES FROM (6) TO (7)", "INSERT INTO t VALUES (1, 6, 1, 'n', 1)"],
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_in_the_middle_is_of_no_version_or_is_said(
    postgres_schema: Schema, tmp_path: Path, change: str
) -> None:
    made = _made(OnPostgres, postgres_schema, tmp_path)
    made.filled()
    postgres_schema.run("ALTER TABLE t ALTER COLUMN paid TYPE NUMERIC(9, 3)")  # no value is read to type it
    before, _, _ = made.versions()
    with made.engine.datasets.open("d") as found:
        for each in CHANGES[change]:
            postgres_schema.run(f"SET lock_timeout = '2s'; {each}")
        try:
            seen = version(found.filtered(None))
        except SourceFault:
            return
        assert seen == before or found.backend.changed()


def test_rows_that_a_policy_hides_are_read_by_the_table(postgres_schema: Schema, tmp_path: Path) -> None:
    made = _made(OnPostgres, postgres_schema, tmp_path)
    made.filled()
    role = f"{postgres_schema.name}_reader"
    run = postgres_schema.run
    run(f"CREATE ROLE {role} LOGIN")
    try:
        run(f"GRANT USAGE ON SCHEMA {postgres_schema.name} TO {role}")
        run(f"GRANT SELECT ON t TO {role}")
        at = urlsplit(made.made.location)
        own = urlunsplit(at._replace(netloc=f"{role}@{at.netloc.rpartition('@')[2]}"))
        made.engine.sources.add("own", own)
        assert not made.engine.datasets.add("a", "own", table="t", least_k=2).in_parts  # no partition may be read
        run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {postgres_schema.name} TO {role}")
        assert made.engine.datasets.add("b", "own", table="t", least_k=2).in_parts
        run("ALTER TABLE t1 ENABLE ROW LEVEL SECURITY")  # which hides nothing from who reads by the table
        with made.engine.datasets.open("b") as found:
            whole = found.filtered(None)
            assert (whole.parts, version(whole).rows) == (None, 72)
    finally:
        run(f"DROP OWNED BY {role}")
        run(f"DROP ROLE {role}")
