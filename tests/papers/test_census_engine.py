"""The lattice of the PAK paper on the census of 2010, through the whole engine: its levels of age do not nest."""

from __future__ import annotations

import csv
import shutil
from pathlib import Path

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import RequestError
from ordermade.methods.generalization.result import GeneralizationResult
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

TOTAL_WORK = 3185
"""The paper's total work: the divisions of every node but the root, summed."""

AGES = {
    "0s": ("-20s", "minor"), "10s": ("-20s", "minor"), "20s": ("-20s", "adult"), "30s": ("30s", "adult"),
    "40s": ("40s", "adult"), "50s": ("50s", "adult"),
    "60s": ("60+", "60+"), "70s": ("60+", "60+"), "80+": ("60+", "60+"),
}  # fmt: skip


@pytest.fixture(scope="module")
def registered(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state with one row for every thousand persons of the census, in a DuckDB file."""
    folder, data = tmp_path_factory.mktemp("census"), shared_data / "census"
    with duckdb.connect(str(folder / "census.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE persons AS SELECT sex, age_class AS age, prefecture, UNNEST(RANGE(persons)) AS number FROM "
            "(SELECT *, CAST(ROUND(population / 1000) AS BIGINT) AS persons FROM read_csv(?))",
            [str(data / "japan_census2010_pref_sex_age10.csv")],
        )
    engine = new_engine(folder)
    engine.sources.add("census", str(folder / "census.duckdb"))
    engine.datasets.add("census", "census", table="persons", least_k=2)
    with (data / "prefecture_regions.csv").open(encoding="utf-8") as lines:
        regions = [(line["prefecture"], line["region9"], line["region2"]) for line in csv.DictReader(lines)]
    ages = [(age, *levels) for age, levels in AGES.items()]
    for name, header, paths in (
        ("sex", ["sex"], [("male",), ("female",)]),
        ("age", ["age", "age2", "age1"], ages),
        ("prefecture", ["prefecture", "region9", "region2"], regions),
    ):
        engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", header, paths), "header")
    return engine.state_file.path


@pytest.fixture
def census(registered: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """An engine with a state of its own: nothing is known from the other tests."""
    return Engine(shutil.copy(registered, tmp_path_factory.mktemp("state") / "state.sqlite"))


def ask(engine: Engine, k: int, algorithm: str | None, folder: Path) -> GeneralizationResult:
    search = {"objective": "classes"} | ({} if algorithm is None else {"algorithm": algorithm})
    return engine.run(
        {
            "dataset": "census",
            "k": k,
            "quasi_identifiers": {name: {"hierarchy": name} for name in ("sex", "age", "prefecture")},
            "search": search,
            "release": {"replace": True, "to": str(folder / "census.csv")},
        }
    )


def test_the_levels_of_age_are_a_partial_order(census: Engine) -> None:
    hierarchy = census.hierarchies.get("age")
    assert [level.name for level in hierarchy.levels] == ["age", "age2", "age1", "*"]
    assert not hierarchy.order.refines(1, 2)


def test_the_divisions_of_all_nodes_are_the_papers_total_work(census: Engine, tmp_path: Path) -> None:
    fresh = Engine(census.state, use_cache=False)
    result = ask(fresh, 2, "exhaustive", tmp_path)
    assert result.search.nodes_in_lattice == 2 * 4 * 4
    # The root is free: its one class is the row count, which the dataset version tells.
    assert result.search.nodes_measured == 2 * 4 * 4 - 1
    assert result.search.divisions_measured == TOTAL_WORK


@pytest.mark.parametrize(
    "k", [50, 2, 60_000, *(pytest.param(k, marks=pytest.mark.thorough) for k in (10, 100, 200, 500))]
)
def test_every_search_finds_the_exhaustive_optimum_or_refuses_with_the_reason(
    census: Engine, k: int, tmp_path: Path
) -> None:
    expected = ask(census, k, "exhaustive", tmp_path)
    for algorithm in ("incognito", None):
        found = ask(census, k, algorithm, tmp_path)
        assert (found.status, found.levels, found.k) == (expected.status, expected.levels, expected.k)
        assert found.search.algorithm == (algorithm or "guided")
    with pytest.raises(RequestError, match=r"ola needs levels that nest.*'age'.*algorithm: incognito"):
        ask(census, k, "ola", tmp_path)
