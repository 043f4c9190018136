"""What users read of a check: nothing of which values an explicit hierarchy lists, whatever their filter compares.

The list covers the data, so what tells it tells the values of persons.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.hierarchies.read import parse_yaml
from ordermade.policies.decision import Requester, broken_rules
from ordermade.policies.policy import read_policy
from ordermade.requests.read import read_request
from tests.long import rounds
from tests.made import new_engine
from tests.unit.test_faults_by_token import by, outcome

FILTERS = rounds(400, 20_000)
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
VALUES: Mapping[str, Sequence[str]] = {
    "n": tuple(map(str, range(40, 60))),
    "d": tuple(f"2020-01-{day}" for day in range(10, 30)),
    "t": tuple(f"c{number}" for number in range(10, 30)),
}
"""The values of each column, the upper half under another label than the lower one."""
CONSTANTS: Mapping[str, Sequence[str]] = {
    "n": (*VALUES["n"], "0", "39", "60", "1e9", "44.5"),
    "d": tuple(f"DATE '{each}'" for each in (*VALUES["d"], "1999-12-31", "2030-01-01")),
    "t": tuple(f"'{each}'" for each in (*VALUES["t"], "", "a", "C12", "zz")),
}
POLICIES = {
    "silent": "k: 2",
    "finest": "finest: {n: band, d: band, t: band}",
    "released": "filters: {released_only: true}",
    "named": "filters: {borders: {n: n, d: d, t: t}}",
    "closed": "finest: {n: band, d: band, t: band}\nfilters: {released_only: true}",
}
LEVELS = ("", ", from: 0, to: 0", ", from: 0, to: 1", ", from: 1, to: 1", ", from: band")
LISTS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "all": VALUES,
    "few": {column: (*values[2:5], *values[12:15]) for column, values in VALUES.items()},
    "others": {column: (*values[:2], *values[6:11], *values[16:]) for column, values in VALUES.items()},
    "missing too": {column: (*values[:3], *values[11:], "null") for column, values in VALUES.items()},
}
"""What the hierarchies of each state list."""


def label_of(column: str, value: str) -> str:
    values = VALUES[column]
    return "high" if value == "null" or values.index(value) >= len(values) // 2 else "low"


def state(folder: Path, lists: Mapping[str, Sequence[str]]) -> Engine:
    """A state whose explicit hierarchies list these values, with a dataset for each policy."""
    engine = new_engine(folder)
    rows = [",".join((str(at % 2), *(values[at % 20] for values in VALUES.values()))) for at in range(60)]
    (folder / "p.csv").write_text("\n".join(("g,n,d,t", *rows)) + "\n", "utf-8")
    engine.sources.add("s", str(folder / "p.csv"))
    for column, values in lists.items():
        (folder / f"{column}.yaml").write_text(paths(column, values), "utf-8")
        engine.hierarchies.add(column, folder / f"{column}.yaml")
    (folder / "g.csv").write_text("0;*\n1;*\n", "utf-8")
    engine.hierarchies.add("g", folder / "g.csv")
    for name, rules in POLICIES.items():
        engine.datasets.add(name, "s", table="p", least_k=2)
        engine.policies.set(f"dataset: {name}\n{rules}\n")
    engine.users.add("ann", ["data-user"])
    engine.users.add("rei", ["reviewer"])
    return engine


def condition(rng: random.Random, column: str) -> str:
    constants, denied = CONSTANTS[column], rng.choice(("", "NOT "))
    kind = rng.randrange(6)
    if kind == 0:
        return f"{column} IS {denied}NULL"
    if kind == 1:
        half = len(VALUES[column]) // 2
        whole = rng.choice((constants[:half], constants[half : 2 * half]))
        return f"{column} {denied}IN ({', '.join(rng.choice((whole, rng.sample(constants, 3))))})"
    if kind == 2:
        return f"{column} {denied}BETWEEN {rng.choice(constants)} AND {rng.choice(constants)}"
    return f"{denied}{column} {rng.choice(COMPARISONS)} {rng.choice(constants)}"


def asked(rng: random.Random) -> str:
    """A request with a filter of one column or two."""
    column = rng.choice(tuple(VALUES))
    where = condition(rng, column)
    if rng.random() < 0.3:
        where = f"({where}) {rng.choice(('AND', 'OR'))} {condition(rng, rng.choice(tuple(VALUES)))}"
    own = rng.choice(("g: {hierarchy: g}", f"{column}: {{hierarchy: {column}{rng.choice(LEVELS)}}}"))
    dataset = rng.choice(tuple(POLICIES))
    return f'dataset: {dataset}\nk: 2\nquasi_identifiers: {{{own}}}\nwhere: "{where}"\nrelease: {{to: a.csv}}\n'


def paths(column: str, values: Sequence[str]) -> str:
    lines = "".join(f"  {each}: [{label_of(column, each)}]\n" for each in values)
    return f"levels: [band]\nmapping:\n{lines}"


@pytest.mark.parametrize("who", [None, Requester("ann", datetime(2026, 5, 1, tzinfo=UTC))])
def test_a_policy_decides_the_same_whatever_an_explicit_hierarchy_lists(who: Requester | None) -> None:
    found = [
        {column: parse_yaml(paths(column, values), column, where=column)[0] for column, values in lists.items()}
        for lists in LISTS.values()
    ]
    policies = {name: read_policy(f"dataset: {name}\n{rules}\n").policy for name, rules in POLICIES.items()}
    rng = random.Random(9)
    broken: Counter[str] = Counter()
    for _ in range(FILTERS):
        request = read_request(asked(rng)).request
        policy = policies[str(request.dataset)]
        first, *others = (broken_rules(policy, request, who, each, for_user=True) for each in found)
        assert all(each == first for each in others), request.where
        broken.update({each.rule for each in first} or {"none"})
    assert set(broken) == {"none", "finest", "filters.released_only", *(("filters.borders",) if who else ())}


TOLD: Sequence[tuple[str, str, str, str]] = (
    ("ann", "silent", "g: {hierarchy: g}", "n >= 52"),
    ("ann", "named", "g: {hierarchy: g}", "t <= 'c24'"),
    ("ann", "finest", "n: {hierarchy: n, from: band}", "n = 44"),
    ("rei", "finest", "t: {hierarchy: t, from: band}", "t IN ('c12', 'c13', 'c14')"),
    ("ann", "released", "n: {hierarchy: n, from: 1, to: 1}", "n IS NULL"),
    ("rei", "released", "d: {hierarchy: d, from: 1, to: 1}", "d <> DATE '2020-01-13'"),
    ("ann", "silent", "d: {hierarchy: d}", "d = DATE '2020-01-13'"),
)
"""Checks by a user of a dataset; all but the last told what is listed."""


@pytest.mark.slow
def test_a_check_says_the_same_whatever_an_explicit_hierarchy_lists(tmp_path: Path) -> None:
    states = [state(tmp_path / name, lists) for name, lists in LISTS.items()]
    users = {name: [by(each, name) for each in states] for name in ("ann", "rei")}
    found = []
    for name, dataset, own, where in TOLD:
        request = f'dataset: {dataset}\nk: 2\nquasi_identifiers: {{{own}}}\nwhere: "{where}"\nrelease: {{to: a.csv}}\n'
        answers = {outcome(lambda of=each, text=request: of.check(text)) for each in users[name]}  # type: ignore[misc]
        found.append([where, len(answers), *{each[0] for each in answers}])
    assert found == [
        [where, 1, "gave" if place == len(TOLD) - 1 else "PolicyBroken"] for place, (*_, where) in enumerate(TOLD)
    ]
