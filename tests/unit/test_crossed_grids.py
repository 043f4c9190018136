"""Cross-tabulated tables of workbooks and CSV files: what is read, and which layouts are refused, by address."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path

import pytest

from ordermade import Engine
from ordermade.catalogue.any_table import AnyTable
from ordermade.drafts.label_order import by_value_or_text
from ordermade.errors import InputError
from ordermade.evaluation.crossed_files import crossed_sheets
from ordermade.release.shown_tables import ShownForm, write_shown
from ordermade.tables.crossed_grids import CrossedGrid, GridNames, SheetTexts, crossed_grid
from ordermade.tables.dimensions import dimension_of_levels
from ordermade.tables.published import MARKS, CellTexts
from ordermade.tables.shown import ShownTable, TableAxis, TableMeasure, axis_of, cells_of
from ordermade.tables.shown_words import ENGLISH, JAPANESE, Words
from tests.unit.test_shown_tables import every

SEED = 20261129
"""Of the tables that are written and read."""


def texts_of(rows: Sequence[Sequence[str]], *, merged: Sequence[tuple[int, int, int, int]] = ()) -> SheetTexts:
    width = max(map(len, rows))
    wide = tuple((*row, *[""] * (width - len(row))) for row in rows)
    return SheetTexts("t", tuple(range(1, len(rows) + 1)), wide, lambda row, at: f"R{row}C{at}", tuple(merged))


def read(rows: Sequence[Sequence[str]], *, across: tuple[str, ...] = (), columns: tuple[str, ...] = (),
         merged: Sequence[tuple[int, int, int, int]] = ()) -> CrossedGrid:  # fmt: skip
    return crossed_grid(
        texts_of(rows, merged=merged), GridNames(columns, across, CellTexts(MARKS, sums=True).is_readable)
    )


def test_a_table_of_an_office_is_read() -> None:
    rows = [
        ["", "第1表 人口"],
        ["", "", "", "", "", "（単位：人）"],
        [],
        ["", "県", "総数", "男", "", "女", ""],
        ["", "", "", "計", "15歳未満", "計", "15歳未満"],
        ["", "総数", "100", "50", "9", "50", "X"],
        [],
        ["", "鳥取県", "60", "1,030", "X", "30", "X"],
        [],
        ["", "（注）X は秘匿した。"],
    ]
    merged = [(3, 1, 4, 1), (3, 2, 4, 2), (3, 3, 3, 4)]
    found = read(rows, across=("性別", "年齢"), merged=merged)
    assert (found.down, found.across, found.measures) == (("県",), ("性別", "年齢"), None)
    assert found.labels == (("総数",), ("鳥取県",))
    assert found.heads == (
        ("総数", "総数"), ("男", "計"), ("男", "15歳未満"), ("女", "計"), ("女", "15歳未満"),
    )  # fmt: skip
    assert found.figures[1] == ("60", "1,030", "X", "30", "X")


def test_the_dimensions_of_heads_come_from_the_head_over_all_of_them() -> None:
    rows = [
        ["area", "sex, age", "", "", ""],
        ["", "f", "", "m", ""],
        ["", "old", "young", "old", "young"],
        ["east", "1", "2", "3", "4"],
    ]
    merged = [(0, 0, 2, 0), (0, 1, 0, 4), (1, 1, 1, 2), (1, 3, 1, 4)]
    assert read(rows, merged=merged).across == ("sex", "age")
    assert read(rows, merged=merged, across=("s", "a")).across == ("s", "a")
    assert read(rows, merged=merged).heads[1] == ("f", "young")
    measured = [["area", "sex", "", "", ""], ["", "f", "", "m", ""], ["", "n", "share", "n", "share"], *rows[3:]]
    found = read(measured, merged=merged)
    assert (found.across, found.measures) == (("sex",), ("n", "share", "n", "share"))


@pytest.mark.parametrize(
    ("rows", "options", "what"),
    [
        ([["a"], ["b"]], {}, "no row has more than one text"),
        ([["", "a", "b"], ["", "1", "2"], ["note"]], {}, "no row has a label"),
        ([["x", "f", "m"], ["a", "f", "m"]], {}, "no row has a label and figures"),
        ([["x", "f", "m"], ["a", "1", "2"]], {"across": ("s", "t")}, "there is 1 row of heads, for 2 dimensions"),
        ([["x", "f", "", "m"], ["", "o", "p", "o"], ["a", "1", "2", "3"]], {}, "there are 2 rows of heads over the"),
        ([["x", "f", ""], ["a", "1", "2"]], {"across": ("s",)}, "the cell R1C3 has no head"),
        ([["", "f", "m"], ["a", "1", "2"]], {"across": ("s",)}, "the labels have no head"),
        ([["x", "y", "f", "m"], ["a", "p", "1", "2"], ["b", "", "1", "2"]], {"across": ("s",)}, "R3C2 has no label"),
        ([["x", "f", "m"], ["a", "1", "2"], ["b"], ["c", "1", "2"]], {"across": ("s",)}, "row 3 stands between"),
        ([["x", "f", "m"], ["a", "1", "2"], ["note"]], {"across": ("s",)}, "row 3, directly below the figures"),
        ([["x", "x", "f"], ["a", "b", "1"]], {"across": ("s",)}, "2 columns of labels have no heads of their own"),
    ],
)
def test_other_layouts_are_refused_by_address(
    rows: list[list[str]], options: dict[str, tuple[str, ...]], what: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(rows, **options)  # type: ignore[arg-type]
    assert what in str(caught.value)
    assert caught.value.next_step


def test_names_of_columns_say_which_are_labels() -> None:
    rows = [["area", "age", "f", "m"], ["1", "15", "4", "5"], ["1", "20", "4", "5"]]
    assert read(rows, across=("sex",), columns=("area", "age")).down == ("area", "age")
    blank = [["", "", "f", "m"], ["1", "15", "4", "5"], ["1", "20", "4", "5"]]
    assert read(blank, across=("sex",), columns=("area", "age")).down == ("area", "age")


LABELS = [
    "a,b", 'say "x"', "two\nlines", "=1+1", "+1", "-1", "@x", "'=1", "007", "1e5", "2020", "15", "2020-01-01", "東京都",
    "東 京", "😀", "#N/A", "Total", "count", "a / b", "15歳未満",
]  # fmt: skip


def axis(name: str, words: Words, random_: random.Random) -> TableAxis:
    """An axis of two to four labels, some with their total, in which no label is a mark."""
    made = dimension_of_levels(name, [random_.sample(LABELS, random_.randint(2, 4))], total="*").dimension
    codes = range(random_.randint(0, 1), len(made.codes))
    return axis_of(name, made, codes, by_value_or_text, words)


def released(folder: Path, random_: random.Random, ending: str, number: int) -> tuple[Path, ShownTable]:
    """A crossed file of a random table of counts."""
    words = random_.choice([ENGLISH, JAPANESE])
    down, across = random_.randint(1, 3), random_.randint(1, 2)
    names = random_.sample(["region", "性別", "age", "table", "status", "x\ny"], down + across)
    axes = [axis(each, words, random_) for each in names]
    rows, columns = tuple(axes[:down]), tuple(axes[down:])
    values = {codes: random_.choice([None, 0, 3, 1_234]) for codes in every([each.codes for each in axes])}
    measures = [TableMeasure("count", values)]
    if random_.random() < 0.5:
        measures.append(TableMeasure("share", values))
    table = ShownTable("a title", rows, columns, tuple(measures), mark="X")
    path = folder / f"shown{number}{ending}"
    path.touch()
    write_shown(path, [table], ShownForm(ending, words, "crossed"))
    return path, table


@pytest.mark.parametrize("ending", [".xlsx", ".csv", ".csv.gz"])
def test_crossed_files_of_the_engine_are_read_back(ending: str, tmp_path: Path) -> None:
    random_ = random.Random(f"{SEED}{ending}")
    state = Engine(tmp_path).state_file
    for number in range(40):
        path, table = released(tmp_path, random_, ending, number)
        names = GridNames(
            () if ending == ".xlsx" else tuple(each.name for each in table.rows),
            () if ending == ".xlsx" else tuple(each.name for each in table.columns),
            CellTexts(["X"], sums=True).is_readable,
        )
        [texts] = crossed_sheets(AnyTable(str(path)), state, {"nothing"}, is_crossed=True)
        grid = crossed_grid(texts, names)
        found = {
            (measure, *labels, *heads): None if text == "X" else Decimal(text)
            for labels, row in zip(grid.labels, grid.figures, strict=True)
            for text, heads, measure in zip(row, grid.heads, grid.measures or ("count",) * len(grid.heads), strict=True)
        }
        assert found == cells_of(table), number
        assert grid.across == tuple(each.name for each in table.columns)
