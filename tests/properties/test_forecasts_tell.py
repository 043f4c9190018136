"""Two datasets that answered a pool alike: whatever its user chooses then, the forecasts are the same.

The pairs are those of `test_refusals_tell.py`, which differ in one person and in marginals never released. After the
answers that both gave alike come others that the pool does not receive, and that may differ: a run for anyone, and one
for a user who shares nothing with it. So table C, the versions and the ledger differ where the pool cannot know it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordermade import Engine, NeedsReview
from ordermade.errors import PolicyBroken
from ordermade.ledger import received
from ordermade.requests.read import read_mapping
from ordermade.service import forecasting
from ordermade.service.effective_policy import governing
from tests.long import rounds
from tests.properties.test_refusals_tell import (
    FILTER,
    TOGETHER,
    TOPS,
    K,
    Pair,
    Sides,
    as_request,
    classes,
    drawn_pair,
    one_of_another_age,
    table,
)

pytestmark = pytest.mark.slow
pytest.importorskip("scipy")

SEED = 4_505
PAIRS = {"first": range(2), "rest": range(2, rounds(6, 500))}
FORECASTS = rounds(40, 200)
AMONG = 20
"""Of so many forecasts one is had by the token of the user; the others past the count, which takes a write each."""


def drawn_choice(rng: np.random.Generator, pair: Pair) -> dict[str, Any]:
    """What a user may choose: any levels and lists, near what was answered before or anything."""
    near = pair.before[int(rng.integers(len(pair.before)))]
    where = near["where"] if rng.random() < 0.7 else None if rng.random() < 0.5 else FILTER
    levels = {name: int(rng.integers(top + 1)) for name, top in TOPS.items()}
    if rng.random() < 0.5:
        levels |= {name: level for name, level in near.get("levels", {}).items() if rng.random() < 0.8}
    shown = {name: level for name, level in levels.items() if level < TOPS[name]} or {"sex": 0}
    kind = rng.choice(["classes", "table", "mondrian"], p=[0.9, 0.05, 0.05])
    if kind == "table":
        return table(shown, where)
    if kind == "mondrian":
        return {"method": "mondrian", "where": where, "columns": ["sex", "age"]}
    limit, k = float(rng.choice([0, 0, 0.01, 0.05])), int(rng.choice([3, 3, 5, 10, 20, 50]))
    return classes(shown, where, limit, k, upwards=bool(rng.random() < 0.5))


@dataclass
class Choosing(Sides):
    """Both datasets of each pair, with a user who chooses, one of another pool, and what neither receives."""

    folder: Path
    pairs: list[Pair]
    token: str = field(init=False)

    def __post_init__(self) -> None:
        Sides.__init__(self, self.folder, self.pairs)
        self.engine.users.add("user", ["data-user"])
        self.token = self.engine.users.token("user").secret
        for number in range(len(self.pairs)):
            for side in "ab":
                rules = {"k": K, "pools": [["user", "friend"], ["stranger"]], "reviews": 0}
                self.engine.policies.set({"dataset": f"p{number}{side}", **rules})

    @property
    def user(self) -> Engine:
        return replace(self.engine, token=self.token)

    def not_received(self, dataset: str) -> None:
        """Answers that the pool of the user does not receive: at the finest levels, for anyone and for a stranger."""
        every = classes(dict.fromkeys(TOPS, 0), None, 0.05, upwards=True)
        one = classes({"age": 0, "plan": 0}, None, 0, upwards=True)
        for name, asked, recipients in (("anyone", every, ()), ("stranger", one, ("stranger",))):
            path = self.folder / dataset / f"{name}.csv"
            path.parent.mkdir(exist_ok=True)
            try:
                self.engine.run(as_request(asked, dataset, path), recipients=recipients, reviewed=False)
            except (NeedsReview, PolicyBroken):
                continue

    def forecasts(self, asked: list[dict[str, Any]], dataset: str) -> list[str]:
        """What the user reads of each, in order."""
        requests = [as_request(each, dataset, Path("data.csv")) for each in asked]
        found = [self._past_the_count(requests, dataset)] if requests else []
        by_token = [str(self.user.submissions.forecast(each)) for each in requests[::AMONG]]
        return [*(str(each) for one in found for each in one), *by_token]

    def _past_the_count(self, requests: list[Mapping[str, Any]], dataset: str) -> list[forecasting.LiveForecast]:
        with self.engine.state_file.reading() as connection:
            policy = governing(connection, dataset).rules
            reads = [read_mapping(each) for each in requests]
            outlook = forecasting.outlook_of
            return [outlook(connection, self.engine.state_file, each, "user", policy)[1] for each in reads]


@dataclass
class Compared:
    """The forecasts of pairs: how many of each answer, and which differ within a pair."""

    answers: Counter[tuple[str, str]] = field(default_factory=Counter)
    apart: list[str] = field(default_factory=list)
    pairs: int = 0


def compared(
    folder: Path, pairs: list[Pair], choices: list[dict[str, Any]] | None = None, *, start: int = 0
) -> Compared:
    """The forecasts of choices; without any, of those drawn for each pair, which have numbers from `start` on."""
    found = Compared()
    for first in range(0, len(pairs), TOGETHER):
        (folder / str(first)).mkdir()
        some = pairs[first : first + TOGETHER]
        sides = Choosing(folder / str(first), some)
        for number, pair in enumerate(some):
            names = [f"p{number}{side}" for side in "ab"]
            alike = all(
                len({sides.ask(asked, name, f"before {place}").read for name in names}) == 1
                for place, asked in enumerate(pair.before)
            )
            if not alike:
                continue
            found.pairs += 1
            for name in names:
                sides.not_received(name)
            rng = np.random.default_rng([SEED, start + first + number])
            chosen = choices or [drawn_choice(rng, pair) for _ in range(FORECASTS)]
            one, other = (sides.forecasts(chosen, name) for name in names)
            found.answers.update((text.split("'")[1], text.split("'")[5]) for text in one)
            found.apart += [f"pair {number}: {a} and {b}" for a, b in zip(one, other, strict=True) if a != b]
    return found


@pytest.mark.parametrize("which", ["first", pytest.param("rest", marks=pytest.mark.thorough)])
def test_forecasts_are_the_same_for_datasets_that_answered_alike(which: str, tmp_path: Path) -> None:
    numbers = PAIRS[which]
    pairs = [drawn_pair(np.random.default_rng([SEED, each])) for each in numbers]
    found = compared(tmp_path, pairs, start=numbers.start)
    print(
        f"\nseed {SEED}, {len(numbers)} pairs, {found.pairs} of which answered alike, {FORECASTS} choices each: "
        f"{sum(found.answers.values()):,} forecasts, told apart {len(found.apart)}; {dict(found.answers.most_common())}"
    )
    assert not found.apart, f"seed {SEED}: {found.apart[:3]}"
    assert {answer for answer, _ in found.answers} == {"likely", "open", "unlikely"}


def faults() -> Iterator[tuple[str, Any, str, Any]]:
    """Forecasts that look at more than what the pool received, each with a pair that they tell apart."""
    of_pool, answered = received.received, forecasting._answered

    def of_anybody(entries: Any, user: str, pools: Any, *reached: Any) -> Any:
        """Takes the figures of a release for those of the user, whoever received it."""
        return of_pool([replace(each, recipients=(user,)) for each in entries], user, pools, *reached)

    yield "others' releases", forecasting, "received", of_anybody

    def by_table_c(asked: Any, given: Any, policy: Any) -> Any:
        """Goes by the nodes that were measured on the last version, as the provider's forecast does."""
        found = answered(asked, given, policy)
        state, read = looking[-1]
        if read.request.method != "generalization":
            return found
        known = Engine(state.path).predict(read, look=False).verdict
        return replace(found, answer="likely") if known == "passes" else found

    looking: list[tuple[Any, Any]] = []
    outlook = forecasting.outlook_of

    def looked(connection: Any, state: Any, read: Any, user: str, policy: Any) -> Any:
        looking.append((state, read))
        return outlook(connection, state, read, user, policy)

    yield "measured nodes", forecasting, "_answered", (by_table_c, looked)


@pytest.mark.parametrize("fault", list(faults()), ids=lambda each: each[0])
def test_a_forecast_by_more_than_the_pool_received_tells_datasets_apart(
    fault: tuple[str, Any, str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, module, name, instead = fault
    if isinstance(instead, tuple):
        instead, around = instead
        monkeypatch.setattr(module, "outlook_of", around)
    monkeypatch.setattr(module, name, instead)
    twenty = [classes({"age": 0}, None, 0, k=20)]
    assert compared(tmp_path, [one_of_another_age()], twenty).apart


def test_the_pair_by_hand_is_not_told_apart(tmp_path: Path) -> None:
    found = compared(tmp_path, [one_of_another_age()], [classes({"age": 0}, None, 0, k=20)])
    assert (found.pairs, found.apart) == (1, [])
