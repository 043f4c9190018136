"""A request is predicted from the state alone, and what is told of it holds when it is run."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from ordermade import Engine
from ordermade.catalogue.learning import Learning
from ordermade.errors import HierarchyError, RequestError, UnknownName
from ordermade.methods.generalization import local_rounds
from ordermade.methods.generalization import node_forecast as node_forecast
from ordermade.methods.generalization.predicted import Predicted, interval_of
from ordermade.prediction import independence
from ordermade.records.printed import json_of
from ordermade.state.connection import StateConnection
from ordermade.state.observations import OBSERVATIONS
from ordermade.state.table import Table
from tests.conformance.prepared import copied, prepare
from tests.made import Row, write_hierarchy, write_table

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "city": "VARCHAR", "plan": "VARCHAR"}
CITIES = ("Oslo", "Bergen", "Kyoto", "Osaka")
HIERARCHIES = {
    "sex": (("value", "top"), [("f", "*"), ("m", "*")]),
    "age": (("value", "pair", "half"), [(str(age), f"p{age // 2}", f"h{age // 4}") for age in range(8)]),
    "city": (("value", "land"), [(city, "Norway" if place < 2 else "Japan") for place, city in enumerate(CITIES)]),
}
ROWS: list[Row] = [("fm"[i % 3 // 2], i * i % 8, CITIES[i * i * i % 7 % 4], f"plan {i % 2}") for i in range(600)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, HIERARCHIES, writable=False)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


@pytest.fixture(scope="module")
def asked_before(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder after two requests: sex by age, and age by city."""
    folder = tmp_path_factory.mktemp("asked")
    with pytest.MonkeyPatch.context() as patch:
        engine = copied(prepared, folder, patch)
        engine.run(asked(folder, "sex", "age", k=10))
        engine.run(asked(folder, "age", "city", k=10))
    return folder


@pytest.fixture
def experienced(asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    """An engine that answered them, whose source is not there."""
    engine = copied(asked_before, tmp_path, monkeypatch)
    (tmp_path / "s.duckdb").unlink()
    return engine


def asked(folder: Path, *columns: str, k: int, **more: Any) -> dict[str, Any]:
    ranges = more.pop("ranges", {})
    qis = {column: {"hierarchy": column, **ranges.get(column, {})} for column in columns}
    return {
        "dataset": "d",
        "k": k,
        "quasi_identifiers": qis,
        "release": {"to": str(folder / "out.csv"), "replace": True},
        **more,
    }


def levels_and_k(predicted: Predicted) -> dict[tuple[int, ...], tuple[float, float]]:
    return {tuple(node.levels.values()): (node.low, node.high) for node in predicted.nodes}


@pytest.mark.slow
def test_a_hierarchy_that_no_request_held_against_its_column_proves_no_answer(engine: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path, "sex", "city", k=10)
    engine.run(request)
    assert (engine.predict(request).verdict, engine.predict(request).unchecked) == ("passes", ())
    fewer = write_hierarchy(tmp_path / "fewer.csv", ("value", "land"), [("Oslo", "Norway"), ("Kyoto", "Japan")])
    engine.hierarchies.add("city", fewer, "header")

    predicted = engine.predict(request)

    assert (predicted.verdict, predicted.unchecked) == ("likely", ("whether 'city' covers 'city'",))
    assert not predicted.covered
    assert json.loads(json.dumps(predicted.as_dict()))["covered"] is False
    assert predicted.chance is not None
    assert predicted.chance < 1
    with pytest.raises(HierarchyError, match="not in the hierarchy"):
        engine.run(request)
    too_few = asked(tmp_path, "sex", "city", k=601)
    assert engine.predict(too_few).verdict == "fails"  # that is told before any hierarchy is looked at
    assert not engine.run(too_few).released


@pytest.mark.slow
def test_a_dataset_that_was_never_counted_is_open_and_its_price_is_told(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "s.duckdb").unlink()

    predicted = engine.predict(asked(tmp_path, "sex", "age", "city", k=10))

    assert (predicted.verdict, predicted.chance, predicted.nodes, predicted.basis) == ("open", None, (), None)
    cost = predicted.cost
    assert (cost.version_queries, cost.coverage_queries, cost.source_queries, cost.nodes_open) == (1, 3, 1, 24)
    assert predicted.too_little == "the dataset 'd' was never counted"
    assert predicted.unchecked == (
        "names and types of the columns: this dataset was never counted",
        "whether table and columns are still there: the source could not be opened (there is no such file)",
    )
    for unopened in (engine, Engine(engine.state, limits=replace(engine.limits, for_user=True))):
        found = unopened.predict(asked(tmp_path, "sex", "age", "city", k=10), look=unopened is not engine)
        assert found.unchecked == predicted.unchecked[:1]  # nothing of the source
    assert not engine.cache.path.exists()


@pytest.mark.slow
@pytest.mark.parametrize("of", ["forecast", "search", "track record"])
def test_small_matrices_are_decomposed_in_one_thread(
    asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of: str
) -> None:
    engine = copied(asked_before, tmp_path, monkeypatch)
    threads: list[int] = []
    for name in ("eigh", "cholesky"):
        monkeypatch.setattr(np.linalg, name, _noting_threads(getattr(np.linalg, name), threads))
    with threadpool_limits(2, user_api="blas"):
        if of == "forecast":
            engine.predict(asked(tmp_path, "sex", "age", "city", k=10))
        elif of == "search":
            engine.run(asked(tmp_path, "sex", "age", "city", k=10))
        else:
            learnt = Learning(engine.state_file, engine.cache).of("d", None)
            assert learnt is not None
            learnt.track_record()
    assert set(threads) == {1}


def _noting_threads(decomposed: Callable[..., Any], threads: list[int]) -> Callable[..., Any]:
    def noted(matrix: Any) -> Any:
        # Other tests may have loaded the BLAS of another library, which decomposes nothing here.
        loaded = [each for each in threadpool_info() if each["user_api"] == "blas"]
        of_numpy = [each for each in loaded if "numpy" in each["filepath"]] or loaded
        threads.extend(each["num_threads"] for each in of_numpy)
        return decomposed(matrix)

    return noted


def test_what_was_measured_is_told_exactly_without_the_source(experienced: Engine, tmp_path: Path) -> None:
    predicted = experienced.predict(asked(tmp_path, "sex", "age", k=10))

    assert (predicted.verdict, predicted.chance) == ("passes", 1.0)
    assert predicted.nodes_proved_to_pass + predicted.nodes_proved_to_fail == predicted.nodes_in_lattice == 8
    assert predicted.certain == predicted.expected
    assert predicted.expected is not None
    assert predicted.expected.proved is True
    assert predicted.cost.source_queries == 0


@pytest.mark.slow
def test_what_is_predicted_is_what_a_run_then_finds(asked_before: Path, tmp_path: Path) -> None:
    with pytest.MonkeyPatch.context() as patch:
        engine = copied(asked_before, tmp_path, patch)
        request = asked(tmp_path, "sex", "age", "city", k=10)
        before = engine.predict(request)
        done = engine.run({**request, "search": {"algorithm": "exhaustive"}})
        after = engine.predict(request)

    assert before.predictor is not None
    assert before.predictor.name == "dependence"
    assert done.search.source_queries == before.cost.source_queries == 1
    assert done.search.coverage_queries == before.cost.coverage_queries == 0  # requests before counted them
    found = {levels: low for levels, (low, _) in levels_and_k(after).items()}
    assert all(low == high for low, high in levels_and_k(after).values())
    assert [node.proved for node in after.nodes] == [found[tuple(n.levels.values())] >= 10 for n in after.nodes]
    for node in before.nodes:
        levels = tuple(node.levels.values())
        assert node.low <= (node.k or 0) <= node.high
        if node.proved is not None:
            assert node.proved is (found[levels] >= 10)
            assert node.chance == float(node.proved)
        else:
            assert 0 < (node.chance or 0) < 1
    assert after.certain is not None
    assert dict(after.certain.levels) == dict(done.levels)
    assert after.certain.k == done.k


@pytest.mark.slow
def test_a_coarser_node_of_an_earlier_request_proves_that_finer_ones_fail(experienced: Engine, tmp_path: Path) -> None:
    ranges = {"age": {"to": 0}, "city": {"to": 0}}

    predicted = experienced.predict(asked(tmp_path, "sex", "age", "city", k=60, ranges=ranges))

    assert (predicted.verdict, predicted.chance, predicted.certain, predicted.expected) == ("fails", 0.0, None, None)
    assert predicted.nodes_proved_to_fail == predicted.nodes_in_lattice


@pytest.mark.slow
def test_chance_that_some_node_passes_is_that_of_the_coarsest(experienced: Engine, tmp_path: Path) -> None:
    ranges = {"sex": {"to": 0}, "age": {"to": "half"}, "city": {"to": "land"}}

    for k in (30, 45, 60, 90):
        predicted = experienced.predict(asked(tmp_path, "sex", "age", "city", k=k, ranges=ranges))
        coarsest = next(node for node in predicted.nodes if tuple(node.levels.values()) == (0, 2, 1))
        assert predicted.chance == coarsest.chance
        expected = {True: "passes", False: "fails", None: "likely" if (coarsest.chance or 0) >= 0.5 else "unlikely"}
        assert predicted.verdict == expected[coarsest.proved]


@pytest.mark.slow
def test_fewer_rows_than_k_are_proved_to_fail_at_the_price_of_the_version(experienced: Engine, tmp_path: Path) -> None:
    predicted = experienced.predict(asked(tmp_path, "sex", "age", k=601))

    assert (predicted.verdict, predicted.chance, predicted.basis) == ("fails", 0.0, None)
    assert predicted.too_little == "fewer than 601 rows remain, so nothing can be released"
    assert (predicted.cost.version_queries, predicted.cost.coverage_queries, predicted.cost.source_queries) == (1, 0, 0)


@pytest.mark.slow
def test_a_filter_is_a_dataset_of_its_own(asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = copied(asked_before, tmp_path, monkeypatch)
    request = asked(tmp_path, "sex", "age", k=10, where="AGE < 4")

    before = engine.predict(request)
    engine.run(request)
    after = engine.predict({**request, "where": "age<4"})

    assert (before.verdict, before.basis) == ("open", None)
    assert before.too_little == "the dataset 'd' was never counted with this filter"
    assert after.verdict == "passes"
    assert after.basis is not None
    assert after.basis.rows == sum(row[1] < 4 for row in ROWS)  # type: ignore[operator]


@pytest.mark.slow
def test_a_changed_dataset_is_told_by_the_version_seen_last_with_the_older_one_as_a_hint(
    asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = copied(asked_before, tmp_path, monkeypatch)
    rows = [*ROWS, *ROWS[:100]]
    write_table(tmp_path / "s.duckdb", COLUMNS, rows)

    unaware = engine.predict(asked(tmp_path, "age", "city", k=10))
    engine.run(asked(tmp_path, "age", k=10))
    aware = engine.predict(asked(tmp_path, "age", "city", k=10, ranges={"age": {"to": 2}, "city": {"to": 0}}))

    assert unaware.basis is not None
    assert aware.basis is not None
    assert (unaware.basis.rows, unaware.basis.earlier_nodes) == (600, 0)
    assert aware.basis.rows == 700
    assert aware.basis.earlier_nodes > 0
    assert {node.proved for node in unaware.nodes} == {True}
    assert {node.proved for node in aware.nodes} == {None}  # what the older version had is no proof


@pytest.mark.parametrize("name", ["dependence", "pairs", "independence", "power"])
def test_a_predictor_may_be_named(experienced: Engine, tmp_path: Path, name: str) -> None:
    predicted = experienced.predict(asked(tmp_path, "sex", "age", "city", k=10), predictor=name)

    assert predicted.predictor is not None
    assert predicted.predictor.name == name
    assert len(predicted.nodes) == 24


@pytest.mark.parametrize("name", ["dependence", "pairs", "independence", "power"])
def test_an_interval_cut_to_a_measured_node_says_so(experienced: Engine, tmp_path: Path, name: str) -> None:
    request = asked(tmp_path, "sex", "age", "city", k=10)
    predicted = experienced.predict(request, predictor=name)
    alone = Engine(experienced.state, use_cache=False).predict(request, predictor="independence")

    assert alone.predictor is None  # so that its intervals are what is proved
    by_nodes = levels_and_k(alone)
    cut = [each for each in predicted.nodes if each.bounded]
    assert cut
    for each in cut:
        low, high = by_nodes[tuple(each.levels.values())]  # the class sizes of single columns may prove more
        assert "low" not in each.bounded or each.low >= max(low, 5)  # the least k of the dataset
        assert "high" not in each.bounded or each.high <= high
        assert json_of(each)["bounded"] == list(each.bounded)
        assert ("≥" in interval_of(each), "≤" in interval_of(each)) == tuple(
            end in each.bounded for end in ("low", "high")
        )


def test_a_predictor_that_is_not_there_is_named_with_the_nearest(experienced: Engine, tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="Did you mean 'power'"):
        experienced.predict(asked(tmp_path, "sex", k=10), predictor="powers")


def test_too_little_for_a_predictor_is_no_error(experienced: Engine, tmp_path: Path) -> None:
    uncached = Engine(experienced.state, use_cache=False)

    predicted = uncached.predict(asked(tmp_path, "sex", "age", "city", k=10), predictor="independence")

    assert predicted.predictor is None
    assert predicted.too_little is not None
    assert predicted.too_little.startswith("independence: ")
    assert predicted.basis is not None
    assert predicted.basis.marginals == ()
    assert {node.k for node in predicted.nodes if node.low != node.high} <= {None}
    assert any(node.proved is not None for node in predicted.nodes)


def test_a_column_that_is_gone_is_told_as_last_seen(experienced: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path, "sex", k=10)
    request["keep"] = ["plans"]

    with pytest.raises(RequestError, match="there is no column 'plans'; did you mean 'plan'") as refused:
        experienced.predict(request)

    assert "when it was last counted" in refused.value.__notes__[0]


def test_a_dataset_described_inline_is_not_remembered(experienced: Engine, tmp_path: Path) -> None:
    request = {**asked(tmp_path, "sex", k=10), "dataset": {"source": "s", "table": "persons"}}

    predicted = experienced.predict(request)

    assert predicted.verdict == "open"
    assert "described inline" in predicted.unchecked[0]


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["prec", "height", "classes", "dm", "c_avg", "aecs", "entropy", "loss"])
def test_nodes_are_ranked_by_the_objective_or_what_stands_in_for_it(
    asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, objective: str
) -> None:
    engine = copied(asked_before, tmp_path, monkeypatch)
    request = asked(tmp_path, "age", "city", k=10, search={"objective": objective})

    predicted = engine.predict(request)
    done = engine.run(request)

    stands_in = {"dm": "classes", "c_avg": "classes", "aecs": "classes", "loss": "prec"}
    assert predicted.ranked_by == stands_in.get(objective, objective)
    if predicted.ranked_by == objective:
        assert predicted.certain is not None
        assert dict(predicted.certain.levels) == dict(done.levels)


@pytest.mark.slow
def test_a_lattice_too_large_to_predict_whole_is_searched_where_k_is_reached(
    experienced: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = asked(tmp_path, "sex", "age", "city", k=12)
    whole = experienced.predict(request)
    monkeypatch.setattr(node_forecast, "MAX_PREDICTED", 10)
    monkeypatch.setattr(node_forecast, "CHAINS", 2)

    part = experienced.predict(request)

    assert part.expected is not None
    assert whole.expected is not None
    assert part.expected.levels == whole.expected.levels
    assert part.expected.k == pytest.approx(whole.expected.k)
    assert 0 < part.nodes_left_out < whole.nodes_in_lattice
    assert part.nodes_left_out + len(part.nodes) == whole.nodes_in_lattice
    assert set(levels_and_k(part)) < set(levels_and_k(whole))


@pytest.mark.slow
def test_the_document_is_plain_json(experienced: Engine, tmp_path: Path) -> None:
    document = experienced.predict(asked(tmp_path, "sex", "age", "city", k=10)).as_dict()

    assert {each["proved"] for each in document["nodes"]} <= {"passes", "fails", None}
    assert all(math.isfinite(each["k"]) for each in document["nodes"])
    assert len(document["nodes"]) == document["nodes_in_lattice"]


@pytest.mark.slow
def test_a_version_of_other_columns_than_the_dataset_has_by_now_proves_nothing(engine: Engine, tmp_path: Path) -> None:
    filtered = asked(tmp_path, "sex", "age", k=10, where="plan = 'plan 1'")
    engine.run(filtered)
    assert engine.predict(filtered).verdict == "passes"
    write_table(tmp_path / "s.duckdb", COLUMNS | {"age": "BIGINT"}, ROWS)
    engine.run(asked(tmp_path, "sex", "age", k=10))
    assert engine.predict(filtered).verdict == "open"


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["prec", "entropy", "loss", "dm", "classes"])
def test_nothing_is_known_of_an_empty_dataset_whatever_the_objective(
    engine: Engine, tmp_path: Path, objective: str
) -> None:
    (tmp_path / "s.duckdb").unlink()
    write_table(tmp_path / "s.duckdb", COLUMNS, [])
    only_the_root = asked(tmp_path, "sex", k=2, ranges={"sex": {"from": 1}}, search={"objective": objective})
    engine.run(only_the_root)

    predicted = engine.predict(only_the_root)

    assert (predicted.verdict, [(node.low, node.high) for node in predicted.nodes]) == ("open", [])


LIMIT = {"suppression_limit": 0.2}
DISTINCT: dict[str, Any] = {"sensitive": {"plan": [{"model": "distinct_l", "l": 2}]}}
ENTROPY: dict[str, Any] = {"sensitive": {"plan": [{"model": "entropy_l", "l": 1.9}]}}


@pytest.mark.slow
def test_histograms_of_earlier_requests_prove_what_passes_under_a_limit(
    asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = copied(asked_before, tmp_path, monkeypatch)
    strict, lenient = (asked(tmp_path, "sex", "age", "city", k=40, **more) for more in ({}, LIMIT))

    before, without = engine.predict(lenient), engine.predict(strict)
    done = engine.run({**lenient, "search": {"algorithm": "exhaustive"}})
    after = engine.predict(lenient)

    assert before.unchecked == ()
    assert before.nodes_proved_to_fail <= without.nodes_proved_to_fail
    assert after.nodes_proved_to_pass + after.nodes_proved_to_fail == after.nodes_in_lattice
    found = {tuple(node.levels.values()): node for node in after.nodes}
    for node in before.nodes:
        told = found[tuple(node.levels.values())]
        assert node.proved is None or node.proved is told.proved
        assert node.low <= (node.k or 0) <= node.high
    assert after.certain is not None
    assert dict(after.certain.levels) == dict(done.levels)


def test_models_that_were_never_measured_are_told_of_and_nothing_is_certain_of_them(
    experienced: Engine, tmp_path: Path
) -> None:
    predicted = experienced.predict(asked(tmp_path, "sex", "age", k=2, **DISTINCT))
    hopeless = experienced.predict(asked(tmp_path, "sex", "age", k=601, **DISTINCT))

    assert (predicted.verdict, predicted.chance, predicted.certain, predicted.expected) == ("open", None, None, None)
    assert "the models of 'plan': no node of these columns was measured" in predicted.unchecked[0]
    assert any(node.k is not None for node in predicted.nodes)
    assert predicted.nodes_proved_to_pass == 0
    assert all(node.chance is None or node.chance < 0.5 for node in predicted.nodes)
    assert hopeless.verdict == "fails"


@pytest.mark.parametrize("asked_of_plan", [DISTINCT, ENTROPY, {**ENTROPY, **LIMIT}])
@pytest.mark.slow
def test_models_that_were_measured_are_told_as_they_were_found(
    asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, asked_of_plan: dict[str, Any]
) -> None:
    engine = copied(asked_before, tmp_path, monkeypatch)
    request = asked(tmp_path, "sex", "age", "city", k=2, **asked_of_plan)
    some = engine.run(asked(tmp_path, "sex", "age", k=2, **asked_of_plan))
    before = engine.predict(request)
    done = engine.run({**request, "search": {"algorithm": "exhaustive"}})
    after = engine.predict(request)

    assert some.released is not None
    assert not any("models" in each for each in before.unchecked)
    found = {tuple(node.levels.values()): node.proved for node in after.nodes}
    assert None not in found.values()
    for node in before.nodes:
        assert node.proved is None or node.proved is found[tuple(node.levels.values())]
    assert after.verdict == ("passes" if True in found.values() else "fails")
    if after.certain is not None:
        assert dict(after.certain.levels) == dict(done.levels)


def test_a_search_that_cannot_honour_what_is_asked_is_refused_without_the_source(
    experienced: Engine, tmp_path: Path
) -> None:
    request = asked(tmp_path, "sex", "age", k=2, search={"algorithm": "ola"}, **ENTROPY, **LIMIT)

    with pytest.raises(RequestError, match="ola"):
        experienced.predict(request)


@pytest.mark.slow
def test_where_every_node_fails_local_recoding_is_told_to_fail_only_if_it_does(engine: Engine, tmp_path: Path) -> None:
    (tmp_path / "s.duckdb").unlink()
    # As cities only Oslo passes, as lands only Japan; both do if each has its own level, and two rows are suppressed.
    cities = {"Oslo": "abab", "Bergen": "aa", "Kyoto": "aa", "Osaka": "bb"}
    rows: list[Row] = [("f", 0, city, plan) for city, plans in cities.items() for plan in plans]
    write_table(tmp_path / "s.duckdb", COLUMNS, rows)
    sensitive = {"plan": [{"model": "alpha_k", "alpha": 0.5}]}
    ranges = {"city": {"to": 1}}
    request = asked(tmp_path, "city", k=4, ranges=ranges, sensitive=sensitive, suppression_limit=0.3)
    assert not engine.run(request).released
    assert engine.predict(request).verdict == "fails"

    predicted = engine.predict({**request, "recoding": "local"})

    assert (predicted.verdict, predicted.chance, predicted.nodes_proved_to_fail) == ("open", None, 2)
    assert any("local recoding" in each for each in predicted.unchecked)
    assert engine.run({**request, "recoding": "local"}).released
    # What is too small at the coarsest node is so at every other.
    too_small = asked(tmp_path, "city", k=7, ranges=ranges, suppression_limit=0.3, recoding="local")
    assert engine.predict(too_small).verdict == "fails"
    assert not engine.run(too_small).released


@pytest.mark.slow
def test_a_lattice_too_large_for_local_recoding_is_told_before_anything_runs(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(local_rounds, "MAX_NODES", 7)
    request = asked(tmp_path, "sex", "age", k=10, recoding="local")

    for ask in (engine.check, engine.predict, engine.run):
        with pytest.raises(RequestError, match="local recoding would go through 8 nodes, more than 7"):
            ask(request)
    assert engine.requests.list() == ()


@pytest.mark.slow
def test_a_run_asks_the_source_no_more_than_was_told(
    asked_before: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(copied(asked_before, tmp_path, monkeypatch).state, use_cache=False)
    engine.run(asked(tmp_path, "sex", "age", k=10, search={"algorithm": "exhaustive"}))
    costs = []
    for k in (10, 60):
        request = asked(tmp_path, "sex", "age", k=k, suppression_limit=0.2)
        told = engine.predict(request).cost
        done = engine.run(request)
        assert done.search.source_queries <= told.source_queries
        costs.append((done.suppressed_rows > 0, told.nodes_open, told.source_queries))
    # Every node is known; what is suppressed at the chosen one is not.
    assert costs == [(False, 0, 0), (True, 0, 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("limit", "read"), [(0, False), (0.05, True)])
def test_class_sizes_are_read_where_rows_may_be_suppressed(
    experienced: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: float, read: bool
) -> None:
    request = asked(tmp_path, "sex", "age", "city", k=5, suppression_limit=limit)
    with_sizes: list[bool] = []
    read_columns = Table.read

    def noted(table: Table[Any], connection: StateConnection, columns: Sequence[str], /, **where: Any) -> list[Any]:
        if table is OBSERVATIONS:
            with_sizes.append("class_sizes" in columns)
        return read_columns(table, connection, columns, **where)

    monkeypatch.setattr(Table, "read", noted)
    found = experienced.predict(request)
    monkeypatch.setattr("ordermade.methods.generalization.predict._needs_sizes", lambda _: True)

    assert with_sizes == [read]
    assert experienced.predict(request) == found


def test_predictors_are_judged_on_margins_that_are_made_once(
    experienced: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = 0

    class Counted(independence.Margins):
        def __init__(self, *given: Any) -> None:
            nonlocal made
            made += 1
            super().__init__(*given)

    monkeypatch.setattr(independence, "Margins", Counted)
    independence._margins.cache_clear()

    experienced.predict(asked(tmp_path, "sex", "age", "city", k=5))

    # Of the columns of every request to judge them, and of this one's for its own nodes.
    assert made <= 2
