"""Columns of a release that say little any more are named, with what would keep more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest

from ordermade.anonymization.lost_detail import LostDetail, lost_detail
from ordermade.anonymization.options import AnonymizeOptions
from ordermade.errors import SourceFault

STRICT = AnonymizeOptions(k=5, suppression_limit=Decimal(0))


def release(shares: Mapping[str, float], loss: float = 0.5) -> Any:
    columns = [
        SimpleNamespace(column=name, role="quasi-identifier", loss_share=share) for name, share in shares.items()
    ]
    return SimpleNamespace(released=True, columns=columns, loss={"loss": loss})


def test_columns_that_lost_all_or_half_are_told_apart() -> None:
    found = lost_detail(release({"town": 1.0, "age": 0.5, "sex": 0.1}), "full-domain", STRICT, lambda _: None)
    assert found == LostDetail(("town",), ("age",), 0.5)
    assert lost_detail(release({"age": 0.4}), "full-domain", STRICT, lambda _: 0.1) is None
    assert lost_detail(release({"age": 1.0}), "local", STRICT, lambda _: 0.1) is None


@pytest.mark.parametrize(("other", "told"), [(0.3, ((Decimal("0.02"), 0.3),)), (0.499, ()), (None, ())])
def test_the_usual_suppression_is_told_where_it_keeps_more(other: float | None, told: tuple[Any, ...]) -> None:
    wished: list[AnonymizeOptions] = []

    def loss_of(wanted: AnonymizeOptions) -> float | None:
        wished.append(wanted)
        return other

    found = lost_detail(release({"age": 1.0}), "full-domain", STRICT, loss_of)
    assert found is not None
    assert found.with_limit == told
    assert wished == [replace(STRICT, suppression_limit=Decimal("0.02"))]


def test_nothing_more_is_counted_where_as_much_may_be_suppressed_already() -> None:
    def fails(_: AnonymizeOptions) -> float | None:
        raise AssertionError

    wanted = replace(STRICT, suppression_limit=Decimal("0.02"))
    assert lost_detail(release({"age": 1.0}), "full-domain", wanted, fails) == LostDetail(("age",), (), 0.5)


def test_the_release_stands_where_the_question_fails() -> None:
    def fails(_: AnonymizeOptions) -> float | None:
        raise SourceFault("it went away", where="members", next_step="Try again.")

    found = lost_detail(release({"age": 1.0}), "full-domain", STRICT, fails)
    assert found == LostDetail(("age",), (), 0.5)
