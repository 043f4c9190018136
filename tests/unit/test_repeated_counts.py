"""Counts of a server that is provably unchanged: of which state, statement and values they are repeated."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ordermade.sources.repeated_counts import KEPT_STATES, RepeatedCounts
from ordermade.sources.server import Server
from ordermade.state.cache import Cache


@pytest.fixture
def counts_of(tmp_path: Path) -> Callable[[str], RepeatedCounts]:
    """The counts of a state, kept in a cache of the test's."""
    (tmp_path / "spill").mkdir()
    cache = Cache(tmp_path / "cache.duckdb")
    return lambda state: RepeatedCounts(cache, "place", state, tmp_path / "spill", is_of_snapshot=True)


def test_counts_are_of_their_state_and_statement_alone(counts_of: Callable[[str], RepeatedCounts]) -> None:
    first = counts_of("one")
    assert first.find("SELECT", {}) is None
    first.note("SELECT", {"k": 1}, [(7,)])
    first.keep()
    assert counts_of("one").find("SELECT", {"k": 1}) == [(7,)]
    for state, text, bound in (("two", "SELECT", {"k": 1}), ("one", "select", {"k": 1}), ("one", "SELECT", {"k": 2})):
        assert counts_of(state).find(text, bound) is None


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        -(2**70),
        "",
        "a\n",
        Decimal("1.50"),
        Decimal("NaN"),
        date(2026, 11, 28),
        datetime(2026, 11, 28, 1, 2, 3, 4, tzinfo=UTC),
        datetime(1, 1, 1),
    ],
)
def test_values_come_back_as_they_were(counts_of: Callable[[str], RepeatedCounts], value: Any) -> None:
    first = counts_of("one")
    first.note("SELECT", {}, [(value, 1)])
    first.keep()
    ((found, _),) = counts_of("one").find("SELECT", {}) or []
    assert (type(found), str(found)) == (type(value), str(value))


def test_other_values_and_long_answers_are_not_kept(counts_of: Callable[[str], RepeatedCounts]) -> None:
    first = counts_of("one")
    first.note("bytes", {}, [(b"x",)])
    first.note("long", {}, [("x" * (1 << 20),)])
    first.keep()
    assert (counts_of("one").find("bytes", {}), counts_of("one").find("long", {})) == (None, None)


def test_the_states_noted_last_are_kept(counts_of: Callable[[str], RepeatedCounts]) -> None:
    for number in range(KEPT_STATES + 1):
        each = counts_of(str(number))
        each.note("SELECT", {}, [(number,)])
        each.keep()
    assert counts_of("0").find("SELECT", {}) is None
    assert [counts_of(str(number)).find("SELECT", {}) for number in (1, KEPT_STATES)] == [[(1,)], [(KEPT_STATES,)]]


def test_nothing_is_kept_where_no_cache_is_used(tmp_path: Path) -> None:
    counts = RepeatedCounts(None, "place", "one", tmp_path, is_of_snapshot=True)
    counts.note("SELECT", {}, [(1,)])
    counts.keep()
    assert list(tmp_path.iterdir()) == []


def server(**parts: Any) -> Any:
    return SimpleNamespace(_was_read=False, _repeated=set(), kept=lambda _: contextlib.nullcontext(), **parts)


class Noting:
    """Counts that note what they are given."""

    state, is_of_snapshot = "one", True

    def __init__(self) -> None:
        self.noted: list[tuple[str, Mapping[str, object], Any]] = []

    def note(self, *given: Any) -> None:
        self.noted.append(given)


def test_what_another_snapshot_gave_is_not_noted() -> None:
    before, now = Noting(), Noting()
    Server.note_counts(server(_counts=now), before, "SELECT", {}, [(1,)])  # type: ignore[arg-type]
    Server.note_counts(server(_counts=now), now, "SELECT", {}, [(1,)])  # type: ignore[arg-type]
    assert (before.noted, len(now.noted)) == ([], 1)


@pytest.mark.parametrize(("is_of_snapshot", "secured"), [(True, True), (True, False), (False, True)])
def test_a_snapshot_proves_nothing_under_row_security(is_of_snapshot: bool, secured: bool) -> None:
    counts = Noting()
    counts.is_of_snapshot = is_of_snapshot
    source = server(_counts=counts, _is_secured=lambda _: secured)
    found = Server.repeated_counts(source, None)  # type: ignore[arg-type]
    assert (found is None) == (is_of_snapshot and secured)
