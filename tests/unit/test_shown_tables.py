"""Shown tables: the order of labels, their layouts, files of every form read back as they were, intervals."""

from __future__ import annotations

import csv
import gzip
import io
import random
import zipfile
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from ordermade.drafts.label_order import by_value_or_text
from ordermade.errors import InputError, ReleaseFault, ReleaseMismatch
from ordermade.hierarchies.interval_labels import in_japanese
from ordermade.release.files import read_rows
from ordermade.release.shown_page import page_of
from ordermade.release.shown_read_back import read_back, require_same
from ordermade.release.shown_tables import LAYOUTS, ShownForm, require_shown, write_intervals, write_shown
from ordermade.tables.dimensions import Dimension, dimension_of_levels
from ordermade.tables.layouts import Head, crossed, long_rows
from ordermade.tables.shown import Codes, ShownTable, TableAxis, TableMeasure, axis_of, cells_of, distinct
from ordermade.tables.shown_intervals import KnownInterval, intervals_rows
from ordermade.tables.shown_words import ENGLISH, JAPANESE, Words
from ordermade.version import VERSION

SEED = 20261128
GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "shown_table.html"
ODD = [
    "a,b", 'say "x"', "two\nlines", "a\r\nb", "\r", "=1+1", "+1", "-1", "@x", "'=1", "007", "1e5", "TRUE", "2020-01-01",
    " lead", "trail ", " ", "\t", "x" * 5_000, "東京都", "東 京", "😀", "e\u0301", "\u202eabc", "<b>&amp;</b>",
    "<r>x</r>", "{{ 1 }}", "</td>", "NULL", "#N/A", "\x01\x1f", "_x0041_", "", "*", "Total", "計", "X", "-", "(empty)",
    "count", "status", "a / b",
]  # fmt: skip
TOTALLED = ["count", "件数", "sum of income"]
FORMS = [(ending, layout) for ending, layouts in LAYOUTS.items() for layout in layouts]


def dimension(name: str, leaves: list[str], groups: int, random_: random.Random) -> Dimension:
    """Leaves below a total, and groups between them, some with the name of another label."""
    if not groups:
        return dimension_of_levels(name, [leaves], total="*").dimension
    middle = sorted(random_.randrange(groups) for _ in leaves)
    names = random_.sample(ODD, groups)
    return dimension_of_levels(name, [leaves, [names[each] for each in middle]], total="*").dimension


def random_axis(name: str, words: Words, random_: random.Random) -> TableAxis:
    made = dimension(name, random_.sample(ODD, random_.randint(2, 5)), random_.choice([0, 0, 2]), random_)
    codes = [each for each in range(len(made.codes)) if random_.random() < 0.9] or [0]
    return axis_of(name, made, codes, by_value_or_text, words, unit=random_.choice([None, "", "歳"]))


def random_figure(random_: random.Random, decimals: int) -> Decimal | int | None:
    if random_.random() < 0.3:
        return None
    number = random_.choice([0, 1, 12, 1_234, 10**9 + 7])
    return Decimal(number).scaleb(-decimals) if decimals else number


def random_table(name: str, words: Words, random_: random.Random) -> ShownTable:
    names = random_.sample(["region", "性別", "a,b", "=x", "table", "status", "Status", "x\ny"], 4)
    names = list({each.casefold(): each for each in names}.values())
    down, across = random_.randint(1, 2), random_.randint(0, 1)
    rows = tuple(random_axis(each, words, random_) for each in names[:down])
    columns = tuple(random_axis(each, words, random_) for each in names[down : down + across])
    axes = [each.codes for each in (*rows, *columns)]
    measures = []
    for head in random_.sample(TOTALLED, random_.randint(1, 2)):
        decimals = random_.choice([0, 2]) if head.startswith("sum") else 0
        values = {codes: random_figure(random_, decimals) for codes in every(axes) if random_.random() < 0.8}
        measures.append(TableMeasure(head, values, has_zeros=random_.random() < 0.5))
    return ShownTable(
        name, rows, columns, tuple(measures), mark=random_.choice(["X", "*", "秘"]),
        zeros=random_.choice(["shown", "hidden"]),
    )  # fmt: skip


def every(axes: list[Codes]) -> Iterator[Codes]:
    if not axes:
        yield ()
        return
    for each in axes[0]:
        for rest in every(axes[1:]):
            yield (each, *rest)


@pytest.mark.parametrize(("ending", "layout"), FORMS)
def test_what_is_written_is_read_back(ending: str, layout: str, tmp_path: Path) -> None:
    for number in range(12):
        random_ = random.Random(f"{SEED} {number}")
        words = random_.choice([ENGLISH, JAPANESE])
        several = 1 if layout == "crossed" and ending.startswith(".csv") else random_.randint(1, 2)
        tables = [random_table(f"t/{each}: [x]", words, random_) for each in range(several)]
        form = ShownForm(ending, words, layout, has_mark=number % 2 == 0, escapes_formulas=number % 3 == 0)  # type: ignore[arg-type]
        require_shown(tables, form, "the test")
        path = tmp_path / f"shown{number}{ending}"
        path.touch()
        write_shown(path, tables, form)
        found = read_back(path, form, tables)
        assert list(found) == [*map(cells_of, tables)], (number, SEED)
        require_same(tables, found, "the test")
        first = path.read_bytes()
        write_shown(path, tables, form)
        assert path.read_bytes() == first, (number, SEED)


PLACES = dimension_of_levels(
    "place", [["東京都", "沖縄県", "北海道", "大阪府"], ["東日本", "西日本", "東日本", "西日本"]], total="*"
).dimension
AGES = dimension_of_levels("age", [["[65, 75)", "< 15", "[15, 65)", "75+"]], total="*").dimension


def small_table(words: Words = JAPANESE) -> ShownTable:
    """Two columns and a hierarchy down; the cells of one place are suppressed, of another there are none."""
    place = axis_of("県", PLACES, range(len(PLACES.codes)), by_value_or_text, words)
    age = axis_of("年齢", AGES, range(len(AGES.codes)), by_value_or_text, words, unit="歳")
    hidden, missing = PLACES.codes.index("大阪府"), PLACES.codes.index("沖縄県")
    values = {
        (here, then): None if here == hidden else 1_000 * here + then
        for here in place.codes
        for then in age.codes
        if here != missing
    }
    return ShownTable("人口", (place,), (age,), (TableMeasure(words.persons, values),))


def test_totals_come_first_and_labels_go_by_value() -> None:
    """The fault: 75歳以上 before 15～64歳, 北海道 after 東京都, a part before its total."""
    table = small_table()
    assert table.rows[0].labels == ("計", "東日本", "北海道", "東京都", "西日本", "大阪府", "沖縄県")
    assert table.rows[0].depths == (0, 1, 2, 2, 1, 2, 2)
    assert table.columns[0].labels == ("計", "15歳未満", "15～64歳", "65～74歳", "75歳以上")


def test_a_label_stands_below_the_nearest_one_that_is_shown() -> None:
    codes = [PLACES.codes.index(each) for each in ("*", "東京都", "大阪府")]
    axis = axis_of("place", PLACES, codes, by_value_or_text, ENGLISH)
    assert axis.labels == ("Total", "東京都", "大阪府")
    assert axis.depths == (0, 1, 1)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["b", "*", "a10", "a9", "other"], ["a9", "a10", "b", "*", "other"]),
        (["10", "9", "09"], ["09", "9", "10"]),
        (["10 rooms", "9 rooms"], ["9 rooms", "10 rooms"]),
        (["千葉県", "宮城県"], ["宮城県", "千葉県"]),
        (["女", "不明", "男"], ["男", "女", "不明"]),
        (["10+", "[5, 10)", "< 5"], ["< 5", "[5, 10)", "10+"]),
        (["é", "e"], ["e", "é"]),
    ],
)
def test_labels_in_order(labels: list[str], expected: list[str]) -> None:
    assert [labels[at] for at in by_value_or_text(labels)] == expected
    backwards = labels[::-1]
    assert [backwards[at] for at in by_value_or_text(backwards)] == expected


@pytest.mark.parametrize(
    ("label", "unit", "expected"),
    [
        ("< 15", "歳", "15歳未満"),
        ("[15, 65)", "歳", "15～64歳"),
        ("[15, 16)", "歳", "15歳"),
        ("65+", "歳", "65歳以上"),
        ("[0, 15)", "", "0～14"),
        ("< 15", "", "15未満"),
        ("[1.5, 2)", "kg", "1.5kg以上2.0kg未満"),
        ("15～64歳", "歳", "15～64歳"),
        ("east", "歳", "east"),
    ],
)
def test_labels_of_intervals_in_japanese(label: str, unit: str, expected: str) -> None:
    assert in_japanese(label, unit) == expected


def test_each_label_is_there_once() -> None:
    """The fault: the rest of the east and the rest of the west under one name."""
    twice = Dimension("place", ("*", "east", "rest", "x", "west", "rest", "y"), (-1, 0, 1, 1, 0, 4, 4))
    axis = axis_of("place", twice, range(7), by_value_or_text, ENGLISH)
    assert axis.labels == ("Total", "east", "east / rest", "x", "west", "west / rest", "y")
    assert distinct(["a", "a", "a (2)", "A"], key=str.casefold) == ("a", "a (3)", "a (2)", "A (4)")


def test_long_rows_have_a_status() -> None:
    lines = long_rows([small_table()], JAPANESE)
    assert lines.heads == ("県", "年齢", "人数", "秘匿")
    assert lines.numbers == {2: 0}
    shown = list(lines.rows)
    assert shown[0] == ("計", "計", 0, "")
    assert ("大阪府", "15歳未満", None, "X") in shown
    assert ("沖縄県", "15歳未満", 0, "") in shown
    assert len(shown) == 35


def test_long_rows_of_several_tables_and_measures() -> None:
    table = small_table(ENGLISH)
    other = ShownTable("margin", table.rows, (), (TableMeasure("mean", {(0,): Decimal("1.5")}, has_zeros=False),))
    lines = long_rows([table, other], ENGLISH)
    assert lines.numbers == {3: 0, 5: 1}
    assert lines.heads == ("table", "県", "年齢", "persons", "status of persons", "mean", "status of mean")
    found = list(lines.rows)
    assert found[0] == ("人口", "Total", "Total", 0, "", None, "")
    assert found[35] == ("margin", "Total", None, None, "", Decimal("1.5"), "")
    assert found[36] == ("margin", "東日本", None, None, "", None, "")


def test_crossed_heads_span_what_they_are_over() -> None:
    table = small_table()
    measures = (table.measures[0], TableMeasure("件数", {}))
    shown = crossed(ShownTable("t", (table.rows[0],), (table.columns[0], small_sexes()), measures))
    assert shown.heads[0][:2] == (Head("計", 6, is_total=True), Head("15歳未満", 6, 1))
    total = Head("計", 2, is_total=True)
    assert shown.heads[1][:4] == (total, Head("男", 2, 1), Head("女", 2, 1), total)
    assert shown.heads[2][:3] == (Head("人数", 1), Head("件数", 1), Head("人数", 1))
    assert len(shown.heads[2]) == len(shown.measures) == 5 * 3 * 2
    down = crossed(ShownTable("t", (small_sexes(), table.rows[0]), (), measures))
    rows = list(down.rows())
    assert rows[0].labels == (Head("計", 7, is_total=True), Head("計", 1, is_total=True))
    assert rows[1].labels == (None, Head("東日本", 1, 1))
    assert rows[7].labels == (Head("男", 7, 1), Head("計", 1, is_total=True))


def small_sexes() -> TableAxis:
    sexes = dimension_of_levels("sex", [["男", "女"]], total="*").dimension
    return axis_of("性別", sexes, range(3), by_value_or_text, JAPANESE)


def test_hidden_zeros_look_like_suppressed_cells() -> None:
    table = small_table()
    hidden = ShownTable(table.name, table.rows, table.columns, table.measures, zeros="hidden")
    assert all(value is None for key, value in cells_of(hidden).items() if key[1] == "沖縄県")
    assert cells_of(table)["人数", "沖縄県", "計"] == 0


@pytest.mark.parametrize("mark", ["", " ", "0", "１２", "1,000", "-", "－", "ok", "公表"])
def test_a_mark_is_no_figure(mark: str) -> None:
    table = small_table()
    with pytest.raises(InputError, match="the mark"):
        ShownTable(table.name, table.rows, table.columns, table.measures, mark=mark)


def written(tmp_path: Path, form: ShownForm, *tables: ShownTable) -> Path:
    path = tmp_path / f"shown{form.ending}"
    path.touch()
    write_shown(path, tables, form)
    return path


def test_a_changed_figure_is_found(tmp_path: Path) -> None:
    table = small_table()
    for form in (ShownForm(".csv", JAPANESE), ShownForm(".html", JAPANESE, "crossed")):
        path = written(tmp_path, form, table)
        text = path.read_text(encoding="utf-8")
        figure = "3,001" if form.ending == ".html" else "3001"
        for changed in (text.replace(figure, "3002", 1), text.replace(figure, "X", 1)):
            assert changed != text
            path.write_text(changed, encoding="utf-8")
            with pytest.raises(ReleaseMismatch):
                require_same([table], read_back(path, form, [table]), "the test")
        path.write_text("", encoding="utf-8")
        with pytest.raises(ReleaseFault):
            read_back(path, form, [table])


def test_what_a_workbook_cannot_hold_is_refused_before() -> None:
    table = small_table()
    form = ShownForm(".xlsx", JAPANESE, "crossed")
    long = TableAxis("x", Dimension("x", ("a",), (-1,)), (0,), ("x" * 32_768,), (0,))
    with pytest.raises(InputError, match="32,767"):
        require_shown([ShownTable("t", (long,), (), table.measures)], form, "the test")
    digits = TableMeasure("sum", {(0, 0): Decimal("1234567890123.456789")})
    with pytest.raises(InputError, match="15 digits"):
        require_shown([ShownTable("t", table.rows, table.columns, (digits,))], form, "the test")
    with pytest.raises(InputError, match="two have one name"):
        require_shown([table, table], form, "the test")
    with pytest.raises(InputError, match=r"a \.parquet file has no crossed tables"):
        require_shown([table], ShownForm(".parquet", JAPANESE, "crossed"), "the test")


def test_files_begin_and_end_as_they_should(tmp_path: Path) -> None:
    table = small_table()
    marked = written(tmp_path, ShownForm(".csv", JAPANESE, has_mark=True), table).read_bytes()
    assert marked.startswith(b"\xef\xbb\xbf")
    lines = list(csv.reader(io.StringIO(marked.decode("utf-8-sig"))))
    assert lines[:2] == [["県", "年齢", "人数", "秘匿"], ["計", "計", "0", ""]]
    packed = written(tmp_path, ShownForm(".csv.gz", JAPANESE, "crossed"), table).read_bytes()
    assert packed[4:8] == b"\0\0\0\0"  # the time
    assert gzip.decompress(packed).decode().splitlines()[0] == "県,計,15歳未満,15～64歳,65～74歳,75歳以上"


def test_a_workbook_has_numbers_and_no_formulas(tmp_path: Path) -> None:
    evil = TableAxis("=1+1", Dimension("x", ("a", "b"), (-1, -1)), (0, 1), ("=1+1", "@x"), (0, 0))
    table = ShownTable("=t", (evil,), (), (TableMeasure("=m", {(0,): 5, (1,): None}),))
    for layout in LAYOUTS[".xlsx"]:
        path = written(tmp_path, ShownForm(".xlsx", ENGLISH, layout), table)
        with zipfile.ZipFile(path) as packed:
            sheet = packed.read("xl/worksheets/sheet1.xml").decode()
        assert "<f>" not in sheet
        assert "<f " not in sheet
        assert "<v>5.0</v>" in sheet or "<v>5</v>" in sheet
        assert 'state="frozen"' in sheet


def test_each_printed_page_repeats_title_and_heads(tmp_path: Path) -> None:
    write_shown(tmp_path / "t.xlsx", [small_table()], ShownForm(".xlsx", JAPANESE, "crossed"))
    names = zipfile.ZipFile(tmp_path / "t.xlsx").read("xl/workbook.xml").decode()
    assert "$1:$3</definedName>" in names


@pytest.mark.parametrize("ending", [".csv", ".csv.gz", ".parquet", ".xlsx"])
def test_intervals_are_a_file_of_rows(ending: str, tmp_path: Path) -> None:
    table = small_table()
    known = {("人数", (PLACES.codes.index("大阪府"), 0)): KnownInterval(Decimal("2.5"), 17, is_exact=True)}
    path = tmp_path / f"intervals{ending}"
    path.touch()
    write_intervals(path, [table], [known], ShownForm(ending, JAPANESE))
    found = read_rows(path).to_pylist()
    assert len(found) == 5
    first = found[0]
    assert (first["県"], first["年齢"], first["項目"], first["上下限"]) == ("大阪府", "計", "人数", "厳密")
    ends = [first[f"秘匿インターバル（{each}）"] for each in ("下限", "上限")]
    assert [Decimal(str(each)) for each in (*ends, first["幅"])] == [Decimal("2.5"), 17, Decimal("14.5")]
    assert found[1]["幅"] is None
    with pytest.raises(InputError, match="no rows of intervals"):
        write_intervals(path, [table], [known], ShownForm(".html", JAPANESE))


def test_a_page_as_it_was_looked_at() -> None:
    """Golden: looked at in Chromium, at 1,280 and 375 pixels and on paper."""
    page = page_of([small_table()], JAPANESE).replace(VERSION, "VERSION")
    assert page == GOLDEN.read_text(encoding="utf-8")


def test_a_page_is_inert() -> None:
    evil = "</td></table><script>alert(1)</script>{{ 7 * 7 }}\u202e"
    axis = TableAxis(evil, Dimension("x", ("a",), (-1,)), (0,), (evil,), (0,))
    page = page_of([ShownTable(evil, (axis,), (), (TableMeasure(evil, {}),), mark="<i>")], ENGLISH)
    assert "<script" not in page
    assert "\u202e" not in page
    assert page.count("&lt;script&gt;") == 5  # the title, the caption, the heads and the label


@pytest.mark.parametrize("seed", range(20))
def test_each_shown_code_stands_once_and_below_the_one_it_is_part_of(seed: int) -> None:
    random_ = random.Random(f"{SEED} tree {seed}")
    number = random_.randint(1, 30)
    parents = tuple(random_.randrange(-1, code) for code in range(number))
    made = Dimension("x", tuple(random_.choice(["a", "b", "10", "9", "*", ""]) for _ in parents), parents)
    shown = [code for code in range(number) if random_.random() < 0.7] or [0]
    axis = axis_of("x", made, shown, by_value_or_text, ENGLISH)
    assert sorted(axis.codes) == shown
    assert len(set(axis.labels)) == len(shown)
    place = {code: at for at, code in enumerate(axis.codes)}
    for code in shown:
        above = next((each for each in made.path(code)[1:] if each in place), None)
        if above is None:
            assert axis.depths[place[code]] == 0
        else:
            between = axis.depths[place[above] + 1 : place[code] + 1]
            assert axis.depths[place[code]] == axis.depths[place[above]] + 1
            assert all(depth > axis.depths[place[above]] for depth in between)


def test_intervals_of_suppressed_cells() -> None:
    table = small_table()
    hidden = PLACES.codes.index("大阪府")
    known = {
        ("人数", (hidden, 0)): KnownInterval(3, 17, is_exact=True),
        ("人数", (hidden, 1)): KnownInterval(Decimal("0.5"), None, is_exact=True),
        ("人数", (hidden, 2)): KnownInterval(2, 12, is_exact=False),
    }
    lines = intervals_rows([table], [known], JAPANESE)
    assert lines.numbers == {4: 1, 5: 1, 6: 1}
    assert lines.heads == (
        "表",
        "県",
        "年齢",
        "項目",
        "秘匿インターバル（下限）",
        "秘匿インターバル（上限）",
        "幅",
        "上下限",
    )
    assert list(lines.rows) == [
        ("人口", "大阪府", "計", "人数", 3, 17, 14, "厳密"),
        ("人口", "大阪府", "15歳未満", "人数", 2, 12, 10, "少なくともこの幅"),
        ("人口", "大阪府", "15～64歳", "人数", None, None, None, ""),
        ("人口", "大阪府", "65～74歳", "人数", Decimal("0.5"), None, None, "厳密"),
        ("人口", "大阪府", "75歳以上", "人数", None, None, None, ""),
    ]
    lines = intervals_rows([table], [known], ENGLISH, for_user=10)
    assert lines.heads == ("table", "県", "年齢", "figures", "least", "most", "width")
    ends = [(0, 20, 20), (None, None, None), (None, None, None), (0, None, None), (None, None, None)]
    assert [row[4:] for row in lines.rows] == ends
