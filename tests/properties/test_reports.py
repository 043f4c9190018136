"""Reports for users of random releases: no count below k, no text of the original that was not released."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ordermade import Engine
from ordermade.errors import OrdermadeError
from ordermade.methods.shared.result import Result
from ordermade.reports.figures import Count
from ordermade.reports.file import Report
from tests.conftest import DEFAULT_SEED
from tests.long import rounds
from tests.made import new_engine

pytestmark = [pytest.mark.slow, pytest.mark.long]

RELEASES = rounds(12, 500)
TOWNS = [f"Zq{number}town" for number in range(12)]
ILLS = [f"Zq{number}ill" for number in range(6)]
DAYS = pd.date_range("2020-01-01", periods=40).date


def _frame(draw: random.Random) -> pd.DataFrame:
    rows = draw.randrange(12, 90)
    return pd.DataFrame(
        {
            "who": [f"Zq{draw.randrange(max(6, rows // 2))}who" for _ in range(rows)],
            "age": [draw.randrange(20, 60) for _ in range(rows)],
            "town": [draw.choice(TOWNS[: draw.choice([4, 12])]) for _ in range(rows)],
            "day": [draw.choice(DAYS) for _ in range(rows)],
            "ill": [draw.choice([*ILLS, None]) for _ in range(rows)],
            "pay": [round(draw.gauss(100, 30), 2) for _ in range(rows)],
        }
    )


def _registered(engine: Engine) -> None:
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 5}, {width: 20, below: 30, above: 50}]\n")
    paths = {town: [f"Reg{number % 4}", f"Half{number % 2}", "*"] for number, town in enumerate(TOWNS)}
    engine.hierarchies.add("town", paths)
    engine.hierarchies.add("day", "date: [month, year]\n")


def _request(draw: random.Random) -> tuple[dict[str, Any], str | None]:
    method = draw.choice(
        ["generalization", "generalization", "generalization", "mondrian", "microaggregation", "history"]
    )
    request: dict[str, Any] = {"method": method, "k": draw.randrange(2, 7)}
    entity = None
    if draw.random() < 0.2 and method != "history":
        request["where"] = "age >= 25"
    if method == "history":
        return request | {"history": {"customer": "who", "when": "day", "item": "town", "numbers": ["age"]}}, None
    if draw.random() < 0.4:
        request["keep"] = ["pay"]
        request["allow_identifying"] = ["pay"]
    if method == "microaggregation":
        attributes: dict[str, Any] = {"age": {}}
        if "keep" not in request:
            attributes["pay"] = {}
        return request | {"attributes": attributes, "microaggregation": {"budget": {"rounds": 2}}}, None
    columns = draw.sample(["age", "town", "day"], draw.randrange(1, 4))
    request["quasi_identifiers"] = {column: {"hierarchy": column} for column in columns}
    if draw.random() < 0.4:
        request["sensitive"] = {"ill": [{"model": "distinct_l", "l": 2}]}
    if draw.random() < 0.4 and method == "generalization":
        entity = "who"
    if method == "mondrian":
        return request, entity
    request["suppression_limit"] = draw.choice([0, 0.1, 0.2, 0.4])
    if request["suppression_limit"] and draw.random() < 0.5:
        request["suppressed"] = "star"
    kind = draw.choice(["full-domain", "full-domain", "sealed", "local"])
    if kind != "full-domain" and request["suppression_limit"]:
        request["recoding"] = "local" if kind == "sealed" else {"kind": "local", "seal": False}
    elif draw.random() < 0.4 and "keep" not in request and "sensitive" not in request:
        request["release"] = {"shape": "table"}
    if entity is not None and draw.random() < 0.4 and "release" not in request:
        request["release"] = {"pseudonym": "person"}
    return request, entity


def _walked(value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a report with the name of the field that has it; a count as a whole."""
    if is_dataclass(value) and not isinstance(value, type) and not isinstance(value, Count):
        for each in fields(value):
            yield from _walked(getattr(value, each.name), f"{type(value).__name__}.{each.name}")
    elif isinstance(value, tuple):
        for part in value:
            yield from _walked(part, at)
    else:
        yield at, value


UNITS = ("Given.rows", "Given.rows_of_dataset", "Given.persons", "SizeBin.units", "SizeBin.first", "Sizes.least")


def _released_texts(result: Result, table: pd.DataFrame) -> set[str]:
    return {str(cell) for column in table.columns for cell in table[column].unique()}


def check(report: Report, frame: pd.DataFrame, released: set[str]) -> None:
    """Fails where a report for users has a count below k, or a text of the original that was not released."""
    k = report.asked.k
    texts = []
    for at, value in _walked(report):
        if isinstance(value, Count):
            assert value.number is None or value.number == 0 or value.number >= k, at
            assert value.number is not None or value.below == k, at
        elif isinstance(value, int) and not isinstance(value, bool) and at in UNITS:
            assert value >= k, at
        elif isinstance(value, str):
            texts.append(value)
    assert report.risks_before is None
    assert report.asked.filter is None
    for each in report.distributions:
        assert all(bar.before is None for bar in each.bars)
        _check_remainder(report, [bar.after for bar in each.bars], k, each.column)
    for column in report.columns:
        _check_remainder(report, [count for _, count in column.labels], k, column.name)
    if report.given.suppressed_rows.number is None:
        assert report.given.rows_of_dataset is None
        assert {each.metric for each in report.losses} <= {"prec", "height", "classes", "safety"}
    within = "\n".join(released)
    for column in ("who", "town", "ill", "day"):
        for cell in frame[column].dropna().unique():
            if str(cell) not in within:
                assert not any(str(cell) in text for text in texts), column


def _check_remainder(report: Report, counts: list[Count], k: int, column: str) -> None:
    """Fails where all rows less the shown ones, the missing and the stars are a number below k."""
    if report.shape == "table" or not counts:
        return
    missing = next(each.missing.number or 0 for each in report.columns if each.name == column)
    stars = report.given.star_rows
    shown = sum(each.number or 0 for each in counts)
    rest = report.given.rows - shown - missing - (0 if stars is None else stars.number or 0)
    labels = [label for each in report.columns if each.name == column for label, _ in each.labels]
    starred = (
        0
        if "*" not in labels
        else next(
            count.number or 0
            for each in report.columns
            if each.name == column
            for label, count in each.labels
            if label == "*"
        )
    )
    assert rest in (0, starred) or rest >= k, column


@pytest.mark.parametrize("part", range(4))
def test_a_report_for_users_shows_nothing_below_k_and_nothing_withheld(part: int, tmp_path: Path) -> None:
    draw = random.Random(DEFAULT_SEED + part)
    engine = new_engine(tmp_path, use_cache=False)
    _registered(engine)
    methods: set[str] = set()
    reported = 0
    while reported < RELEASES // 4:
        request, entity = _request(draw)
        frame = _frame(draw)
        path = tmp_path / f"{part}-{reported}.{draw.choice(['csv', 'parquet'])}"
        is_file = draw.random() < 0.5
        if is_file:
            request["release"] = {**request.get("release", {}), "to": str(path), "replace": True}
        try:
            result = engine.run(request, data=frame, entity=entity)
        except OrdermadeError:
            continue
        if not result.released:
            continue
        report = engine.releases.report_of(result, "user", data=frame, entity=entity)
        check(report, frame, _released_texts(result, result.to_pandas()))
        assert report.as_dict()["audience"] == "user"
        methods.add(report.method)
        reported += 1
    assert len(methods) > 1


def test_the_check_of_reports_catches_a_report_for_providers(tmp_path: Path) -> None:
    engine = new_engine(tmp_path, use_cache=False)
    _registered(engine)
    frame = _frame(random.Random(3))
    request = {
        "method": "generalization", "k": 5, "suppression_limit": 0.4, "where": "age >= 25",
        "quasi_identifiers": {"age": {"hierarchy": "age"}, "town": {"hierarchy": "town"}},
    }  # fmt: skip
    result = engine.run(request, data=frame)
    report = engine.releases.report_of(result, data=frame)
    assert report.risks_before is not None
    with pytest.raises(AssertionError):
        check(report, frame, _released_texts(result, result.to_pandas()))
