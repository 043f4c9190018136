"""The ledger file: private, whole, and never silently other than it was written."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from ordermade.errors import ReleasedMeanwhile, StateDamaged, UnknownName
from ordermade.hierarchies.explicit import ListedLevel, explicit_hierarchy
from ordermade.ledger.entries import LedgerEntry, ShownClasses, ShownColumn, ShownRelease
from ordermade.ledger.pools import ANYONE
from ordermade.state.ledger import Ledger

AGE, _ = explicit_hierarchy("age", ["1", "2", "3"], [ListedLevel("coarse", ("low", "low", "high"))])


def entry() -> LedgerEntry:
    shown = ShownClasses.of(
        [ShownColumn("age", AGE.content_hash, 1), ShownColumn("region", AGE.content_hash, 0)],
        [("low", "北海道"), ("low", None), ("high", "北海道")],
        [5, 7, 9],
        others_most=4,
        rest=(6, 6),
    )
    return LedgerEntry(
        id=0,
        key="",
        dataset="d1",
        dataset_name="members",
        status="intended",
        recipients=(ANYONE,),
        made_at=datetime(2026, 1, 2, tzinfo=UTC),
        method="generalization",
        k=5,
        filter="age > 1",
        rows_hash="v1",
        opted_out=0,
        shown=ShownRelease(
            (shown,), values=("income",), levels=("age: coarse", "region: value"), required=(("ill", 2),)
        ),
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ledger.sqlite")


def test_an_entry_is_read_as_it_was_added(ledger: Ledger) -> None:
    added = ledger.add(entry(), [AGE])
    (found,) = ledger.entries("d1")
    assert replace(found, shown=ShownRelease()) == replace(added, shown=ShownRelease())
    assert replace(found.shown, classes=()) == replace(added.shown, classes=())
    (shown,), (wanted,) = found.shown.classes, added.shown.classes
    assert (shown.columns, shown.labels, shown.others_most, shown.rest) == (
        wanted.columns,
        wanted.labels,
        wanted.others_most,
        wanted.rest,
    )
    for name in ("codes", "least", "most", "hidden"):
        assert (getattr(shown, name) == getattr(wanted, name)).all()
    assert ledger.hierarchies([AGE.content_hash])[AGE.content_hash] == AGE


def test_the_file_is_its_owners_alone(ledger: Ledger) -> None:
    ledger.add(entry(), [AGE])
    assert stat.S_IMODE(ledger.path.stat().st_mode) == 0o600
    assert [each.name for each in ledger.path.parent.iterdir()] == ["ledger.sqlite"]


def test_entries_count_until_they_are_found_absent_or_destroyed(ledger: Ledger) -> None:
    first, second = (ledger.add(entry(), []).id for _ in range(2))
    ledger.settle(first, "released", 3)
    ledger.settle(second, "absent")
    assert [(each.status, each.release, each.counts) for each in ledger.entries()] == [
        ("released", 3, True),
        ("absent", None, False),
    ]
    assert max(each.id for each in ledger.entries("d1") if each.counts) == first
    with pytest.raises(UnknownName):
        ledger.settle(99, "absent")


def test_of_two_at_once_the_later_one_is_judged_again(ledger: Ledger) -> None:
    seen = len(ledger.entries("d1"))
    ledger.add(entry(), [], judged_beside=seen)
    with pytest.raises(ReleasedMeanwhile):
        ledger.add(entry(), [], judged_beside=seen)
    assert len(ledger.entries()) == 1


def test_of_entries_of_one_key_there_is_one(ledger: Ledger) -> None:
    first = ledger.add(replace(entry(), key="a"), [AGE])
    assert ledger.add(replace(entry(), key="a"), [AGE]).id == 0
    assert [each.id for each in ledger.entries()] == [first.id]


def test_a_dataset_that_was_registered_anew_is_the_one_of_its_name(ledger: Ledger) -> None:
    ledger.add(entry(), [AGE])
    assert len(ledger.entries("another")) == 0
    assert len(ledger.entries("another", entry().dataset_name)) == 1
    assert len(ledger.entries(name=entry().dataset_name)) == 1
    assert ledger.entries(name="of another name") == ()
    assert [len(ledger.entries(numbers=each)) for each in ({1}, {2}, ())] == [1, 0, 0]
    with pytest.raises(ReleasedMeanwhile):
        ledger.add(replace(entry(), dataset="another"), [], judged_beside=0)


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE ledger_entries SET document = replace(document, '\"k\":5', '\"k\":2')",
        "UPDATE ledger_entries SET dataset = 'd2'",
        "UPDATE ledger_classes SET header = replace(header, 'low', 'lov')",
        "UPDATE ledger_classes SET numbers = x'00'",
        "DELETE FROM ledger_classes",
    ],
)
def test_an_entry_that_was_changed_is_never_read(ledger: Ledger, change: str) -> None:
    ledger.add(entry(), [AGE])
    with closing(sqlite3.connect(ledger.path)) as connection, connection:
        connection.execute(change)
    with pytest.raises(StateDamaged):
        ledger.entries()


def test_a_file_that_is_no_ledger_is_a_fault(ledger: Ledger) -> None:
    ledger.path.write_text("no database at all, but a text of some length")
    with pytest.raises(StateDamaged):
        ledger.add(entry(), [])
