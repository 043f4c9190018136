"""Two datasets that answered a pool alike: where the ledger alone decides, it answers the next request alike, too.

The datasets of a pair differ in one person, and in marginals that were never released: the person has another age of
the same two years, another plan, or is not there at all and beyond the filter of all earlier requests. Earlier answers
are compared as the next ones are, by all that a user reads: the status, the words, the file and what comes with it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from ordermade import Engine, NeedsReview
from ordermade.errors import PolicyBroken
from ordermade.ledger import simulatable
from ordermade.ledger.simulatable import LedgerAnswer
from ordermade.methods.shared import foreseen
from ordermade.policies.policy import Policy
from ordermade.release import entitled
from ordermade.requests.read import read_request
from ordermade.service.user_refusals import of_refusal
from ordermade.state.ledger import ledger_of
from tests.long import rounds
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow
pytest.importorskip("scipy")

SEED = 4_404
PAIRS = {"first": range(5), "rest": range(5, rounds(50, 500))}
TOGETHER = 25
"""Pairs of one engine: it takes longer to register a dataset beside many."""
K = 3
VALUES: Mapping[str, tuple[str, ...]] = {
    "region": ("n", "s", "w"),
    "sex": ("f", "m"),
    "age": ("10", "11", "20", "21", "30", "31"),
    "plan": ("x", "y"),
}
BETWEEN: Mapping[str, tuple[str, ...]] = {"age": ("1.", "1.", "2.", "2.", "3.", "3.")}
TOPS = {name: 2 if name in BETWEEN else 1 for name in VALUES}
FILTER = "region <> 'w'"
Row = tuple[str, ...]


@dataclass(frozen=True)
class Pair:
    """Two datasets, the requests that both were asked before, and those that are compared."""

    rows: tuple[Sequence[Row], Sequence[Row]]
    before: tuple[dict[str, Any], ...]
    next: tuple[dict[str, Any], ...]


def drawn_rows(rng: np.random.Generator) -> list[Row]:
    n = int(rng.integers(40, 90))
    weights = {name: rng.dirichlet(np.full(len(values), 3.0)) for name, values in VALUES.items()}
    columns = [rng.choice(VALUES[name], size=n, p=weights[name]).tolist() for name in VALUES]
    return list(zip(*columns, strict=True))


def drawn_pair(rng: np.random.Generator) -> Pair:
    one = drawn_rows(rng)
    other, place, kind = list(one), int(rng.integers(len(one))), rng.choice(["age", "plan", "gone"])
    region, sex, age, plan = one[place]
    if kind == "age":
        ages = VALUES["age"]
        other[place] = (region, sex, ages[ages.index(age) ^ 1], plan)
    elif kind == "plan":
        other[place] = (region, sex, age, "x" if plan == "y" else "y")
    else:
        one[place] = ("w", sex, age, plan)
        del other[place]
    where = FILTER if kind == "gone" else None
    before = tuple(earlier(rng, where) for _ in range(int(rng.integers(1, 3))))
    return Pair((one, other), before, tuple(later(rng, before) for _ in range(3)))


def earlier(rng: np.random.Generator, where: str | None) -> dict[str, Any]:
    """A request that no datasets of a pair answer otherwise by what they differ in."""
    levels = {"region": int(rng.integers(2)), "sex": int(rng.integers(2)), "age": int(rng.integers(1, 3)), "plan": 1}
    if rng.random() < 0.4:
        return table({name: level for name, level in levels.items() if level < TOPS[name]} or {"sex": 0}, where)
    return classes(levels, where, limit=float(rng.choice([0, 0.05])))


def later(rng: np.random.Generator, before: tuple[dict[str, Any], ...]) -> dict[str, Any]:
    """A request near an earlier one: coarser, finer, of another k, of another method, or of all levels from there."""
    known = before[int(rng.integers(len(before)))]
    where, levels = known["where"], dict(TOPS)
    levels |= known.get("levels", {})
    kind = rng.choice(["coarser", "same", "finer", "any", "mondrian"], p=[0.3, 0.2, 0.25, 0.15, 0.1])
    name = str(rng.choice(list(VALUES)))
    if kind == "mondrian":
        return {"method": "mondrian", "where": where, "columns": ["sex", "age"]}
    if kind == "coarser":
        levels[name] = TOPS[name]
    if kind in ("finer", "any"):
        levels[name] = max(0, levels[name] - 1)
    if kind == "any":
        where = None if rng.random() < 0.5 else FILTER
    shown = {each: level for each, level in levels.items() if level < TOPS[each]}
    if shown and rng.random() < 0.25:
        return table(shown, where)
    upwards = bool(rng.random() < 0.4)
    return classes(levels, where, float(rng.choice([0, 0, 0.05])), k=int(rng.choice([3, 3, 10])), upwards=upwards)


def classes(
    levels: Mapping[str, int], where: str | None, limit: float, k: int = K, *, upwards: bool = False
) -> dict[str, Any]:
    return {"levels": dict(levels), "where": where, "limit": limit, "k": k, "upwards": upwards}


def table(levels: Mapping[str, int], where: str | None) -> dict[str, Any]:
    return {"method": "table", "levels": dict(levels), "where": where}


def as_request(asked: Mapping[str, Any], dataset: str, path: Path) -> dict[str, Any]:
    request: dict[str, Any] = {"dataset": dataset, "k": asked.get("k", K), "release": {"to": str(path)}}
    if asked["where"] is not None:
        request["where"] = asked["where"]
    if asked.get("method") == "table":
        first, *others = asked["levels"]
        dimensions = {name: {"hierarchy": name, "level": level} for name, level in asked["levels"].items()}
        return {**request, "method": "table", "rows": [first], "columns": others, "dimensions": dimensions}
    if asked.get("method") == "mondrian":
        return {
            **request,
            "method": "mondrian",
            "quasi_identifiers": {each: {"hierarchy": each} for each in asked["columns"]},
        }
    wanted = {
        name: {"hierarchy": name, "from": level, "to": TOPS[name] if asked["upwards"] else level}
        for name, level in asked["levels"].items()
    }
    return {**request, "quasi_identifiers": wanted, "suppression_limit": asked["limit"]}


@dataclass(frozen=True)
class Received:
    """What a user reads of an answer, and what the ledger notes of it, which the provider alone reads."""

    read: str
    noted: tuple[LedgerAnswer, ...]

    @property
    def decided(self) -> str:
        return self.noted[0].decided if self.noted else "filter"

    @property
    def bits(self) -> float:
        return sum(each.bits for each in self.noted)


class Sides:
    """An engine with the two datasets of every pair."""

    def __init__(self, folder: Path, pairs: list[Pair]) -> None:
        self.folder = folder
        database = folder / "pairs.duckdb"
        with duckdb.connect(str(database)) as connection:
            for number, pair in enumerate(pairs):
                for side, rows in zip("ab", pair.rows, strict=True):
                    columns = ", ".join(f"{name} VARCHAR" for name in VALUES)
                    connection.execute(f"CREATE TABLE p{number}{side} ({columns})")
                    connection.executemany(f"INSERT INTO p{number}{side} VALUES (?, ?, ?, ?)", rows)
        self.engine: Engine = new_engine(folder)
        self.engine.sources.add("s", str(database))
        for name, values in VALUES.items():
            between = BETWEEN.get(name)
            rows = [(each, *(() if between is None else (between[place],)), "*") for place, each in enumerate(values)]
            headings = ["value", *(f"level {level}" for level in range(1, TOPS[name] + 1))]
            self.engine.hierarchies.add(name, write_hierarchy(folder / f"{name}.csv", headings, rows))
        for number in range(len(pairs)):
            for side in "ab":
                self.engine.datasets.add(f"p{number}{side}", "s", table=f"p{number}{side}", least_k=K)
                self.engine.policies.set({"dataset": f"p{number}{side}", "k": K})
        self._noted = 0

    def ask(self, asked: Mapping[str, Any], dataset: str, name: str) -> Received:
        path = self.folder / dataset / f"{name}.csv"
        path.parent.mkdir(exist_ok=True)
        request = as_request(asked, dataset, path)
        try:
            result = self.engine.run(request, recipients=["user"], reviewed=False)
        except NeedsReview:
            read = "review"
        except PolicyBroken as broken:  # by a rule of filters: such refusals the ledger does not count
            read = broken.message
        else:
            if result.status == "released":
                read = f"released\n{path.read_text()}\n{manifest_read(path)}"
            else:
                policy = Policy(dataset=dataset, k=K)
                read = f"{result.status}\n{of_refusal(read_request(json.dumps(request)).request, result, policy)}"
        every = ledger_of(self.engine.state_file).answers()
        noted, self._noted = every[self._noted :], len(every)
        return Received(read.replace(dataset, "the dataset"), noted)


def manifest_read(path: Path) -> str:
    """What a user receives of a manifest, without the time and the number of the request."""
    content = entitled.manifest(json.loads(Path(f"{path}.manifest.json").read_text()))
    return json.dumps({name: each for name, each in content.items() if name not in ("released_at", "request_id")})


@dataclass
class Told:
    """Comparisons: `alike` by what decided both, the requests that were told apart, the bits of the rest."""

    alike: Counter[str]
    apart: list[str]
    rest: list[float]


def compared(folder: Path, pairs: list[Pair]) -> Told:
    told = Told(Counter(), [], [])
    for first in range(0, len(pairs), TOGETHER):
        (folder / str(first)).mkdir()
        compare(Sides(folder / str(first), pairs[first : first + TOGETHER]), pairs[first : first + TOGETHER], told)
    return told


def compare(sides: Sides, pairs: list[Pair], told: Told) -> None:
    for number, pair in enumerate(pairs):
        names = [f"p{number}{side}" for side in "ab"]
        kept = all(
            len({sides.ask(asked, name, f"before {place}").read for name in names}) == 1
            for place, asked in enumerate(pair.before)
        )
        if not kept:
            continue  # an earlier answer was another: no such pair
        for place, asked in enumerate(pair.next):
            one, other = (sides.ask(asked, name, f"next {place}") for name in names)
            if one.decided != other.decided:
                told.apart.append(f"pair {number}: {asked}: {one.decided} and {other.decided}")
            elif one.decided in ("open", "filter"):
                told.rest += [one.bits, other.bits]
                if one.read != other.read:
                    break  # from here on they did not answer alike
            elif one.read != other.read:
                told.apart.append(f"pair {number}: {asked}: {one.decided}, and {one.read!r} is not {other.read!r}")
            else:
                told.alike[one.decided] += 1


@pytest.mark.parametrize("which", ["first", pytest.param("rest", marks=pytest.mark.thorough)])
def test_datasets_that_answered_alike_are_not_told_apart_where_released_figures_decide(
    which: str, tmp_path: Path
) -> None:
    numbers = PAIRS[which]
    found = compared(tmp_path, [drawn_pair(np.random.default_rng([SEED, each])) for each in numbers])
    print(
        f"\nseed {SEED}, {len(numbers)} pairs: decided by released figures alone {dict(found.alike)}, told apart "
        f"{len(found.apart)}; {len(found.rest)} other answers, {sum(found.rest):.0f} bits"
    )
    assert not found.apart, f"seed {SEED}: {found.apart[:3]}"
    assert set(found.alike) >= ({"follows"} if which == "first" else {"follows", "breach", "fails", "undecided"})


def one_of_another_age() -> Pair:
    """One of 20 and 20 persons of neighbouring ages has the other; both were shown together so far."""
    ages: list[Row] = [("n", "f", age, "x") for age in ("10", "11") for _ in range(20)]
    levels = {"region": 1, "sex": 1, "age": 1, "plan": 1}
    other = ages[1:] + ages[-1:]
    return Pair((ages, other), (classes(levels, None, 0),), (classes({**levels, "age": 0}, None, 0),))


def one_less_suppressed() -> Pair:
    """Two of 42 persons are suppressed, or one of 41: fewer than k in both, which no manifest says."""
    rows: list[Row] = [("n", "f", "10", "x") for _ in range(40)]
    rows += [("s", "f", "10", "x") for _ in range(2)]
    levels = {"region": 0, "sex": 1, "age": 2, "plan": 1}
    return Pair((rows, rows[:-1]), (classes(levels, None, 0.05),), (classes({**levels, "region": 1}, None, 0),))


def faults() -> Iterator[tuple[str, list[Pair], str, Any]]:
    """Decisions that look at more than the figures of a pool, with pairs that they tell apart."""
    decided_for, is_exact = foreseen.decided_for, simulatable._is_exact

    first: list[str] = []

    def peeking(wanted: Any, pools: Any, hierarchies: Any, rows: str, opted_out: int) -> Any:
        """Decides by the data what released figures leave open: all but those that it sees first fail."""
        first.append(rows)
        found = decided_for(wanted, pools, hierarchies, rows, opted_out)
        return ("fails", ()) if found[0] == "open" and rows != first[0] else found

    def of_any_level(wanted: Any, *others: Any) -> Any:
        """Takes every request of the rows of a release for one that follows from it."""
        found = decided_for(wanted, *others)
        return ("follows", ()) if found[0] == "open" and wanted.finest is not None else found

    def also_suppressed(shown: Any) -> bool:
        """Takes the figures of a release for exact that suppresses some."""
        return is_exact(shown) or shown.others_most > 0

    yield "foreseen.decided_for", [one_of_another_age()], "peeking", peeking
    yield "foreseen.decided_for", [one_of_another_age()], "of any level", of_any_level
    yield "simulatable._is_exact", [one_less_suppressed()], "suppressed", also_suppressed


@pytest.mark.parametrize("fault", list(faults()), ids=lambda each: each[2])
def test_a_decision_by_other_figures_tells_datasets_apart(
    fault: tuple[str, list[Pair], str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    where, pairs, _, instead = fault
    module, name = where.split(".")
    monkeypatch.setattr({"foreseen": foreseen, "simulatable": simulatable}[module], name, instead)
    assert compared(tmp_path, pairs).apart


def test_pairs_by_hand_are_told_apart_by_the_data_alone(tmp_path: Path) -> None:
    found = compared(tmp_path, [one_of_another_age(), one_less_suppressed()])
    assert (found.apart, len(found.rest)) == ([], 4)
