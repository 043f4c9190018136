"""Tries that would single a person out, on pairs of tables that differ in one person, under a strict policy.

Each try is a few requests. The oracle compares all that a data user gets of them, whole documents and the bytes of
releases, on both tables. Three kinds of difference: a `value` that no request may release, a `finer` value within one
class of the finest level, and the `presence` of the person. The first two are never told; presence is told by counts
alone, as k-anonymity is no differential privacy: those tries are listed, with the reason.
"""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, PolicyBroken, Refused
from ordermade.methods.generalization.result import OF_THE_ORIGINAL
from ordermade.sources.executor import ExecutedStatement
from tests.long import rounds
from tests.made import new_state

FLOOR, FEWEST, PERSONS = 5, 20, 400
TRIES = rounds(2, 100)
"""Of each family."""
POLICY = f"""\
dataset: DATASET
k: {FLOOR}
ks: [5, 10, 20, 50]
suppression: 0
models: {{plan: [{{model: distinct_l, l: 2}}]}}
never: {{ask: [id, ward], keep: [income], filter: [income]}}
finest: {{age: 5 years}}
filters: {{persons: {FEWEST}, apart: {FEWEST}, released_only: true}}
"""
KINDS = ("value", "finer", "presence")

Row = tuple[int, int, str, str, str, int, str]
Request = dict[str, Any]
QIS: Mapping[str, Mapping[str, Any]] = {
    "age": {"hierarchy": "age", "from": "5 years", "to": "decade"},
    "sex": {"hierarchy": "sex", "to": 0},
    "city": {"hierarchy": "city", "to": 1},
}


def rows_of(rng: random.Random) -> list[Row]:
    """Persons with age, sex, city, plan, income and ward; the wards have 40 persons each."""
    return [
        (
            i,
            rng.randint(20, 59),
            rng.choice("fm"),
            f"c{rng.randint(0, 3)}",
            f"p{rng.randint(0, 2)}",
            rng.randint(100, 999),
            f"w{i % 10}",
        )
        for i in range(PERSONS)
    ]


def changed(rows: Sequence[Row], target: int, kind: str) -> list[Row]:
    """The same persons but for one: another secret, another age in the same five years, or left out."""
    number, age, sex, city, plan, income, ward = rows[target]
    if kind == "presence":
        return [*rows[:target], *rows[target + 1 :]]
    if kind == "value":
        return [*rows[:target], (number, age, sex, city, plan, income % 900 + 100 + 7, "w10"), *rows[target + 1 :]]
    return [*rows[:target], (number, age // 5 * 5 + (age + 1) % 5, sex, city, plan, income, ward), *rows[target + 1 :]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a data user gets of one request: a refusal, or a document with the bytes of the release.

    `queried`: whether any statement ran in the source before it.
    """

    said: str
    document: str | None
    released: bytes
    queried: bool


class Listening:
    """Progress that counts the statements in the source."""

    def __init__(self) -> None:
        self.statements = 0

    def step(self, name: str) -> None:
        """Nothing."""

    def nodes_left(self, count: int) -> None:
        """Nothing."""

    def records_left(self, count: int) -> None:
        """Nothing."""

    def so_far(self, compute: Any) -> None:
        """Nothing."""

    def statement(self, _: ExecutedStatement) -> None:
        self.statements += 1


OWN = frozenset(("seconds", "request", "number", "path", "cost", "next", "sha256", "released_at", "request_id", "sql"))
"""The entries of a document that are of the run, not of the data; the bytes of the release are compared themselves."""


def without_own(document: Any) -> Any:
    if isinstance(document, Mapping):
        left_out = OWN | OF_THE_ORIGINAL  # losses of the original values are the provider's, and in no manifest
        return {key: without_own(each) for key, each in document.items() if key not in left_out}
    if isinstance(document, (list, tuple)):
        return [without_own(each) for each in document]
    return document


@dataclass(frozen=True, slots=True)
class Provider:
    """One table with its state, of which every try gets a fresh copy, its register of releases empty."""

    folder: Path

    @classmethod
    def of(cls, folder: Path, rows: Sequence[Row]) -> Provider:
        folder.mkdir()
        with duckdb.connect(folder / "shop.duckdb") as database:
            columns = "id INTEGER, age INTEGER, sex VARCHAR, city VARCHAR, plan VARCHAR, income INTEGER, ward VARCHAR"
            database.execute(f"CREATE TABLE members ({columns})")
            database.executemany("INSERT INTO members VALUES (?, ?, ?, ?, ?, ?, ?)", list(rows))
            # One person of a ward has as many visits as the wards have persons.
            database.execute(
                "CREATE TABLE visits AS SELECT members.* FROM members, range(25) AS t(i) WHERE i = 0 OR members.id = 7"
            )
        (folder / "age.yaml").write_text(
            "intervals: {levels: [{width: 5, name: 5 years}, {width: 10, name: decade}]}\n"
        )
        (folder / "sex.csv").write_text("f;*\nm;*\n")
        (folder / "city.csv").write_text("value;region;*\nc0;r0;*\nc1;r0;*\nc2;r1;*\nc3;r1;*\n")
        engine = Engine(new_state(folder / "state.sqlite"))
        engine.sources.add("shop", str(folder / "shop.duckdb"))
        for name in ("members", "visits"):
            engine.datasets.add(name, "shop", table=name, entity="id" if name == "visits" else None)
        for name in ("age.yaml", "sex.csv", "city.csv"):
            engine.hierarchies.add(name.partition(".")[0], folder / name)
        for name in ("members", "visits"):
            engine.policies.set(POLICY.replace("DATASET", name))
        return cls(folder)

    def outcomes(self, tried: Sequence[Request], number: int) -> list[Outcome]:
        """What each request comes to, in order, on a state without releases."""
        state = self.folder / f"try{number}.sqlite"
        shutil.copy(self.folder / "state.sqlite", state)
        found = []
        for place, each in enumerate(tried):
            to = self.folder / f"try{number}-{place}.csv"
            found.append(self._outcome(state, {**each, "release": {"to": str(to)}}, to))
        return found

    def _outcome(self, state: Path, request: Request, to: Path) -> Outcome:
        listening = Listening()
        engine = Engine(state, progress=listening)
        ks = request.pop("sweep", None)
        try:
            answer = engine.sweep(request, ks) if ks else engine.run(request)
        except (PolicyBroken, InputError) as refused:
            if not isinstance(refused, PolicyBroken) and refused.where != "--k":
                raise  # a try that is malformed tries nothing
            return Outcome(str(refused).replace(str(self.folder), ""), None, b"", listening.statements > 0)
        except Refused as refused:
            return Outcome(str(refused), None, b"", queried=True)
        manifest = to.with_name(f"{to.name}.manifest.json")
        documents = [answer.as_dict(), json.loads(manifest.read_text("utf-8")) if manifest.exists() else None]
        document = json.dumps(without_own(documents), sort_keys=True, default=str).replace(str(self.folder), "")
        return Outcome("answered", document, to.read_bytes() if to.exists() else b"", queried=True)


def request_of(rng: random.Random, **fields: Any) -> Request:
    """A request that the policy allows, of some of the quasi-identifiers."""
    columns = rng.sample(sorted(QIS), rng.randint(1, 3))
    base = {
        "dataset": "members",
        "k": rng.choice((5, 10, 20)),
        "quasi_identifiers": {each: QIS[each] for each in columns},
    }
    return base | fields


def exact_filter(rng: random.Random, row: Row) -> list[Request]:
    """The target by exact values of columns, most of them not released."""
    number, age, sex, city, plan, income, ward = row
    parts = [
        *(f"age = {age}", f"sex = '{sex}'", f"city = '{city}'", f"plan = '{plan}'", f"income = {income}"),
        *(f"ward = '{ward}'", f"id = {number}", f"income BETWEEN {income - 1} AND {income + 1}"),
        f"ward LIKE '{ward}%'",
    ]
    chosen = rng.sample(parts, rng.randint(1, 3))
    return [request_of(rng, where=" AND ".join(chosen))]


def complement(rng: random.Random, row: Row) -> list[Request]:
    """All rows, and all but the target's; or a filter and its complement."""
    _, age, sex, city, *_ = row
    begins = age // 10 * 10
    fine = f"age >= {begins} AND age < {begins + 10} AND sex = '{sex}' AND city IN ('{city}')"
    filters = [
        f"NOT ({fine})",
        f"age <> {age}",
        f"NOT (age >= {begins} AND age < {begins + 10})",
        f"NOT (sex = '{sex}')",
    ]
    where = rng.choice(filters)
    first = rng.choice([{}, {"where": where.removeprefix("NOT ")}])
    shared = request_of(rng)
    return [{**shared, **first}, {**shared, "where": where}]


def repeated_rows(rng: random.Random, row: Row) -> list[Request]:
    """A person whose many rows fill a class by themselves, found by where they are."""
    _, age, sex, _, _, income, ward = row
    begins = age // 10 * 10
    where = rng.choice(
        [
            *(f"ward = '{ward}'", f"income = {income}", f"id = {row[0]}"),
            f"age >= {begins} AND age < {begins + 10} AND sex = '{sex}'",
        ]
    )
    columns = {"age": QIS["age"], "sex": QIS["sex"]}
    return [{"dataset": "visits", "k": rng.choice((5, 10)), "quasi_identifiers": columns, "where": where}]


def adaptive_k(rng: random.Random, _: Row) -> list[Request]:
    """The same request with one k after the other, or a sweep: where it fails is the size of a class."""
    shared = request_of(rng)
    start = rng.randint(5, 40)
    if rng.random() < 0.5:
        return [{**shared, "sweep": list(range(start, start + 6))}]
    return [{**shared, "k": k} for k in range(start, start + 4)]


def near_filters(rng: random.Random, row: Row) -> list[Request]:
    """Two releases of rows that differ in the classes around the target."""
    begins = row[1] // 10 * 10
    shared = request_of(rng, quasi_identifiers={"age": QIS["age"], "sex": QIS["sex"]})
    first = f"age >= {begins}"
    second = rng.choice(
        [f"age >= {begins + 10}", f"age >= {begins} AND age < 60", f"age >= {begins + 1}", f"age >= {begins + 5}"]
    )
    return [{**shared, "where": first}, {**shared, "where": second}]


FAMILIES: tuple[Callable[[random.Random, Row], list[Request]], ...] = (
    exact_filter,
    complement,
    repeated_rows,
    adaptive_k,
    near_filters,
)


def counts_in(released: bytes, columns: Sequence[str]) -> Counter[tuple[str, ...]]:
    """The sizes of the classes of a release."""
    rows = csv.DictReader(released.decode().splitlines())  # labels have commas: "[20, 30)"
    return Counter(tuple(row[each] for each in columns) for row in rows)


def test_classes_are_told_apart_by_whole_labels() -> None:
    released = b'sex,age,place\nf,"[20, 30)",1\nf,"[20, 40)",1\nm,"[20, 40)",1\nm,"[20, 40)",1\n'

    assert counts_in(released, ["age"]) == {("[20, 30)",): 1, ("[20, 40)",): 3}
    assert counts_in(released, ["age", "sex"]) == {("[20, 30)", "f"): 1, ("[20, 40)", "f"): 1, ("[20, 40)", "m"): 2}


@dataclass(frozen=True, slots=True)
class Pair:
    """Two tables that differ in one person, of one kind of difference."""

    kind: str
    target: Row
    one: Provider
    other: Provider


@pytest.fixture(scope="module")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> list[Pair]:
    rows = rows_of(random.Random(20131001))
    folder = tmp_path_factory.mktemp("attacks")
    whole = Provider.of(folder / "whole", rows)
    target = 7
    return [Pair(kind, rows[target], whole, Provider.of(folder / kind, changed(rows, target, kind))) for kind in KINDS]


def tried(pairs: Sequence[Pair], place: int) -> Iterator[tuple[int, Pair, list[Request], list[Outcome], list[Outcome]]]:
    """Every try of a family with what it comes to on both tables: the kinds of difference in turn."""
    rng = random.Random(24 + place)
    for number in range(TRIES):
        pair = pairs[(number + place) % len(pairs)]
        requests = FAMILIES[place](rng, pair.target)
        one, other = (side.outcomes(requests, place * TRIES + number) for side in (pair.one, pair.other))
        yield number, pair, requests, one, other


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("place", range(len(FAMILIES)), ids=[each.__name__ for each in FAMILIES])
def test_tries_are_refused_or_show_no_value_of_a_person(
    pairs: list[Pair], place: int, capsys: pytest.CaptureFixture[str]
) -> None:
    tally: Counter[tuple[str, str]] = Counter()
    apart: list[str] = []
    for number, pair, requests, one, other in tried(pairs, place):
        alike = [(each.said, each.document, each.released) for each in one] == [
            (each.said, each.document, each.released) for each in other
        ]
        unqueried = all(not each.queried for each in (*one, *other))
        verdict = "refused before any query" if unqueried else "alike" if alike else "told apart"
        tally[pair.kind, verdict] += 1
        if unqueried:
            assert alike, f"try {number}: the refusals differ"
        if not alike:
            apart.append(f"{number} {pair.kind}: {[each.get('where') for each in requests]}")
            assert pair.kind == "presence", f"try {number}: {apart[-1]}"
        for request, outcome in zip((*requests, *requests), (*one, *other), strict=True):
            if outcome.released and request["dataset"] == "members":
                sizes = counts_in(outcome.released, sorted(request["quasi_identifiers"]))
                assert min(sizes.values()) >= FLOOR
    assert sum(tally.values()) == TRIES
    with capsys.disabled():  # the tries that tell two tables apart are for a note, in the long run
        if TRIES > 5:
            print(f"\n{FAMILIES[place].__name__}: {dict(tally)}\n" + "".join(f"  {each}\n" for each in apart))


@pytest.mark.slow
def test_without_a_policy_the_same_kinds_of_tries_tell_a_value(pairs: list[Pair], tmp_path: Path) -> None:
    """The oracle sees what the policy prevents: with the floor alone, filters isolate the target's secret."""
    pair = next(each for each in pairs if each.kind == "value")
    said = []
    for side in (pair.one, pair.other):
        state = tmp_path / f"{side.folder.name}.sqlite"
        shutil.copy(side.folder / "state.sqlite", state)
        with Engine(state).state_file.writing() as connection:
            connection.execute("DELETE FROM policies")
        where = f"income <> {pair.target[5]}"
        content = {"dataset": "members", "k": 5, "quasi_identifiers": {"sex": {"hierarchy": "sex"}}, "where": where}
        to = tmp_path / f"{side.folder.name}.csv"
        Engine(state).run(content | {"release": {"to": str(to)}})
        said.append(to.read_bytes())
    assert said[0] != said[1]
