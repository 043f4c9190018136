"""A prediction foretells the statements that a run sends to every kind of source: never fewer than are sent."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine, Predicted
from ordermade.catalogue.sources import opened
from ordermade.methods.generalization.predicted import Cost
from ordermade.sources.limits import Limits
from tests.conformance.backends import Made, Table, name, the_table
from tests.made import new_engine, write_hierarchy
from tests.services.skips import OF_ANOTHER_SOURCE

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]

COLUMNS = {"id": "BIGINT", "age": "BIGINT", "plan": "VARCHAR", "ill": "VARCHAR", "n": "BIGINT"}
ROWS = [(i // 2, 20 + i % 4, "basic" if i % 8 < 4 else "plus", "abc"[i % 3], i) for i in range(240)]
PERSONS = Table("persons", COLUMNS, ROWS)
PURPOSES = ("version", "coverage", "identifying columns", "frequency set", "release")
SHAPES: dict[str, dict[str, Any]] = {
    "plain": {},
    "filtered": {"where": "n > 3"},
    "sensitive": {"sensitive": {"ill": [{"model": "distinct_l", "l": 2}]}},
    "all of it": {"where": "n > 5", "keep": ["ill"], "suppression_limit": 0.05},
    "refused": {"k": 239},
}


def foretold(cost: Cost) -> tuple[int, ...]:
    """The statements by purpose."""
    beside = (cost.version_queries, cost.coverage_queries, cost.identifying_queries)
    return (*beside, cost.source_queries, cost.release_queries)


def registered(folder: Path, made: Made) -> Engine:
    """The table as `rows`, as `persons`, as `vouched` by a query, in `parts`, and in files by either version."""
    folder.mkdir()
    engine = new_engine(folder, limits=Limits("256MB", 1))
    engine.sources.add("s", made.location)
    with opened(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    vouching = f"SELECT count(*), max(n) FROM {name(table)}"
    options: dict[str, dict[str, Any]] = {
        "rows": {},
        "persons": {"entity": "id"},
        "vouched": {"version_query": vouching},
        "parts": {"parts": "plan"},
    }
    if made.kind == "parquet":
        options |= {"files": {"file_parts": True}, "fingerprints": {"file_parts": True, "version": "fingerprint"}}
    for dataset, option in options.items():
        engine.datasets.add(dataset, "s", table=table, least_k=2, **option)
    ages = [(str(age), "low" if age < 22 else "high", "*") for age in range(20, 24)]
    engine.hierarchies.add("age", write_hierarchy(folder / "age.csv", ("value", "half", "top"), ages))
    plans = [("basic", "*"), ("plus", "*")]
    engine.hierarchies.add("plan", write_hierarchy(folder / "plan.csv", ("value", "top"), plans))
    return engine


@pytest.mark.parametrize("dataset", ["rows", "persons", "vouched", "parts", "files", "fingerprints"])
def test_no_more_is_sent_than_was_foretold(
    make: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture, dataset: str
) -> None:
    made = make(PERSONS)
    if dataset in ("files", "fingerprints") and made.kind != "parquet":
        pytest.skip(OF_ANOTHER_SOURCE + "its files are no parts")
    engine = registered(tmp_path / "a", made)
    qis = {"age": {"hierarchy": "age"}, "plan": {"hierarchy": "plan"}}
    to = {"to": str(tmp_path / "a.csv"), "replace": True}
    for shape, more in SHAPES.items():
        for is_repeat in (False, True):
            request = {"dataset": dataset, "k": 5, "quasi_identifiers": qis, "release": to, **more}
            same = is_repeat and dataset in ("rows", "persons") and made.kind != "spark"
            # A snapshot of the whole server changes where another test writes between a forecast and its run.
            for left in reversed(range(5 if made.kind == "postgresql" else 1)):
                forecast = engine.predict(request)
                assert isinstance(forecast, Predicted)
                cost, sent = forecast.cost, sent_by(engine, request, caplog)
                found = faults(cost, sent, same=same, by_snapshot=made.kind == "postgresql")
                if not found or not left:
                    break
            assert not found, (shape, is_repeat, foretold(cost), sent)


def sent_by(engine: Engine, request: dict[str, Any], caplog: pytest.LogCaptureFixture) -> tuple[int, ...]:
    """The statements by purpose that a run sends to the source."""
    caplog.clear()
    with caplog.at_level(logging.DEBUG, "ordermade.sql"):
        engine.run(request, again=True)
    words = [each.getMessage() for each in caplog.records]
    counts = Counter(each[8:].partition(" in ")[0] for each in words if each.startswith("source: "))
    return tuple(counts[each] for each in PURPOSES)


def faults(cost: Cost, sent: tuple[int, ...], *, same: bool, by_snapshot: bool) -> list[str]:
    """What of a forecast was not so; `same`: the same request ran before, so that it is foretold exactly."""
    found = []
    if not (cost.by_part and cost.if_changed is None):  # so many parts that nobody has seen
        found += ["more"] * any(most < each for most, each in zip(foretold(cost), sent, strict=True))
    found += ["changed"] * (cost.if_changed is not None and cost.if_changed < sum(sent))
    found += ["hashed"] * (cost.unchanged and sent[0] > 0)
    if same:
        found += ["unchanged"] * (cost.unchanged != by_snapshot)
        of_source = [foretold(cost), sent]
        if cost.unchanged:  # that values identify no person is not counted anew
            of_source = [(each[0], each[1], *each[3:]) for each in of_source]
        found += ["exact"] * (of_source[0] != of_source[1])
    return found
