"""Filters that leave fewer than k rows are no oracle: two tables that differ in one person's value answer alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.cli.conftest import Outcome, Program
from tests.long import rounds
from tests.made import write_table
from tests.state_by_hand import by_hand, tables_of

pytestmark = [pytest.mark.slow, pytest.mark.long]

K = 12
PARTS = 4
"""The number of parts that the filters run in, each on a state of its own."""
COLUMNS = {"who": "INTEGER", "age": "INTEGER", "sex": "VARCHAR", "plan": "VARCHAR", "day": "DATE"}
PLANS = ("basic", "plus", "pro")
PERSON, BEFORE, AFTER = 77, "plus", "basic"
"""The person whose plan is another in the second table."""
METHODS = {
    "generalization": "quasi_identifiers: {sex: {hierarchy: sex}}\nsuppression_limit: 0.1",
    "microaggregation": "method: microaggregation\nattributes: {age: }\n"
    "microaggregation: {algorithm: mdav, improve: false}",
    "mondrian": "method: mondrian\nquasi_identifiers: {age: }",
    "history": "method: history\nhistory: {customer: who, when: day, item: plan}",
}
RUN, SHOWN = ("request", "run"), ("request", "show")
UNTIMED = ("seconds", "started_at", "finished_at", "last_seen_at", "hash", "seal")
"""Times, and hashes that times are a part of."""
Row = tuple[int, int, str, str, str]


def people(chance: random.Random, plan: str) -> list[Row]:
    """Two rows of each of 150 persons; those of the one have this plan."""
    found = []
    for who in range(150):
        one = (20 + chance.randrange(60), "fm"[chance.randrange(2)], PLANS[chance.randrange(3)])
        age, sex, other = one
        for visit in range(2):
            own = plan if who == PERSON else other
            found.append((who, age, sex, own, f"2024-{1 + chance.randrange(12):02d}-{10 + visit}"))
    return found


def filters(chance: random.Random, tables: list[list[Row]], number: int) -> list[str]:
    """So many different filters, each of which leaves fewer than K rows of every table, whatever the plan is."""
    found: dict[str, None] = {}
    with duckdb.connect() as connection:
        while len(found) < number:
            text = _filter(chance)
            if all(_left(connection, rows, text) < K for rows in tables):
                found[text] = None
    return list(found)


def _filter(chance: random.Random) -> str:
    age, width, who = 20 + chance.randrange(60), chance.randrange(3), chance.randrange(150)
    plan, sex = PLANS[chance.randrange(3)], "fm"[chance.randrange(2)]
    return chance.choice(
        (
            f"who = {PERSON} AND plan = '{plan}'",
            f"who = {PERSON} AND plan <> '{plan}' AND age > {age - 40}",
            f"who IN ({PERSON}, {who}) AND plan = '{plan}'",
            f"age BETWEEN {age} AND {age + width} AND plan = '{plan}' AND sex = '{sex}'",
            f"who >= {who} AND who < {who + 1 + width} AND (plan = '{plan}' OR age = {age})",
            f"who = {PERSON} AND (plan = '{plan}' OR day > DATE '2024-0{1 + width}-01') AND sex = '{sex}'",
            f"age > {80 + width}",
        )
    )


def _left(connection: duckdb.DuckDBPyConnection, rows: list[Row], text: str) -> int:
    listed = ", ".join(f"({who}, {age}, '{sex}', '{plan}', DATE '{day}')" for who, age, sex, plan, day in rows)
    counted = f"SELECT COUNT(*) FROM (VALUES {listed}) AS t(who, age, sex, plan, day) WHERE {text}"
    return int(connection.execute(counted).fetchall()[0][0])


def untimed(told: Any) -> Any:
    """A document without times."""
    if isinstance(told, dict):
        return {key: untimed(each) for key, each in told.items() if key not in UNTIMED}
    return [untimed(each) for each in told] if isinstance(told, list) else told


def request(method: str, where: str) -> str:
    lines = (f'dataset: people\nk: {K}\nwhere: "{where}"', METHODS[method], "release: {to: out/few.csv}")
    return "\n".join(lines) + "\n"


def state_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every table of a state in order, without times."""
    with by_hand(path) as connection:
        found = {}
        for table in tables_of(connection):
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            kept = [
                "JSON_REMOVE(record, '$.seconds')" if name == "record" else f'"{name}"'
                for _, name, kind, *_ in columns
                if kind != "TIMESTAMP" and name not in (*UNTIMED, "run")
            ]
            order = ", ".join(str(place + 1) for place in range(len(kept)))
            found[table] = connection.execute(f"SELECT {', '.join(kept)} FROM {table} ORDER BY {order}").fetchall()
    return found


def made(folder: Path, rows: list[Row], ordermade: Program, enter: Callable[[Path], None]) -> None:
    """A state with the table, its hierarchy, and the dataset, in a folder of its own."""
    folder.mkdir()
    enter(folder)
    write_table(folder / "people.duckdb", COLUMNS, rows, "people")
    (folder / "sex.csv").write_text("f;*\nm;*\n", encoding="utf-8")
    for command in (
        ("init",),
        ("source", "add", "s", "people.duckdb"),
        ("dataset", "add", "people", "--source", "s", "--table", "people"),
        ("hierarchy", "add", "sex", "sex.csv"),
    ):
        assert ordermade(*command).status == 0


def asked(ordermade: Program, folder: Path, place: int, where: str) -> list[tuple[int, Any, str]]:
    """What every way of asking says of one filter: statuses, documents without times, messages."""
    found: list[tuple[int, Any, str]] = []

    def ask(*command: object) -> Outcome:
        ended = ordermade(*command)
        document = untimed(ended.document) if "--json" in command and ended.out else ended.out
        found.append((ended.status, document, ended.err))
        return ended

    method = list(METHODS)[place % len(METHODS)]
    (folder / "few.yaml").write_text(request(method, where), encoding="utf-8")
    assert ask(*RUN, "few.yaml", "--json").status == 1
    assert ask(*RUN, "few.yaml").status == 1
    ask(*SHOWN, 2 * place + 1, "--json")
    assert ask("sweep", "few.yaml", "--k", f"{K},{K + 8}", "--json").status == 1
    if method == "generalization":
        ask("request", "predict", "few.yaml", "--json")
        ask("request", "predict", "few.yaml")
    return found


@pytest.mark.parametrize("part", [0, *(pytest.param(each, marks=pytest.mark.thorough) for each in range(1, PARTS))])
def test_filters_that_leave_fewer_than_k_are_answered_alike(
    part: int, seed: int, folder: Path, ordermade: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [people(random.Random(seed), plan) for plan in (BEFORE, AFTER)]
    assert tables[0] != tables[1]
    number = rounds(16, 500) // PARTS
    texts = filters(random.Random(seed), tables, number * PARTS)[part * number : (part + 1) * number]
    answers, kept, written = [], [], []
    own = folder / "provider"  # the same for both tables: answers and states tell paths
    for number, rows in enumerate(tables):
        made(own, rows, ordermade, monkeypatch.chdir)
        answers.append([asked(ordermade, own, place, where) for place, where in enumerate(texts)])
        kept.append(state_of(own / ".ordermade" / "state.sqlite"))
        written.append(sorted(str(path.relative_to(own)) for path in own.rglob("*")))
        assert not (own / "out").exists()
        own.rename(folder / str(number))
    for where, first, second in zip(texts, *answers, strict=True):
        assert first == second, where
    assert kept[0] == kept[1]
    assert kept[0]["dataset_versions"] == kept[0]["observations"] == []
    assert written[0] == written[1]


def test_filters_that_leave_fewer_than_the_least_k_are_measured_alike(
    seed: int, folder: Path, ordermade: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [people(random.Random(seed), plan) for plan in (BEFORE, AFTER)]
    few = [f"who = {PERSON} AND plan = '{plan}' AND age > {age}" for plan in PLANS for age in (0, 60)]
    answers = []
    for number, rows in enumerate(tables):
        made(folder / str(number), rows, ordermade, monkeypatch.chdir)
        measured = ("measure", "s.people", "--quasi-identifiers", "sex", "--where")
        answers.append([ordermade(*measured, where, *more) for where in few for more in ((), ("--json",))])
    assert answers[0] == answers[1]
    printed, documents = answers[0][::2], answers[0][1::2]
    assert {(each.status, each.out) for each in printed} == {(1, "")}
    assert {(each.status, each.document["error"]["code"]) for each in documents} == {(1, "refused")}
    assert len({each.out for each in documents}) == 1
    assert len({each.err for each in answers[0]}) == 1
