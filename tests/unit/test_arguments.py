"""Every public argument is checked for its type at the door: the message names the argument and the type, no value."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest

from ordermade import Engine
from ordermade.errors import InputError
from tests.made import new_engine

SECRET = "SECRET-Anna"
GOOD: dict[str, Any] = {
    "str": "a",
    "int": 1,
    "bool": True,
    "Path": Path("a.csv"),
    "datetime": datetime(2026, 1, 1),
    "date": date(2026, 1, 1),
    "Sequence": ["a"],
    "Sequence[int]": [1],
    "Iterable": [5],
    "RequestLike": "request.yaml",
    "Style": "auto",
    "ReportableRelease": type("Result", (), {})(),
}


TAKES_FRAMES = frozenset({("hierarchies.add", "path")})
TAKES_ANYTHING = frozenset({("run", "data"), ("report_of", "data")})
"""Its own checks say what is no frame (`test_frames`)."""


def frame() -> pd.DataFrame:
    return pd.DataFrame({"name": [SECRET, "b"], "age": [987654321, 2]})


def doors(engine: Engine, holder: str) -> Iterator[tuple[str, str]]:
    """Every public method of the engine, or of what it hands out under a name, with each of its arguments."""
    kind = type(getattr(engine, holder) if holder else engine)
    for name, method in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_"):
            for argument in list(inspect.signature(method).parameters)[1:]:
                if (name, argument) not in TAKES_ANYTHING:
                    yield f"{holder}.{name}".strip("."), argument


def called(engine: Engine, door: str, argument: str, wrong: object) -> None:
    method: Callable[..., Any] = engine  # type: ignore[assignment]
    for part in door.split("."):
        method = getattr(method, part)
    given: dict[str, Any] = {}
    for name, parameter in inspect.signature(method).parameters.items():
        if name == argument:
            break
        if parameter.default is inspect.Parameter.empty:
            given[name] = _good(str(parameter.annotation))
    given[argument] = wrong
    for name, parameter in inspect.signature(method).parameters.items():
        if name not in given and parameter.default is inspect.Parameter.empty:
            given[name] = wrong if name == argument else _good(str(parameter.annotation))
    method(**given)


def _good(annotation: str) -> object:
    kind = annotation.split(" | ")[0]
    word = kind.partition("[")[0]
    made = GOOD.get(kind, GOOD.get(word))
    return made if made is not None else type(word, (), {})()


def refusal(engine: Engine, door: str, argument: str, wrong: object) -> str:
    """What a call with a wrong argument is refused with; empty where it is not."""
    try:
        called(engine, door, argument, wrong)
    except InputError as refused:
        return refused.message
    return ""


@pytest.mark.parametrize("holder", ["", "sources", "datasets", "hierarchies", "releases", "observations"])
def test_an_argument_of_another_type_is_refused_by_its_name_and_type(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, holder: str
) -> None:
    monkeypatch.chdir(tmp_path)
    engine = Engine(tmp_path / "state.sqlite")
    checked = list(doors(engine, holder))
    assert checked
    for door, argument in checked:
        for wrong, said in (
            *([] if (door, argument) in TAKES_FRAMES else [(frame(), "a DataFrame")]),
            (object(), "an object"),
            (3.5, "a float"),
            (b"SECRET-Anna", "a bytes"),
        ):
            message = refusal(engine, door, argument, wrong)
            assert f"the argument '{argument}' is {said}" in message, f"{door}, {argument}: {said}"
            assert SECRET not in message, f"{door}, {argument}: {said}"
            assert "987654321" not in message, f"{door}, {argument}: {said}"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda engine: engine.run(None), "the argument 'request' is None"),
        (lambda engine: engine.run(7), "the argument 'request' is an int"),
        (lambda engine: engine.run(["a"]), "the argument 'request' is a list"),
        (lambda engine: engine.sweep("r.yaml", 5), "the argument 'ks' is an int"),
        (lambda engine: engine.sweep("r.yaml", "5"), "the argument 'ks' is a str"),
        (lambda engine: engine.sweep("r.yaml", ["5"]), "the argument 'ks' holds a str"),
        (lambda engine: engine.sweep("r.yaml", [True]), "the argument 'ks' holds a bool"),
        (lambda engine: engine.measure("a.csv", "age"), "the argument 'quasi_identifiers' is a str"),
        (lambda engine: engine.measure("a.csv", ["age", 3]), "the argument 'quasi_identifiers' holds an int"),
        (lambda engine: engine.measure(frame(), ["age"]), "the argument 'named' is a DataFrame"),
        (lambda engine: engine.releases.verify("1"), "the argument 'number' is a str"),
        (lambda engine: engine.releases.verify(True), "the argument 'number' is a bool"),
        (lambda engine: engine.sources.add("a", "b", writable="no"), "the argument 'writable' is a str"),
        (lambda engine: engine.explain("r.yaml", roll_up=None), "the argument 'roll_up' is None"),
        (lambda engine: engine.check(b"dataset: d"), "the argument 'request' is a bytes"),
        (lambda _: Engine(frame()), "the argument 'state' is a DataFrame"),  # type: ignore[arg-type]
        (lambda _: Engine(wait_seconds="a"), "the argument 'wait_seconds' is a str"),  # type: ignore[arg-type]
    ],
)
def test_near_misses_are_refused_too(tmp_path: Path, call: Callable[[Engine], object], told: str) -> None:
    with pytest.raises(InputError) as caught:
        call(Engine(tmp_path / "state.sqlite"))
    assert told in caught.value.message


def test_records_of_what_is_wanted_are_held_to_their_fields(tmp_path: Path) -> None:
    from ordermade.evaluation.options import JudgementOptions
    from ordermade.methods.microaggregation.compare import ComparisonOptions

    engine = Engine(tmp_path / "state.sqlite")
    with pytest.raises(InputError, match="ComparisonOptions: the argument 'attributes' is a str"):
        engine.compare("a.csv", ComparisonOptions("age", [3]))
    with pytest.raises(InputError, match="ComparisonOptions: the argument 'ks' holds a str"):
        engine.compare("a.csv", ComparisonOptions(["age"], ["3"]))  # type: ignore[list-item]
    with pytest.raises(InputError, match="JudgementOptions: the argument 'map' is a DataFrame"):
        engine.judge_history("a.csv", "b.csv", JudgementOptions(frame()))  # type: ignore[arg-type]


@pytest.mark.slow
def test_what_is_meant_still_goes_through(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "s.duckdb")) as connection:
        connection.execute("CREATE TABLE t AS SELECT i % 2 AS a FROM RANGE(8) AS t(i)")
    engine = new_engine(tmp_path)
    assert engine.measure(tmp_path / "s.duckdb", ("a",)).rows == 8
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", table="t", least_k=2)
    request = {"dataset": "d", "method": "mondrian", "k": 2, "quasi_identifiers": {"a": {}}}
    asked = request | {"release": {"to": tmp_path / "out.csv"}}
    assert [each.k for each in engine.sweep(asked, (k for k in (2, 4))).points] == [2, 4]
    assert engine.run(asked).released


def test_each_of_several_texts_or_paths_is_checked(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("sex,count\nf,X\nm,4\nTotal,8\n", encoding="utf-8")
    engine = Engine(tmp_path / "state.sqlite")
    assert engine.judge_table([tmp_path / "t.csv"]).cells[0].least == 4
    with pytest.raises(InputError, match=r"the argument 'tables' holds an int\. Give a text or a path"):
        engine.judge_table([1])  # type: ignore[list-item]
