"""The intervals of suppressed cells: equal to all integer tables, counted out one by one, and never narrower."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

from ordermade.errors import HierarchyError, InputError
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.tables import intervals as bounds
from ordermade.tables.cells import CellTable, Relation, matrix_of, relations_of
from ordermade.tables.codes import TOTALS, flat_tree, folded, hierarchical_tree
from ordermade.tables.dimensions import Dimension
from ordermade.tables.intervals import CellInterval, audited, contradictions, intervals
from ordermade.tables.published import CellTexts, WrittenTable, linked, unit_of
from tests.long import rounds

SEX = ("Total", "f", "m")
AREA = ("Total", "East", "West", "a", "b", "c")
"""a and b are in the East, c is the West."""


def tables_of(total: int, cells: int) -> Iterator[tuple[int, ...]]:
    """All ways to share a total out among cells."""
    if cells == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in tables_of(total - first, cells - 1):
            yield (first, *rest)


def numbers(values: Sequence[int]) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def test_a_dimension_has_children_and_leaves() -> None:
    area = Dimension("area", AREA, (-1, 0, 0, 1, 1, 2))
    assert [area.children(code) for code in range(6)] == [(1, 2), (3, 4), (5,), (), (), ()]
    assert area.leaves == (3, 4, 5)
    with pytest.raises(ValueError, match="parent"):
        Dimension("area", ("a", "Total"), (1, -1))
    with pytest.raises(ValueError, match="parent"):
        Dimension("area", ("a", "Total"), (-1,))


def test_relations_are_sums_over_the_children_among_the_cells() -> None:
    sex, area = Dimension("sex", SEX, (-1, 0, 0)), Dimension("area", AREA, (-1, 0, 0, 1, 1, 2))
    cells = numbers([(0, 0), (0, 1), (0, 3), (1, 3), (2, 3), (0, 4)])
    found = relations_of((sex, area), cells)
    assert found == (Relation(0, (1,)), Relation(1, (2, 5)), Relation(2, (3, 4)))
    table = CellTable((sex, area), cells, numbers([9, 9, 4, 1, 3, 5]), found)
    assert not np.any(matrix_of(table.relations, 6) @ table.values)


def test_one_missing_cell_is_recovered_and_two_share_what_is_left() -> None:
    sums = (Relation(0, (1, 2, 3)),)
    lower = numbers([0] * 4)
    assert intervals(sums, numbers([10, 3, 5, 0]), [3], lower) == {3: CellInterval(2, 2)}
    assert intervals(sums, numbers([10, 3, 0, 0]), [2, 3], lower) == {2: CellInterval(0, 7), 3: CellInterval(0, 7)}
    assert intervals(sums, numbers([10, 3, 0, 0]), [2, 3], lower + 1) == {2: CellInterval(1, 6), 3: CellInterval(1, 6)}
    assert intervals(sums, numbers([10, 3, 4, 0]), [2, 3], lower, fixed=[2]) == {
        2: CellInterval(4, 4),
        3: CellInterval(3, 3),
    }


def test_what_nothing_bounds_has_no_most() -> None:
    sums = (Relation(0, (1, 2)),)
    found = intervals(sums, numbers([0, 4, 0, 0]), [0, 2, 3], numbers([0] * 4))
    assert found == {0: CellInterval(4, None), 2: CellInterval(0, None), 3: CellInterval(0, None)}
    assert found[0].width is None
    assert CellInterval(2, 5).width == 3


def test_a_bound_that_only_all_sums_together_have_is_found() -> None:
    """A square of suppressed cells: one sum after the other leaves more than a program does."""
    # rows: a+b=3, c+d=3; columns: a+c=3, b+d=3; both diagonals are cells of one more sum: a+d=5 fixes a, b, c and d.
    sums = (Relation(4, (0, 1)), Relation(5, (2, 3)), Relation(6, (0, 2)), Relation(7, (1, 3)), Relation(8, (0, 3)))
    values = numbers([0, 0, 0, 0, 4, 4, 4, 4, 6])
    found = audited(sums, values, [0, 1, 2, 3], numbers([0] * 9))
    assert found.intervals == {
        0: CellInterval(3, 3),
        1: CellInterval(1, 1),
        2: CellInterval(1, 1),
        3: CellInterval(3, 3),
    }
    assert not found.unfinished
    assert found.programs > 0


def test_programs_that_run_out_leave_cells_that_are_not_audited_and_never_narrower() -> None:
    sums = (Relation(4, (0, 1)), Relation(5, (2, 3)), Relation(6, (0, 2)), Relation(7, (1, 3)), Relation(8, (0, 3)))
    values = numbers([0, 0, 0, 0, 4, 4, 4, 4, 6])
    found = audited(sums, values, [0, 1, 2, 3], numbers([0] * 9), most_programs=0)
    assert found.programs == 0
    assert found.unfinished == {0, 1, 2, 3}
    for cell, value in enumerate((3, 1, 1, 3)):
        assert found.intervals[cell].least <= value <= found.intervals[cell].most


def test_a_program_that_fails_leaves_the_cell_not_audited(monkeypatch: pytest.MonkeyPatch) -> None:
    class Failed:
        status = 4

    monkeypatch.setattr(bounds, "_solved", lambda *_: Failed())
    sums = (Relation(4, (0, 1)), Relation(5, (2, 3)), Relation(6, (0, 2)), Relation(7, (1, 3)), Relation(8, (0, 3)))
    found = audited(sums, numbers([0, 0, 0, 0, 4, 4, 4, 4, 6]), [0, 1, 2, 3], numbers([0] * 9))
    assert found.unfinished == {0, 1, 2, 3}


def test_published_cells_that_do_not_add_up_are_named() -> None:
    sums = (Relation(0, (1, 2)), Relation(3, (1, 4)))
    lower = numbers([0] * 5)
    assert contradictions(sums, numbers([5, 2, 3, 9, 0]), [4], lower) == ()
    assert contradictions(sums, numbers([6, 2, 3, 9, 0]), [4], lower) == (0,)
    assert contradictions(sums, numbers([5, 2, 3, 1, 0]), [4], lower) == (1,)  # its part exceeds the total
    assert contradictions(sums, numbers([5, 2, 3, 2, 0]), [4], lower + 1) == (1,)
    with pytest.raises(InputError, match="do not add up"):
        intervals(sums, numbers([5, 2, 3, 1, 0]), [4], lower)
    # Each sum alone can hold, all together cannot: x + y = 5 and x + y = 6.
    twice = (Relation(0, (2, 3)), Relation(1, (2, 3)))
    assert len(contradictions(twice, numbers([5, 6, 0, 0]), [2, 3], numbers([0] * 4))) == 1
    with pytest.raises(InputError, match="do not add up"):
        intervals(twice, numbers([5, 6, 0, 0]), [2, 3], numbers([0] * 4))


def test_the_same_table_has_the_same_intervals_and_programs() -> None:
    generator = random.Random(3)
    values, cells = random_table(generator, (5, 5, 4))
    dimensions = [flat(size) for size in (5, 5, 4)]
    sums = relations_of(dimensions, cells)
    hidden = [place for place in range(len(values)) if generator.random() < 0.6]
    first, second = (audited(sums, values, hidden, np.zeros_like(values)) for _ in range(2))
    assert first == second
    assert first.programs < len(hidden), "most bounds are reached by a solution of another program"


def flat(size: int) -> Dimension:
    return Dimension("d", ("Total", *map(str, range(size))), (-1, *[0] * size))


def random_table(generator: random.Random, sizes: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """The values and the cells of a table with all totals."""
    inner = np.array([generator.choice((0, 0, 1, 2, 5)) for _ in range(int(np.prod(sizes)))]).reshape(sizes)
    for axis in range(len(sizes)):
        inner = np.concatenate([inner.sum(axis=axis, keepdims=True), inner], axis=axis)
    return inner.reshape(-1).astype(np.int64), numbers(list(product(*(range(size + 1) for size in sizes))))


# ---- tables of one population -------------------------------------------------------------------------------------


def hierarchy(folder: Path) -> Hierarchy:
    file = folder / "area.csv"
    file.write_text("a;East;*\nb;East;*\nc;West;*\n", encoding="utf-8")
    return read_hierarchy(file, "area").hierarchy


def margin(data: dict[tuple[str, ...], int], names: Sequence[str], kept: Sequence[int], above: dict[str, str]) -> dict:
    """The counts of a table of these dimensions, with all totals; empty cells have no row."""
    found: dict[tuple[str, ...], int] = {}
    for cell, count in data.items():
        lines = [[cell[at], above[cell[at]], "Total"] if cell[at] in above else [cell[at], "Total"] for at in kept]
        for codes in product(*lines):
            found[codes] = found.get(codes, 0) + count
    return {codes: count for codes, count in found.items() if count}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(rounds(40, 300)))
def test_intervals_of_linked_tables_are_those_of_all_integer_tables(seed: int, tmp_path: Path) -> None:
    generator = random.Random(seed)
    above = {"a": "East", "b": "East", "c": "West"}
    names = ("sex", "area", "age") if seed % 3 else ("sex", "area")
    values = [("f", "m"), ("a", "b", "c") if len(names) == 2 else ("a", "c"), ("old", "young")][: len(names)]
    atoms = list(product(*values))
    data = dict.fromkeys(atoms, 0)
    total = 3 + seed % 3
    for _ in range(total):
        data[generator.choice(atoms)] += 1
    every = [kept for size in (1, 2, 3) for kept in combinations(range(len(names)), size)]
    chosen = generator.sample(every, min(len(every), generator.choice((1, 2, 3))))
    written = []
    for kept in chosen:
        counts = margin(data, names, kept, above)
        rows = sorted(counts)
        inner = [row for row in rows if set(row) != {"Total"}]
        hide = {row for row in inner if generator.random() < 0.5} or {inner[0]}
        columns = tuple(names[at] for at in kept)
        written.append(
            WrittenTable(
                f"t{len(written)}", columns, tuple(rows), tuple(None if row in hide else counts[row] for row in rows)
            )
        )
    found = linked(written, TOTALS, {"area": hierarchy(tmp_path)}, "empty")
    lower = np.zeros(len(found.cells), dtype=np.int64)
    lower[list(found.suppressed)] = 1
    assert contradictions(found.relations, found.values, (*found.suppressed, *found.unpublished), lower) == ()
    audit = audited(found.relations, found.values, found.suppressed, lower, unpublished=found.unpublished)
    possible: dict[int, set[int]] = {cell: set() for cell in found.suppressed}
    for counts in tables_of(total, len(atoms)):
        guess = dict(zip(atoms, counts, strict=True))
        margins = [margin(guess, names, kept, above) for kept in chosen]
        # A reader sees the same rows, the same published values, and at least 1 in every suppressed cell.
        if not all(
            set(now) == set(table.rows)
            and all(value in (None, now[row]) for row, value in zip(table.rows, table.values, strict=True))
            for now, table in zip(margins, written, strict=True)
        ):
            continue
        for table, now, cells in zip(written, margins, found.rows, strict=True):
            for row, cell in zip(table.rows, cells, strict=True):
                if cell in possible:
                    possible[cell].add(now[row])
    for cell, seen in possible.items():
        interval = audit.intervals[cell]
        assert interval.least <= min(seen), (seed, cell)
        assert interval.most is not None
        assert interval.most >= max(seen), (seed, cell)
        assert (interval.least, interval.most) == (min(seen), max(seen)), (seed, cell)


# ---- what is read as a code or a value ----------------------------------------------------------------------------


def test_codes_are_compared_in_one_width_and_case_without_spaces() -> None:
    assert folded("総　 数") == "総数"
    assert folded("Ｔｏｔａｌ") == folded("TOTAL")
    assert folded(None) == ""
    tree = flat_tree("sex", ["男", "総 数", "女", "男 "], TOTALS)
    assert tree.dimension.codes == ("総 数", "男", "女")
    assert tree.number("計") == 0
    assert tree.number("女") == 2
    assert flat_tree("sex", ["f", None], ("",)).dimension.codes == ("*", "f")


def test_levels_of_a_hierarchy_are_subtotals(tmp_path: Path) -> None:
    tree = hierarchical_tree("area", ["a", "b", "East", "計"], TOTALS, hierarchy(tmp_path), whole_levels=False)
    assert tree.dimension.codes == ("計", "East", "a", "b")
    assert tree.dimension.parents == (-1, 0, 1, 1)
    assert tree.levels == (2, 1, 0, 0)
    whole = hierarchical_tree("area", ["a", "計"], TOTALS, hierarchy(tmp_path), whole_levels=True)
    assert whole.dimension.codes == ("計", "a", "b", "c")


def test_a_code_in_no_level_and_a_hierarchy_that_is_no_tree_are_refused(tmp_path: Path) -> None:
    with pytest.raises(HierarchyError, match="2 of its codes are in no level"):
        hierarchical_tree("area", ["a", "d", "e"], TOTALS, hierarchy(tmp_path), whole_levels=False)
    rule = tmp_path / "age.yaml"
    rule.write_text("intervals:\n  levels: [{width: 10}]\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="a rule that lists none"):
        hierarchical_tree("age", ["1"], TOTALS, read_hierarchy(rule, "age").hierarchy, whole_levels=False)
    twice = tmp_path / "twice.csv"
    twice.write_text("a;x;*\nb;y;*\nx;y;*\n", encoding="utf-8")
    with pytest.raises(HierarchyError, match="do not nest"):
        hierarchical_tree("area", ["a"], TOTALS, read_hierarchy(twice, "t").hierarchy, whole_levels=False)


def test_marks_and_numbers_are_read_in_all_widths() -> None:
    cells = CellTexts(("", "X", "*", "-", "…"), sums=False)
    texts = ["12", "1,234", "１２", "7.0", " 5 ", "x", "Ｘ", "＊", "−", "…", None, ""]
    assert cells.read(texts, None, "t") == [12, 1234, 12, 7, 5, *[None] * 7]
    assert CellTexts(("n.a.",), sums=True).read(["1.25", "N.A."], None, "t")[1] is None
    assert str(unit_of(CellTexts((), sums=True).read(["1.25", "3"], None, "t"))) == "0.01"
    assert unit_of([None]) == 1


@pytest.mark.parametrize(
    ("text", "what"),
    [("-3", "1 cell is negative"), ("many", "neither a number nor a mark"), ("1.5", "no whole number"),
     ("12,34", "nor a mark"), ("9" * 16, "a value is above")],
)  # fmt: skip
def test_what_is_no_count_is_refused_without_a_value(text: str, what: str) -> None:
    with pytest.raises(InputError, match=what) as refused:
        CellTexts(("X",), sums=False).read(["3", text], None, "t")
    assert text not in refused.value.what


def test_a_status_says_what_is_suppressed() -> None:
    cells = CellTexts(("", "X"), sums=False)
    assert cells.read(["3", "4", None, "6"], ["", "主秘匿", "x", "公表"], "t") == [3, None, None, 6]
    with pytest.raises(InputError, match="neither a number nor a mark"):
        cells.read([None], [""], "t")
    with pytest.raises(InputError, match="more than 6 decimal places"):
        unit_of(CellTexts((), sums=True).read(["0.1234567"], None, "t"))


def table(name: str, columns: Sequence[str], rows: dict[tuple[str, ...], int | None]) -> WrittenTable:
    return WrittenTable(name, tuple(columns), tuple(rows), tuple(rows.values()))


def test_cells_without_a_row_are_empty_or_suppressed() -> None:
    rows = {("f", "a"): 3, ("m", "a"): 4, ("f", "Total"): 5, ("m", "Total"): 4, ("Total", "a"): 7, ("Total", "b"): 2}
    rows |= {("Total", "Total"): 9}
    columns = ("sex", "area")
    empty = linked([table("t", columns, rows)], TOTALS, {}, "empty")
    assert empty.suppressed == ()
    assert len(empty.cells) == 7
    lower = np.zeros(7, dtype=np.int64)
    assert contradictions(empty.relations, empty.values, (), lower), "the cells add up only if b is not empty"
    hidden = linked([table("t", columns, rows)], TOTALS, {}, "suppressed")
    lower = np.zeros(len(hidden.cells), dtype=np.int64)
    found = audited(hidden.relations, hidden.values, hidden.suppressed, lower)
    shown = {tuple(hidden.codes(cell, columns).values()): interval for cell, interval in found.intervals.items()}
    assert shown == {("f", "b"): CellInterval(2, 2), ("m", "b"): CellInterval(0, 0)}


def test_a_cell_twice_in_a_table_and_different_values_of_tables_are_found() -> None:
    with pytest.raises(InputError, match="1 cell is there more than once"):
        linked([WrittenTable("t", ("sex",), (("f",), ("F",)), (1, 1))], TOTALS, {}, "empty")
    two = [table("t", ("sex",), {("f",): 1, ("Total",): 3}), table("u", ("sex",), {("f",): 2, ("計",): 3})]
    found = linked(two, TOTALS, {}, "empty")
    assert [found.codes(cell, ("sex",)) for cell in found.conflicts] == [{"sex": "f"}]


def test_too_many_cells_are_refused_and_too_many_inner_ones_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    import ordermade.tables.published as published

    two = [table("t", ("sex",), {("f",): 1, ("m",): 2}), table("u", ("age",), {("o",): 1, ("y",): 2})]
    assert not linked(two, TOTALS, {}, "empty").is_inner_left_out
    monkeypatch.setattr(published, "MAX_INNER", 3)
    assert linked(two, TOTALS, {}, "empty").is_inner_left_out
    monkeypatch.setattr(published, "MAX_CELLS", 3)
    with pytest.raises(InputError, match="more than 3 cells"):
        linked(two, TOTALS, {}, "suppressed")
