"""Columns of a release that say little any more are named, with what would keep more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ordermade.anonymization.lost_detail import lost_detail
from ordermade.anonymization.options import AnonymizeOptions
from ordermade.errors import SourceFault
from ordermade.methods.generalization.lost_detail import LostDetail
from tests.made import new_engine, write_hierarchy, write_table

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


@pytest.mark.parametrize(("other", "told"), [(0.3, {"0.02": 0.3}), (0.499, {}), (None, {})])
def test_the_usual_suppression_is_told_where_it_keeps_more(other: float | None, told: Mapping[str, float]) -> None:
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


def test_a_request_says_what_suppression_would_keep_as_far_as_table_c_knows(tmp_path: Path) -> None:
    """Four rows of a far age keep the release at `*`; by the histograms of an earlier request 1 % would do."""
    rows = [(20 + number % 40, "f" if number % 2 else "m") for number in range(800)] + [(91, "f")] * 4
    write_table(tmp_path / "d.duckdb", {"age": "INTEGER", "sex": "VARCHAR"}, rows)
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "d.duckdb"))
    engine.datasets.add("d", "s", table="persons", least_k=2)
    engine.hierarchies.add("age", {"intervals": {"levels": [{"width": 10}]}})
    sexes = [("f", "person"), ("m", "person")]
    engine.hierarchies.add("sex", write_hierarchy(tmp_path / "sex.csv", ("value", "any"), sexes))

    def run(limit: float, name: str) -> Any:
        columns = {each: {"hierarchy": each} for each in ("age", "sex")}
        to = {"to": str(tmp_path / name)}
        return engine.run(
            {"dataset": "d", "k": 10, "suppression_limit": limit, "quasi_identifiers": columns, "release": to}
        )

    first = run(0, "first.csv")
    assert first.lost.whole == ("age",)
    kept = run(0.01, "kept.csv")
    assert kept.lost is None
    known = run(0, "known.csv")
    assert known.lost.whole == ("age",)
    assert known.lost.loss == first.loss["loss"]
    (limit, share), *_ = known.lost.with_limit.items()
    assert limit == "0.01"
    assert kept.loss["loss"] <= share < known.lost.loss
