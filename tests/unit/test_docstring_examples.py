"""The examples of docstrings run as they stand, and every call that a user begins with has its arguments and one."""

from __future__ import annotations

import doctest
import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import ordermade
from ordermade import (
    AnonymizedTable,
    Engine,
    Picture,
    ProgressLine,
    Result,
    Sweep,
    anonymize,
    initialise,
    measure,
    sweep,
)
from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.hierarchies import Hierarchies
from ordermade.catalogue.sources import Sources

FUNCTIONS = (anonymize, sweep, measure, initialise)
CLASSES = (AnonymizedTable, Engine, Picture, Sweep)
FURTHER = (Sources.add, Datasets.add, Hierarchies.add, Result.frame, Result.to_pandas, ProgressLine)
"""Calls on what an engine has and gives."""
OF_AN_ENGINE = ("Engine.", "Sources.", "Datasets.", "Hierarchies.", "Result.")
WITHOUT_EXAMPLE = {
    "check_rules",
    "check_taxonomy",
    "import_release",
    "judge_history",
    "judge_recoding",
    "judge_releases",
    "judge_table",
    "live_view",
    "offered",
    "require_certifiable",
    "require_live",
    "suggest_rules",
    "suggest_taxonomy",
    "verify_certificate",
    "close",
    "write",
}
"""Methods that want a page of their own, or another example has."""
REQUEST = {
    "dataset": "patients",
    "k": 5,
    "quasi_identifiers": {"age": {"hierarchy": "age"}},
    "keep": ["diagnosis"],
    "release": {"to": "released.csv"},
}


def described() -> Iterator[tuple[str, Any]]:
    """Every public call with its name, classes among them."""
    for each in (*FUNCTIONS, *CLASSES):
        yield each.__name__, each
    for kind in CLASSES:
        for name, member in vars(kind).items():
            function = member.__func__ if isinstance(member, classmethod) else member
            if inspect.isfunction(function) and not name.startswith("_"):
                yield f"{kind.__name__}.{name}", function
    for each in FURTHER:
        yield each.__qualname__, each


def patients() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [20 + number * 7 % 60 for number in range(600)],
            "sex": ["f", "m"] * 300,
            "town": ["Kyoto", "Otsu", "Uji"] * 200,
            "diagnosis": ["flu", "cold", "asthma", "gout", "none"] * 120,
        }
    )


@pytest.fixture(scope="module")
def release() -> AnonymizedTable[pd.DataFrame]:
    return anonymize(patients(), k=5, quasi_identifiers=["age", "sex"], sensitive=["diagnosis"])


@pytest.fixture
def names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, release: AnonymizedTable[pd.DataFrame]
) -> Callable[[str], dict[str, Any]]:
    """What the examples of a call begin with, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    patients().to_csv("patients.csv", index=False)

    def of(name: str) -> dict[str, Any]:
        found = {each: getattr(ordermade, each) for each in ordermade.__all__}
        found |= {"df": patients(), "release": release, "pd": pd, "Path": Path, "request": REQUEST}
        if name.startswith(OF_AN_ENGINE):
            initialise(Path("patients.sqlite"))
            engine = found["engine"] = Engine("patients.sqlite")
            engine.sources.add("clinic", "patients.csv")
            engine.datasets.add("patients", "clinic", table="patients", least_k=5)
            engine.hierarchies.add("age", {"intervals": {"levels": [{"width": 10}, {"width": 30}]}})
        return found

    return of


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "function"),
    [pytest.param(name, each, id=name) for name, each in described() if ">>>" in (inspect.getdoc(each) or "")],
)
def test_an_example_gives_what_it_shows(
    name: str, function: Any, names: Callable[[str], dict[str, Any]], capsys: pytest.CaptureFixture[str]
) -> None:
    if name in ("Picture", "Picture.save", "AnonymizedTable.plot", "Sweep.plot"):
        pytest.importorskip("matplotlib")
    if name == "AnonymizedTable.utility":
        pytest.importorskip("sklearn")
    if name == "Engine.compare":
        pytest.importorskip("numba")
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(function) or "", names(name), name, None, 0)
    failed = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert failed.failed == 0, capsys.readouterr().out


@pytest.mark.parametrize(("name", "function"), [pytest.param(*each, id=each[0]) for each in described()])
def test_a_call_describes_each_argument_and_has_an_example(name: str, function: Any) -> None:
    text = inspect.getdoc(function) or ""
    last = name.rpartition(".")[2]
    assert (">>>" in text) != (last in WITHOUT_EXAMPLE or function is Sweep), name
    if inspect.isclass(function):
        return
    parameters = [each for each in inspect.signature(function).parameters.values() if each.name != "self"]
    called = [f"**{each.name}" if each.kind is each.VAR_KEYWORD else each.name for each in parameters]
    part = text.partition("Args:\n")[2].partition("\n\n")[0]
    listed = [line.partition(":")[0].strip() for line in part.splitlines() if line[4:5] not in ("", " ")]
    assert listed == [each for each in called if each != "cls"] or last == "write", name


def test_an_example_that_shows_something_else_is_found() -> None:
    wrong = SimpleNamespace(__doc__="Example:\n    >>> 1 + 1\n    3\n")
    example = doctest.DocTestParser().get_doctest(inspect.getdoc(wrong) or "", {}, "wrong", None, 0)
    assert doctest.DocTestRunner(verbose=False).run(example, out=lambda _: None).failed == 1
