from __future__ import annotations

import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest
from duckdb import DuckDBPyConnection

from ordermade.errors import StateFault
from ordermade.lattice.observation import Sizes
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import (
    LISTED,
    CachedSet,
    CacheEntry,
    Contents,
    CountedColumn,
    Dropped,
    GroundedColumn,
    MarginalsEntry,
    to_evict,
)

AGE, SEX = GroundedColumn("age", "h-age", 0), GroundedColumn("sex; DROP TABLE x", "h-sex", 1)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[DuckDBPyConnection]:
    with duckdb.connect(config={"temp_directory": str(tmp_path)}) as connection:
        connection.execute(
            "CREATE TEMP TABLE cells AS SELECT (range % 100)::UTINYINT AS c1, (range // 100)::USMALLINT AS c2,"
            " range AS n FROM range(1000)"
        )
        yield connection


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def cache(tmp_path: Path, told: list[str]) -> Cache:
    return Cache(tmp_path / "cache.duckdb", wait_seconds=0.05, notice=told.append)


def fill(workspace: DuckDBPyConnection, table: str, length: int, columns: int = 1) -> str:
    codes = ", ".join(f"0::UTINYINT AS c{number}" for number in range(1, columns + 1))
    workspace.execute(f'CREATE TEMP TABLE "{table}" AS SELECT {codes}, 1::BIGINT AS n FROM range({length})')
    return table


def found(cache: Cache, version: int, *wanted: GroundedColumn) -> CachedSet:
    cached = cache.find(version, wanted)
    assert cached is not None
    return cached


def test_a_set_comes_back_as_it_was(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    assert cache.store(workspace, "cells", 7, [AGE, SEX], 499_500)
    cached = found(cache, 7, SEX)
    assert (cached.columns, cached.length) == ((AGE, SEX), 1000)
    assert cache.load(workspace, cached, 'a "loaded" set')
    same = 'SELECT * FROM "a ""loaded"" set" EXCEPT ALL SELECT * FROM cells'
    assert workspace.execute(same).fetchall() == []
    loaded = workspace.execute('DESCRIBE "a ""loaded"" set"').fetchall()
    assert [row[:2] for row in loaded] == [("c1", "UTINYINT"), ("c2", "USMALLINT"), ("n", "BIGINT")]
    assert workspace.execute("SELECT database_name FROM duckdb_databases() WHERE NOT internal").fetchall() == [
        ("memory",)
    ]
    (entry,) = cache.entries()
    assert (entry.dataset_version_id, entry.source_rows, entry.bytes) == (7, 499_500, 11_000)
    assert told == []


def test_the_file_is_private_and_alone(cache: Cache, workspace: DuckDBPyConnection) -> None:
    assert cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    assert [each.name for each in cache.path.parent.iterdir()] == ["cache.duckdb"]
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600


def test_looking_makes_no_file(cache: Cache, told: list[str]) -> None:
    assert cache.find(7, [AGE]) is None
    assert cache.entries() == ()
    assert cache.purge() == Dropped()
    assert cache.drop_missing_versions([]) == Dropped()
    assert not cache.path.exists()
    assert told == []


def test_the_shortest_set_that_serves_is_found(cache: Cache, workspace: DuckDBPyConnection) -> None:
    base = [GroundedColumn("age", "h", 1), GroundedColumn("sex", "s", 0)]
    cache.store(workspace, fill(workspace, "long", 30, 2), 7, base, 1)
    cache.store(workspace, fill(workspace, "short", 10, 2), 7, [GroundedColumn("age", "h", 2), base[1]], 1)
    assert found(cache, 7, GroundedColumn("age", "h", 1)).length == 30
    assert found(cache, 7, GroundedColumn("age", "h", 2)).length == 10
    assert found(cache, 7, GroundedColumn("age", "h", 3), base[1]).length == 10
    assert found(cache, 7).length == 10
    assert found(cache, 7, GroundedColumn("age", "h", 1, exact_base=True)).length == 30
    for nothing in (
        GroundedColumn("age", "h", 0),
        GroundedColumn("age", "changed", 2),
        GroundedColumn("age", "h", 3, exact_base=True),
        GroundedColumn("prefecture", "h", 2),
    ):
        assert cache.find(7, [nothing]) is None
    assert cache.find(8, [GroundedColumn("age", "h", 2)]) is None


def test_the_same_set_is_kept_once(cache: Cache, workspace: DuckDBPyConnection) -> None:
    for _ in range(2):
        assert cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    assert len(cache.entries()) == 1


@pytest.mark.slow
def test_the_set_used_longest_ago_makes_room(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    small = Cache(cache.path, size_cap_bytes=2_000, notice=told.append)
    for version in (1, 2):
        assert small.store(workspace, fill(workspace, f"set {version}", 100), version, [AGE], 1)
    with duckdb.connect(str(cache.path)) as connection:
        connection.execute(
            "UPDATE frequency_sets SET last_used_at = NOW() - INTERVAL 1 DAY WHERE dataset_version_id = 1"
        )
        connection.execute(
            "UPDATE frequency_sets SET last_used_at = NOW() - INTERVAL 2 DAY WHERE dataset_version_id = 2"
        )
    assert small.load(workspace, found(small, 2, AGE), "used")
    assert small.store(workspace, fill(workspace, "set 3", 100), 3, [AGE], 1)
    assert sorted(each.dataset_version_id for each in small.entries()) == [2, 3]
    assert not small.store(workspace, fill(workspace, "set 4", 1_000), 4, [AGE], 1)
    assert len(told) == 1
    assert "above the cap" in told[0]
    assert len(small.entries()) == 2


def test_eviction_takes_no_more_than_it_must() -> None:
    day = datetime(2025, 1, 1, tzinfo=UTC)
    entries = [CacheEntry(number, 1, (), 1, 1, 10, day, day + timedelta(days=-number)) for number in (1, 2, 4)]
    marginals = MarginalsEntry(7, ("age",), 3, 10, day, day + timedelta(days=-3))
    present = Contents(tuple(entries), (marginals,))
    assert to_evict(present, 10, 50) == Contents()
    assert to_evict(present, 11, 50) == Contents((entries[2],))
    assert to_evict(present, 21, 50) == Contents((entries[2],), (marginals,))
    assert to_evict(present, 45, 50) == Contents((entries[2], entries[1], entries[0]), (marginals,))


@pytest.mark.slow
def test_a_dropped_version_is_on_no_page_of_the_file(cache: Cache, workspace: DuckDBPyConnection) -> None:
    workspace.execute("CREATE TEMP TABLE gone AS SELECT 1::UBIGINT AS c1, 1234605616436508552 AS n FROM range(50)")
    workspace.execute(
        "CREATE TEMP TABLE noise AS SELECT HASH(range) AS c1, HASH(range * 7)::HUGEINT AS n FROM range(50)"
    )
    assert cache.store(workspace, "noise", 1, [GroundedColumn("gone column", "h", 0)], 1)
    assert cache.store(workspace, fill(workspace, "kept", 10), 2, [AGE], 1)
    assert b"gone column" in cache.path.read_bytes()
    assert cache.drop_missing_versions({2, 3}) == Dropped(1)
    assert [each.dataset_version_id for each in cache.entries()] == [2]
    assert b"gone column" not in cache.path.read_bytes()
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600
    assert [each.name for each in cache.path.parent.iterdir()] == ["cache.duckdb"]
    assert cache.load(workspace, found(cache, 2, AGE), "loaded")
    assert cache.store(workspace, "gone", 3, [AGE], 1)
    assert cache.purge([3]) == Dropped(1)
    assert cache.purge() == Dropped(1)
    assert not cache.path.exists()


def test_what_a_killed_purge_left_goes_with_the_next(cache: Cache, workspace: DuckDBPyConnection) -> None:
    for version in (1, 2):
        assert cache.store(workspace, fill(workspace, f"set {version}", 10), version, [AGE], 1)
    left = cache.path.with_name(".cache.duckdb.new")
    left.mkdir()
    (left / "cache.duckdb").write_bytes(b"half a copy")
    assert cache.purge([1]) == Dropped(1)
    assert not left.exists()
    left.mkdir()
    assert cache.purge() == Dropped(1)
    assert list(cache.path.parent.iterdir()) == []


def test_only_codes_and_counts_get_in(cache: Cache, workspace: DuckDBPyConnection) -> None:
    workspace.execute("CREATE TEMP TABLE named AS SELECT 'Jane'::VARCHAR AS c1, 1 AS n")
    workspace.execute("CREATE TEMP TABLE wide AS SELECT 1 AS c1, 2 AS salary, 1 AS n")
    for table in ("named", "wide"):
        with pytest.raises(ValueError, match="whole numbers") as raised:
            cache.store(workspace, table, 7, [AGE], 1)
        assert "Jane" not in str(raised.value)
    assert not cache.path.exists()


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000])
def test_a_damaged_cache_never_fails_a_request(
    cache: Cache, workspace: DuckDBPyConnection, told: list[str], content: bytes
) -> None:
    cache.path.write_bytes(content)
    assert cache.find(7, [AGE]) is None
    assert not cache.load(workspace, CachedSet(1, (AGE,), 1), "loaded")
    assert not cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    assert cache.drop_missing_versions([1]) == Dropped()
    assert len(told) == 4
    assert all("damaged" in each for each in told)
    with pytest.raises(StateFault, match="cache purge"):
        cache.entries()
    cache.purge()
    assert cache.store(workspace, "cells", 7, [AGE, SEX], 1)


def test_damaged_cells_are_told_and_leave_the_workspace_whole(
    cache: Cache, workspace: DuckDBPyConnection, told: list[str]
) -> None:
    workspace.execute("CREATE TEMP TABLE long AS SELECT HASH(range) AS c1, range AS n FROM range(200000)")
    assert cache.store(workspace, "long", 7, [AGE], 1)
    cached = found(cache, 7, AGE)
    content = bytearray(cache.path.read_bytes())
    for offset in range(20_000, 400_000, 4_000):
        content[offset] ^= 0xFF
    cache.path.write_bytes(content)
    assert not cache.load(workspace, cached, "loaded")
    assert len(told) == 1
    assert workspace.execute("SELECT COUNT(*) FROM cells").fetchone() == (1000,)
    assert workspace.execute("SELECT COUNT(*) FROM duckdb_tables() WHERE table_name = 'loaded'").fetchone() == (0,)


HOLD = """
import sys
import duckdb
with duckdb.connect(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.slow
def test_a_locked_cache_never_fails_a_request(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    assert cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    cached = found(cache, 7, AGE)
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(cache.path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert cache.find(7, [AGE]) is None
        assert not cache.load(workspace, cached, "loaded")
        assert not cache.store(workspace, "cells", 8, [AGE, SEX], 1)
        assert sum("held by another process" in each for each in told) == 3
        holder.communicate("\n", timeout=60)
    assert cache.load(workspace, cached, "loaded")


def test_a_set_dropped_meanwhile_is_not_loaded(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    cached = found(cache, 7, AGE)
    cache.purge()
    cache.store(workspace, "cells", 8, [AGE, SEX], 1)
    assert not cache.load(workspace, cached, "loaded")
    assert "dropped meanwhile" in told[-1]


def test_a_set_of_other_columns_is_not_loaded(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    cached = found(cache, 7, AGE)
    assert not cache.load(workspace, replace(cached, columns=(SEX, AGE)), "loaded")
    assert "dropped meanwhile" in told[-1]
    assert cache.load(workspace, cached, "loaded")


FULL = """
import resource, sys
from pathlib import Path
import duckdb
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import GroundedColumn
cache, age = Cache(Path(sys.argv[1]), notice=print), [GroundedColumn("age", "h", 0)]
with duckdb.connect(config={"threads": 1, "temp_directory": sys.argv[2]}) as workspace:
    workspace.execute("CREATE TEMP TABLE small AS SELECT 1 AS c1, 2 AS n")
    workspace.execute("CREATE TEMP TABLE large AS SELECT HASH(range) AS c1, range AS n FROM range(300000)")
    print(cache.store(workspace, "small", 1, age, 1))
    limit = cache.path.stat().st_size + 200_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    print(cache.store(workspace, "large", 2, age, 1))
    print(workspace.execute("SELECT COUNT(*) FROM large").fetchone()[0])
    print(cache.load(workspace, cache.find(1, age), "loaded"))
"""


@pytest.mark.slow
def test_a_full_disk_never_fails_a_request(cache: Cache, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(cache.path), str(tmp_path)], capture_output=True, text=True, check=True
    )
    kept, reason, *rest = done.stdout.splitlines()
    assert (kept, rest) == ("True", ["False", "300000", "True"])
    assert "full" in reason
    assert [each.dataset_version_id for each in cache.entries()] == [1]


@pytest.mark.parametrize("name", ["it's.duckdb", 'a "b".duckdb', "; DROP TABLE x.duckdb", "キャッシュ.duckdb"])
def test_hostile_paths_work(tmp_path: Path, workspace: DuckDBPyConnection, name: str) -> None:
    cache = Cache(tmp_path / name)
    assert cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    assert cache.load(workspace, found(cache, 7, AGE), "loaded")
    assert cache.purge([7]) == Dropped(1)


AGE_LEVEL, SEX_LEVEL = ("age", "a1"), ("sex; DROP TABLE x", "s1")
MARGINALS: dict[tuple[str, str], Sizes] = {AGE_LEVEL: ((1, 3), (2_000, 1)), SEX_LEVEL: ((10**12, 2),)}


def test_marginals_come_back_as_they_were(cache: Cache, told: list[str]) -> None:
    assert cache.store_marginals(7, MARGINALS)
    assert cache.marginals(7) == MARGINALS
    assert cache.marginals(8) == {}
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600
    assert [each.name for each in cache.path.parent.iterdir()] == ["cache.duckdb"]
    (entry,) = cache.contents().marginals
    assert (entry.dataset_version_id, entry.columns, entry.levels) == (7, ("age", SEX_LEVEL[0]), 2)
    assert entry.bytes == sum(len(column) + len(level) for column, level in MARGINALS) + 16 * 3
    assert told == []


def test_marginals_add_up_and_those_kept_stay(cache: Cache) -> None:
    assert cache.store_marginals(7, {AGE_LEVEL: MARGINALS[AGE_LEVEL]})
    before = cache.path.read_bytes()
    assert cache.store_marginals(7, {AGE_LEVEL: MARGINALS[AGE_LEVEL]})
    assert cache.store_marginals(7, {})
    assert cache.path.read_bytes() == before
    assert cache.store_marginals(7, MARGINALS)
    assert cache.store_marginals(8, {AGE_LEVEL: ((5, 1),), ("age", "of no rows"): ()})
    assert cache.marginals(7) == MARGINALS
    assert cache.marginals(8) == {AGE_LEVEL: ((5, 1),), ("age", "of no rows"): ()}
    assert [each.levels for each in cache.contents().marginals] == [2, 2]  # what was there is not stored twice


def test_looking_for_marginals_makes_no_file(cache: Cache) -> None:
    assert cache.marginals(7) == {}
    assert cache.contents() == Contents()
    assert cache.store_marginals(7, {})
    assert not cache.path.exists()


@pytest.mark.parametrize("sizes", [(("Jane", 1),), ((0, 1),), ((2, 1), (1, 1)), ((1, 0),), ((1.5, 1),), ((True, 1),)])
def test_only_whole_histograms_get_in(cache: Cache, sizes: Sizes) -> None:
    with pytest.raises(ValueError, match="whole numbers") as raised:
        cache.store_marginals(7, {AGE_LEVEL: sizes})
    assert "Jane" not in str(raised.value)
    assert not cache.path.exists()


@pytest.mark.slow
def test_a_cache_of_an_older_engine_goes_on_working(
    cache: Cache, workspace: DuckDBPyConnection, told: list[str]
) -> None:
    assert cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    with duckdb.connect(str(cache.path)) as connection:
        connection.execute("DROP TABLE marginals")
    assert cache.marginals(7) == {}
    assert cache.find(7, [AGE])
    assert cache.drop_missing_versions([7]) == Dropped()
    assert cache.purge([8]) == Dropped()
    assert cache.store(workspace, "cells", 8, [AGE, SEX], 1)
    assert cache.store_marginals(7, MARGINALS)
    assert cache.marginals(7) == MARGINALS
    assert cache.purge([7]) == Dropped(1, 2)
    assert told == []


@pytest.mark.slow
def test_marginals_go_with_their_version_from_every_page(cache: Cache, workspace: DuckDBPyConnection) -> None:
    assert cache.store_marginals(1, {("gone column", "g"): ((1234605616436508552, 1),)})
    assert cache.store_marginals(2, MARGINALS)
    assert cache.store(workspace, "cells", 3, [AGE, SEX], 1)
    assert b"gone column" in cache.path.read_bytes()
    assert cache.drop_missing_versions({2, 3}) == Dropped(0, 1)
    assert b"gone column" not in cache.path.read_bytes()
    assert cache.marginals(1) == {}
    assert cache.marginals(2) == MARGINALS
    assert cache.purge([3]) == Dropped(1)
    assert cache.purge() == Dropped(0, 2)
    assert not cache.path.exists()


def test_marginals_count_towards_the_cap(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    small = Cache(cache.path, size_cap_bytes=2_000, notice=told.append)
    many = tuple((size, 1) for size in range(1, 61))
    assert small.store_marginals(1, {("age", "a"): many})
    assert small.store(workspace, fill(workspace, "set 2", 100), 2, [AGE], 1)
    assert small.marginals(1)
    assert small.store_marginals(3, {("sex", "s"): many})
    assert small.marginals(1) == {}
    assert small.store_marginals(3, {("sex", "t"): many})
    assert small.contents().version_ids == {3}
    assert told == []
    assert not small.store_marginals(3, {("sex", "u"): many})
    assert "above the cap" in told[-1]
    assert set(small.marginals(3)) == {("sex", "s"), ("sex", "t")}


def test_used_marginals_are_not_the_first_to_go(cache: Cache) -> None:
    small = Cache(cache.path, size_cap_bytes=40)
    for version in (1, 2):
        assert small.store_marginals(version, {("a", "a"): ((version, 1),)})
    with duckdb.connect(str(cache.path)) as connection:
        connection.execute("UPDATE marginals SET last_used_at = last_used_at - INTERVAL 1 DAY * dataset_version_id")
    assert small.store_marginals(2, {("a", "a"): ((2, 1),)})  # asked for again; a prediction would change nothing
    before = cache.path.read_bytes()
    assert small.store_marginals(2, {("a", "a"): ((2, 1),)})  # just used: whatever other versions are, not noted again
    assert cache.path.read_bytes() == before
    assert small.store_marginals(3, {("a", "a"): ((3, 1),)})
    assert small.contents().version_ids == {2, 3}


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000])
def test_marginals_of_a_damaged_cache_never_fail_a_request(cache: Cache, told: list[str], content: bytes) -> None:
    cache.path.write_bytes(content)
    assert cache.marginals(7) == {}
    told.clear()
    assert not cache.store_marginals(7, MARGINALS)
    assert [each for each in told if "damaged" in each] == told
    assert len(told) == 1  # what cannot be read is not waited for and opened a second time
    cache.purge()
    assert cache.store_marginals(7, MARGINALS)


COUNTED_AGE = CountedColumn(GroundedColumn("age", "h-age", 1), "statement")
COUNTED_SEX = CountedColumn(GroundedColumn("sex; DROP TABLE x", LISTED, 0), "statement")
VALUES = """
CREATE OR REPLACE TEMP TABLE "{}" AS SELECT range AS key, range AS code, 1 AS leaves, {} * (1 + range % 3) AS n,
    (range * 1.5)::DECIMAL(38, 9) AS n_log_n FROM range({}) UNION ALL SELECT NULL, NULL, 1, 7, 0
"""


def count(workspace: DuckDBPyConnection, table: str, length: int, weight: int = 1) -> int:
    """Make a table of counted values; the rows that it counts."""
    workspace.execute(VALUES.format(table, weight, length))
    return int(workspace.execute(f'SELECT SUM(n) FROM "{table}"').fetchall()[0][0])


@pytest.mark.slow
def test_counts_of_values_come_back_as_they_were(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    rows = count(workspace, "ages", 50)
    workspace.execute("CREATE TEMP TABLE sexes AS SELECT 'f' AS key, 'f' AS code, 1 AS leaves, n, n_log_n FROM ages")
    assert cache.store_values(workspace, 7, {"ages": COUNTED_AGE, "sexes": COUNTED_SEX})
    wanted = {'a "loaded" table': COUNTED_AGE, "other": COUNTED_SEX}
    assert cache.load_values(workspace, 7, wanted, rows) == frozenset(wanted)
    for loaded, stored in (('a ""loaded"" table', "ages"), ("other", "sexes")):
        assert workspace.execute(f'SELECT * FROM "{loaded}" EXCEPT ALL SELECT * FROM {stored}').fetchall() == []
        types = [workspace.execute(f'DESCRIBE "{each}"').fetchall() for each in (loaded, stored)]
        assert [row[:2] for row in types[0]] == [row[:2] for row in types[1]]
    assert cache.counted(7) == {COUNTED_AGE.column, COUNTED_SEX.column}
    assert cache.counted(8) == frozenset()
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600
    assert [each.name for each in cache.path.parent.iterdir()] == ["cache.duckdb"]
    assert told == []


def test_only_counts_of_that_version_statement_and_number_of_rows_are_used(
    cache: Cache, workspace: DuckDBPyConnection, told: list[str]
) -> None:
    rows = count(workspace, "ages", 50)
    assert cache.load_values(workspace, 7, {"loaded": COUNTED_AGE}, rows) == frozenset()
    assert not cache.path.exists()
    assert cache.store_values(workspace, 7, {"ages": COUNTED_AGE})
    for version, column in (
        (8, COUNTED_AGE),
        (7, CountedColumn(COUNTED_AGE.column, "another statement")),
        (7, CountedColumn(GroundedColumn("age", "h-age", 0), "statement")),
        (7, CountedColumn(GroundedColumn("age", "changed", 1), "statement")),
    ):
        assert cache.load_values(workspace, version, {"loaded": column}, rows) == frozenset()
    assert told == []
    assert cache.load_values(workspace, 7, {"loaded": COUNTED_AGE}, rows + 1) == frozenset()
    assert "were not used" in told[-1]


@pytest.mark.slow
def test_counts_of_values_are_kept_once_and_go_with_their_version(
    cache: Cache, workspace: DuckDBPyConnection, told: list[str]
) -> None:
    rows = [count(workspace, "ages", 50, weight) for weight in (1, 1_234_605_616_436_508)]
    assert cache.store_values(workspace, 1, {"ages": COUNTED_AGE})
    gone = GroundedColumn("gone column", LISTED, 0)
    assert cache.store_values(workspace, 2, {"ages": CountedColumn(gone, "statement")})
    count(workspace, "ages", 50)
    assert cache.store_values(workspace, 1, {"ages": COUNTED_AGE})
    assert cache.load_values(workspace, 1, {"loaded": COUNTED_AGE}, rows[0]) == {"loaded"}
    assert len(cache.contents().counts) == 2
    with duckdb.connect(str(cache.path)) as connection:
        tables = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
    assert len([name for name in tables if name.startswith("vc_")]) == 2
    assert b"gone column" in cache.path.read_bytes()
    assert cache.drop_missing_versions({1}) == Dropped(counts=1)
    assert b"gone column" not in cache.path.read_bytes()
    assert cache.purge([1]) == Dropped(counts=1)
    assert not cache.path.exists()
    assert told == []


def test_counts_of_values_count_towards_the_cap(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    small = Cache(cache.path, size_cap_bytes=6_000, notice=told.append)
    rows = count(workspace, "ages", 50)
    for version in (1, 2, 3):
        assert small.store_values(workspace, version, {"ages": COUNTED_AGE})
    assert small.contents().version_ids == {2, 3}
    assert small.load_values(workspace, 3, {"loaded": COUNTED_AGE}, rows)
    count(workspace, "ages", 5_000)
    assert not small.store_values(workspace, 4, {"ages": COUNTED_AGE})
    assert "above the cap" in told[-1]
    assert small.contents().version_ids == {2, 3}


@pytest.mark.parametrize("content", [b"", b"not a database" * 1000])
def test_counts_of_values_of_a_damaged_cache_never_fail_a_request(
    cache: Cache, workspace: DuckDBPyConnection, told: list[str], content: bytes
) -> None:
    rows = count(workspace, "ages", 50)
    cache.path.write_bytes(content)
    assert cache.load_values(workspace, 7, {"loaded": COUNTED_AGE}, rows) == frozenset()
    assert not cache.store_values(workspace, 7, {"ages": COUNTED_AGE})
    assert cache.counted(7) == frozenset()
    assert [each for each in told if "damaged" in each] == told
    cache.purge()
    assert cache.store_values(workspace, 7, {"ages": COUNTED_AGE})


@pytest.mark.slow
def test_damaged_counts_of_values_are_not_used(cache: Cache, workspace: DuckDBPyConnection, told: list[str]) -> None:
    rows = count(workspace, "ages", 200_000)
    assert cache.store_values(workspace, 7, {"ages": COUNTED_AGE})
    whole = cache.path.read_bytes()
    for offset in range(13_000, len(whole), len(whole) // 25):
        content = bytearray(whole)
        content[offset] ^= 0xFF
        cache.path.write_bytes(content)
        found = cache.load_values(workspace, 7, {"loaded": COUNTED_AGE}, rows)
        if found:
            same = "SELECT * FROM loaded EXCEPT ALL SELECT * FROM ages"
            assert workspace.execute(same).fetchall() == []
    assert told


def test_a_cache_without_counts_of_values_goes_on_working(
    cache: Cache, workspace: DuckDBPyConnection, told: list[str]
) -> None:
    assert cache.store(workspace, "cells", 7, [AGE, SEX], 1)
    with duckdb.connect(str(cache.path)) as connection:
        connection.execute("DROP TABLE value_counts")
    rows = count(workspace, "ages", 50)
    assert cache.load_values(workspace, 7, {"loaded": COUNTED_AGE}, rows) == frozenset()
    assert cache.contents().counts == ()
    assert cache.drop_missing_versions([7]) == Dropped()
    assert cache.store_values(workspace, 7, {"ages": COUNTED_AGE})
    assert cache.load_values(workspace, 7, {"loaded": COUNTED_AGE}, rows) == {"loaded"}
    assert told == []


def test_used_counts_of_values_are_not_the_first_to_go(cache: Cache, workspace: DuckDBPyConnection) -> None:
    small = Cache(cache.path, size_cap_bytes=6_000)
    rows = count(workspace, "ages", 50)
    for version in (1, 2):
        assert small.store_values(workspace, version, {"ages": COUNTED_AGE})
    with duckdb.connect(str(cache.path)) as connection:
        connection.execute("UPDATE value_counts SET last_used_at = last_used_at - INTERVAL 1 DAY * dataset_version_id")
    assert small.load_values(workspace, 2, {"loaded": COUNTED_AGE}, rows)
    assert small.store_values(workspace, 3, {"ages": COUNTED_AGE})
    assert small.contents().version_ids == {2, 3}
