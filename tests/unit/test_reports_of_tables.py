"""Reports on tables with totals: what their file shows, nothing below k, and for users nothing that is not in it."""

from __future__ import annotations

import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from ordermade import Engine
from ordermade.errors import Refused
from ordermade.reports import gathering_tables
from ordermade.reports.cautions import CODES_OF_TABLES
from ordermade.reports.file import ReportOfTables, page_of, summary_of
from ordermade.tables.shown import cells_of
from tests.made import Row, new_engine, write_table

pytestmark = pytest.mark.slow

K = 5
REGIONS = ("north", "south")
TOWNS = {"a": "north", "b": "north", "c": "south", "d": "south", "e": "south"}
COLUMNS = {"town": "VARCHAR", "sex": "VARCHAR", "age": "BIGINT", "income": "BIGINT"}
REQUEST: dict[str, Any] = {
    "method": "table",
    "dataset": "d",
    "k": K,
    "title": "Towns <b>by sex",
    "rows": ["town"],
    "columns": ["sex"],
    "totals": ["town", "region", "sex"],
}


SIZES = {"a": (20, 8), "b": (3, 15), "c": (12, 14), "d": (2, 17), "e": (25, 0)}
"""The women and men of each town: some few, and none."""


def people() -> list[Row]:
    sexes = [
        (town, sex) for town, numbers in SIZES.items() for sex, n in zip("fm", numbers, strict=True) for _ in range(n)
    ]
    return [(town, sex, 20 + 7 * i % 60, 100 + 13 * i % 400) for i, (town, sex) in enumerate(sexes)]


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    write_table(tmp_path / "s.duckdb", COLUMNS, people())
    engine = new_engine(tmp_path)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", least_k=2)
    towns = "".join(f"{town},{region},*\n" for town, region in TOWNS.items())
    (tmp_path / "town.csv").write_text(f"town,region,all\n{towns}", encoding="utf-8")
    engine.hierarchies.add("town", str(tmp_path / "town.csv"))
    engine.hierarchies.add("sex", {"f": "*", "m": "*"})
    engine.hierarchies.add("age", "intervals:\n  levels: [{width: 10}, {width: 30}]\n")
    return engine


def released(engine: Engine, path: Path, **more: Any) -> int:
    result = engine.run({**REQUEST, **more, "release": {"to": str(path)}})
    assert result.release is not None, result.reason
    number = result.release.number
    assert number is not None
    return number


def report_of(engine: Engine, number: int, audience: Any = "user") -> ReportOfTables:
    found = engine.releases.report(number, audience)
    assert isinstance(found, ReportOfTables)
    return found


def by_hand(words: tuple[str, str] = ("Total", "north")) -> dict[tuple[str, str], int]:
    """The rows of every town, region and all, by sex and both."""
    found: dict[tuple[str, str], int] = {}
    for town, sex, *_ in people():
        for row, column in product((str(town), TOWNS[str(town)], words[0]), (str(sex), words[0])):
            found[row, column] = found.get((row, column), 0) + 1
    return found


FORMS = [
    ("t.csv", "long", "en"),
    ("t.csv", "crossed", "en"),
    ("t.csv.gz", "long", "en"),
    ("t.parquet", "long", "en"),
    ("t.xlsx", "long", "ja"),
    ("t.xlsx", "crossed", "ja"),
]


@pytest.mark.parametrize(("name", "layout", "language"), FORMS)
def test_the_tables_are_those_of_the_file(
    engine: Engine, tmp_path: Path, name: str, layout: str, language: str
) -> None:
    number = released(engine, tmp_path / name, layout=layout, language=language)
    found = report_of(engine, number)
    (table,) = found.shown
    total = "計" if language == "ja" else "Total"
    counted, shown = by_hand((total, "")), {key[1:]: value for key, value in cells_of(table).items()}
    assert shown.keys() == counted.keys() | {key for key in shown if key not in counted and shown[key] == 0}
    assert all(value is None or value == counted.get(key, 0) for key, value in shown.items())
    assert [(each.cells, each.marked) for each in found.tables] == [
        (len(shown), sum(value is None for value in shown.values()))
    ]
    assert found.marked > 0
    (towns, sexes) = table.axes
    assert dict(zip(towns.labels, towns.depths, strict=True)) == {
        total: 0,
        **dict.fromkeys(REGIONS, 1),
        **dict.fromkeys(TOWNS, 2),
    }
    assert sexes.depths == (0, 1, 1)
    assert found.columns[0].levels == ("town", "region")


def test_labels_of_intervals_in_japanese_have_their_depth(engine: Engine, tmp_path: Path) -> None:
    ages = {"rows": ["age"], "columns": [], "totals": ["age", "level2"], "dimensions": {"age": {"level": 1}}, "k": 3}
    number = released(engine, tmp_path / "t.xlsx", language="ja", **ages)
    ((axis,),) = [each.axes for each in report_of(engine, number).shown]
    depths = dict(zip(axis.labels, axis.depths, strict=True))
    assert {depth for label, depth in depths.items() if re.fullmatch(r"(0～29|30～59|60～89)歳", label)} == {1}
    assert depths["計"] == 0
    assert depths["30～39歳"] == 2


@pytest.mark.parametrize("zeros", ["shown", "hidden"])
def test_users_get_what_the_file_shows_alone(engine: Engine, tmp_path: Path, zeros: str) -> None:
    where = "age > 5"
    number = released(engine, tmp_path / "t.csv", zeros=zeros, where=where)
    user, provider = report_of(engine, number), report_of(engine, number, "provider")
    assert user.protected is None
    assert provider.protected is not None
    assert provider.protected.least_width is not None
    assert provider.protected.least_width >= K
    assert user.asked.filter is None
    assert provider.asked.filter is not None
    document = json.dumps(user.as_dict())
    for word in ("primary", "secondary", "least_width", "share_of_units", str(tmp_path)):
        assert f'"{word}"' not in document
    exact = provider.protected.primary + provider.protected.secondary
    assert user.marked == exact if zeros == "shown" else user.marked > exact
    for language in ("en", "ja"):
        page, text = page_of(user, language), summary_of(user, language)
        share = f"{100 * (provider.protected.share_of_units or 0):.4g}"
        assert all(share not in each and "age > 5" not in each and "&gt; 5" not in each for each in (page, text))
        assert "<b>" not in page.replace("<br>", "")
        assert str(tmp_path) not in page


@pytest.mark.parametrize("audience", ["provider", "user"])
def test_no_figure_on_the_page_is_below_k(engine: Engine, tmp_path: Path, audience: str) -> None:
    number = released(engine, tmp_path / "t.csv", cells=["count", "share", "sum of income"])
    found = report_of(engine, number, audience)
    (table,) = found.shown
    counts = [value for key, value in cells_of(table).items() if key[0] == "count" and value is not None]
    assert min(each for each in counts if each) >= K
    assert found.asked.p_percent == 10
    page = page_of(found, "en")
    assert 'class="mark">X</td>' in page
    assert ("least width proved" in page) == (audience == "provider")
    assert "p % rule" in page
    assert "&lt;bdi" not in page
    assert "X: suppressed" in page


def test_linked_tables_and_what_is_said_of_large_ones(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [{"name": "one", "rows": ["town"], "columns": ["sex"]}, {"name": "two", "rows": ["sex"]}]
    number = released(
        engine, tmp_path / "t.xlsx", rows=[], columns=[], totals=["town", "sex"], tables=tables, rounding=5
    )
    found = report_of(engine, number)
    assert [each.name for each in found.tables] == ["one", "two"]
    page = page_of(found, "en")
    assert page.count("<caption") == 2
    assert "multiples of 5" in page
    monkeypatch.setattr(gathering_tables, "MAX_SHOWN", 10)
    large = report_of(engine, number)
    assert (large.shown, large.tables) == ((), found.tables)
    assert "too large for this page" in page_of(large, "en")


def test_a_file_or_a_hierarchy_that_changed_is_refused(engine: Engine, tmp_path: Path) -> None:
    first = released(engine, tmp_path / "t.csv")
    second = released(engine, tmp_path / "u.csv", k=6)
    codes = [each.code for each in report_of(engine, second, "provider").cautions]
    assert codes == ["cells_of_rows", "table_subtraction", "other_tables"]
    assert set(codes) <= set(CODES_OF_TABLES)
    assert [each.code for each in report_of(engine, second).cautions] == codes[:-1]
    path = tmp_path / "t.csv"
    path.write_text(path.read_text(encoding="utf-8").replace(",X", ",3"), encoding="utf-8")
    with pytest.raises(Refused, match="not what was released"):
        engine.releases.report(first, "user")
    engine.hierarchies.add("sex", {"f": ["woman", "*"], "m": ["man", "*"]})
    with pytest.raises(Refused, match="a hierarchy of its columns was changed"):
        engine.releases.report(second, "user")


def test_the_document_has_the_figures(engine: Engine, tmp_path: Path) -> None:
    number = released(engine, tmp_path / "t.csv")
    content = report_of(engine, number, "provider").as_dict()
    assert "shown" not in content
    assert content["method"] == "table"
    assert content["asked"]["figures"] == ["count"]
    assert content["protected"]["cells"] >= content["protected"]["primary"]
