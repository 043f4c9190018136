"""A report of a release has the same figures of its original whatever source that is in."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.conformance.backends import Made, Table
from tests.made import new_engine

pytestmark = pytest.mark.slow

COLUMNS = {"sex": "VARCHAR", "age": "BIGINT", "joined": "DATE", "height": "DOUBLE"}


def _rows() -> list[tuple[Any, ...]]:
    draw = random.Random(5)
    return [
        (
            draw.choice(["f", "m", None]),
            20 + draw.randrange(40),
            date(2020, 1, 1) + timedelta(days=draw.randrange(300)),
            draw.choice([1.5, 1.75, 1.8]),
        )
        for _ in range(200)
    ]


def test_the_original_is_counted_alike_in_every_source(make: Callable[[Table], Made], tmp_path: Path) -> None:
    rows = _rows()
    made = make(Table("people", COLUMNS, rows))
    engine = new_engine(tmp_path, use_cache=False)
    engine.sources.add("s", made.location)
    engine.datasets.add("people", "s", table=engine.sources.show("s").tables[0].name, least_k=2)
    engine.hierarchies.add("sex", {"f": "*", "m": "*", None: "*"})
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 5}, {width: 20}]\n")
    result = engine.run(
        {
            "dataset": "people", "method": "generalization", "k": 5, "where": "age >= 25", "suppression_limit": 0.1,
            "quasi_identifiers": {"sex": {"hierarchy": "sex"}, "age": {"hierarchy": "age", "from": 1}},
            "keep": ["height"], "release": {"to": str(tmp_path / "out.csv")},
        }
    )  # fmt: skip
    report = engine.releases.report_of(result)
    assert report.original is None
    counted = [row for row in rows if row[1] >= 25]
    sizes = Counter((row[0], row[1]) for row in counted)
    assert report.risks_before is not None
    assert report.risks_before.prosecutor == 1 / min(sizes.values())
    assert report.risks_before.average == pytest.approx(len(sizes) / len(counted))
    ages = next(each for each in report.distributions if each.column == "age")
    for bar in ages.bars:
        assert bar.before is not None
        low, high = -1 if bar.low is None else bar.low, 999 if bar.high is None else bar.high
        assert bar.before.number == sum(low <= row[1] < high for row in counted)
    heights = next(each for each in report.distributions if each.column == "height")
    assert sum((bar.before.number or 0) for bar in heights.bars if bar.before is not None) == len(counted)
