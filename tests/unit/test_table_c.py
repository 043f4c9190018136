"""Table C as a product: listed, exported, pruned."""

from __future__ import annotations

import copy
import csv
import stat
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TypeAlias

import duckdb
import pytest

from ordermade.catalogue.observations import Observations
from ordermade.errors import InputError, StateFault, StateMissing, UnknownName
from ordermade.lattice.observation import Observation
from ordermade.state import audit, datasets, observations, requests, sources, versions
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from ordermade.state.inspection import verify
from ordermade.state.observations import Levels, Pruned
from ordermade.state.records.observations import MeasuredLevel
from tests.made import new_state
from tests.noted import a_request
from tests.state_by_hand import by_hand

REQUEST = a_request(dataset_name="shop (inline)")

Measured: TypeAlias = tuple[Levels, Observation]


def node(levels: dict[str, int], *histogram: tuple[int, int]) -> Measured:
    return (
        tuple(
            MeasuredLevel(column, level, f"level {level}", f"hash of {column} {level}")
            for column, level in levels.items()
        ),
        Observation.from_histogram(histogram),
    )


AGE_AND_SEX, AGE, ROOT = node({"sex": 0, "age": 1}, (2, 3), (4, 1)), node({"age": 2}, (5, 2)), node({}, (10, 1))


class Shop:
    """A state with two datasets: `members` (two versions, and one under a filter) and `visits`; one asked inline."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state = StateFile(path, SHELL, wait_seconds=0)
        new_state(path)
        with self.state.writing() as connection:
            sources.add(connection, "shop", "duckdb", "shop.duckdb")
            self.members = datasets.add(connection, "members", "shop", table_name="members").id
            self.visits = datasets.add(connection, "visits", "shop", table_name="visits").id
            self.request = requests.start(connection, REQUEST).id
        self.old = self.seen("d", self.members, None, 10, AGE_AND_SEX, AGE, ROOT)
        self.new = self.seen("d", self.members, None, 11, AGE_AND_SEX)
        self.filtered = self.seen("d of seniors", self.members, "age > 60", 4, AGE)
        self.of_visits = self.seen("v", self.visits, None, 10, AGE, ROOT)
        self.inline = self.seen("i", None, None, 10, AGE)

    def copied_to(self, path: Path) -> Shop:
        path.write_bytes(self.path.read_bytes())
        shop = copy.copy(self)
        shop.path, shop.state = path, StateFile(path, SHELL, wait_seconds=0)
        return shop

    def seen(
        self, identity: str, dataset: int | None, where: str | None, rows: int, *measured: tuple[Levels, Observation]
    ) -> int:
        with self.state.writing() as connection:
            version = versions.register(connection, identity, dataset, where, rows, 5, "c", {"age": "BIGINT"}).id
            observations.record(connection, version, self.request, measured)
        return version

    def numbers(self) -> dict[int, int]:
        with self.state.reading() as connection:
            return observations.counts(connection)


@pytest.fixture(scope="module")
def first_shop(tmp_path_factory: pytest.TempPathFactory) -> Shop:
    return Shop(tmp_path_factory.mktemp("shop") / "state.sqlite")


@pytest.fixture
def shop(first_shop: Shop, tmp_path: Path) -> Shop:
    return first_shop.copied_to(tmp_path / "state.sqlite")


@pytest.fixture
def table_c(shop: Shop) -> Observations:
    return Observations(shop.state)


@pytest.mark.slow
def test_every_observation_is_listed_with_its_node(shop: Shop, table_c: Observations) -> None:
    found = table_c.list()
    assert [each.id for each in found] == [8, 7, 6, 5, 4, 3, 2, 1]
    assert [each.dataset for each in found] == ["shop (inline)", "visits", "visits", *["members"] * 5]
    assert [each.is_latest for each in found] == [True] * 5 + [False] * 3
    assert {each.filter for each in found if each.dataset_version_id == shop.filtered} == {"age > 60"}
    first, root = found[-1], found[-3]
    assert first.levels == tuple(sorted(AGE_AND_SEX[0], key=lambda level: level.column))
    assert first.node == "age: level 1, sex: level 0"
    assert (first.rows, first.divisions, first.k, first.sum_of_squares) == (10, 4, 2, 28)
    assert (first.dataset_version_id, first.request_id) == (shop.old, shop.request)
    assert datetime.now(UTC) - first.measured_at < timedelta(minutes=5)
    assert (root.levels, root.node, root.k) == ((), "*", 10)


@pytest.mark.slow
def test_the_latest_few_are_listed_if_so_asked(table_c: Observations) -> None:
    assert [each.id for each in table_c.list(most=2)] == [8, 7]
    assert [each.id for each in table_c.list("members", 3)] == [5, 4, 3]
    assert table_c.list(most=100) == table_c.list()
    assert (table_c.count(), table_c.count("members"), table_c.count("visits")) == (8, 5, 2)


@pytest.mark.slow
def test_a_dataset_is_listed_under_every_filter_and_name_it_had(shop: Shop, table_c: Observations) -> None:
    assert len(table_c.list("members")) == 5
    with shop.state.writing() as connection:
        again = datasets.add(connection, "all members", "shop", table_name="members").id
    shop.seen("d", again, None, 11)
    assert {each.dataset for each in table_c.list("all members")} == {"all members, members"}
    assert len(table_c.list("all members")) == 4
    with shop.state.writing() as connection:
        for name in ("members", "visits"):
            datasets.remove(connection, name)
    assert {each.dataset for each in table_c.list("visits")} == {"visits"}
    assert {each.dataset for each in table_c.list("members")} == {"all members", "members"}


def test_a_name_re_used_for_another_table_means_both(shop: Shop, table_c: Observations) -> None:
    with shop.state.writing() as connection:
        datasets.remove(connection, "visits")
        again = datasets.add(connection, "visits", "shop", table_name="other").id
    shop.seen("o", again, None, 3, AGE)
    assert len(table_c.list("visits")) == 3


@pytest.mark.slow
def test_an_unknown_dataset_is_told_with_the_nearest(table_c: Observations, tmp_path: Path) -> None:
    for ask in (
        lambda: table_c.list("membres"),
        lambda: table_c.export(tmp_path / "x.csv", "membres"),
        lambda: table_c.csv("membres"),
        lambda: table_c.prune(dataset="membres"),
        lambda: table_c.prune(dataset="membres", dry_run=True),
    ):
        with pytest.raises(UnknownName, match="Did you mean 'members'"):
            ask()
    assert not (tmp_path / "x.csv").exists()


def test_an_empty_table_c(tmp_path: Path) -> None:
    new_state(tmp_path / "state.sqlite")
    table_c = Observations(StateFile(tmp_path / "state.sqlite", SHELL))
    assert table_c.list() == ()
    assert table_c.export(tmp_path / "none.parquet") == 0
    assert table_c.csv().startswith("observation,dataset,")
    assert table_c.csv().count("\n") == 1
    assert table_c.prune(everything=True) == Pruned(0, 0, 0)


HEADER = [
    "observation",
    "dataset",
    "dataset_hash",
    "dataset_version",
    "is_latest",
    "node",
    "attributes",
    "rows",
    "divisions",
    "k",
    "sum_of_squares",
    "class_sizes",
    "class_counts",
    "request",
    "measured_at",
]


def test_an_export_as_csv_has_a_row_an_observation(shop: Shop, table_c: Observations, tmp_path: Path) -> None:
    path = tmp_path / "it's [a] copy.CSV"
    assert table_c.export(path) == 8
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name, "state.sqlite"]
    header, first, *rest = list(csv.reader(path.read_text(encoding="utf-8").splitlines()))
    assert header == HEADER
    row = dict(zip(header, first, strict=True))
    assert len(rest) == 7
    del row["measured_at"]
    assert row == {
        "observation": "1",
        "dataset": "members",
        "dataset_hash": "d",
        "dataset_version": str(shop.old),
        "is_latest": "false",
        "node": "age: level 1, sex: level 0",
        "attributes": "2",
        "rows": "10",
        "divisions": "4",
        "k": "2",
        "sum_of_squares": "28",
        "class_sizes": "[2, 4]",
        "class_counts": "[3, 1]",
        "request": str(shop.request),
    }
    assert "age > 60" not in path.read_text(encoding="utf-8")
    assert table_c.csv() == path.read_text(encoding="utf-8")


def test_an_export_as_parquet_keeps_types(shop: Shop, table_c: Observations, tmp_path: Path) -> None:
    path = tmp_path / "measured.parquet"
    shop.seen("large", shop.visits, None, 10**12, node({"age": 3}, (10**12, 4)))
    assert table_c.export(path, "visits") == 3
    with duckdb.connect() as connection:
        read = connection.execute("SELECT * FROM read_parquet(?) ORDER BY observation", [str(path)])
        types = {each[0]: str(each[1]) for each in read.description}
        large = dict(zip(types, read.fetchall()[-1], strict=True))
    assert list(types) == HEADER
    assert types["class_sizes"] == "BIGINT[]"
    assert (types["measured_at"], types["dataset_version"]) == ("TIMESTAMP", "BIGINT")
    assert int(large["sum_of_squares"]) == 4 * 10**24
    assert large["k"] == 10**12


def test_an_export_by_attribute_has_every_level_and_loses_no_observation(table_c: Observations) -> None:
    rows = list(csv.DictReader(table_c.csv("members", by_attribute=True).splitlines()))
    assert list(rows[0]) == [
        *HEADER[:5],
        "column_name",
        "level",
        "level_name",
        "level_hash",
        "rows",
        "divisions",
        "k",
    ]
    assert [(each["observation"], each["column_name"], each["level"], each["level_hash"]) for each in rows[:4]] == [
        ("1", "age", "1", "hash of age 1"),
        ("1", "sex", "0", "hash of sex 0"),
        ("2", "age", "2", "hash of age 2"),
        ("3", "", "", ""),
    ]
    assert {each["observation"] for each in rows} == {"1", "2", "3", "4", "5"}


@pytest.mark.parametrize("name", ["measured", "measured.xlsx", "measured.csv.gz", ".csv"])
def test_an_export_of_another_kind_is_refused(table_c: Observations, tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"\.csv or \.parquet"):
        table_c.export(tmp_path / name)
    assert [each.name for each in tmp_path.iterdir()] == ["state.sqlite"]


def test_an_export_replaces_nothing_and_leaves_nothing_half_written(
    shop: Shop, table_c: Observations, tmp_path: Path
) -> None:
    there = tmp_path / "there.csv"
    there.write_bytes(b"precious")
    (tmp_path / "link.csv").symlink_to(tmp_path / "nowhere.csv")
    for path in (there, tmp_path / "link.csv"):
        with pytest.raises(InputError, match="never replaces"):
            table_c.export(path)
    assert there.read_bytes() == b"precious"
    with pytest.raises(InputError, match="no such folder"):
        table_c.export(tmp_path / "missing" / "x.csv")
    with pytest.raises(InputError, match="no such folder"):
        table_c.export(there / "x.csv")
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError, match="never replaces"):
        table_c.export(tmp_path / "folder.csv")
    with pytest.raises(StateFault, match="backslash"):
        table_c.export(tmp_path / "a\\b.csv")
    with pytest.raises(StateMissing):
        Observations(StateFile(tmp_path / "none.sqlite", SHELL)).export(tmp_path / "x.csv")
    assert sorted(each.name for each in tmp_path.iterdir()) == ["folder.csv", "link.csv", "state.sqlite", "there.csv"]


@pytest.mark.slow
def test_a_dataset_is_pruned_under_every_filter(shop: Shop, table_c: Observations) -> None:
    assert table_c.prune(dataset="members", dry_run=True) == Pruned(5, 3, 3)
    assert sum(shop.numbers().values()) == 8
    assert table_c.prune(dataset="members") == Pruned(5, 3, 3)
    assert shop.numbers() == {shop.of_visits: 2, shop.inline: 1}
    assert table_c.prune(dataset="members") == Pruned(0, 0, 3)
    assert verify(shop.path, SHELL) == ()


def test_earlier_versions_are_those_not_seen_last(shop: Shop, table_c: Observations) -> None:
    assert table_c.prune(dataset="visits", earlier_versions=True) == Pruned(0, 0, 8)
    assert table_c.prune(earlier_versions=True) == Pruned(3, 1, 5)
    assert shop.old not in shop.numbers()
    shop.seen("d", shop.members, None, 10, AGE)
    assert table_c.prune(earlier_versions=True) == Pruned(1, 1, 5)
    assert shop.numbers()[shop.old] == 1


@pytest.mark.slow
def test_what_was_measured_before_a_date_is_pruned(shop: Shop, table_c: Observations) -> None:
    with by_hand(shop.path) as connection:
        connection.execute("UPDATE observations SET measured_at = '2025-01-31 11:59:59.500000' WHERE id <= 2")
        connection.execute("UPDATE observations SET measured_at = '2025-01-31 12:00:00.000000' WHERE id = 3")
    noon = datetime(2025, 1, 31, 12, tzinfo=UTC)
    assert table_c.prune(before=noon - timedelta(seconds=1)) == Pruned(0, 0, 8)
    assert table_c.prune(before=noon, dataset="visits") == Pruned(0, 0, 8)
    assert table_c.prune(before=noon) == Pruned(2, 1, 6)
    assert table_c.prune(before=noon.astimezone().replace(tzinfo=None) + timedelta(seconds=1)) == Pruned(1, 1, 5)
    assert table_c.prune(before=datetime(9000, 1, 1), earlier_versions=True) == Pruned(0, 0, 5)
    assert table_c.prune(before=datetime(9000, 1, 1)) == Pruned(5, 4, 0)


@pytest.mark.slow
def test_everything_is_pruned_only_if_that_is_said(shop: Shop, table_c: Observations) -> None:
    with pytest.raises(InputError, match="nothing is given to prune"):
        table_c.prune()
    with pytest.raises(InputError, match="only some of it"):
        table_c.prune(everything=True, dataset="members")
    assert table_c.prune(everything=True, dry_run=True) == Pruned(8, 5, 0)
    assert table_c.prune(everything=True) == Pruned(8, 5, 0)
    assert shop.numbers() == {}
    shop.seen("d", shop.members, None, 11, AGE_AND_SEX, AGE)
    assert len(table_c.list()) == 2
    assert verify(shop.path, SHELL) == ()


@pytest.mark.parametrize(
    "moment",
    [
        datetime.min.replace(tzinfo=timezone(timedelta(hours=1))),
        datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))),
    ],
)
def test_a_time_out_of_range_is_refused(shop: Shop, table_c: Observations, moment: datetime) -> None:
    with pytest.raises(InputError, match="out of range"):
        table_c.prune(before=moment)
    assert sum(shop.numbers().values()) == 8


def test_pruning_is_audited_and_a_dry_run_is_not(shop: Shop, table_c: Observations) -> None:
    table_c.prune(dataset="visits", dry_run=True)
    table_c.prune(dataset="visits", before=datetime(2000, 1, 1, tzinfo=UTC))
    table_c.prune(dataset="visits")
    table_c.prune(everything=True)
    with shop.state.reading() as connection:
        noted = audit.audit_entries(connection)
    assert [(each.action, each.subject, each.detail) for each in noted] == [
        ("observations prune", "all datasets", "6 observations of 4 dataset versions"),
        ("observations prune", "visits", "2 observations of 1 dataset versions"),
    ]


def test_what_is_left_is_known_as_before(shop: Shop, table_c: Observations) -> None:
    with shop.state.reading() as connection:
        before = observations.known(connection, shop.new)
    table_c.prune(earlier_versions=True)
    with shop.state.reading() as connection:
        assert observations.known(connection, shop.new) == before
        assert observations.known(connection, shop.old) == {}


@pytest.mark.slow
def test_verify_tells_of_a_node_that_lost_a_level(tmp_path: Path) -> None:
    shop = Shop(tmp_path / "state.sqlite")
    assert verify(shop.path, SHELL) == ()
    with by_hand(shop.path) as connection:
        connection.execute("DELETE FROM measured_levels WHERE column_name = 'sex'")
    found = [finding.where for finding in verify(shop.path, SHELL)]
    assert "observations.node_hash" in found
    assert [each for each in found if each.startswith("measured_levels ")]
