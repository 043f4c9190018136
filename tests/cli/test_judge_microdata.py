"""`ordermade judge table --microdata`: published figures held to the rows that they were counted from."""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

from ordermade import Engine, TableOptions
from ordermade.errors import InputError, UnknownName
from tests.cli.conftest import Program

pytestmark = pytest.mark.slow

SEED = 20261130
Row = tuple[str, str, str]


def people(random_: random.Random, number: int) -> list[Row]:
    """Rows of persons: area, sex, and the number of the person, who may have several rows in one cell."""
    rows: list[Row] = []
    for person in range(number):
        own = (random_.choice("abcd"), random_.choice("fm"))
        rows += [(*own, str(person))] * random_.choice([1, 1, 2])
    return rows


def counted(rows: Sequence[Row]) -> tuple[Counter[tuple[str, str]], Counter[tuple[str, str]]]:
    """The rows and the persons of every cell with totals, by hand."""
    of_rows: Counter[tuple[str, str]] = Counter()
    whose: dict[tuple[str, str], set[str]] = {}
    for area, sex, person in rows:
        for cell in product((area, "Total"), (sex, "Total")):
            of_rows[cell] += 1
            whose.setdefault(cell, set()).add(person)
    return of_rows, Counter({cell: len(found) for cell, found in whose.items()})


def write(folder: Path, rows: Sequence[Row], cells: dict[tuple[str, str], object]) -> None:
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("Area", "sex", "person"), *rows])
    with (folder / "table.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("area", "sex", "count"), *((*cell, value) for cell, value in cells.items())])


@pytest.mark.parametrize("unit", ["rows", "persons"])
def test_every_figure_is_as_counted_by_hand(unit: str, tmp_path: Path) -> None:
    random_ = random.Random(f"{SEED}{unit}")
    for at in range(8):
        rows = people(random_, random_.randint(12, 40))
        of_rows, of_persons = counted(rows)
        truth = of_rows if unit == "rows" else of_persons
        hidden = {cell for cell in truth if random_.random() < 0.4}
        cells = {cell: "X" if cell in hidden else value for cell, value in truth.items()}
        write(tmp_path, rows, cells)
        wanted = TableOptions(k=5, microdata=tmp_path / "rows.csv", entity="person", absent="empty")
        judged = Engine(tmp_path).judge_table(tmp_path / "table.csv", wanted)
        found = judged.microdata
        assert found is not None
        assert (found.counted, found.different, found.strange) == (unit, (), 0) or not set(truth) - hidden, at
        assert found.compared == len(truth) - len(hidden)
        shown = {(each.codes["area"], each.codes["sex"]) for each in found.few}
        assert shown == {cell for cell in truth if cell not in hidden and of_persons[cell] < 5}
        assert found.primary == sum(of_persons[cell] < 5 for cell in hidden)
        assert found.secondary == len(hidden) - found.primary
        places = Counter()
        for each in judged.cells:
            value = truth[each.codes["area"], each.codes["sex"]]
            places["end" if value in (each.least, each.most) else "in"] += 1
            assert each.least <= value
            assert each.most is None or value <= each.most
        assert (found.inside, found.at_an_end, found.outside) == (places["in"], places["end"], 0)
        assert found.sole == sum(value == 1 for value in of_persons.values())


ROWS: list[Row] = [
    *[("a", "f", f"p{n}") for n in range(1)], *[("a", "m", f"q{n}") for n in range(9)],
    *[("b", "f", f"r{n}") for n in range(8)], *[("b", "m", f"s{n}") for n in range(7)],
]  # fmt: skip
CELLS: dict[tuple[str, str], object] = {
    ("a", "f"): "X", ("a", "m"): "X", ("a", "Total"): 10, ("b", "f"): "X", ("b", "m"): "X", ("b", "Total"): 15,
    ("Total", "f"): 9, ("Total", "m"): 16, ("Total", "Total"): 25,
}  # fmt: skip


def test_who_is_alone_in_a_cell_computes_the_others(ordermade: Program, folder: Path) -> None:
    write(folder, ROWS, CELLS)
    done = ordermade("judge", "table", "table.csv", "--microdata", "rows.csv", "--entity", "person")
    assert done.status == 0, done.err
    shown = [" ".join(line.split()) for line in done.out.splitlines()]
    for line in (
        "microdata rows.csv, counted in persons",
        "published cells 5 compared, 0 of them different",
        "below k, published none",
        "suppressed 1 of fewer than 3, 3 of 3 or more",
        "true figures 4 inside their interval, 0 at an end of it",
        "sole contributors 1 cell with one person alone",
        "by sole contributors 3 recovered, 0 known to less than 2, by the 1 of suppressed cells",
    ):
        assert line in shown, (line, shown)
    document = ordermade("judge", "table", "table.csv", "--microdata", "rows.csv", "--json").document["microdata"]
    assert (document["counted"], document["sole"], document["recovered"]) == ("rows", None, None)


def test_other_figures_and_small_ones_are_named_without_a_figure_below_k(ordermade: Program, folder: Path) -> None:
    wrong = {**CELLS, ("a", "f"): 1, ("Total", "f"): 10, ("b", "f"): 20}
    write(folder, [*ROWS, ("z", "f", "t")], wrong)
    done = ordermade("judge", "table", "table.csv", "--microdata", "rows.csv", "--least", 1)
    shown = " ".join(done.out.split())
    assert "Published, of fewer than 3: area 'a', sex 'f'." in shown
    assert "Not that of the microdata: area 'b', sex 'f': 20, counted 8." in shown
    assert "Not that of the microdata: area 'Total', sex 'Total': 25, counted another figure." in shown
    assert "Rows with a value that no code has: fewer than 3." in shown
    document = ordermade("judge", "table", "table.csv", "--microdata", "rows.csv", "--json").document["microdata"]
    assert document["strange"] is None
    assert document["attackers"] is None


def test_levels_of_a_hierarchy_are_counted(tmp_path: Path) -> None:
    (tmp_path / "area.csv").write_text("a;East;*\nb;East;*\nc;West;*\nd;West;*\n", encoding="utf-8")
    rows = [(area, "f", str(n)) for n, area in enumerate("aabbbccccc")]
    cells = {("East", "f"): 5, ("c", "f"): 5, ("West", "f"): "X", ("Total", "f"): 10}
    write(tmp_path, rows, cells)
    wanted = TableOptions(microdata=tmp_path / "rows.csv", hierarchies={"area": tmp_path / "area.csv"})
    found = Engine(tmp_path).judge_table(tmp_path / "table.csv", wanted).microdata
    assert found is not None
    assert (found.compared, found.different, found.strange) == (3, (), 0)


def test_microdata_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    write(tmp_path, ROWS, CELLS)

    def judged(**more: object) -> object:
        wanted = TableOptions(**{"microdata": tmp_path / "rows.csv", **more})  # type: ignore[arg-type]
        return Engine(tmp_path).judge_table(tmp_path / "table.csv", wanted)

    with pytest.raises(InputError, match="not with sums"):
        judged(sums=True)
    with pytest.raises(InputError, match="--microdata"):
        judged(microdata=None, entity="person")
    with pytest.raises(UnknownName):
        judged(entity="nobody")
    (tmp_path / "rows.csv").write_text("area,age\na,1\nb,2\n", encoding="utf-8")
    with pytest.raises(UnknownName, match="sex"):
        judged()
