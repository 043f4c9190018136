"""What the report of a request says of its search: what was decided before, where it started, whether it is proved."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.lattice.lattice import Lattice
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.objectives import objective
from ordermade.methods.generalization.result import Gap, SearchReport
from ordermade.requests.read import read_mapping
from ordermade.search import Outcome
from ordermade.views.request import answer_facts, gap_in_words, stop_in_words
from tests.conformance.prepared import copied, prepare
from tests.made import Row

COLUMNS = {"sex": "VARCHAR", "age": "INTEGER", "city": "VARCHAR"}
HIERARCHIES = {
    "sex": (("value", "top"), [("f", "*"), ("m", "*")]),
    "age": (("value", "pair", "half"), [(str(age), f"p{age // 2}", f"h{age // 4}") for age in range(8)]),
    "city": (("value", "land"), [(city, "n" if city < "c" else "j") for city in "abcd"]),
}
ROWS: list[Row] = [("fm"[i % 3 // 2], i * i % 8, "abcd"[i * i * i % 7 % 4]) for i in range(600)]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("prepared"), COLUMNS, ROWS, HIERARCHIES, writable=False)


@pytest.fixture
def engine(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    return copied(prepared, tmp_path, monkeypatch)


def asked(folder: Path, k: int, **search: Any) -> dict[str, Any]:
    qis = {column: {"hierarchy": column} for column in COLUMNS}
    return {
        "dataset": "d",
        "k": k,
        "quasi_identifiers": qis,
        "search": search,
        "release": {"replace": True, "to": str(folder / "out.csv")},
    }


@pytest.mark.slow
def test_a_search_by_prediction_says_where_it_started(engine: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path, 10, algorithm="guided", overshoot="include")

    result = engine.run(request)

    start = result.search.start
    assert start is not None
    assert list(start.levels) == list(COLUMNS)
    assert start.level_names["sex"] in ("value", "top")
    document = json.loads(json.dumps(result.as_dict()))["search"]
    assert document["start"]["levels"] == dict(start.levels)
    assert document["certified"] is True
    told = dict(answer_facts(result, read_mapping(request).request, risk=None))
    assert told["search"] == "guided, optimum proved"
    assert told["started at"].startswith(", ".join(f"{c}: {name}" for c, name in start.level_names.items()))


@pytest.mark.slow
def test_a_search_that_stops_at_the_prediction_is_not_certified(engine: Engine, tmp_path: Path) -> None:
    request = asked(tmp_path, 10, algorithm="pak", then_certify=False)

    stopped = engine.run(request)
    proved = engine.run(asked(tmp_path, 10))

    assert stopped.search.certified is False
    assert proved.search.certified is True
    assert stopped.loss["prec"] >= proved.loss["prec"]  # type: ignore[operator]
    told = dict(answer_facts(stopped, read_mapping(request).request, risk=None))
    assert told["search"] == "pak, optimum not proved"


@pytest.mark.slow
def test_nodes_that_earlier_requests_decided_are_counted(engine: Engine, tmp_path: Path) -> None:
    first = engine.run(asked(tmp_path, 10, algorithm="exhaustive")).search
    again = engine.run(asked(tmp_path, 12, algorithm="ola")).search
    refused = engine.run(asked(tmp_path, 601)).search

    assert again.nodes_proven == again.nodes_in_lattice == first.nodes_measured + 1  # the root needs no measuring
    assert first.nodes_proven < again.nodes_proven
    assert (again.nodes_measured, again.source_queries, again.start) == (0, 0, None)
    assert (refused.nodes_proven, refused.certified) == (0, True)


def test_a_search_that_stops_between_the_stages_says_what_is_proved() -> None:
    of = Gap("prec", 0.5, 0.5)
    search = SearchReport("guided", 9, 0, 5, 40, False, None, 5, 1, 1, 1, 0.1, True, "questions", of)
    assert search.proved_in_words("optimum") == "score of the optimum proved, not which node of that score comes first"
    assert stop_in_words(search) == f"{search.proved_in_words('optimum')}: the budget of questions was spent"
    assert replace(search, score_proved=False).proved_in_words("optimum") == "optimum not proved"
    assert replace(search, certified=True).proved_in_words("optimum") == "optimum proved"
    assert gap_in_words(of) == "0 by prec: it scores 0.5, and nothing less than 0.5"


@pytest.mark.parametrize(("proved", "bound"), [(True, 12.0), (False, 11.5)])
def test_no_bound_is_below_a_score_that_is_proved(proved: bool, bound: float) -> None:
    goal = objective("dm", Lattice(()), None, Requirement(2))
    outcome = Outcome((), Observation.from_histogram([(2, 3)]), (), False, None, "seconds", 11.5, proved)
    gap = Gap.of(outcome, goal)
    assert gap is not None
    assert (gap.score, gap.bound) == (12.0, bound)
