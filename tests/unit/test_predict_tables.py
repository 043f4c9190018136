"""Requests for tables foretold by an engine: what is exact, what is learnt, what is never touched."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, PredictedTables
from ordermade.errors import InputError
from ordermade.methods.tables.predicted import suppressed_in_words, tables_facts
from ordermade.methods.tables.result import TablesResult
from ordermade.prediction.suppressed_cells import FEWEST
from tests.conformance.prepared import copied, prepare
from tests.made import Row

pytestmark = pytest.mark.slow

COLUMNS = {"city": "VARCHAR", "age": "INTEGER", "job": "VARCHAR", "income": "INTEGER"}
CITIES = {f"c{n}": f"r{n // 3}" for n in range(9)}


def _rows() -> list[Row]:
    chance = random.Random(11)
    return [
        (
            f"c{min(int(chance.expovariate(0.5)), 8)}",
            20 + 10 * min(int(chance.expovariate(0.8)), 5),
            f"j{min(int(chance.expovariate(0.7)), 6)}",
            chance.randrange(10, 90),
        )
        for _ in range(900)
    ]


ROWS = _rows()


def paths(place: int, above: Any) -> tuple[tuple[str, str], list[tuple[str, str]]]:
    values = sorted({str(row[place]) for row in ROWS})
    return ("value", "group"), [(each, above(each)) for each in values]


def prepared_cities(folder: Path) -> Path:
    """A state with the rows as the dataset `d`, whose columns have hierarchies but for the income."""
    hierarchies = {
        "city": paths(0, CITIES.__getitem__),
        "age": paths(1, lambda value: "young" if int(value) < 40 else "old"),
        "job": paths(2, lambda value: "common" if value < "j2" else "rare"),
    }
    return prepare(folder, COLUMNS, ROWS, hierarchies, writable=False)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepared_cities(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    monkeypatch.chdir(tmp_path)
    return copied(prepared, tmp_path, monkeypatch)


def asked(*columns: str, k: int = 5, to: str = "t.csv", **more: Any) -> dict[str, Any]:
    return {
        "dataset": "d", "method": "table", "k": k, "rows": [columns[0]], "columns": [*columns[1:]],
        "release": {"to": to, "replace": True}, **more,
    }  # fmt: skip


def run(engine: Engine, request: dict[str, Any]) -> TablesResult:
    found = engine.run(request, again=True)
    assert isinstance(found, TablesResult)
    return found


def _suppressed(result: TablesResult) -> float:
    assert result.tables is not None
    return result.tables.suppressed / result.tables.cells


def predicted(engine: Engine, request: dict[str, Any], **more: Any) -> PredictedTables:
    found = engine.predict(request, **more)
    assert isinstance(found, PredictedTables)
    return found


def test_a_dataset_that_was_never_counted_is_open(engine: Engine) -> None:
    found = predicted(engine, asked("city", "age"))
    assert (found.verdict, found.chance, found.suppressed_cells, found.rows) == ("open", None, None, None)
    assert "never counted" in str(found.too_little)
    assert found.unchecked


def test_what_was_made_of_the_same_data_is_foretold_exactly(engine: Engine) -> None:
    result = run(engine, asked("city", "age"))
    assert result.tables is not None
    found = predicted(engine, asked("city", "age", to="elsewhere.csv"))
    share = result.tables.suppressed / result.tables.cells
    assert (found.verdict, found.chance) == ("passes", 1.0)
    assert found.suppressed_cells == found.low == found.high == pytest.approx(share, abs=1e-4)
    assert found.cells == result.tables.cells


def test_cells_below_k_are_exact_where_the_nodes_are_measured_and_the_rest_is_open(engine: Engine) -> None:
    run(engine, asked("city", "age"))
    found, result = predicted(engine, asked("city", "age", k=9)), run(engine, asked("city", "age", k=9))
    assert result.tables is not None
    assert (found.verdict, found.chance, found.measured) == ("open", None, True)
    assert found.cells == result.tables.cells
    assert found.below_k == pytest.approx(result.tables.primary / result.tables.cells, abs=1e-4)
    assert found.suppressed_cells is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= _suppressed(result) <= found.high
    assert found.high - found.low > 0.1


def test_tables_of_other_columns_are_foretold_from_their_own_class_sizes(engine: Engine) -> None:
    run(engine, asked("city", "age"))
    run(engine, asked("job", totals=[]))
    found, result = predicted(engine, asked("city", "job")), run(engine, asked("city", "job"))
    assert result.tables is not None
    assert not found.measured
    assert found.below_k == pytest.approx(result.tables.primary / result.tables.cells, abs=0.1)
    assert "were not counted" not in str(found.too_little)


def test_a_level_that_was_never_counted_is_named(engine: Engine) -> None:
    run(engine, asked("city", "age"))
    found = predicted(engine, asked("city", "job"))
    assert (found.verdict, found.suppressed_cells) == ("open", None)
    assert "'job'" in str(found.too_little)


def test_the_more_tables_were_made_the_surer_and_a_chance_is_given(engine: Engine) -> None:
    for k in range(3, 3 + FEWEST):
        run(engine, asked("city", "age", k=k))
        run(engine, asked("age", "job", k=k))
    found = predicted(engine, asked("city", "job", k=4), note=True)
    assert found.verdict == "likely"
    assert found.learnt_from == 2 * FEWEST
    assert found.chance is not None
    assert 0.5 < found.chance < 1
    result = run(engine, asked("city", "job", k=4))
    assert found.suppressed_cells == pytest.approx(result.loss["suppressed_cells"], abs=0.15)
    words = dict(tables_facts(found))
    assert words["will it pass"].startswith("likely (")
    assert words["suppressed"] == suppressed_in_words(found)
    assert predicted(engine, asked("city", "job", k=6)).calibration.forecasts == 1


def test_tables_without_a_cell_below_k_pass_for_certain(engine: Engine) -> None:
    coarse: dict[str, Any] = {"dimensions": {"city": {"level": 1}, "age": {"level": 1}}}
    run(engine, asked("city", "age", **coarse))
    found = predicted(engine, asked("city", "age", k=2, **coarse))
    assert (found.verdict, found.chance, found.suppressed_cells, found.high) == ("passes", 1.0, 0.0, 0.0)
    assert run(engine, asked("city", "age", k=2, **coarse)).loss["suppressed_cells"] == 0


def test_fewer_rows_than_k_fail_for_certain(engine: Engine) -> None:
    run(engine, asked("city", "age"))
    found = predicted(engine, asked("city", "age", k=901))
    assert (found.verdict, found.chance) == ("fails", 0.0)
    assert "fewer than 901 rows" in str(found.too_little)


def test_a_refusal_of_the_same_data_is_foretold(engine: Engine) -> None:
    request = asked("age", k=300, dimensions={"age": {"level": 1}}, publish=[{"age": "young"}, {}])
    result = run(engine, request)
    assert not result.released, result
    found = predicted(engine, request)
    assert (found.verdict, found.chance, found.suppressed_cells) == ("fails", 0.0, None)


def test_rules_of_sums_are_said_not_to_be_foretold(engine: Engine) -> None:
    run(engine, asked("city", "age"))
    found = predicted(engine, asked("city", "age", cells="sum of income"))
    assert any("rules of sums" in each for each in found.unchecked)


def test_nothing_is_counted_and_no_file_changes(engine: Engine, tmp_path: Path) -> None:
    run(engine, asked("city", "age"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    (tmp_path / "s.duckdb").rename(tmp_path / "away.duckdb")
    found = predicted(engine, asked("city", "age", k=7), look=False)
    assert found.suppressed_cells is not None
    (tmp_path / "away.duckdb").rename(tmp_path / "s.duckdb")
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_a_column_that_is_gone_fails(engine: Engine, tmp_path: Path) -> None:
    import duckdb

    run(engine, asked("city", "age"))
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("ALTER TABLE persons DROP COLUMN age")
    found = predicted(engine, asked("city", "age", k=7))
    assert found.verdict == "fails"
    assert found.gone


def test_tables_have_one_predictor(engine: Engine) -> None:
    with pytest.raises(InputError, match="one predictor"):
        engine.predict(asked("city", "age"), predictor="pairs")
