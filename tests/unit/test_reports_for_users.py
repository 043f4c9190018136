"""Reports for data users whose figures, put together, could give a number below k away."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from ordermade import Engine
from ordermade.loss.shares import given_up
from ordermade.reports.file import Report
from ordermade.reports.page import first_loss
from ordermade.reports.sentences import headline
from ordermade.reports.sizes import smallest_first
from tests.made import new_engine

pytestmark = pytest.mark.slow

K = 5


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    engine = new_engine(tmp_path, use_cache=False)
    engine.hierarchies.add("town", {f"t{number}": [f"r{number % 2}", "*"] for number in range(8)})
    return engine


def reported(engine: Engine, frame: pd.DataFrame, entity: str | None = None, **request: Any) -> Report:
    asked = {"method": "generalization", "k": K, "quasi_identifiers": {"town": {"hierarchy": "town"}}, **request}
    result = engine.run(asked, data=frame, entity=entity)
    assert result.released, result.reason
    return engine.releases.report_of(result, "user", data=frame, entity=entity)


def towns(*counts: int) -> list[str]:
    return [f"t{number}" for number, count in enumerate(counts) for _ in range(count)]


def test_the_detail_given_up_is_one_figure_or_none(engine: Engine) -> None:
    frame = pd.DataFrame({"town": towns(40, 30, 20, 3)})
    asked = {"k": K, "quasi_identifiers": {"town": {"hierarchy": "town"}}, "suppression_limit": 0.05}
    result = engine.run(asked, data=frame)
    provider = engine.releases.report_of(result, "provider", data=frame)
    user = engine.releases.report_of(result, "user", data=frame)
    assert headline(provider) == given_up(result.loss_shares)
    assert headline(provider)[0] == user.headline == "loss"
    # The user may not have that figure, and gets no other one under its name.
    assert headline(user) is None
    assert "prec" in {each.metric for each in user.losses}
    assert first_loss(user).metric.startswith("prec")


def test_a_user_gets_no_squares_of_the_suppressed_classes(engine: Engine) -> None:
    frame = pd.DataFrame({"town": towns(20, 20, 1, 1, 1, 1, 2)})
    report = reported(engine, frame, suppression_limit=0.2)
    raw = {each.metric: each.raw for each in report.losses}
    assert report.given.suppressed_rows.number == 6
    assert raw["dm"] == 2 * 20**2 + 6 * 46  # of what the page shows anyway
    assert "dm_star" not in raw  # 2 * 20 ** 2 + 2 ** 2 + 4 * 1 ** 2: four rows are alone


def test_a_user_gets_no_entropy_of_the_values_under_a_label(engine: Engine) -> None:
    report = reported(engine, pd.DataFrame({"town": ["t0"] * 19 + ["t2"]}))
    assert report.columns[0].level == 1
    assert not {"entropy", "entropy_ignoring_suppression"} & {each.metric for each in report.losses}


@pytest.mark.parametrize("method", ["generalization", "mondrian"])
def test_a_user_reads_nothing_of_labels_and_values_that_were_not_released(tmp_path: Path, method: str) -> None:
    found = []
    for listed in (6, 9):
        folder = tmp_path / str(listed)
        folder.mkdir()
        engine = new_engine(folder, use_cache=False)
        engine.hierarchies.add("town", {f"t{number}": [f"r{number // 3}", "*"] for number in range(listed)})
        given = {"method": method, "quasi_identifiers": {"town": {"hierarchy": "town"}}}
        report = reported(engine, pd.DataFrame({"town": towns(20, 2, 20, 20, 20, 2)}), **given)
        found.append((report.hierarchies, report.losses, report.columns))
    assert found[0] == found[1]
    assert all(level.labels is None for each in found[0][0] for level in each.levels)


@pytest.mark.parametrize("values", [[0] * 10 + [1] * 2 + [2] * 10 + [3] * 3, [0] * 10 + [1] * 2 + [None] * 8])
def test_no_bar_less_its_labels_is_a_number_below_k(engine: Engine, values: Sequence[int | None]) -> None:
    frame = pd.DataFrame({"town": ["t0"] * len(values), "children": pd.array(values, dtype="Int64")})
    report = reported(engine, frame, keep=["children"], allow_identifying=["children"])
    column = next(each for each in report.columns if each.name == "children")
    found = next((each for each in report.distributions if each.column == "children"), None)
    for bar in () if found is None else found.bars:
        assert bar.low is not None
        assert bar.high is not None
        assert bar.after.number is not None
        within = sum(count.number or 0 for label, count in column.labels if bar.low <= float(label) < bar.high)
        assert bar.after.number - within in (0, bar.after.number) or bar.after.number - within >= K


def test_persons_in_two_classes_leave_no_number_below_k(engine: Engine) -> None:
    persons = [(number, "t0") for number in range(8)] + [(number, "t2") for number in range(2, 14)]
    frame = pd.DataFrame(persons * 2, columns=["who", "town"])
    frame = pd.concat([frame, pd.DataFrame([(2, "t2")], columns=["who", "town"])])
    report = reported(engine, frame, "who", release={"pseudonym": "person"})
    assert report.given.persons == 14
    for _, share in report.risks_after.above:
        above = round(share * 14)
        assert above in (0, 14) or K <= above <= 14 - K
    few = [(number, "t0") for number in range(8)] + [(number, "t2") for number in range(10)]
    report = reported(engine, pd.DataFrame(few, columns=["who", "town"]), "who", release={"pseudonym": "person"})
    assert report.risks_after.average == 1 / 8  # not (8 / 8 + 2 / 10) / 10, which has the 2


def test_few_units_are_taken_as_of_a_smaller_size() -> None:
    assert smallest_first({5: 5, 8: 2, 9: 3, 20: 1}, 5) == {8: 6, 5: 5}
    assert smallest_first({5: 5, 8: 2, 9: 1, 20: 1}, 5) == {5: 9}
    assert smallest_first({5: 5, 8: 2, 9: 4, 20: 1}, 5) == {9: 5, 5: 7}


def test_counts_name_their_unit(engine: Engine) -> None:
    frame = pd.DataFrame({"who": [*range(6), *[0] * 6, *range(6, 13)], "town": towns(12, 7)})
    frame["ill"] = ["flu"] * 6 + ["gout"] * 6 + ["cold"] * 7
    kept = {"keep": ["ill"], "allow_identifying": ["ill"]}
    report = reported(engine, frame, "who", **kept)
    assert (report.asked.unit, report.counts, report.sizes.unit) == ("persons", "rows", "rows")
    report = reported(engine, frame, "who", **kept, release={"pseudonym": "person"})
    assert (report.counts, report.sizes.unit, report.sizes.least) == ("rows", "persons", 6)
    report = reported(engine, frame[["who", "town"]], "who", release={"shape": "table"})
    assert (report.counts, report.sizes.unit) == ("persons", "persons")


def test_histories_count_customers(engine: Engine) -> None:
    days = pd.date_range("2020-01-01", periods=20).date
    rows = [(f"c{each % 12}", days[each % 20], f"t{each % 4}", each % 7) for each in range(60)]
    frame = pd.DataFrame(rows, columns=["who", "day", "town", "number"])
    history = {"customer": "who", "when": "day", "item": "town", "numbers": ["number"]}
    result = engine.run({"method": "history", "k": 3, "history": history}, data=frame)
    report = engine.releases.report_of(result, "user", data=frame)
    assert (report.asked.unit, report.sizes.unit, report.counts) == ("persons", "persons", "rows")
    assert "not_persons" not in [each.code for each in report.cautions]


def test_a_user_reads_nothing_of_how_many_releases_others_have(engine: Engine) -> None:
    frame = pd.DataFrame({"town": towns(20, 20)})
    first = reported(engine, frame).as_dict()["cautions"]
    asked = {"method": "generalization", "k": K + 1, "quasi_identifiers": {"town": {"hierarchy": "town"}}}
    assert engine.run(asked, data=frame).released
    result = engine.run({**asked, "k": K}, data=frame, again=True)
    assert engine.releases.report_of(result, "user", data=frame).as_dict()["cautions"] == first
    whole = engine.releases.report_of(result, "provider", data=frame).as_dict()["cautions"]
    assert "other_releases" in {each["code"] for each in whole}
