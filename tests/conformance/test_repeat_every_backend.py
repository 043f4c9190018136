"""A repeat made anew asks a source for its version and its release alone, and what was kept changes no figure."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.catalogue.sources import opened as opened_source
from ordermade.counting.coverage import ground_all
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, as_counted, encode_column
from ordermade.errors import HierarchyError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.methods.generalization.result import GeneralizationResult
from ordermade.sources.backend import row_count
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.state.cache import Cache
from tests.conformance.backends import Made, Table, dataset, opened, the_table
from tests.conformance.persons import PERSONS, RULES, hierarchies, write_rules
from tests.made import new_engine

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]
COUNTED = len(RULES)


@pytest.fixture
def told() -> list[str]:
    return []


LIMITS = Limits("256MB", 1)


@pytest.fixture(scope="module")
def registered(make_once: Make, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a state with the persons of this kind of source as dataset `d`, and a hierarchy of each kind."""
    folder = tmp_path_factory.mktemp("registered")
    made = new_engine(folder, limits=LIMITS, use_cache=False)
    made.sources.add("s", make_once(PERSONS).location)
    with opened_source(made.sources.get("s"), made.limits) as backend:
        table = the_table(backend).name
    made.datasets.add("d", "s", table=table, least_k=2)
    for column, file in write_rules(folder).items():
        made.hierarchies.add(column, file)
    return made.state_file.path.parent


@pytest.fixture
def engine(registered: Path, tmp_path: Path, told: list[str]) -> Engine:
    """An engine on a copy of that state, with a cache of its own."""
    shutil.copytree(registered, tmp_path / "state")
    return Engine(tmp_path / "state" / "state.sqlite", limits=LIMITS, notice=told.append)


def requested(folder: Path, **more: Any) -> dict[str, Any]:
    return {
        "dataset": "d",
        "k": 4,
        "suppression_limit": 0.2,
        "quasi_identifiers": {column: {"hierarchy": column} for column in RULES},
        "release": {"to": str(folder / "release.csv"), "replace": True},
        **more,
    }


def run(engine: Engine, request: dict[str, Any], **options: Any) -> GeneralizationResult:
    result = engine.run(request, again=True, **options)
    assert isinstance(result, GeneralizationResult)
    return result


def figures(result: GeneralizationResult) -> dict[str, Any]:
    """All that a result says of the data and the release, but for the cost and the number of the request."""
    found = result.as_dict()
    del found["request"], found["search"], found["next"]
    if found["release"] is not None:
        del found["release"]["number"]
    return found


def asked(result: GeneralizationResult) -> tuple[int, int]:
    """The statements of a result to the source for coverage and counts; none is sent twice for the version."""
    assert result.search.version_queries <= 1  # none where a snapshot proves that nothing changed
    return result.search.coverage_queries, result.search.source_queries


def test_a_repeat_sends_at_most_the_version_and_the_release(engine: Engine, tmp_path: Path, told: list[str]) -> None:
    request = requested(tmp_path)
    first = run(engine, request)
    again = run(engine, request)
    without = run(Engine(engine.state, limits=engine.limits, use_cache=False), request)
    assert first.released
    assert asked(first) == (COUNTED, 1)
    assert asked(again) == (0, 0)
    assert again.search.release_queries == first.search.release_queries
    assert asked(without)[0] == COUNTED
    assert figures(first) == figures(again) == figures(without)
    assert told == []


def test_another_request_on_the_same_rows_counts_only_what_is_new(engine: Engine, tmp_path: Path) -> None:
    first = run(engine, requested(tmp_path, quasi_identifiers={each: {"hierarchy": each} for each in ("sex", "age")}))
    assert first.search.coverage_queries == 2
    other = run(engine, requested(tmp_path, k=6))
    assert other.search.coverage_queries == COUNTED - 2
    assert engine.cache.purge().counts == COUNTED
    assert run(engine, requested(tmp_path)).search.coverage_queries == COUNTED


def test_other_rows_filters_rules_and_bases_are_counted(engine: Engine, tmp_path: Path) -> None:
    request = requested(tmp_path)
    run(engine, request)
    assert run(engine, requested(tmp_path, where="height > 1 OR height IS NULL")).search.coverage_queries == COUNTED
    from_one = {**request["quasi_identifiers"], "age": {"hierarchy": "age", "from": 1}}
    assert run(engine, requested(tmp_path, quasi_identifiers=from_one)).search.coverage_queries == 1
    (tmp_path / "wider.yaml").write_text("intervals:\n  levels: [{width: 7}]\n", encoding="utf-8")
    engine.hierarchies.add("wider", tmp_path / "wider.yaml")
    wider = {**request["quasi_identifiers"], "age": {"hierarchy": "wider"}}
    assert run(engine, requested(tmp_path, quasi_identifiers=wider)).search.coverage_queries == 1
    assert asked(run(engine, request)) == (0, 0)


def test_a_list_that_lacks_a_value_is_refused_by_what_was_kept(engine: Engine, tmp_path: Path) -> None:
    run(engine, requested(tmp_path))
    (tmp_path / "short.yaml").write_text("mapping:\n  female: ['*']\n", encoding="utf-8")
    engine.hierarchies.add("short", tmp_path / "short.yaml")
    with pytest.raises(HierarchyError, match="not in the hierarchy"):
        run(engine, requested(tmp_path, quasi_identifiers={"sex": {"hierarchy": "short"}}))


def test_counts_that_are_not_what_was_stored_are_made_anew(engine: Engine, tmp_path: Path, told: list[str]) -> None:
    request = requested(tmp_path)
    first = run(engine, request)
    with duckdb.connect(str(engine.cache.path)) as connection:
        stored = connection.execute("SELECT id FROM value_counts WHERE column_name = 'sex'").fetchall()
        # The same length and the same sum: only their content shows it.
        connection.execute(
            f"UPDATE vc_{stored[0][0]} SET n = n + CASE key WHEN 'male' THEN 1 ELSE -1 END WHERE key <> ''"
        )
    again = run(engine, request)
    assert asked(again) == (1, 0)
    assert figures(again) == figures(first)
    assert ["were not used" in each for each in told] == [True]
    assert asked(run(engine, request)) == (0, 0)


def test_rows_that_changed_are_counted(make: Make, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "cache.duckdb")
    with opened(make(PERSONS)) as backend:
        attributes = outlined(dataset(backend), 0)
        ground_all(dataset(backend), attributes)
        wanted = {each.counted_values: as_counted(each) for each in attributes}
        assert cache.store_values(backend.connection, 1, wanted)
    with opened(make(PERSONS.changed(rows=PERSONS.rows[1:]))) as backend:
        rows = len(PERSONS.rows)
        assert cache.load_values(backend.connection, 2, wanted, rows) == frozenset()
        assert cache.load_values(backend.connection, 1, wanted, rows - 1) == frozenset()
        assert cache.load_values(backend.connection, 1, wanted, rows) == frozenset(wanted)


@pytest.mark.parametrize("base", [0, 1])
def test_attributes_are_the_same_of_counts_that_were_kept(make: Make, tmp_path: Path, base: int) -> None:
    cache = Cache(tmp_path / "cache.duckdb")
    made = make(PERSONS)
    with opened(made) as backend:
        persons = dataset(backend)
        attributes = outlined(persons, base)
        counted, keys = ground_all(persons, attributes), keys_of(persons, attributes)
        wanted = {each.counted_values: as_counted(each) for each in attributes}
        assert cache.store_values(backend.connection, 1, wanted)
    with opened(made) as backend:
        persons = dataset(backend)
        attributes = outlined(persons, base)
        loaded = cache.load_values(backend.connection, 1, wanted, row_count(backend, persons.relation))
        assert loaded == frozenset(wanted)
        kept = ground_all(persons, attributes, loaded)
        assert persons.backend.executor.count([Purpose.COVERAGE]) == 0
        assert kept == counted
        assert keys_of(persons, attributes) == keys


def outlined(asked: Dataset, base: int) -> list[EncodedColumn]:
    named: dict[str, Hierarchy] = {**hierarchies(), "height": parse_yaml(HEIGHTS, "height", where="height")[0]}
    return [encode_column(asked, place, column, each, base) for place, (column, each) in enumerate(named.items(), 1)]


HEIGHTS = "mapping:\n" + "".join(f"  '{i}.5': ['{'low' if i < 3 else 'high'}', '*']\n" for i in range(6))
"""Listed numbers, which are compared as the column's type."""


def keys_of(asked: Dataset, attributes: list[EncodedColumn]) -> list[list[Any]]:
    connection = asked.backend.connection
    return [connection.execute(f'SELECT * FROM "{each.keys}" ORDER BY ALL').fetchall() for each in attributes]
