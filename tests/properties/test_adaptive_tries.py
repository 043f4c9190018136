"""Tries of one user who chooses each by what the last one told, against a policy with lists: no scale tells a figure.

Each family halves what it does not know yet, by any value between the two that it knows about, listed or not. What it
knows at the end are the values of the list around the figure, or the borders of a hierarchy.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import OrdermadeError, PolicyBroken
from ordermade.service.submissions import Submissions
from tests.made import new_state

PERSONS, SMALLEST = 400, 13
POLICY = """\
dataset: members
k: 5
ks: [5, 10, 20, 50]
filters: {persons: 20}
reviews: 0
refusals: {most: MOST}
"""
HIERARCHIES = {
    "age": "intervals: {levels: [{width: 20, name: twenty}]}\n",
    "income": "intervals: {levels: [{width: 100, name: hundreds}]}\n",
}


def provider(folder: Path, most: int) -> tuple[Engine, Submissions]:
    """The members, of whom the smallest group of ages has 13; and what a data user may do."""
    rng = random.Random(7)
    ages = [65] * SMALLEST + [rng.randint(20, 59) for _ in range(PERSONS - SMALLEST)]
    rows = [(i, age, rng.choice("fm"), rng.randint(100, 999), f"p{i % 3}") for i, age in enumerate(ages)]
    with duckdb.connect(folder / "shop.duckdb") as database:
        database.execute("CREATE TABLE members (id INTEGER, age INTEGER, sex VARCHAR, income INTEGER, plan VARCHAR)")
        database.executemany("INSERT INTO members VALUES (?, ?, ?, ?, ?)", rows)
    engine = Engine(new_state(folder / "state.sqlite"))
    engine.sources.add("shop", str(folder / "shop.duckdb"))
    engine.datasets.add("members", "shop", table="members")
    for name, text in HIERARCHIES.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(name, folder / f"{name}.yaml")
    engine.policies.set(POLICY.replace("MOST", str(most)))
    engine.users.add("ann", ["data-user"])
    return engine, Engine(folder / "state.sqlite", token=engine.users.token("ann").secret).submissions


@dataclass
class Halving:
    """A figure that is sought: `passes` at `low`, fails at `high`, or the other way round; both may be unknown."""

    low: float
    high: float
    asked: Callable[[float], Mapping[str, Any]]
    is_whole: bool = True
    told: list[tuple[float, bool]] = field(default_factory=list)
    by_policy: int = 0

    def value(self, rng: random.Random) -> float:
        """The next one to try: the middle, a listed one, or any between."""
        value = rng.choice([(self.low + self.high) / 2, rng.uniform(self.low, self.high)])
        return round(value) if self.is_whole else round(value, 4)

    def learn(self, value: float, passed: bool) -> None:
        """Narrows what is known by an answer of the data."""
        self.told.append((value, passed))
        if passed:
            self.low = max(self.low, value)
        else:
            self.high = min(self.high, value)


def families() -> dict[str, Halving]:
    """What is sought: the least class, by k and by risk; the rows in small classes; the 20th highest income."""
    age = {"quasi_identifiers": {"age": {"hierarchy": "age", "from": 1, "to": 1}}}
    return {
        "k": Halving(5, 50, lambda k: {**age, "k": int(k)}),
        "risk": Halving(5, 50, lambda k: {**age, "k": 5, "risk": {"highest": round(1 / k, 6)}}),
        "suppression": Halving(-0.2, 0, lambda s: {**age, "k": 20, "suppression_limit": round(-s, 4)}, is_whole=False),
        "filter": Halving(100, 1000, lambda c: {**age, "k": 5, "where": f"income >= {int(c)}"}),
        "t": Halving(-0.9, 0, lambda t: {**age, "k": 5, "sensitive": {"plan": [
            {"model": "t_closeness", "t": round(-t, 3), "distance": "equal"}]}}, is_whole=False),
    }  # fmt: skip


LISTED: Mapping[str, tuple[float, ...]] = {
    "k": (5, 10, 20, 50),
    "risk": (5, 10, 20, 50),
    "suppression": (-0.05, -0.02, -0.01, 0),
    "filter": (200, 500, 800, 900),
    "t": (-0.5, -0.2, -0.1),
}


def tried(engine: Engine, user: Submissions, asked: Mapping[str, Any], title: int) -> tuple[bool | None, str]:
    """Whether the data let a request pass (None: the policy decided) and all that its user reads of it."""
    content = {"title": "t", "dataset": "members", "release": {"to": f"r{title}.csv"}, **asked}
    try:
        number = user.submit(content).id
    except PolicyBroken as refused:
        return None, refused.message
    except OrdermadeError as malformed:
        return None, malformed.message
    try:
        passed = engine.submissions.run(number).submission.status == "run"
    except OrdermadeError:
        passed = False
    return passed, " ".join(str(each.detail) for each in user.history(number) if each.action != "request run")


def attack(folder: Path, tries: int, name: str | None = None) -> tuple[Engine, dict[str, Halving], int]:
    """The engine, what is known of the named figure, or of each, after so many tries, and how many the data refused.

    What a request came to twice alike is the answer to the tries that repeat it word for word.
    """
    engine, user = provider(folder, 10**6)
    rng, refused = random.Random(11), 0
    sought = {each: family for each, family in families().items() if name in (None, each)}
    said: dict[str, list[tuple[bool | None, str]]] = {}
    for place in range(tries):
        kind, family = list(sought.items())[place % len(sought)]
        value = rng.choice(LISTED[kind]) if rng.random() < 0.3 else family.value(rng)
        asked = family.asked(value)
        before = said.setdefault(repr(asked), [])
        if len(before) < 2:
            before.append(tried(engine, user, asked, place))
            refused += before[-1][0] is False
        passed, words = before[-1]
        assert before[0][0] == passed
        if passed is not None:  # else the policy decided, which knows the request alone
            assert not re.search(rf"\b{SMALLEST}\b", words), words
            family.learn(value, passed)
        else:
            family.by_policy += 1
    return engine, sought, refused


def table_of_tries(sought: Mapping[str, Halving]) -> str:
    """What each family tried, what answered it, and between which values the figure is known to lie at the end."""
    lines = [f"{'':12}{'tries':>7}{'policy':>8}{'passed':>8}{'refused':>9}  known to lie between"]
    for name, each in sought.items():
        passed = sum(found for _, found in each.told)
        tries, refused = each.by_policy + len(each.told), len(each.told) - passed
        known = f"{abs(each.low):g} and {abs(each.high):g}"
        lines.append(f"{name:12}{tries:>7}{each.by_policy:>8}{passed:>8}{refused:>9}  {known}")
    return "\n".join(lines)


LISTS: Mapping[str, Callable[[float], bool]] = {
    "k": lambda value: value in (5, 10, 20, 50),
    "risk": lambda value: value in (5, 10, 20, 50),
    "suppression": lambda value: -value in (0, 0.01, 0.02, 0.05),
    "filter": lambda value: value % 100 == 0,
    "t": lambda value: round(-value, 3) in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5),
}
"""Whether the policy leaves the data to decide on a value."""
APART: Mapping[str, float] = {"k": 5, "risk": 5, "filter": 100}
"""How far apart the two values stay that a figure is known to lie between."""


def require_unknown(sought: Mapping[str, Halving]) -> None:
    """No figure is pinned down: answers came for listed values and borders alone, so that these bound what is known."""
    for name, each in sought.items():
        assert all(LISTS[name](value) for value, _ in each.told)
        assert each.high - each.low >= APART.get(name, 0)


@pytest.mark.slow
def test_no_scale_tells_a_figure_however_a_user_tries(tmp_path: Path) -> None:
    engine, sought, refused = attack(tmp_path, 20)

    require_unknown(sought)
    assert sum(len(engine.submissions.refused_by_data(each.id)) for each in engine.submissions.list()) >= refused


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("name", list(families()))
def test_five_hundred_tries_tell_no_figure_and_are_counted(tmp_path: Path, name: str) -> None:
    engine, sought, refused = attack(tmp_path, 500 // len(families()), name)

    counted = sum(len(engine.submissions.refused_by_data(each.id)) for each in engine.submissions.list())
    print(f"{table_of_tries(sought)}\nrefused by the data: {refused}, counted: {counted}")
    require_unknown(sought)
    assert counted >= refused
    assert refused or name in ("risk", "t")


@pytest.mark.slow
def test_tries_end_with_the_refusals_that_the_policy_bears(tmp_path: Path) -> None:
    engine, user = provider(tmp_path, 2)
    asked = families()["k"].asked(20)

    found = [tried(engine, user, asked, place) for place in range(3)]

    assert [passed for passed, _ in found] == [False, False, None]
    assert "the data may refuse 2 requests a month" in found[-1][1]
