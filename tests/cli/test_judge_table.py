"""`ordermade judge table`: published tables with suppressed cells, for people, as JSON and as a file of intervals."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import pytest
import xlsxwriter

from ordermade import Engine, TableOptions
from ordermade.cli import judge as command
from ordermade.drafts.label_order import by_value_or_text
from ordermade.release.shown_tables import ShownForm, write_shown
from ordermade.requests.table_options import Layout
from ordermade.tables.dimensions import dimension_of_levels
from ordermade.tables.shown import ShownTable, TableMeasure, axis_of
from ordermade.tables.shown_words import JAPANESE
from tests.cli.conftest import Program

SHIMANE = """県,性別,年齢,件数
鳥取県,男,15歳未満,14
鳥取県,女,15歳未満,12
島根県,女,15歳未満,11
鳥取県,男,15歳以上,40
鳥取県,女,15歳以上,44
島根県,男,15歳以上,38
島根県,女,15歳以上,41
"""
"""Released at k = 10: the men of Shimane below 15 are left out."""
MARGIN = """県,年齢,件数
鳥取県,15歳未満,26
島根県,15歳未満,14
鳥取県,15歳以上,84
島根県,15歳以上,79
"""
"""Released apart."""
MARKED = """area,sex,count
east,f,X
east,m,20
east,Total,X
west,f,X
west,m,9
west,Total,12
Total,f,X
Total,m,29
Total,Total,"1,038"
"""
HIERARCHY = "a;East;*\nb;East;*\nc;West;*\nd;West;*\n"


@pytest.fixture
def files(ordermade: Program, folder: Path) -> Program:
    """The program in a folder with tables, and no state."""
    (folder / "fine.csv").write_text(SHIMANE, encoding="cp932")
    (folder / "margin.csv").write_text(MARGIN, encoding="utf-8")
    (folder / "marked.csv").write_text(MARKED, encoding="utf-8")
    return ordermade


def lines(text: str) -> list[str]:
    return [" ".join(line.split()) for line in text.splitlines()]


@pytest.mark.slow
def test_a_margin_released_apart_gives_a_cell_away(files: Program, folder: Path) -> None:
    done = files("judge", "table", "fine.csv", "margin.csv", "--k", 10)
    assert done.status == 0, done.err
    shown = lines(done.out)
    for line in (
        "table fine.csv: 7 cells published, 1 cell suppressed, 1 of them without a row",
        "table margin.csv: 4 cells published, 0 cells suppressed",
        "recovered 1",
        "by difference 1 of these, which their own table would have left wide",
        "fine.csv 島根県 男 15歳未満 0.. 3 3 0 recovered",
        "Cells without a row count as suppressed; if they are empty, say --absent empty.",
    ):
        assert line in shown, (line, shown)
    assert not (folder / ".ordermade").exists()
    alone = files("judge", "table", "fine.csv", "--k", 10)
    assert alone.status == 2
    assert "no cell is a total of others" in alone.err


@pytest.mark.slow
def test_the_intervals_of_marked_cells_are_one_json_document(files: Program) -> None:
    document = files("judge", "table", "marked.csv", "--k", 4, "--least", 1, "--json").document
    assert (document["recovered"], document["narrow"], document["below_k"]) == (4, 0, 0)
    found = {tuple(each["codes"].values()): (each["least"], each["most"]) for each in document["cells"]}
    assert found == {
        ("east", "f"): (1006, 1006),
        ("east", "Total"): (1026, 1026),
        ("west", "f"): (3, 3),
        ("Total", "f"): (1009, 1009),
    }
    assert document["tables"] == [
        {
            "name": "marked.csv",
            "dimensions": ["area", "sex"],
            "published": 5,
            "suppressed": 4,
            "without_row": 0,
            "few": 0,
        }
    ]
    assert document["absent"] == "empty"
    assert document["not_audited"] == 0


@pytest.mark.slow
def test_intervals_are_written_in_japanese(files: Program, folder: Path) -> None:
    done = files("judge", "table", "fine.csv", "margin.csv", "--k", 10, "--intervals", "intervals.csv", "--lang", "ja")
    assert done.status == 0, done.err
    text = (folder / "intervals.csv").read_text(encoding="utf-8-sig")
    assert list(csv.reader(io.StringIO(text))) == [
        ["表", "県", "性別", "年齢", "秘匿インターバル（下限）", "秘匿インターバル（上限）", "幅", "判定"],
        ["fine.csv", "島根県", "男", "15歳未満", "3", "3", "0", "値が特定される"],
    ]
    again = files("judge", "table", "fine.csv", "margin.csv", "--intervals", "intervals.csv")
    assert again.status == 2
    assert "never replaces a file" in again.err


@pytest.mark.slow
def test_the_page_is_inert_and_in_two_languages(files: Program, folder: Path) -> None:
    page_options = ("--html", "ja.html", "--lang", "ja", "--office", "統計課")
    done = files("judge", "table", "fine.csv", "margin.csv", "--k", 10, *page_options)
    assert done.status == 0, done.err
    page = (folder / "ja.html").read_text("utf-8")
    for text in ("統計課", "秘匿インターバル", "島根県", "値が特定される", "0 – ∞", "行のないセル"):
        assert text in page
    hostile = "sex,count\n<script>alert(1)</script>,X\nm,4\nTotal,8\n"
    (folder / "hostile.csv").write_text(hostile, encoding="utf-8")
    (folder / "other.csv").write_text("sex,count\nTotal,9\n", encoding="utf-8")
    assert files("judge", "table", "hostile.csv", "other.csv", "--html", "en.html").status == 0
    page = (folder / "en.html").read_text("utf-8")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "published with different values" in page
    assert files("judge", "table", "hostile.csv", "--html", "en.html").status == 2
    assert files("judge", "table", "hostile.csv", "--html", "page.txt").status == 2


@pytest.mark.slow
def test_levels_of_a_hierarchy_are_subtotals_of_a_workbook(ordermade: Program, folder: Path) -> None:
    (folder / "area.csv").write_text(HIERARCHY, encoding="utf-8")
    with xlsxwriter.Workbook(folder / "table.xlsx") as book:
        sheet = book.add_worksheet()
        rows = [("area", "人数"), ("a", "*"), ("b", 5), ("East", 9), ("c", "*"), ("d", "*"), ("West", 6), ("計", 15)]
        for at, row in enumerate(rows):
            sheet.write_row(at, 0, row)
    done = ordermade("judge", "table", "table.xlsx", "--hierarchy", "area=area.csv", "--json")
    assert done.status == 0, done.err
    found = {each["codes"]["area"]: (each["least"], each["most"], each["finding"]) for each in done.document["cells"]}
    assert found == {"a": (4, 4, "recovered"), "c": (0, 6, "wide"), "d": (0, 6, "wide")}
    narrow = ordermade("judge", "table", "table.xlsx", "--hierarchy", "area=area.csv", "--k", 7, "--json").document
    assert (narrow["recovered"], narrow["narrow"], narrow["tables"][0]["few"]) == (1, 2, 2)
    without = ordermade("judge", "table", "table.xlsx", "--json").document
    assert [each["codes"]["area"] for each in without["cells"]] == ["a", "c", "d"]
    assert without["wrong_sums"][0]["codes"] == {"area": "計"}


@pytest.mark.slow
def test_a_cross_tabulated_table_has_codes_as_headings(ordermade: Program, folder: Path) -> None:
    text = "2020年の人口\n地域,男,女,計\n東,X,4,9\n西,3,X,X\n計,8,7,15\n"
    (folder / "cross.csv").write_text(text, encoding="cp932")
    cross = ("judge", "table", "cross.csv", "--skip", 1, "--count", "男,女,計", "--across", "性別", "--json")
    found = {tuple(each["codes"].values()): each["least"] for each in ordermade(*cross).document["cells"]}
    assert found == {("東", "男"): 5, ("西", "女"): 3, ("西", "計"): 6}
    assert ordermade("judge", "table", "cross.csv", "--skip", 1, "--count", "男,女").status == 2
    assert ordermade("judge", "table", "cross.csv", "--skip", 1, "--count", "男", "--across", "性別").status == 2


def write_sheets(path: Path, sheets: dict[str, list[list[object]]], merged: Sequence[str] = ()) -> None:
    with xlsxwriter.Workbook(path) as book:
        for name, rows in sheets.items():
            sheet = book.add_worksheet(name)
            for area in merged:
                sheet.merge_range(area, "")
            for at, row in enumerate(rows):
                for column, cell in enumerate(row):
                    if cell is not None:
                        sheet.write(at, column, cell)


OFFICE: list[list[object]] = [
    ["第1表 男女、年齢別人口"],
    ["県", "総数", None, None, "男", None, None, "女"],
    [None, "計", "15歳未満", "15歳以上", "計", "15歳未満", "15歳以上", "計", "15歳未満", "15歳以上"],
    ["総数", 1_030, 38, 992, 500, 20, 480, 530, 18, 512],
    ["鳥取県", 530, 24, 506, 260, 14, 246, 270, 10, 260],
    ["島根県", 500, 14, 486, 240, "X", "X", 260, "X", "X"],
    [],
    ["（注）X は秘匿した数値"],
]
"""A sheet as an office publishes it, the heads of each sex merged; nobody merged the last one."""


@pytest.mark.slow
def test_a_workbook_with_merged_heads_is_read(ordermade: Program, folder: Path) -> None:
    write_sheets(folder / "office.xlsx", {"表": OFFICE}, ["A2:A3", "B2:D2", "E2:G2"])
    without = ordermade("judge", "table", "office.xlsx")
    assert without.status == 2
    assert "there are 2 rows of heads over the figures. Name their dimensions with --across" in " ".join(
        without.err.split()
    )
    done = ordermade("judge", "table", "office.xlsx", "--across", "性別,年齢", "--k", 10, "--json")
    assert done.status == 0, done.err
    document = done.document
    assert document["tables"][0]["dimensions"] == ["県", "性別", "年齢"]
    assert document["wrong_sums"] == []
    found = {tuple(each["codes"].values()): (each["least"], each["most"]) for each in document["cells"]}
    assert len(found) == 4
    assert found["島根県", "男", "15歳未満"] == (6, 6)
    margin = "県,性別,人数\n島根県,男,240\n総数,男,500\n鳥取県,男,260\n"
    (folder / "margin.csv").write_text(margin, encoding="utf-8")
    both = ("judge", "table", "office.xlsx", "margin.csv", "--across", "性別,年齢", "--json")
    assert [each["dimensions"] for each in ordermade(*both).document["tables"]] == [
        ["県", "性別", "年齢"], ["県", "性別"],
    ]  # fmt: skip


@pytest.mark.slow
def test_all_sheets_of_cross_tabulated_tables_are_judged_together(ordermade: Program, folder: Path) -> None:
    fine = [["県", "性別"], [None, "計", "男", "女"], ["計", 60, 30, 30], ["a", 20, "X", "X"], ["b", 40, "X", "X"]]
    margin = [["県", "性別"], [None, "男"], ["a", 12], ["b", 18]]
    write_sheets(folder / "both.xlsx", {"fine": fine, "margin": margin}, ["A1:A2"])
    document = ordermade("judge", "table", "both.xlsx", "--json").document
    assert [each["name"] for each in document["tables"]] == [
        "both.xlsx, sheet 'fine'", "both.xlsx, sheet 'margin'",
    ]  # fmt: skip
    assert (document["recovered"], document["by_difference"]) == (4, 4)
    one = ordermade("judge", "table", "both.xlsx", "--table", "fine", "--json").document
    assert (len(one["tables"]), one["recovered"]) == (1, 0)
    assert ordermade("judge", "table", "both.xlsx", "--table", "coarse").status == 2
    status = ordermade("judge", "table", "both.xlsx", "--status", "x")
    assert status.status == 2
    assert "no column of statuses" in status.err


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "merged", "options", "what"),
    [
        ([*OFFICE[:4], ["関東"], *OFFICE[4:]], ["A2:A3", "E2:G2"], (), "row 5 stands between figures and has none"),
        ([*OFFICE[:6], ["注"]], ["A2:A3", "B2:D2"], (), "row 7, directly below the figures, has none"),
        ([*OFFICE[:4], [None, *range(9)]], ["A2:A3"], (), "the cell A5 has no label"),
        ([OFFICE[0], [None, *OFFICE[1][1:]], *OFFICE[2:]], ["B2:D2"], (), "the labels have no head"),
        (OFFICE[:6], ["A2:A3"], ("--count", "n"), "its figures have no name"),
        ([["a", "b"], ["c", "d"]], ["A1:A2"], (), "no row has a label and figures beside it"),
    ],
)
def test_layouts_that_are_not_understood_are_refused_by_address(
    rows: list[list[object]],
    merged: list[str],
    options: tuple[object, ...],
    what: str,
    ordermade: Program,
    folder: Path,
) -> None:
    write_sheets(folder / "t.xlsx", {"t": rows}, merged)
    done = ordermade("judge", "table", "t.xlsx", "--across", "性別,年齢", *options)
    assert done.status == 2, done.out
    assert what in " ".join(done.err.split())


@pytest.mark.slow
def test_a_status_column_marks_and_totals_are_options(ordermade: Program, folder: Path) -> None:
    (folder / "status.csv").write_text("sex,n,flag\nf,3,u\nm,4,s\nboth,9,s\n", encoding="utf-8")
    found = ordermade("judge", "table", "status.csv", "--status", "flag", "--total", "both", "--json")
    assert [(each["least"], each["most"]) for each in found.document["cells"]] == [(5, 5)]
    (folder / "sums.csv").write_text("sex,turnover\nf,n/a\nm,4.25\nall,9.5\n", encoding="utf-8")
    sums = ("judge", "table", "sums.csv", "--count", "turnover", "--mark", "n/a")
    assert "no whole number" in ordermade(*sums).err
    assert ordermade(*sums, "--sums", "--json").document["cells"][0]["most"] == 5.25


@pytest.mark.slow
def test_tables_that_do_not_add_up_are_named(ordermade: Program, folder: Path) -> None:
    (folder / "a.csv").write_text("sex,count\nf,3\nm,4\nTotal,8\n", encoding="utf-8")
    (folder / "b.csv").write_text("sex,age,count\nf,old,X\nf,young,2\nf,Total,4\n", encoding="utf-8")
    done = ordermade("judge", "table", "a.csv", "b.csv")
    assert done.status == 0, done.err
    shown = lines(done.out)
    assert "Does not add up over 'sex': sex 'Total', age 'Total': 8, its parts 7." in shown
    assert "Published with different values: sex 'f', age 'Total': 3 in a.csv, 4 in b.csv." in shown
    assert "Sums that do not add up were left out: intervals hold if the others are right." in shown


@pytest.mark.slow
def test_a_table_without_marks_beside_one_with_marks_is_named(files: Program) -> None:
    done = files("judge", "table", "marked.csv", "margin.csv")
    assert "No suppressed cell in margin.csv: cells without a row count as empty." in " ".join(lines(done.out))
    document = files("judge", "table", "marked.csv", "margin.csv", "--absent", "suppressed", "--json").document
    assert document["absent"] == "suppressed"


@pytest.mark.slow
def test_a_cell_that_another_table_publishes_is_recovered(ordermade: Program, folder: Path) -> None:
    (folder / "a.csv").write_text("sex,count\nf,X\nm,X\nTotal,8\n", encoding="utf-8")
    (folder / "b.csv").write_text("sex,count\nf,3\nTotal,8\n", encoding="utf-8")
    found = ordermade("judge", "table", "a.csv", "b.csv", "--json").document["cells"]
    assert [(each["codes"]["sex"], each["least"], each["published_in"]) for each in found] == [
        ("f", 3, "b.csv"), ("m", 5, None),
    ]  # fmt: skip
    assert all(each["by_difference"] for each in found)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "options", "what"),
    [
        ("sex,size\nf,3\n", (), "no column is called as counts are"),
        ("sex,n,count\nf,3,4\n", (), "2 columns are called as counts are"),
        ("sex,count\nf,-3\nTotal,4\n", (), "1 cell is negative"),
        ("sex,count\nf,some\nTotal,4\n", (), "neither a number nor a mark"),
        ("sex,count\nf,3\nf,3\nTotal,6\n", (), "1 cell is there more than once"),
        ("sex,count\nf,3\nm,X\n", (), "no cell is a total of others"),
        ("sex,ｓｅｘ,count\nf,f,3\nTotal,f,4\n", (), "two of its dimensions have one name"),
        ("sex,m,f\nx,3,4\n", ("--count", "m,f", "--across", "Sex"), "two of its dimensions have one name"),
        ("count\n3\n", ("--header",), "there is no column beside the counts"),
        ("sex,count\nf,3\nTotal,3\n", ("--columns", "age"), "age"),
        ("sex,count\nf,3\nTotal,3\n", ("--hierarchy", "age=age.csv"), "age"),
        ("sex,count\nf,3\nTotal,3\n", ("--status", "flag"), "flag"),
        ("sex,count\nf,3\nTotal,3\n", ("--k", 0), "k is at least 1"),
        ("sex,count\nf,3\nTotal,3\n", ("--least", -1), "counts are at least 0"),
        ("sex,count\nf,3\nTotal,3\n", ("--programs", 0), "at least 1 program"),
        ("sex,count\nf,3\nTotal,3\n", ("--absent", "gone"), "absent"),
    ],
)
def test_bad_input_is_refused(
    text: str, options: tuple[object, ...], what: str, ordermade: Program, folder: Path
) -> None:
    (folder / "t.csv").write_text(text, encoding="utf-8")
    done = ordermade("judge", "table", "t.csv", *options)
    assert done.status == 2, done.out
    assert what in done.err


@pytest.mark.slow
def test_where_all_is_suppressed_nothing_follows(ordermade: Program, folder: Path) -> None:
    (folder / "t.csv").write_text("sex,count\nf,X\nm,X\nTotal,X\n", encoding="utf-8")
    found = ordermade("judge", "table", "t.csv", "--json").document["cells"]
    assert [(each["least"], each["most"], each["width"], each["finding"]) for each in found] == [
        (0, None, None, "wide")
    ] * 3
    assert "0 - - wide" in " ".join(lines(ordermade("judge", "table", "t.csv").out))


@pytest.mark.slow
def test_python_judges_tables_and_shows_a_card(folder: Path) -> None:
    (folder / "t.csv").write_text("sex,count\nf,X\nm,4\nTotal,8\n", encoding="utf-8")
    found = Engine().judge_table("t.csv", TableOptions(k=5))
    assert found.cells[0].width == 0
    assert "1 of 1 suppressed cells recovered" in repr(found)
    assert [each.least for each in Engine().judge_table([folder / "t.csv"]).cells] == [4]
    assert TableOptions().k == command.DEFAULT_WIDTH


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "layout", "options"),
    [
        (".csv", "long", ("--status", "秘匿")),
        (".xlsx", "long", ("--status", "秘匿")),
        (".parquet", "long", ("--status", "秘匿")),
        (".csv", "crossed", ("--across", "性別", "--count", "計,女,男")),
        (".csv", "crossed", ("--across", "性別")),
        (".csv.gz", "crossed", ("--across", "性別")),
        (".xlsx", "crossed", ()),
        (".xlsx", "crossed", ("--across", "性別", "--columns", "県")),
    ],
)
def test_tables_that_the_engine_shows_are_read(
    ordermade: Program, folder: Path, ending: str, layout: Layout, options: tuple[str, ...]
) -> None:
    values = {(0, 0): 60, (0, 1): 24, (0, 2): 36, (1, 0): 23, (1, 1): None, (1, 2): None}
    values |= {(2, 0): 37, (2, 1): None, (2, 2): None}
    places, sexes = (
        axis_of(name, dimension_of_levels(name, [leaves], total="*").dimension, range(3), by_value_or_text, JAPANESE)
        for name, leaves in (("県", ["鳥取県", "島根県"]), ("性別", ["女", "男"]))
    )
    (folder / f"shown{ending}").touch()
    table = ShownTable("人口", (places,), (sexes,), (TableMeasure("人数", values),))
    write_shown(folder / f"shown{ending}", [table], ShownForm(ending, JAPANESE, layout))
    document = ordermade("judge", "table", f"shown{ending}", "--k", 3, *options, "--json").document
    assert [(each["published"], each["suppressed"]) for each in document["tables"]] == [(5, 4)]
    found = {tuple(each["codes"].values()): (each["least"], each["most"]) for each in document["cells"]}
    assert found == {
        ("鳥取県", "女"): (0, 23),
        ("鳥取県", "男"): (0, 23),
        ("島根県", "女"): (1, 24),
        ("島根県", "男"): (13, 36),
    }
