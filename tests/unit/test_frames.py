"""Requests on frames: what comes back, what is left, what is refused, and that the frame stays as it was."""

from __future__ import annotations

import gc
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from ordermade import Engine, InputError, Refused
from ordermade.requests.read import RETURNED
from tests.long import sampled

pytestmark = pytest.mark.slow

ROWS = 60
AGES = [20 + number % 20 for number in range(ROWS)]
REQUEST: dict[str, Any] = {"k": 5, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "keep": ["plan"]}
TENS = {"intervals": {"origin": 0, "levels": [{"width": 10}, {"width": 40}]}}


def made() -> pd.DataFrame:
    plans = pd.Categorical(["a", "b"] * (ROWS // 2), ["b", "a", "of nobody"])
    return pd.DataFrame({"age": AGES, "plan": plans, "name": [f"p{number}" for number in range(ROWS)]})


@pytest.fixture(scope="module")
def shared() -> Iterator[Engine]:
    """An engine for tests that what went before does not matter to."""
    with Engine.in_memory() as found:
        found.hierarchies.add("age", TENS)
        yield found


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory() as found:
        found.hierarchies.add("age", TENS)
        yield found


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The machine's temporary folder, for this test alone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_an_engine_in_memory_leaves_nothing(temporary: Path) -> None:
    with Engine.in_memory() as engine:
        (folder,) = temporary.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        engine.hierarchies.add("age", TENS)
        result = engine.run(REQUEST, data=made())
    assert list(temporary.iterdir()) == []
    assert len(result.to_pandas()) == ROWS
    with pytest.raises(InputError, match="the engine in memory is closed"):
        engine.run(REQUEST, data=made())


def test_an_engine_in_memory_that_is_forgotten_leaves_nothing(temporary: Path) -> None:
    engine = Engine.in_memory()
    assert list(temporary.iterdir())
    del engine
    gc.collect()
    assert list(temporary.iterdir()) == []


@pytest.mark.parametrize(
    ("convert", "kind"),
    [
        (lambda frame: frame, pd.DataFrame),
        (pl.from_pandas, pl.DataFrame),
        (lambda frame: pl.from_pandas(frame).lazy(), pl.LazyFrame),
        (pa.Table.from_pandas, pa.Table),
        (lambda frame: pa.Table.from_pandas(frame).to_reader(), pa.RecordBatchReader),
        (lambda frame: pa.Table.from_pandas(frame).to_batches()[0], pa.Table),
    ],
)
def test_the_release_comes_back_in_the_kind_that_was_given(shared: Engine, convert: Any, kind: type) -> None:
    result = shared.run(REQUEST, data=convert(made()))
    assert isinstance(result.frame(), kind)
    rows = result.to_arrow().to_pylist()
    assert rows == result.to_polars().to_dicts() == result.to_pandas().to_dict("records")
    assert {each["age"] for each in rows} == {"[20, 30)", "[30, 40)"}
    assert len(rows) == ROWS


def test_what_comes_back_is_as_anonymous_as_the_result_says(shared: Engine) -> None:
    result = shared.run(REQUEST, data=made())
    assert result.to_pandas().groupby("age").size().min() == result.k


def test_the_frame_is_not_changed_and_its_index_is_not_released(shared: Engine) -> None:
    frame = made().set_index(pd.MultiIndex.from_tuples([(number, "x") for number in range(ROWS)], names=["id", "of"]))
    before = frame.copy(deep=True)
    back = shared.run(REQUEST, data=frame).frame()
    pd.testing.assert_frame_equal(frame, before)
    assert list(back.columns) == ["age", "plan"]
    assert back.index.equals(pd.RangeIndex(ROWS))


def test_categories_that_are_not_released_are_not_told(shared: Engine) -> None:
    assert list(shared.run(REQUEST, data=made()).frame()["plan"].cat.categories) == ["b", "a"]


def test_the_categories_of_suppressed_rows_are_not_told(engine: Engine) -> None:
    frame = made()
    frame.loc[0, "age"] = 120
    frame["plan"] = pd.Categorical(["of one", *frame["plan"][1:]])
    engine.hierarchies.add("age", {age: f"{age // 20 * 20}" for age in (*AGES, 120)})
    request = {**REQUEST, "suppression_limit": 0.05, "quasi_identifiers": {"age": {"hierarchy": "age", "to": 1}}}
    result = engine.run(request, data=frame)
    assert result.suppressed_rows == 1
    assert set(result.frame()["plan"].cat.categories) == {"a", "b"}
    assert "of one" not in result.to_arrow().column("plan").combine_chunks().dictionary.to_pylist()


def test_what_was_measured_is_remembered_by_the_version_of_the_frame(engine: Engine) -> None:
    engine.hierarchies.add("plan", {"a": "*", "b": "*"})
    request = {"k": 5, "quasi_identifiers": {name: {"hierarchy": name} for name in ("age", "plan")}}
    first = engine.run(request, data=made())
    again = engine.run(request, data=made())
    assert (first.search.nodes_measured > 0, again.search.nodes_measured) == (True, 0)
    assert again.levels == first.levels
    other = made().iloc[1:]
    assert engine.run(request, data=other).search.nodes_measured > 0


def test_a_request_file_runs_on_a_frame_and_releases_to_a_file(engine: Engine, tmp_path: Path) -> None:
    file = tmp_path / "request.yaml"
    to = tmp_path / "out.parquet"
    text = "dataset: members\nk: 5\nquasi_identifiers: {age: {hierarchy: age}}\nkeep: [plan]\n"
    file.write_text(f"{text}release: {{to: {to}}}\n")
    result = engine.run(file, data=pl.from_pandas(made()))
    assert isinstance(result.frame(), pl.DataFrame)
    assert pl.read_parquet(to).height == ROWS
    assert result.frame()["plan"].dtype == pl.Categorical
    assert engine.releases.verify(1).intact


def test_a_query_over_several_frames_is_a_dataset(shared: Engine) -> None:
    prices = pd.DataFrame({"plan": ["a", "b"], "price": [10, 20]})
    request = {**REQUEST, "keep": ["price"]}
    request["dataset"] = {"query": "SELECT m.age, p.price FROM members AS m JOIN prices AS p ON m.plan = p.plan"}
    back = shared.run(request, data={"members": made(), "prices": prices}).frame()
    assert sorted(back["price"]) == [10] * 30 + [20] * 30


def test_persons_of_several_rows_are_counted(shared: Engine) -> None:
    frame = pd.concat([made()] * 2)
    result = shared.run(REQUEST, data=frame, entity="name")
    assert result.release is not None
    assert result.release.persons == ROWS


def test_a_statistical_table_comes_back(shared: Engine) -> None:
    request = {**REQUEST, "keep": [], "release": {"shape": "table"}}
    assert shared.run(request, data=made()).frame().to_dict("list") == {
        "age": ["[20, 30)", "[30, 40)"],
        "count": [30, 30],
    }


def test_a_release_that_is_a_frame_is_not_kept(engine: Engine) -> None:
    engine.run(REQUEST, data=made())
    with pytest.raises(Refused, match="release 1 was a frame"):
        engine.releases.verify(1)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (7, "this is no frame but an int"),
        ([{"age": 1}], "this is no frame but a list"),
        (made().head(0), "the frame has no rows"),
        (pd.DataFrame(index=range(9)), "the frame has no columns"),
        (made().head(3), "the frame has fewer rows than k, which is 5"),
        (made().rename(columns={"name": "age"}), "several columns of the frame are called 'age'"),
        (made().rename(columns={"name": "AGE"}), "differ in the case of letters alone"),
        (made().rename(columns={"name": 3}), "are not named by texts, but by an int"),
        (pd.concat({"x": made()}, axis=1), "are not named by texts, but by a tuple"),
        (made().rename(columns={"name": " "}), "a column of the frame has no name"),
        ({}, "the mapping names no frames by texts"),
        ({"one": made(), "two": made()}, "dataset: is missing"),
        ({"one": 1}, "this is no frame but an int"),
    ],
    ids=lambda each: each if isinstance(each, str) else type(each).__name__,
)
def test_what_is_no_frame_is_refused_with_what_to_do(shared: Engine, data: Any, what: str) -> None:
    with pytest.raises(InputError) as refused:
        shared.run(REQUEST, data=data)
    assert what in str(refused.value)
    assert refused.value.next_step or "write" in str(refused.value)


def test_a_request_about_another_dataset_is_refused(shared: Engine) -> None:
    with pytest.raises(InputError, match="about the dataset 'others', which is none of the frames"):
        shared.run({**REQUEST, "dataset": "others"}, data={"members": made()})


def test_a_reader_that_was_read_says_so(shared: Engine) -> None:
    reader = pa.Table.from_pandas(made()).to_reader()
    shared.run(REQUEST, data=reader)
    with pytest.raises(InputError, match="A reader gives its rows once"):
        shared.run(REQUEST, data=reader)


@pytest.mark.thorough
def test_frames_do_not_import_polars_where_none_is_polars() -> None:
    import subprocess
    import sys

    code = (
        "import sys, pandas\n"
        "from ordermade import anonymize\n"
        "frame = pandas.DataFrame({'sex': ['f', 'm'] * 10})\n"
        "anonymize(frame, k=5, quasi_identifiers=['sex'], hierarchies={'sex': {'f': '*', 'm': '*'}}).frame()\n"
        "assert 'polars' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.thorough
def test_engines_in_threads_do_not_meet() -> None:
    found: dict[int, int] = {}

    def work(number: int) -> None:
        with Engine.in_memory() as engine:
            engine.hierarchies.add("age", TENS)
            frame = pd.concat([made()] * (number + 1))
            found[number] = len(engine.run(REQUEST, data=frame).frame())

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == {number: ROWS * (number + 1) for number in range(3)}


def test_a_returned_release_has_a_name_that_no_file_has() -> None:
    assert "." not in RETURNED


@pytest.mark.parametrize(
    "name", sampled(["released", "released_decided", "released_sorted", "microdata", "purchases", "slots"], 3)
)
def test_a_frame_may_have_the_name_of_a_table_of_the_engine_s_own(shared: Engine, name: str) -> None:
    result = shared.run({**REQUEST, "dataset": name}, data={name: made()})
    assert len(result.to_pandas()) == ROWS
    rows = {"method": "history", "k": 2, "dataset": name}
    columns = {"customer": "who", "when": "day", "item": "plan", "numbers": ["age"]}
    days = made().assign(who=[number // 2 for number in range(ROWS)], day=pd.Timestamp("2024-01-01"))
    assert shared.run({**rows, "history": columns}, data={name: days}).released
