"""Adult and the census in SQLite: every search finds what it finds in DuckDB, by as many questions."""

from __future__ import annotations

import contextlib
import csv
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.methods.generalization.result import GeneralizationResult
from tests.made import new_engine, write_hierarchy
from tests.papers.test_census_engine import AGES

pytestmark = pytest.mark.slow

ADULT = ("sex", "age", "race", "marital-status", "education", "native-country", "workclass", "occupation")


def thorough(value: Any) -> Any:
    """A case like another that is always run."""
    return pytest.param(value, marks=pytest.mark.thorough)


def put(engine: Engine, folder: Path, name: str, query: str, parameters: list[str]) -> None:
    """The answer of a query as a table of a DuckDB file and of a SQLite file, both of them registered."""
    with duckdb.connect(str(folder / f"{name}.duckdb")) as connection:
        connection.execute(f"CREATE TABLE persons AS {query}", parameters)
        columns = [row[0] for row in connection.execute("DESCRIBE persons").fetchall()]
        kinds = [row[1] for row in connection.execute("DESCRIBE persons").fetchall()]
        rows = connection.execute("SELECT * FROM persons").fetchall()
    with contextlib.closing(sqlite3.connect(folder / f"{name}.sqlite")) as made, made:
        declared = ", ".join(f'"{column}" {kind}' for column, kind in zip(columns, kinds, strict=True))
        made.execute(f"CREATE TABLE persons ({declared})")
        made.executemany(f"INSERT INTO persons VALUES ({', '.join('?' * len(columns))})", rows)
    for kind in ("duckdb", "sqlite"):
        engine.sources.add(f"{name}-{kind}", str(folder / f"{name}.{kind}"))
        engine.datasets.add(f"{name}-{kind}", f"{name}-{kind}", table="persons", least_k=2)


def queries(shared_data: Path) -> dict[str, tuple[str, list[str]]]:
    """The queries that give Adult and a thousandth of the census, and what is bound in them."""
    adult, census = shared_data / "arx" / "adult", shared_data / "census"
    return {
        "adult": ("SELECT * FROM read_csv(?)", [str(adult / "adult.csv")]),
        "census": (
            """
            SELECT sex, age_class AS age, prefecture, UNNEST(RANGE(persons)) AS number
            FROM (SELECT *, CAST(ROUND(population / 1000) AS BIGINT) AS persons FROM read_csv(?))
            """,
            [str(census / "japan_census2010_pref_sex_age10.csv")],
        ),
    }


def add_hierarchies(engine: Engine, shared_data: Path, folder: Path) -> None:
    """Registers the hierarchies of Adult and of the census."""
    adult, census = shared_data / "arx" / "adult", shared_data / "census"
    for column in ADULT:
        engine.hierarchies.add(f"adult-{column}", adult / f"adult_hierarchy_{column}.csv")
    with (census / "prefecture_regions.csv").open(encoding="utf-8") as lines:
        regions = [(line["prefecture"], line["region9"], line["region2"]) for line in csv.DictReader(lines)]
    for name, header, paths in (
        ("sex", ["sex"], [("male",), ("female",)]),
        ("age", ["age", "age2", "age1"], [(age, *levels) for age, levels in AGES.items()]),
        ("prefecture", ["prefecture", "region9", "region2"], regions),
    ):
        engine.hierarchies.add(f"census-{name}", write_hierarchy(folder / f"{name}.csv", header, paths), "header")


@pytest.fixture(scope="module")
def engine(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    folder = tmp_path_factory.mktemp("sqlite")
    made = new_engine(folder, use_cache=False)
    for name, (query, parameters) in queries(shared_data).items():
        put(made, folder, name, query, parameters)
    add_hierarchies(made, shared_data, folder)
    return made


def asked(
    engine: Engine, data: str, kind: str, k: int, columns: tuple[str, ...], folder: Path, **more: Any
) -> GeneralizationResult:
    result = engine.run(
        {
            "dataset": f"{data}-{kind}",
            "k": k,
            "quasi_identifiers": {column: {"hierarchy": f"{data}-{column}"} for column in columns},
            "release": {"replace": True, "to": str(folder / f"{kind}.csv")},
            **more,
        }
    )
    assert isinstance(result, GeneralizationResult)
    return result


def require_alike(engine: Engine, data: str, k: int, columns: tuple[str, ...], folder: Path, **more: Any) -> None:
    one, other = (asked(engine, data, kind, k, columns, folder, **more) for kind in ("duckdb", "sqlite"))
    assert replace(other.search, seconds=0.0) == replace(one.search, seconds=0.0)
    for figure in ("status", "levels", "k", "divisions", "rows", "loss"):
        assert getattr(other, figure) == getattr(one, figure), figure
    if one.status == "released":
        assert (folder / "sqlite.csv").read_bytes() == (folder / "duckdb.csv").read_bytes()


@pytest.mark.thorough
@pytest.mark.parametrize("algorithm", ["guided", "ola", "incognito"])
@pytest.mark.parametrize("k", [2, *(pytest.param(k, marks=pytest.mark.whole) for k in (10, 100))])
def test_every_search_of_adult(engine: Engine, algorithm: str, k: int, tmp_path: Path) -> None:
    require_alike(engine, "adult", k, ADULT, tmp_path, search={"algorithm": algorithm})


def test_the_whole_lattice_of_four_columns_of_adult(engine: Engine, tmp_path: Path) -> None:
    require_alike(engine, "adult", 10, ADULT[:4], tmp_path, search={"algorithm": "exhaustive"})


@pytest.mark.parametrize("algorithm", ["paper-pak", *map(thorough, ("paper-ola", "paper-incognito"))])
def test_the_searches_of_the_paper_on_four_columns_of_adult(engine: Engine, algorithm: str, tmp_path: Path) -> None:
    search = {"algorithm": algorithm, "objective": "classes"}
    require_alike(engine, "adult", 10, ADULT[:4], tmp_path, search=search)


@pytest.mark.parametrize("algorithm", ["guided", "incognito", "exhaustive", "paper-pak"])
@pytest.mark.parametrize("k", [50, *map(thorough, (2, 500))])
def test_every_search_of_the_census(engine: Engine, algorithm: str, k: int, tmp_path: Path) -> None:
    columns = ("sex", "age", "prefecture")
    require_alike(engine, "census", k, columns, tmp_path, search={"algorithm": algorithm, "objective": "classes"})
