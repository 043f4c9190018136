"""The forecast of a request while its user chooses: what it reads, whom it is for, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import InputError, PolicyBroken, Refused, UnknownName
from ordermade.service.forecasting import LiveForecast
from ordermade.service.submissions import Submissions
from ordermade.state import live_forecasts
from ordermade.state.statements import utc_now
from tests.made import new_engine, write_hierarchy

pytestmark = pytest.mark.slow

POLICY = {"dataset": "people", "k": 3, "ks": [3, 10], "suppression": "5 %", "never": {"ask": ["name"]}}
VALUES = {"sex": ("f", "m"), "age": ("10", "11", "20", "21")}


@dataclass
class Bureau:
    """An engine with a dataset of 80 persons, and engines of users."""

    engine: Engine
    folder: Path
    tokens: dict[str, str]

    def forecast(self, name: str, /, **changes: Any) -> LiveForecast:
        return self.of(name).forecast(asked(**changes))

    def of(self, name: str) -> Submissions:
        return replace(self.engine, token=self.tokens[name]).submissions

    def release(self, name: str, *recipients: str, **changes: Any) -> None:
        """Releases to these recipients, or for anyone, without a submitted request."""
        request = asked(**changes) | {"release": {"to": str(self.folder / f"{name}.csv")}}
        found = self.engine.run(request, recipients=recipients) if recipients else self.engine.run(request)
        assert found.status == "released"


def asked(k: int = 3, where: str | None = None, to: int = 0, **levels: int) -> dict[str, Any]:
    """A request for columns at one level each, up to `to` more."""
    columns = {
        name: {
            "hierarchy": "sex" if name == "name" else name,
            "from": level,
            "to": min(level + to, 2 if name == "age" else 1),
        }
        for name, level in (levels or {"sex": 0}).items()
    }
    request = {"dataset": "people", "k": k, "quasi_identifiers": columns, "release": {"to": "data.csv"}}
    return request if where is None else {**request, "where": where}


@pytest.fixture
def bureau(tmp_path: Path) -> Bureau:
    database = tmp_path / "people.duckdb"
    rows = [(f"p{n}", "fm"[n % 2], VALUES["age"][n // 2 % 4]) for n in range(80)]
    with duckdb.connect(str(database)) as connection:
        connection.execute("CREATE TABLE people (name VARCHAR, sex VARCHAR, age VARCHAR)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(database))
    engine.hierarchies.add("sex", write_hierarchy(tmp_path / "sex.csv", ["value", "*"], [("f", "*"), ("m", "*")]))
    ages = [(each, f"{each[0]}.", "*") for each in VALUES["age"]]
    engine.hierarchies.add("age", write_hierarchy(tmp_path / "age.csv", ["value", "ten", "*"], ages))
    engine.datasets.add("people", "s", table="people", least_k=3)
    engine.policies.set(POLICY)
    tokens = {}
    for name, role in {"ann": "data-user", "bob": "data-user", "rei": "reviewer"}.items():
        engine.users.add(name, [role])
        tokens[name] = engine.users.token(name).secret
    return Bureau(engine, tmp_path, tokens)


def test_it_goes_by_what_the_user_received_and_opens_no_source(bureau: Bureau) -> None:
    assert bureau.forecast("ann", sex=0, age=0) == LiveForecast("open", "open", "unknown", needs_review=True, left=499)
    bureau.release("one", "ann", sex=0, age=0)
    (bureau.folder / "people.duckdb").rename(bureau.folder / "away.duckdb")
    assert bureau.forecast("ann", sex=0, age=0) == LiveForecast(
        "likely", "likely", "released", needs_review=True, left=499
    )
    assert bureau.forecast("ann", sex=0, age=0, k=10).answer == "likely"
    assert bureau.forecast("ann", age=1).answer == "likely"


def test_measured_nodes_and_releases_for_others_do_not_count(bureau: Bureau) -> None:
    bureau.engine.policies.set({**POLICY, "pools": [["ann"], ["bob"]]})
    bureau.release("for anyone", sex=0, age=0)
    bureau.release("for bob", "bob", sex=0, age=0)
    assert len(bureau.engine.observations.list()) > 0
    assert bureau.forecast("ann", sex=0, age=0).why == "unknown"
    assert bureau.forecast("bob", sex=0, age=0).why == "released"


def test_a_release_counts_once_it_is_delivered(bureau: Bureau) -> None:
    ann, rei = bureau.of("ann"), bureau.of("rei")
    number = ann.submit(asked(sex=0, age=0)).id
    rei.review(number, "approve")
    bureau.engine.submissions.run(number)
    assert bureau.forecast("ann", age=0).answer == "open"
    bureau.engine.submissions.deliver(number)
    assert bureau.forecast("ann", age=0).answer == "likely"


def test_a_filter_is_open_until_its_own_rows_are_released(bureau: Bureau) -> None:
    bureau.release("all", "ann", sex=0, age=0)
    assert bureau.forecast("ann", age=0, where="sex = 'f'").why == "filter"
    bureau.release("women", "ann", age=0, where="sex = 'f'")
    assert bureau.forecast("ann", age=0, where="sex='f'").answer == "likely"


def test_other_methods_are_open(bureau: Bureau) -> None:
    noun = bureau.of("ann")
    request = {"dataset": "people", "k": 3, "method": "mondrian", "quasi_identifiers": {"age": {"hierarchy": "age"}}}
    found = noun.forecast({**request, "release": {"to": "data.csv"}})
    assert (found.answer, found.why) == ("open", "method")


def test_needs_a_review_says_the_policy_or_what_is_never_proved(bureau: Bureau) -> None:
    bureau.engine.policies.set({**POLICY, "reviews": 0})
    assert not bureau.forecast("ann", age=0).needs_review
    noun = bureau.of("ann")
    local = asked(age=0, to=2) | {"recoding": "local"}
    assert not noun.forecast(local).needs_review
    bureau.release("one", "ann", age=0)
    assert noun.forecast(local).needs_review
    assert not bureau.forecast("ann", age=0).needs_review
    bureau.engine.policies.set({**POLICY, "reviews": 0, "beside": {"undecided": "refuse"}})
    assert (noun.forecast(local).answer, noun.forecast(local).why) == ("unlikely", "earlier")


@pytest.mark.parametrize("changes", [{"k": 4}, {"k": 2}, {"name": 0}])
def test_beyond_the_lists_of_the_policy_nothing_is_forecast(bureau: Bureau, changes: dict[str, int]) -> None:
    with pytest.raises(PolicyBroken):
        bureau.forecast("ann", **changes)
    with pytest.raises(PolicyBroken):
        bureau.of("ann").forecast(asked(age=0) | {"suppression_limit": 0.5})
    assert bureau.forecast("ann", age=0).left == 499, "a mistake is not counted"


def test_different_requests_are_counted_for_each_user_and_limited(bureau: Bureau) -> None:
    bureau.engine.policies.set({**POLICY, "forecasts": {"most": 2, "per": "day"}})
    assert [bureau.forecast("ann", age=level).left for level in (0, 1)] == [1, 0]
    with pytest.raises(Refused, match="2 different requests a day"):
        bureau.forecast("ann", sex=0)
    assert bureau.forecast("ann", age=0).left == 0, "the same again costs nothing"
    assert bureau.forecast("bob", sex=0).left == 1
    noun = bureau.of("ann")
    titled = asked(age=0) | {"title": "another title", "release": {"to": "other.csv"}}
    assert noun.forecast(titled).left == 0, "it means the same"
    assert noun.submit(asked(sex=0)).status == "predicted", "it is submitted without"


def test_what_was_asked_before_the_period_counts_no_more_and_goes(
    bureau: Bureau, monkeypatch: pytest.MonkeyPatch
) -> None:
    bureau.engine.policies.set({**POLICY, "forecasts": {"most": 1, "per": "day"}})
    monkeypatch.setattr(live_forecasts, "utc_now", lambda: utc_now() - timedelta(hours=25))
    assert bureau.forecast("ann", age=0).left == 0
    monkeypatch.undo()
    assert bureau.forecast("ann", sex=0).left == 0
    with bureau.engine.state_file.reading() as connection:
        assert len(live_forecasts.LIVE_FORECASTS.select(connection)) == 1


def test_it_is_for_data_users_and_names_no_file_of_the_provider_s(bureau: Bureau) -> None:
    with pytest.raises(Refused):
        bureau.forecast("rei", age=0)
    noun = bureau.of("ann")
    with pytest.raises((UnknownName, PolicyBroken)):
        noun.forecast(asked(age=0) | {"dataset": "none"})
    with pytest.raises(InputError):
        noun.forecast(asked(age=0) | {"release": {"to": {"source": "s", "table": "t"}}})
    assert bureau.engine.submissions.forecast(asked(age=0)).answer == "open"
