"""Tables with totals of every kind of source: cells as counted by hand, and no suppressed one known."""

from __future__ import annotations

import codecs
import csv
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ordermade import Engine, PredictedTables, TableOptions, VerifiedTables
from ordermade.catalogue.sources import opened as opened_source
from ordermade.certificates.certify import copy_for_user
from ordermade.certificates.tables import TablesCertificate
from ordermade.errors import InputError, RequestError, Unproved
from ordermade.methods.tables.result import TablesResult
from ordermade.sources.limits import Limits
from ordermade.tables.cells import Relation
from ordermade.tables.intervals import intervals
from tests.conformance.backends import Made, Table, the_table
from tests.conformance.persons import PERSONS, label, write_rules
from tests.made import new_engine, write_hierarchy, write_table

pytestmark = pytest.mark.slow

Make = Callable[[Table], Made]
K = 4
REQUEST: dict[str, Any] = {
    "method": "table",
    "dataset": "d",
    "k": K,
    "rows": ["age"],
    "columns": ["sex"],
    "dimensions": {"age": {"level": 1}},
}


def registered(folder: Path, made: Made) -> Engine:
    engine = new_engine(folder, limits=Limits("256MB", 1))
    engine.sources.add("s", made.location)
    with opened_source(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    engine.datasets.add("d", "s", table=table, least_k=2)
    for column, file in write_rules(folder).items():
        engine.hierarchies.add(column, file)
    return engine


def run(engine: Engine, path: Path, **more: Any) -> TablesResult:
    release = {"to": str(path), "replace": True, **more.pop("release", {})}
    result = engine.run({**REQUEST, **more, "release": release}, again=True)
    assert isinstance(result, TablesResult)
    assert result.released, result.reason
    return result


def cells(path: Path, axes: tuple[str, ...]) -> dict[tuple[str, ...], int | None]:
    """The figures of a long file by the labels of its axes; None of suppressed cells."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    head = next(name for name in rows[0] if name in ("count", "persons"))
    return {tuple(row[axis] for axis in axes): None if row["status"] else int(row[head]) for row in rows}


def by_hand() -> Counter[tuple[str, str]]:
    """The persons of every class of age and sex, and of the totals."""
    columns = list(PERSONS.columns)
    found: Counter[tuple[str, str]] = Counter()
    for row in PERSONS.rows:
        age, sex = (label(name, row[columns.index(name)], level) for name, level in (("age", 1), ("sex", 0)))
        own = ("missing" if each is None else str(each) for each in (age, sex))
        for key in product(*((each, "Total") for each in own)):
            found[key] += 1
    return found


def test_every_cell_is_as_counted_by_hand_and_no_suppressed_one_is_known(make: Make, tmp_path: Path) -> None:
    engine = registered(tmp_path, make(PERSONS))
    result = run(engine, tmp_path / "t.csv")
    written, counted = cells(tmp_path / "t.csv", ("age", "sex")), by_hand()
    assert {key for key in written if key in counted} == set(counted)
    published = {key: value for key, value in written.items() if value is not None}
    assert published == {key: counted[key] for key in published}
    assert all(value == 0 or value >= K for value in published.values())
    _no_narrow(written, counted)
    assert result.tables is not None
    assert result.tables.suppressed == sum(value is None for value in written.values())
    kept = run(engine, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "t.csv").read_bytes()
    assert kept.cost.source_queries == 0  # the cells come from the cache


def test_what_was_counted_for_one_table_foretells_the_next_without_counting(make: Make, tmp_path: Path) -> None:
    engine = registered(tmp_path, make(PERSONS))
    assert _foretold(engine, K).verdict == "open"
    run(engine, tmp_path / "t.csv")
    found, result = _foretold(engine, K + 2), run(engine, tmp_path / "next.csv", k=K + 2)
    assert result.tables is not None
    assert found.measured
    assert found.below_k == pytest.approx(result.tables.primary / result.tables.cells, abs=1e-4)
    assert found.low is not None
    assert found.high is not None
    share = result.tables.suppressed / result.tables.cells
    assert found.low <= share <= found.high
    again = _foretold(engine, K + 2)
    assert (again.verdict, again.suppressed_cells) == ("passes", round(share, 4))


def _foretold(engine: Engine, k: int) -> PredictedTables:
    found = engine.predict({**REQUEST, "k": k, "release": {"to": "none/t.csv"}})
    assert isinstance(found, PredictedTables)
    return found


def _no_narrow(written: dict[tuple[str, str], int | None], counted: Counter[tuple[str, str]]) -> None:
    """Every suppressed cell is K wide or more, by linear programs over the sums that the labels say."""
    order = sorted(key for key in written if key in counted)
    number = {key: place for place, key in enumerate(order)}
    parts: dict[tuple[str, str], list[list[int]]] = defaultdict(lambda: [[], []])
    for (age, sex), place in number.items():
        if age != "Total":
            parts["Total", sex][0].append(place)
        if sex != "Total":
            parts[age, "Total"][1].append(place)
    relations = [Relation(number[key], tuple(each)) for key, both in parts.items() for each in both if each]
    values = np.array([counted[key] for key in order], dtype=np.int64)
    hidden = [number[key] for key in order if written[key] is None]
    found = intervals(relations, values, hidden, np.ones(len(order), dtype=np.int64))
    assert all(each.width is None or each.width >= K for each in found.values())


COLUMNS = {"person": "INTEGER", "region": "VARCHAR", "sex": "VARCHAR", "income": "INTEGER"}


def rows_of_shop() -> list[tuple[int, str, str, int]]:
    return [(n // 2, f"r{n // 2 % 5}", "f" if n % 3 else "m", (n * 7) % 90 + 10) for n in range(240)]


@pytest.fixture
def shop(tmp_path: Path) -> Engine:
    """A small table of persons with several rows each in one region, and their incomes."""
    write_table(tmp_path / "s.duckdb", COLUMNS, rows_of_shop())
    return shop_in(tmp_path, str(tmp_path / "s.duckdb"))


def shop_in(folder: Path, location: str) -> Engine:
    """An engine with the one table of a source, of rows and of persons, and its hierarchies."""
    folder.mkdir(exist_ok=True)
    engine = new_engine(folder, limits=Limits("256MB", 1))
    engine.sources.add("s", location)
    with opened_source(engine.sources.get("s"), engine.limits) as backend:
        table = the_table(backend).name
    engine.datasets.add("d", "s", table=table, least_k=2)
    engine.datasets.add("e", "s", table=table, entity="person", least_k=2)
    for name, values in (("region", [f"r{n}" for n in range(5)]), ("sex", ["f", "m"])):
        paths = [(value, "north" if value in ("r0", "r1") else "south", "*") for value in values]
        engine.hierarchies.add(
            name, write_hierarchy(folder / f"{name}.csv", (name, f"{name}_half", "top"), paths), "header"
        )
    return engine


TABLE: dict[str, Any] = {"dimensions": {}, "rows": ["region"], "columns": ["sex"], "k": 5}
REQUESTS: tuple[dict[str, Any], ...] = (
    {"k": 20, "cells": ["count", "sum of income", "mean of income", "share"], "totals": ["region_half", "region"]},
    {"k": 25, "dataset": "e", "columns": [], "cells": ["count", "rows"], "totals": ["region_half", "region"]},
)
"""Sums by rows, and persons with several rows each; of both something is suppressed."""


def test_every_source_gives_the_same_bytes(make: Make, tmp_path: Path, shop: Engine) -> None:
    other = shop_in(tmp_path / "other", make(Table("persons", COLUMNS, rows_of_shop())).location)
    for number, request in enumerate(REQUESTS):
        beside, here = tmp_path / f"{number}.csv", tmp_path / f"{number} here.csv"
        suppressed = [run(*each, **{**TABLE, **request}).tables for each in ((other, beside), (shop, here))]
        assert suppressed[0] == suppressed[1]
        assert suppressed[0] is not None
        assert suppressed[0].suppressed > 0, number
        assert beside.read_bytes() == here.read_bytes()


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet", "t.xlsx"])
def test_subtotals_sums_and_means_are_written_in_every_format(shop: Engine, tmp_path: Path, name: str) -> None:
    figures = ["count", "sum of income", "mean of income", "share"]
    result = run(shop, tmp_path / name, **TABLE, totals=["region_half", "region", "sex"], cells=figures)
    assert result.tables is not None
    assert result.tables.cells == 8 * 3  # five regions, two halves, all; two sexes, both
    if name == "t.csv":
        assert "share (%)" in (tmp_path / name).read_text(encoding="utf-8").partition("\n")[0]
    assert shop.releases.verify(result.release.number).intact


@pytest.mark.parametrize(
    ("name", "language", "options"),
    [
        ("t.xlsx", "en", TableOptions()),
        ("t.xlsx", "ja", TableOptions(counts=["件数"])),
        ("t.csv", "en", TableOptions(across="sex")),
        ("t.csv.gz", "ja", TableOptions(across=["sex"], columns=["region"])),
    ],
)
def test_crossed_releases_are_judged_back(
    shop: Engine, tmp_path: Path, name: str, language: str, options: TableOptions
) -> None:
    crossed = {
        **TABLE, "totals": ["region_half", "region", "sex"], "layout": "crossed", "language": language,
        "suppress": [{"region": "r1", "sex": "f"}],
    }  # fmt: skip
    for figures in ("count", ["share", "count"]) if options.counts is None else (["count", "sum of income"],):
        result = run(shop, tmp_path / name, **crossed, cells=figures)
        wanted = replace(options, k=5, least=1, hierarchies={"region": "region"})
        found = shop.judge_table(tmp_path / name, wanted)
        assert result.tables is not None
        assert len(found.cells) == result.tables.suppressed > 0
        assert found.tables[0].dimensions == ("region", "sex")
        assert found.tables[0].published == result.tables.cells - result.tables.suppressed
        assert {each.finding for each in found.cells} == {"wide"}
        assert found.adds_up


def _forge(shop: Engine, tmp_path: Path, old: str, new: str) -> tuple[str, ...]:
    """The findings on a release whose file has another line, with SHA-256s that fit."""
    number = shop.releases.list()[0].id
    path = tmp_path / "t.csv"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    return shop.releases.verify(number).findings[2:]


def test_verify_counts_cells_again(shop: Engine, tmp_path: Path) -> None:
    wanted: dict[str, Any] = {**TABLE, "totals": ["region", "sex"], "suppress": [{"region": "r1", "sex": "f"}]}
    for name, layout in (("t.xlsx", "crossed"), ("t.csv", "crossed"), ("t.parquet", "long"), ("t.csv", "long")):
        result = run(shop, tmp_path / name, **wanted, layout=layout, cells=["rows", "mean of income"])
        assert result.release is not None
        found = shop.releases.verify(result.release.number)
        assert (found.findings, found.untold) == ((), ())
    lines = [each.split(",") for each in (tmp_path / "t.csv").read_text(encoding="utf-8").splitlines()]
    own = next(each for each in lines if each[:2] == ["r3", "f"])
    line = ",".join(own)
    assert _forge(shop, tmp_path, line, ",".join([*own[:2], "7", *own[3:]])) == (
        "1 published figures are not those counted again",
    )
    assert _forge(shop, tmp_path, "r3,f,7", "r9,f,7") == ("4 cells are missing, or are none of the tables",)
    (tmp_path / "t.csv").write_text("nothing\n", encoding="utf-8")
    assert shop.releases.verify(result.release.number).findings[2:] == (
        "the file does not have the tables of its request",
    )


def test_verify_finds_small_cells_that_stand_published(shop: Engine, tmp_path: Path) -> None:
    small = {**TABLE, "k": 13, "columns": [], "rows": ["region", "sex"], "where": "person < 90"}
    assert run(shop, tmp_path / "t.csv", **small).released
    counted = Counter(row[1:3] for row in rows_of_shop() if row[0] < 90)
    text = (tmp_path / "t.csv").read_text(encoding="utf-8")
    hidden = [each.split(",")[:2] for each in text.splitlines() if each.endswith(",X") and "Total" not in each]
    region, sex = min(hidden, key=lambda each: counted[each[0], each[1]])
    value = counted[region, sex]
    assert value < 13
    found = _forge(shop, tmp_path, f"{region},{sex},,X", f"{region},{sex},{value},")
    assert found == ("1 figures are published that the rules do not let be",)


def test_verify_says_why_cells_are_not_counted_again(shop: Engine, tmp_path: Path) -> None:
    result = run(shop, tmp_path / "t.csv", **TABLE)
    assert result.release is not None
    write_table(tmp_path / "s.duckdb", COLUMNS, rows_of_shop()[:-1])
    found = shop.releases.verify(result.release.number)
    assert found.intact
    assert "has changed since" in found.untold[0]
    (tmp_path / "s.duckdb").unlink()
    assert "cannot be read" in shop.releases.verify(result.release.number).untold[0]


def test_persons_in_several_cells_do_not_add_up(shop: Engine, tmp_path: Path) -> None:
    persons = {**REQUEST, **TABLE, "dataset": "e", "release": {"to": str(tmp_path / "t.csv")}}
    with pytest.raises(InputError, match="do not add up"):
        shop.run(persons)
    result = run(shop, tmp_path / "rows.csv", **TABLE, dataset="e", cells="rows")
    assert result.released
    regions = run(shop, tmp_path / "regions.csv", **{**TABLE, "columns": []}, dataset="e")
    assert "it counts persons" in str(regions)
    assert shop.releases.get(regions.release.number).suppressed_persons == 0


def test_linked_tables_pages_and_intervals_come_together(shop: Engine, tmp_path: Path) -> None:
    tables = [{"name": "one", "rows": ["region"], "columns": ["sex"]}, {"name": "two", "rows": ["region"]}]
    wanted = {"provider": str(tmp_path / "i.csv"), "user": str(tmp_path / "u.csv")}
    linked = {**TABLE, "rows": [], "columns": [], "tables": tables, "k": 14}
    result = run(shop, tmp_path / "t.xlsx", **linked, page=str(tmp_path / "t.html"), intervals=wanted, language="ja")
    assert result.tables is not None
    assert [each.name for each in result.tables.tables] == ["one", "two"]
    assert "<html" in (tmp_path / "t.html").read_text(encoding="utf-8")
    assert (tmp_path / "i.csv").read_bytes().startswith(codecs.BOM_UTF8)  # for the program that opens the workbook
    with (tmp_path / "i.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert len(rows) - 1 == sum(each.suppressed for each in result.tables.tables)
    assert (tmp_path / "i.csv").stat().st_mode & 0o777 == 0o600
    assert (
        shop.run(
            {
                **REQUEST,
                **linked,
                "page": str(tmp_path / "t.html"),
                "intervals": wanted,
                "language": "ja",
                "release": {"to": str(tmp_path / "t.xlsx")},
            }
        ).status
        == "released"
    )


CERTIFIED: dict[str, Any] = {"suppress": [{"region": "r1", "sex": "f"}], "cells": ["count", "sum of income"]}


def test_a_certificate_holds_on_cells_that_are_counted_again(shop: Engine, tmp_path: Path) -> None:
    request = {**REQUEST, **TABLE, **CERTIFIED, "release": {"to": str(tmp_path / "t.csv")}}
    shop.require_certifiable(request, tmp_path / "c.json")
    result = shop.run(request)
    written = shop.certify(request, result, tmp_path / "c.json")
    found = shop.verify_certificate(tmp_path / "c.json", request)
    assert isinstance(found, VerifiedTables)
    assert isinstance(result, TablesResult)
    assert result.tables is not None
    assert found.suppressed == result.tables.suppressed > 0
    assert written.evidence > 0
    with pytest.raises(InputError, match="the provider's"):
        copy_for_user(tmp_path / "c.json", tmp_path / "u.json")
    with pytest.raises(Unproved, match="another request"):
        shop.verify_certificate(tmp_path / "c.json", {**request, "k": 6})
    write_table(tmp_path / "s.duckdb", COLUMNS, rows_of_shop()[:-1])
    with pytest.raises(Unproved, match="not those of today"):
        shop.verify_certificate(tmp_path / "c.json")


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        (lambda c: c["suppressed"].pop() and [each["proofs"].pop() for each in c["figures"]], "not proved"),
        (lambda c: c["figures"][0]["witnesses"][0].update(cells=[], high=[], low=[]), "not proved"),
        (lambda c: c["figures"][0]["witnesses"][0]["high"].__setitem__(0, 10_000), "not proved"),
        (lambda c: c["figures"].pop(), "other figures"),
        (lambda c: c["cells"].pop(), "other cells"),
        (lambda c: c["figures"][0]["proofs"][0].clear(), "no witness"),
    ],
)
def test_a_certificate_that_was_changed_does_not_hold(
    shop: Engine, tmp_path: Path, changed: Callable[[Any], object], words: str
) -> None:
    request = {**REQUEST, **TABLE, **CERTIFIED, "release": {"to": str(tmp_path / "t.csv")}}
    shop.certify(request, shop.run(request), tmp_path / "c.json")
    content = json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    content.pop("sha256")
    changed(content)
    forged = TablesCertificate.model_validate(content)
    (tmp_path / "forged.json").write_text(forged.text(), encoding="utf-8")
    with pytest.raises(Unproved, match=words):
        shop.verify_certificate(tmp_path / "forged.json")
    (tmp_path / "edited.json").write_text(json.dumps({**content, "sha256": "0"}), encoding="utf-8")
    with pytest.raises(Unproved, match="SHA-256"):
        shop.verify_certificate(tmp_path / "edited.json")


def test_cells_are_published_and_suppressed_by_name(shop: Engine, tmp_path: Path) -> None:
    run(shop, tmp_path / "t.csv", **TABLE, suppress=[{"region": "r1", "sex": "f"}], publish=[{"region": "r2"}])
    found = cells(tmp_path / "t.csv", ("region", "sex"))
    assert found["r1", "f"] is None
    assert found["r2", "Total"] is not None
    request = {**REQUEST, **TABLE, "suppress": [{"region": "nowhere"}], "release": {"to": str(tmp_path / "x.csv")}}
    with pytest.raises(InputError, match="has that label"):
        shop.run(request)


def test_labels_that_a_spreadsheet_runs_are_said_once(shop: Engine, tmp_path: Path) -> None:
    written = [("=r0", "*"), ("@r1", "*"), ("-5", "*"), ("r3", "*"), ("r4", "*")]
    paths = [(f"r{n}", *each) for n, each in enumerate(written)]
    shop.hierarchies.add("named", write_hierarchy(tmp_path / "n.csv", ("region", "named", "top"), paths), "header")
    named = {**TABLE, "dimensions": {"region": {"hierarchy": "named", "level": 1}}}
    for layout, number in (("long", 6), ("crossed", 2)):
        warned = [each for each in run(shop, tmp_path / "t.csv", **named, layout=layout).warnings if "formulas" in each]
        assert [each.split(" ")[0] for each in warned] == [f"{number}" if number >= TABLE["k"] else "some"]
    for name, release in (("t.csv", {"csv": {"formulas": "escape"}}), ("t.xlsx", {})):
        assert not any("formulas" in each for each in run(shop, tmp_path / name, **named, release=release).warnings)


def test_rounded_figures_keep_their_marks(shop: Engine, tmp_path: Path) -> None:
    result = run(shop, tmp_path / "t.csv", **TABLE, rounding=5)
    assert all(value is None or value % 5 == 0 for value in cells(tmp_path / "t.csv", ("region", "sex")).values())
    assert any("protects nothing" in each for each in result.warnings)


def test_a_sweep_gives_the_suppressed_share_of_each_k(shop: Engine) -> None:
    found = shop.sweep({**REQUEST, **TABLE, "release": {"to": "t.csv"}}, [2, 14, 16])
    losses = [each.loss for each in found.points]
    assert losses[0] == 0
    assert all(each is not None for each in losses)


def test_no_head_names_a_value_of_few_that_comes_from_the_data(shop: Engine, tmp_path: Path) -> None:
    rule = tmp_path / "income.yaml"
    rule.write_text("intervals:\n  levels: [{width: 50}]\n", encoding="utf-8")
    shop.hierarchies.add("income", rule)
    request = {**REQUEST, **TABLE, "rows": ["income"], "columns": [], "release": {"to": str(tmp_path / "t.csv")}}
    refused = shop.run(request)
    assert not refused.released
    assert "a head of a table would name them" in (refused.reason or "")
    assert shop.run({**request, "dimensions": {"income": {"level": 1}}}).released


def test_a_column_that_identifies_persons_is_no_head(shop: Engine, tmp_path: Path) -> None:
    listed = [(number, "*") for number in range(120)]
    shop.hierarchies.add("person", write_hierarchy(tmp_path / "person.csv", ("person", "top"), listed), "header")
    request = {**REQUEST, **TABLE, "rows": ["person"], "columns": [], "release": {"to": str(tmp_path / "t.csv")}}
    refused = shop.run({**request, "where": "income > 50"})
    assert not refused.released
    assert "such a value identifies its person" in (refused.reason or "")


def test_tables_that_were_released_before_are_named(shop: Engine, tmp_path: Path) -> None:
    first = run(shop, tmp_path / "t.csv", **TABLE)
    assert first.warnings == ()
    assert run(shop, tmp_path / "t.csv", **TABLE).warnings == ()  # in the place of the first
    assert any("release 2 of this dataset is" in each for each in run(shop, tmp_path / "u.csv", **TABLE).warnings)
    assert any("2 releases (the latest is 3)" in each for each in run(shop, tmp_path / "v.csv", **TABLE).warnings)


def test_few_published_cells_are_remarked_upon(shop: Engine, tmp_path: Path) -> None:
    assert any("more than half" in each for each in run(shop, tmp_path / "t.csv", **{**TABLE, "k": 20}).warnings)


def test_a_column_that_is_not_there_is_one_mistake(shop: Engine) -> None:
    with pytest.raises(RequestError) as raised:
        shop.check({**REQUEST, **TABLE, "columns": ["sexx"], "release": {"to": "t.csv"}})
    assert len(raised.value.problems) == 1


def test_a_total_of_a_column_that_has_a_mistake_is_no_second_one(shop: Engine) -> None:
    request = {**REQUEST, **TABLE, "totals": ["region", "income"], "columns": ["income"], "release": {"to": "t.csv"}}
    with pytest.raises(RequestError) as raised:
        shop.check(request)
    assert len(raised.value.problems) == 1


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"rows": []}, "one table by rows and columns"),
        ({"totals": ["nothing"]}, "no column of the table and no level"),
        ({"dimensions": {"region": {"level": "top"}}}, "one value alone"),
        ({"dimensions": {"plan": {}}}, "no table has the column"),
        ({"cells": "median of income"}, "a figure of a cell"),
        ({"cells": "sum of sex"}, "not added up"),
        ({"columns": ["region"]}, "named twice in a table"),
        ({"keep": ["income"]}, "no rows of the dataset"),
        ({"layout": "crossed", "release": {"to": "t.parquet"}}, "no heads across"),
        ({"release": {"to": {"table": "t"}}}, "written to a file"),
        ({"rounding": 1}, "rounded to a base"),
        ({"dominance": {"largest": 2}}, "no column is added up"),
        ({"mark": "7"}, "no number"),
        ({"page": "t.csv"}, "page|this file"),
    ],
)
def test_mistakes_are_named_before_anything_is_counted(shop: Engine, more: dict[str, Any], words: str) -> None:
    request = {**REQUEST, **TABLE, "columns": [], "release": {"to": "t.csv"}, **more}
    with pytest.raises(RequestError, match=words):
        shop.check(request)
