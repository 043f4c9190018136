"""What `explain` shows is what `run` carries out: the same statements, of every method."""

from __future__ import annotations

import logging
import re
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.methods.shared.explain import Step
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

PEOPLE = (
    "CREATE TABLE t AS SELECT i AS id, (i * 7919) % 101 + i % 3 / 4.0 AS income, "
    "CAST(i * 31 % 60 + 20 AS TINYINT) AS age, ['clerk', 'cook', 'nurse'][i % 3 + 1] AS job, "
    "'p' || i % 4 AS place, "
    "CASE i WHEN 0 THEN 'rare' WHEN 1 THEN 'rarer' ELSE 'usual' END AS kind, i % 5 AS kept, "
    "DATE '2020-01-01' + CAST(i % 30 AS INTEGER) AS day, i % 20 AS person "
    "FROM RANGE(60) AS r(i)"
)
JOBS = [("clerk", "office", "*"), ("cook", "service", "*"), ("nurse", "service", "*")]
PLACES = [(f"p{number}", "near" if number < 2 else "far") for number in range(4)]
JOB, PLACE = {"job": {"hierarchy": "job"}}, {"place": {"hierarchy": "place"}}
KINDS = [("rare",), ("rarer",), ("usual",)]
FINEST = {name: {"hierarchy": name, "from": 0, "to": 0} for name in ("job", "place")}
RARE = {"quasi_identifiers": {"kind": {"hierarchy": "kind", "from": 0, "to": 0}}, "suppression_limit": 0.2}
"""Rows are suppressed."""
DIVERSE = {"sensitive": {"kept": [{"model": "distinct_l", "l": 2}]}}
GROUPS = {"algorithm": "mdav", "improve": False}
HISTORY = {"customer": "person", "when": "day", "item": "job", "numbers": {"income": {"unit": 0.25}, "age": {}}}
WITH_PSEUDONYM = {"release": {"pseudonym": "who"}}

REQUESTS: Mapping[str, Mapping[str, Any]] = {
    "generalization": {"quasi_identifiers": FINEST},
    "generalization, models": {**RARE, **DIVERSE},
    "generalization, dropped": RARE,
    "generalization, stars": {**RARE, "suppressed": "star"},
    "generalization, labels": {"quasi_identifiers": FINEST | {"job": {"hierarchy": "job", "from": 1, "to": 1}}},
    "generalization, persons": {"dataset": "persons", "quasi_identifiers": FINEST, **WITH_PSEUDONYM},
    "mondrian": {"method": "mondrian", "quasi_identifiers": {"income": {}, "age": {}, **JOB}},
    "mondrian, kept": {"method": "mondrian", "quasi_identifiers": {"age": {}, **JOB}, "keep": ["kept"]},
    "mondrian, relaxed": {
        "method": "mondrian",
        "quasi_identifiers": {"income": {}, "age": {}},
        "mondrian": {"strict": False},
        "keep": ["kept"],
    },
    "mondrian, hierarchies": {
        "method": "mondrian",
        "k": 25,
        "quasi_identifiers": PLACE | JOB,
        "mondrian": {"variant": "hierarchy"},
        **DIVERSE,
    },
    "mondrian, persons": {
        "method": "mondrian",
        "dataset": "persons",
        "quasi_identifiers": {"age": {}, **JOB},
        **DIVERSE,
        **WITH_PSEUDONYM,
    },
    "microaggregation": {"method": "microaggregation", "attributes": {"income": {}, "age": {}}},
    "microaggregation, all": {
        "method": "microaggregation",
        "attributes": {"income": {}, **JOB},
        "within": {"place": {"hierarchy": "place", "level": 1}},
        "keep": ["kept"],
        "microaggregation": GROUPS,
    },
    "history": {"method": "history", "history": HISTORY},
    "history, matched": {"method": "history", "history": {**HISTORY, "cluster": "similar", "match": "optimal"}},
}

NOT_SHOWN = {"catalog", "load", "identifying columns"}
"""Purposes in the source of statements that no step of `explain` is: what is known before, and what only refuses."""
KEPT = re.compile(r"create (or replace )?temporary (table|view)")
NO_STEP = re.compile(
    r"as select arriving\.\* from arriving as arriving|\"(combinations_|frequency_set_packed|label_cells)"
)
"""Arrays that Python made; combinations packed by what was counted; labels compared for a refusal."""
OF_THE_SEARCH = {
    "frequency set, its levels packed",
    "k-check",
    "suppressed rows, by attribute",
    "the combinations of persons with several",
    "what the combinations of a person share",
}
"""Steps that are shown for the finest node, as if nothing were counted yet: a search asks one node after another."""


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    """An engine on sixty rows of twenty persons that knows nothing of them: every statement runs."""
    folder = tmp_path
    with duckdb.connect(str(folder / "s.duckdb")) as connection:
        connection.execute(PEOPLE)
    made = new_engine(folder, use_cache=False)
    made.sources.add("s", str(folder / "s.duckdb"))
    made.datasets.add("rows", "s", table="t", least_k=2)
    made.datasets.add("persons", "s", table="t", entity="person", least_k=2)
    made.hierarchies.add("job", write_hierarchy(folder / "job.csv", ("value", "kind", "all"), JOBS), "header")
    made.hierarchies.add("kind", write_hierarchy(folder / "kind.csv", ("value",), KINDS), "header")
    made.hierarchies.add("place", write_hierarchy(folder / "place.csv", ("value", "region"), PLACES), "header")
    return made


def normal(statement: str) -> str:
    """A statement without its layout, the lists that are bound, the width of whole numbers, and the place of a file."""
    text = re.sub(r"\$\w+|\[[^\[\]]*\]", "bound", statement)
    text = re.sub(r"'/[^']*/(out\.csv)'", r"'\1'", text)
    text = re.sub(r"\bU?(TINY|SMALL|BIG)?INT(EGER)?\b", "INT", text)
    return " ".join(re.sub(r"[()\s]+", " ", text).split()).lower()


def differences(shown: Sequence[Step], ran: Iterable[tuple[str, str, str]]) -> tuple[list[str], list[str]]:
    """The statements that were shown and did not run, and those that ran and were to be shown but were not.

    `ran`: of each its executor, its purpose and its text.
    """
    steps = {normal(each.sql) for each in shown if each.title not in OF_THE_SEARCH}
    all_steps = {normal(each.sql) for each in shown}
    found = [(executor, purpose, normal(text)) for executor, purpose, text in ran]
    texts = {text for *_, text in found}
    of_steps = {
        text
        for executor, purpose, text in found
        if (executor == "source" and purpose not in NOT_SHOWN)
        or (executor == "workspace" and KEPT.match(text) and not NO_STEP.search(text))
    }
    return sorted(each for each in steps if not any(each in text for text in texts)), sorted(of_steps - all_steps)


@pytest.mark.parametrize("name", REQUESTS)
def test_every_step_runs_and_every_table_has_its_step(
    engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    release = {"to": str(tmp_path / "out.csv")} | REQUESTS[name].get("release", {})
    request = {"dataset": "rows", "k": 2, **REQUESTS[name], "release": release}
    shown = engine.explain(request)
    with caplog.at_level(logging.DEBUG, logger="ordermade"):
        result = engine.run(request)

    ran = [
        (str(each.args[0]), str(each.args[1]), str(each.args[3]))
        for each in caplog.records
        if getattr(each, "event", None) == "statement" and isinstance(each.args, tuple)
    ]
    assert result.released, result.reason
    assert differences(shown, ran) == ([], [])


def test_the_keys_of_a_rule_that_the_source_does_not_evaluate_have_a_step(
    engine: Engine, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with sqlite3.connect(tmp_path / "s.sqlite") as connection:
        connection.execute("CREATE TABLE t (age INTEGER)")
        connection.executemany("INSERT INTO t VALUES (?)", [(20 + number % 10,) for number in range(60)])
    (tmp_path / "age.yaml").write_text("intervals:\n  origin: 0\n  levels: [{width: 2}, {width: 4}]\n")
    engine.hierarchies.add("age", tmp_path / "age.yaml")
    engine.sources.add("sqlite", str(tmp_path / "s.sqlite"))
    engine.datasets.add("ages", "sqlite", table="t", least_k=2)
    age = {"age": {"hierarchy": "age", "from": 1}}
    request = {"dataset": "ages", "k": 2, "quasi_identifiers": age, "release": {"to": str(tmp_path / "out.csv")}}
    shown = {normal(each.sql) for each in engine.explain(request)}
    with caplog.at_level(logging.DEBUG, logger="ordermade"):
        assert engine.run(request).released

    texts = [str(each.args[3]) for each in caplog.records if isinstance(each.args, tuple) and len(each.args) > 3]
    keys = {normal(each) for each in texts if 'TEMPORARY TABLE "keys_1"' in each}
    assert keys
    assert keys <= shown
