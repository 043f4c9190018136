"""Texts of a collation that calls several of them equal are compared by their bytes, in every statement of a request.

The same rows in DuckDB, whose texts have no collation, are the answer that is right.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.errors import OrdermadeError
from tests.conformance.backends import BACKENDS, Made, Table, in_mariadb, in_postgresql
from tests.made import new_engine, write_hierarchy
from tests.services.servers import Schema

NAMES = ("Ann", "ann", "ANN", "Bob", "bob")
ROWS = [(f"{'uU'[i % 2]}{i // 4}", NAMES[i % 3 if i < 60 else 3 + (i > 76)], i % 5) for i in range(78)]
"""Persons u1 and U1, classes of 20 that differ by case alone, and one person called bob."""
PERSONS = Table("persons", {"who": "VARCHAR", "name": "VARCHAR", "age": "BIGINT"}, ROWS)
FILTERS = (
    None,
    "name = 'ann'",
    "name <> 'ANN'",
    "name IN ('ANN', 'bob')",
    "name LIKE 'a%'",
    "name BETWEEN 'A' AND 'a'",
    "NOT name < 'a'",
    "who = 'u1'",
)
CI = "CREATE COLLATION {0}.ci (provider = icu, locale = 'und-u-ks-level1', deterministic = false)"


@pytest.fixture(params=["postgresql", "mariadb"])
def there(request: pytest.FixtureRequest) -> Made:
    """The persons under a collation by which Ann, ann and ANN are one name, and u1 and U1 one person."""
    if request.param == "mariadb":
        types = {"VARCHAR": "VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci"}
        schema: Schema = request.getfixturevalue("mariadb_schema")
        made = in_mariadb(schema, PERSONS, types)
    else:
        schema = request.getfixturevalue("postgres_schema")
        schema.run(CI.format(f'"{schema.name}"'))
        made = in_postgresql(schema, PERSONS, {"VARCHAR": f'TEXT COLLATE "{schema.name}".ci'})
    assert schema.run("SELECT COUNT(DISTINCT name), COUNT(DISTINCT who) FROM persons") == [(2, 20)]
    return made


def engine_of(folder: Path, made: Made) -> Engine:
    """An engine that knows the rows as `rows`, and as `persons`; no filter of theirs names what fewer than 5 have."""
    folder.mkdir()
    engine = new_engine(folder, use_cache=False)
    engine.sources.add("s", made.location)
    paths = [(each, "short" if each in ("Ann", "bob") else "long", "*") for each in NAMES]
    engine.hierarchies.add("name", write_hierarchy(folder / "name.csv", ("value", "half", "top"), paths))
    for dataset, entity in (("rows", None), ("persons", "who")):
        engine.datasets.add(dataset, "s", table="persons", entity=entity, least_k=2)
        engine.policies.set({"dataset": dataset, "filters": {"values": 5}})
    return engine


def outcome(engine: Engine, folder: Path, dataset: str, where: str | None) -> Any:
    """All that a request says of the rows that pass a filter."""
    out = folder / "out.csv"
    request: dict[str, Any] = {
        "dataset": dataset,
        "k": 2,
        "suppression_limit": 0.05,
        "quasi_identifiers": {"name": {"hierarchy": "name"}},
        "release": {"replace": True, "to": str(out)},
    }
    try:
        result = engine.run(request if where is None else {**request, "where": where})
    except OrdermadeError as error:
        return type(error), error.what
    return result.status, dict(result.levels), result.k, result.divisions, sorted(out.read_bytes().splitlines())


@pytest.mark.services
@pytest.mark.parametrize("dataset", ["rows", "persons"])
def test_texts_that_a_collation_calls_equal_stay_apart_in_every_statement(
    there: Made, tmp_path: Path, dataset: str
) -> None:
    (tmp_path / "data").mkdir()
    here = engine_of(tmp_path / "here", BACKENDS["duckdb"](tmp_path / "data", PERSONS))
    beyond = engine_of(tmp_path / "there", there)
    refused = 0
    for where in FILTERS:
        expected = outcome(here, tmp_path / "here", dataset, where)
        assert outcome(beyond, tmp_path / "there", dataset, where) == expected, where
        refused += len(expected) == len(("error", "what"))
    assert 0 < refused < len(FILTERS)  # bob is one person, and by the collation many
