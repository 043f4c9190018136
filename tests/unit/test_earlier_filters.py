"""Filters of earlier versions: rewritten so that the same rows pass, known by their numbers, confirmed, sent back."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pytest

from ordermade import Engine
from ordermade.errors import FilterError, PolicyBroken, Refused
from ordermade.requests.earlier_filters import carried_over, known_as
from ordermade.requests.read import read_request
from ordermade.requests.row_filter import row_condition
from ordermade.service.rewritten_filters import REWRITTEN
from tests.made import new_state
from tests.service_office import Service, made, text

TYPES = {
    "id": "INTEGER",
    "age": "INTEGER",
    "price": "DECIMAL(9,2)",
    "name": "VARCHAR",
    "d": "DATE",
    "ts": "TIMESTAMP",
    "b": "BOOLEAN",
}
CARRIED = (
    "YEAR(d) = 2013",
    "year(ts) <> 2013",
    "EXTRACT(YEAR FROM d) >= 2013",
    "2013 < YEAR(ts)",
    "YEAR(d) <= 2013",
    "YEAR(d) IN (2012, 2014)",
    "YEAR(ts) BETWEEN 2012 AND 2013",
    "YEAR(d) = 2013 AND MONTH(d) = 12",
    "YEAR(ts) = 2013 AND MONTH(ts) >= 4 AND age > 20",
    "MONTH(d) BETWEEN 4 AND 12 AND EXTRACT(YEAR FROM d) = 2013",
    "YEAR(d) = 2013 AND MONTH(d) <> 10",
    "CAST(ts AS DATE) = DATE '2013-10-01'",
    "CAST(ts AS DATE) <= '2013-10-01'",
    "CAST(ts AS DATE) > DATE '2013-10-01'",
    "CAST(ts AS DATE) BETWEEN DATE '2013-09-30' AND DATE '2013-10-01'",
    "CAST(d AS DATE) <> DATE '2013-10-01'",
    "YEAR(CAST(ts AS DATE)) = 2013",
    "SUBSTRING(name, 1, 2) = 'ab'",
    "SUBSTRING(name FROM 1 FOR 1) <> 'a'",
    "SUBSTRING(name, 1, 2) IN ('ab', 'a', 'b')",
    "name LIKE 'ab'",
    "name NOT LIKE '%'",
    "age IS DISTINCT FROM 20",
    "age IS NOT DISTINCT FROM 20",
    "name IS NOT DISTINCT FROM NULL",
    "age = '20'",
    "price > '20.50'",
    "20 >= age",
    "b = 1 OR b = 'false'",
    "d = TIMESTAMP '2013-10-01 00:00:00'",
    "age > 1e1 AND NOT (YEAR(d) = 2013 OR name LIKE 'a%')",
)
NOT_CARRIED = (
    "MONTH(d) = 4",
    "LOWER(name) = 'ab'",
    "age + 1 > 20",
    "age = id",
    "YEAR(name) = 2013",
    "YEAR(d) = age",
    "YEAR(d) = 2013.5",
    "YEAR(d) = 10000",
    "YEAR(d) = 2013 AND MONTH(d) = 0",
    "YEAR(d) = 2013 AND MONTH(d) = 13",
    "SUBSTRING(name, 2, 1) = 'a'",
    "SUBSTRING(name, 1, 1) = '%'",
    "name LIKE '%a'",
    "age = 20.5",
    "age IN (20, NULL)",
    "COALESCE(age, 0) = 0",
    "gone = 1",
    "erased by policy",
)


@pytest.fixture(scope="module")
def rows() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE t ({', '.join(f'{name} {kind}' for name, kind in TYPES.items())})")
    days = ("2012-12-31", "2013-01-01", "2013-04-01", "2013-10-01", "2013-12-31", "2014-01-01", None)
    times = ("00:00:00", "23:59:59.999999")
    names = ("ab", "abc", "a", "b", "", "Ab", "%a", None)
    made = [
        (at, (10, 20, 21, None)[at % 4], (20.5, 20.51, None)[at % 3], names[at % 8], day, day and f"{day} {clock}",
         (True, False, None)[at % 3])
        for at, (day, clock) in enumerate((day, clock) for day in days for clock in times for _ in range(8))
    ]  # fmt: skip
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, ?)", made)
    return connection


@pytest.mark.parametrize("earlier", CARRIED)
def test_a_rewritten_filter_lets_the_same_rows_pass(rows: duckdb.DuckDBPyConnection, earlier: str) -> None:
    today = carried_over(earlier, TYPES)

    assert today is not None
    assert carried_over(today, TYPES) == today
    sent = row_condition(today, TYPES)[0].sql(dialect="duckdb")
    for negated in ("", "NOT "):
        expected = rows.execute(f"SELECT id FROM t WHERE {negated}({earlier}) ORDER BY id").fetchall()
        assert rows.execute(f"SELECT id FROM t WHERE {negated}({sent}) ORDER BY id").fetchall() == expected
        assert 0 < len(expected) < 112 or negated or "NOT LIKE" in earlier


@pytest.mark.parametrize("earlier", NOT_CARRIED)
def test_what_no_comparison_says_is_not_rewritten(earlier: str) -> None:
    assert carried_over(earlier, TYPES) is None


@pytest.mark.parametrize("constant", ["1 = 1", "1 <> 2", "DATE '2013-01-01' < DATE '2014-01-01'", "YEAR(1) = 1"])
def test_a_comparison_of_constants_alone_is_not_turned_for_ever(constant: str) -> None:
    assert carried_over(constant, TYPES) is None
    with pytest.raises(FilterError, match="a value and not a condition"):
        row_condition(constant, TYPES)


def test_a_filter_is_known_by_the_text_that_the_state_has() -> None:
    today = row_condition("d >= '2013-01-01'", TYPES)
    assert today
    first, second = (carried_over(f"YEAR(d) = {year}", TYPES) for year in (2013, 2014))
    kept = ['YEAR("d") = 2013', None, "LOWER(\"name\") = 'x'"]
    assert known_as(first, kept, TYPES) == 'YEAR("d") = 2013'
    assert known_as(second, kept, TYPES) == second
    assert known_as(first, [*kept, first], TYPES) == first
    assert known_as(None, kept, TYPES) is None


PLANS = "SUBSTRING(\"plan\", 1, 1) = 'p'"
"""A filter of an earlier version, of all rows that `plan LIKE 'p%'` has."""


@pytest.fixture
def shop(tmp_path: Path) -> tuple[Engine, Path]:
    with duckdb.connect(tmp_path / "shop.duckdb") as database:
        database.execute(
            "CREATE TABLE members AS SELECT i, i % 10 AS age, 'pq'[1 + i // 100] AS plan FROM range(200) t(i)"
        )
    (tmp_path / "age.csv").write_text("".join(f"{age};*\n" for age in range(10)), encoding="utf-8")
    engine = Engine(new_state(tmp_path / "state.sqlite"))
    engine.sources.add("shop", str(tmp_path / "shop.duckdb"))
    engine.datasets.add("members", "shop", table="members", least_k=5)
    engine.hierarchies.add("age", tmp_path / "age.csv")
    return engine, tmp_path


def asked(folder: Path, name: str, where: str | None) -> dict[str, Any]:
    content = {"dataset": "members", "k": 5, "quasi_identifiers": {"age": {"hierarchy": "age"}}, "where": where}
    release = {"release": {"to": str(folder / f"{name}.csv")}}
    return {key: each for key, each in (content | release).items() if each is not None}


def run_earlier(engine: Engine, request: dict[str, Any], text: str) -> Any:
    """Runs a request as an earlier version did: the state notes the text of its filter, and the identity by it."""
    with patch("ordermade.methods.shared.open_request._known", lambda *_: text):
        return engine.run(request)


@pytest.mark.slow
def test_a_dataset_under_a_filter_of_an_earlier_version_keeps_its_number(shop: tuple[Engine, Path]) -> None:
    engine, folder = shop
    first = run_earlier(engine, asked(folder, "one", "plan LIKE 'p%'"), PLANS)

    again = engine.run(asked(folder, "two", "plan LIKE 'p%'"))
    other = engine.run(asked(folder, "three", "plan LIKE 'q%'"))

    version = {each: engine.requests.get(each).dataset_version_id for each in (first.request, again.request)}
    assert version[first.request] == version[again.request]
    assert engine.requests.get(other.request).dataset_version_id != version[first.request]
    assert engine.predict(asked(folder, "four", "plan LIKE 'p%'")).verdict == "passes"


@pytest.mark.slow
def test_rows_are_compared_with_those_of_a_rewritten_filter(shop: tuple[Engine, Path]) -> None:
    engine, folder = shop
    engine.policies.set({"dataset": "members", "filters": {"apart": 20, "values": 1}})
    run_earlier(engine, asked(folder, "one", "plan LIKE 'p%'"), PLANS)

    assert engine.run(asked(folder, "same", "plan LIKE 'p%'")).released
    with pytest.raises(PolicyBroken, match="differ from those of an earlier release in fewer than 20"):
        engine.run(asked(folder, "near", "plan LIKE 'p%' AND i <> 4"))


@pytest.mark.slow
def test_releases_that_cannot_be_compared_are_listed_until_they_are_confirmed(
    shop: tuple[Engine, Path],
) -> None:
    engine, folder = shop
    engine.policies.set({"dataset": "members", "filters": {"apart": 20}})
    unread = "LOWER(\"plan\") = 'p'"
    run_earlier(engine, asked(folder, "one", "plan LIKE 'p%'"), unread)

    with pytest.raises(PolicyBroken, match="cannot be compared with these") as caught:
        engine.run(asked(folder, "two", "age >= 5"))
    assert caught.value.rules == ("filters.apart",)
    assert 'confirmed: ["LOWER(\\"plan\\") = \'p\'"]' in caught.value.next_step
    engine.policies.set({"dataset": "members", "filters": {"apart": 20, "confirmed": [unread]}})
    assert engine.run(asked(folder, "two", "age >= 5")).released


EARLIER, TODAY = "SUBSTRING(plan, 1, 1) = 'b'", "\"plan\" LIKE 'b%'"


@pytest.fixture
def service(tmp_path: Path) -> Service:
    found = made(tmp_path)
    for name, role in (("ann", "data-user"), ("rei", "reviewer")):
        found.add(name, role)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("approved", [True, False])
def test_an_open_request_goes_back_to_its_user_with_the_filter_rewritten(service: Service, approved: bool) -> None:
    number = service.of("ann").submit(f"{text('one')}where: {EARLIER}\n").id
    if approved:
        service.of("rei").review(number, "approve")
    with pytest.raises(Refused, match="it goes back to its user, rewritten"):
        service.of().run(number) if approved else service.of().review(number, "approve")

    proposed = service.of("ann").get(number)
    assert proposed.submission.status == "proposed"
    assert TODAY in str(read_request(proposed.revisions[-1].request).request.where)
    assert proposed.revisions[-1].reason == REWRITTEN
    service.of("ann").accept(number)
    service.of("rei").review(number, "approve")
    assert service.of().run(number).submission.status == "run"


@pytest.mark.slow
def test_a_rewritten_filter_that_the_policy_does_not_allow_is_read_by_its_user_all_the_same(service: Service) -> None:
    number = service.of("ann").submit(f"{text('one')}where: YEAR(joined) = 2020\n").id
    with pytest.raises(Refused, match="it goes back to its user, rewritten"):
        service.of().review(number, "approve")

    proposed = service.of("ann").get(number)
    last = proposed.revisions[-1]
    assert proposed.submission.status == "proposed"
    assert "\"joined\" >= CAST('2020-01-01' AS DATE)" in str(read_request(last.request).request.where)
    assert last.reason is not None
    assert last.reason.startswith(REWRITTEN)
    assert "the filter parts 'joined', of which no intervals or dates are registered" in last.reason
    assert service.of("ann").history(number)[-1].detail == last.reason
    with pytest.raises(PolicyBroken) as refused:
        service.of("ann").accept(number)
    assert refused.value.rules == ("filters.borders",)
    assert service.of("ann").revise(number, text("two")).status == "revised"
    assert service.unlike_the_audit() == ()


@pytest.mark.slow
def test_a_delivered_request_is_done_again_with_the_filter_rewritten(service: Service) -> None:
    number = service.of("ann").submit(f"{text('one')}where: {EARLIER}\n").id
    service.of("rei").review(number, "approve")
    with patch("ordermade.service.running.carry_over"):  # as the version did under which it was run
        service.of().run(number)
    service.of().deliver(number)
    again = service.of().rerun(number)
    assert TODAY in str(read_request(service.of().get(again.id).revisions[-1].request).request.where)
