"""What `--json` prints of a record: its keys, their names, and what is left out."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from ordermade.documents.schema import descriptions, document_type
from ordermade.records.printed import CLASSES, NOT_PRINTED, Printed, json_of, keys, printed, printed_as


@dataclass(frozen=True, slots=True)
class Inner:
    """A record within another."""

    divisions: int = field(metadata=CLASSES)
    """Its classes."""
    secret: str = field(default="", metadata=NOT_PRINTED)
    """What is not printed."""


@dataclass(frozen=True, slots=True)
class Outer(Printed):
    """A record.

    More of it, for those who read the code.
    """

    inner: Inner = field(metadata=printed(spread=True))
    """The record whose keys stand here."""
    listed: tuple[Inner, ...] = ()
    """A list of them."""
    page: Path | None = field(default=None, metadata=printed(optional=True))
    """A page, where there is one."""
    beside: Inner | None = field(default=None, metadata=printed(spread=True))
    """Keys that may be missing."""
    share: float = math.nan
    """A share."""

    @property
    @printed_as("whole")
    def is_whole(self) -> bool:
        """Whether it is whole."""
        return True

    @property
    def not_marked(self) -> int:
        """No key."""
        return 1


def test_a_record_is_printed_by_the_names_of_its_keys() -> None:
    assert json_of(Outer(Inner(3, "x"), (Inner(4, "y"),))) == {
        "classes": 3,
        "listed": [{"classes": 4}],
        "share": None,
        "whole": True,
    }


def test_a_key_that_may_be_missing_is_there_with_its_value() -> None:
    found = Outer(Inner(3), page=Path("a.html"), beside=Inner(5), share=0.5).as_dict()

    assert (found["page"], found["classes"], found["share"]) == ("a.html", 5, 0.5)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (datetime(2026, 2, 28, 23, 59, tzinfo=UTC), "2026-02-28T23:59:00+00:00"),
        (Decimal("0.10"), "0.10"),
        (math.inf, None),
        ({1: (True, None)}, {"1": [True, None]}),
        (frozenset({2}), [2]),
    ],
    ids=str,
)
def test_a_value_is_in_jsons_types(value: object, expected: object) -> None:
    assert json_of(value) == expected


def test_nothing_is_printed_that_has_no_key_and_each_key_has_words() -> None:
    assert [each.attribute for each in keys(Inner)] == ["divisions"]
    assert {each.attribute for each in keys(Outer)} <= set(descriptions(Outer))
    assert descriptions(Outer)["is_whole"] == "Whether it is whole."


def test_the_type_of_a_document_has_the_keys_that_are_printed() -> None:
    found = document_type(Outer, "Printed", "release show")

    assert set(found.__annotations__) == {"format", "command", "classes", "listed", "page", "share", "whole"}
    assert found.__optional_keys__ == {"page", "classes"}
    assert found.__doc__ == "A record."
