"""What is expected of a request is noted, and held against what comes out when it runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.catalogue.forecasts import errors_of
from ordermade.methods.generalization.expected_outcome import expected_of, questions_expected, seconds_expected
from ordermade.prediction.calibration import ForecastErrors, MedianError
from ordermade.state import cache_database, forecasts
from ordermade.state.forecasts import EarlierRun, MetFigures, earlier_runs
from tests.conformance.prepared import copied, prepare
from tests.unit.test_predict import COLUMNS, HIERARCHIES, ROWS, asked


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, HIERARCHIES, writable=False)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


@pytest.mark.slow
def test_the_last_forecast_before_a_run_meets_what_came_out(engine: Engine, tmp_path: Path) -> None:
    passing, failing = asked(tmp_path, "sex", "age", k=10), asked(tmp_path, "age", "city", k=2_000)
    failing["quasi_identifiers"]["age"]["to"] = "value"
    engine.run(asked(tmp_path, "sex", k=10))
    engine.predict(passing)  # not noted
    assert engine.observations.calibration().forecasts == 0
    first = engine.predict(passing, note=True)
    second = engine.predict(passing, note=True)
    assert first.chance == second.chance
    engine.predict(failing, note=True)
    released = engine.run(passing)
    engine.run(passing, again=True)  # a run without a forecast of its own
    engine.run(failing)
    assert engine.requests.count() == len(every := engine.requests.list()) == 4
    assert list(engine.requests.list(2)) == list(every)[:2]
    found = engine.observations.calibration("d")
    assert found.forecasts + found.proved == 2
    assert found.proved_wrong == 0
    assert first.chance is not None
    assert found.brier == (None if first.verdict == "passes" else pytest.approx((first.chance - 1) ** 2))
    noted = engine.predict(passing)
    assert noted.calibration == found
    errors = engine.observations.forecast_errors("d")
    expected = first.certain or first.expected
    assert expected is not None
    right = sum(released.levels[column] == level for column, level in expected.levels.items())
    assert (errors.levels, errors.levels_right) == (2, right)
    assert errors.k.forecasts == (right == 2)
    assert (errors.questions.forecasts, errors.seconds.forecasts) == (2, 2)
    assert engine.observations.forecast_errors() == errors
    assert noted.seconds is not None
    assert noted.seconds > 0


@pytest.mark.slow
def test_a_forecast_meets_a_run_that_the_policy_cuts_to_its_finest_levels(engine: Engine, tmp_path: Path) -> None:
    engine.policies.set({"dataset": "d", "finest": {"age": "pair"}})
    request = asked(tmp_path, "sex", "age", k=10)
    engine.run(request)
    assert engine.predict(request, note=True).chance is not None
    engine.run(request, again=True)
    found = engine.observations.calibration("d")
    assert found.forecasts + found.proved == 1


@pytest.mark.slow
def test_what_is_expected_is_what_is_predicted_in_short(engine: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path, "sex", "age", k=10)
    engine.run(asked(tmp_path, "age", "city", k=10))
    whole = engine.predict(request)
    short = expected_of(whole)
    best = whole.certain or whole.expected
    assert best is not None
    assert short.levels == best.level_names
    assert short.chance == whole.chance
    assert short.predictor == (None if whole.predictor is None else whole.predictor.name)
    assert short.questions == whole.questions <= whole.cost.nodes_open


def test_questions_and_seconds_go_by_earlier_runs() -> None:
    assert questions_expected(0, ()) == 0
    few = [EarlierRun(64, 2, 0.5, 1_000)] * 10
    many = [EarlierRun(64, 30, 5.0, 1_000)] * 10
    assert questions_expected(64, few) < questions_expected(64, ()) < questions_expected(64, many)
    assert questions_expected(1, many) == 1
    assert seconds_expected(5, 1_000, ()) is None
    assert seconds_expected(2, 1_000, [*few, *many]) == pytest.approx(0.6, abs=0.2)
    assert seconds_expected(30, 1_000, [*few, *many]) == pytest.approx(4.2, abs=0.8)
    both = seconds_expected(2, 4_000, few), seconds_expected(2, 10, few)
    assert both == (pytest.approx(2.0), pytest.approx(0.5))


def test_forecasts_are_judged_by_levels_k_questions_and_seconds() -> None:
    as_expected = MetFigures(
        k=12.0, released_k=6, questions=0.0, nodes_measured=3, seconds=1.0, took=2.0, levels=2, levels_right=2
    )
    elsewhere = MetFigures(
        k=12.0, released_k=60, questions=7.0, nodes_measured=1, seconds=3.0, took=1.5, levels=2, levels_right=1
    )
    refused = MetFigures(
        k=None, released_k=None, questions=None, nodes_measured=5, seconds=None, took=1.0, levels=0, levels_right=0
    )
    k, questions, seconds = MedianError(1, 2.0), MedianError(2, 4.0), MedianError(2, 2.0)
    assert errors_of([as_expected, elsewhere, refused]) == ForecastErrors(4, 3, k, questions, seconds)
    nothing = MedianError(0, None)
    assert errors_of([]) == ForecastErrors(0, 0, nothing, nothing, nothing)


@pytest.mark.slow
def test_earlier_runs_are_the_last_ones_however_many_requests_came_after(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for columns in (("sex",), ("sex", "age")):
        engine.run(asked(tmp_path, *columns, k=10))
    with engine.state_file.reading() as connection:
        every = earlier_runs(connection, "d")
        assert len(every) == 2
        monkeypatch.setattr(forecasts, "NEWEST_REQUESTS", 1)
        assert earlier_runs(connection, "d") == every
        monkeypatch.setattr(forecasts, "MAX_RUNS", 1)
        assert earlier_runs(connection, "d") == every[:1]


@pytest.mark.slow
def test_a_prediction_makes_one_database_in_memory(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes 15 ms, and reads the cache; the state is read without."""
    request = asked(tmp_path, "sex", "age", k=10)
    engine.run(request)
    made: list[object] = []
    plain = cache_database.bare_connection
    monkeypatch.setattr(cache_database, "_SPARE", [])
    monkeypatch.setattr(cache_database, "bare_connection", lambda: made.append(plain()) or made[-1])

    assert engine.predict(request).basis is not None
    assert len(made) == 1
