"""Tables foretold, without an engine: cells below k by what was measured, suppressed cells by earlier tables."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations

import numpy as np
import pytest

from ordermade.lattice.observation import Observation, Sizes
from ordermade.prediction.expected_tables import MeasuredClasses, expected_table, uncounted
from ordermade.prediction.suppressed_cells import FEWEST, SuppressedCells, TableForm, TableOutcome

ROWS = 4_000
CLASSES = {"a": 6, "b": 9, "c": 5, "d": 7}


def made_rows(seed: int = 7) -> dict[str, np.ndarray]:
    """Columns of skewed classes; `b` depends on `a`, the others on nothing."""
    random = np.random.default_rng(seed)
    columns = {
        name: random.choice(classes, ROWS, p=np.array([2.0**-n for n in range(classes)]) / (2 - 2.0 ** (1 - classes)))
        for name, classes in CLASSES.items()
    }
    columns["b"] = np.where(random.random(ROWS) < 0.5, columns["a"], columns["b"])
    return columns


def sizes_of(columns: dict[str, np.ndarray], names: frozenset[str]) -> Sizes:
    rows = zip(*(columns[name].tolist() for name in sorted(names)), strict=True)
    return Observation.from_histogram(Counter(Counter(rows).values()).items()).sizes


def key(*names: str) -> frozenset[tuple[str, str]]:
    return frozenset((name, "0") for name in names)


@pytest.fixture(scope="module")
def columns() -> dict[str, np.ndarray]:
    return made_rows()


def known(columns: dict[str, np.ndarray], *nodes: frozenset[tuple[str, str]]) -> MeasuredClasses:
    marginals = {(name, "0"): sizes_of(columns, frozenset([name])) for name in CLASSES}
    return MeasuredClasses(
        ROWS,
        marginals,
        {node: Observation.from_histogram(sizes_of(columns, frozenset(each for each, _ in node))) for node in nodes},
    )


WITH_TOTALS = (key("a", "b"), key("a"), key("b"), key())


@pytest.mark.parametrize("k", [3, 5, 10, 50])
def test_measured_nodes_give_the_cells_exactly(columns: dict[str, np.ndarray], k: int) -> None:
    found = expected_table(known(columns, key("a", "b")), WITH_TOTALS, k)
    every = [size for names in ("ab", "a", "b") for size, n in sizes_of(columns, frozenset(names)) for _ in range(n)]
    assert found.is_known
    assert found.spread == 0
    assert (found.cells, found.primary) == (len(every) + 1, sum(size < k for size in every))


def test_without_the_class_sizes_of_a_level_the_level_is_named(columns: dict[str, np.ndarray]) -> None:
    nothing = MeasuredClasses(ROWS, {("a", "0"): sizes_of(columns, frozenset("a"))}, {})
    assert uncounted(nothing, WITH_TOTALS) == (("b", "0"),)
    with pytest.raises(ValueError, match="not known"):
        expected_table(nothing, WITH_TOTALS, 3)


def test_a_node_that_does_not_add_up_to_the_rows_is_not_taken_for_exact(columns: dict[str, np.ndarray]) -> None:
    short = MeasuredClasses(ROWS, known(columns).marginals, {key("a", "b"): Observation.from_histogram([(5, 3)])})
    assert not expected_table(short, WITH_TOTALS, 3).is_known


@pytest.mark.parametrize("pair", list(combinations("abcd", 2)))
def test_independent_columns_are_expected_nearly_right(columns: dict[str, np.ndarray], pair: tuple[str, str]) -> None:
    nodes = (key(*pair), key(pair[0]), key(pair[1]), key())
    found = expected_table(known(columns), nodes, 10)
    exact = expected_table(known(columns, key(*pair)), nodes, 10)
    assert not found.is_known
    assert found.share == pytest.approx(exact.share, abs=0.16 if pair == ("a", "b") else 0.06)
    assert found.spread > 0


def test_what_is_measured_of_two_columns_corrects_three(columns: dict[str, np.ndarray]) -> None:
    """`a` and `b` depend on each other, which shows in every table that has both."""
    nodes = (key("a", "b", "c"),)
    exact = expected_table(known(columns, *nodes), nodes, 5)
    without = expected_table(known(columns), nodes, 5)
    learnt = expected_table(known(columns, key("a", "b"), key("a", "c"), key("b", "c")), nodes, 5)
    assert abs(learnt.cells - exact.cells) < abs(without.cells - exact.cells)
    assert learnt.primary <= learnt.cells <= math.prod(CLASSES[each] for each in "abc")


def form(share: float, cells: int = 200, totals: int = 2, spread: float = 0.0) -> TableForm:
    return TableForm(cells, round(share * cells), 5, 2, totals, cells * 0.8, cells, spread)


def made(a: float, number: int = 60) -> list[TableOutcome]:
    """Tables in which a is as given."""
    shares = np.linspace(0.05, 0.6, number)
    return [
        TableOutcome(each := form(float(share)), round((1 - (1 - each.share) ** a) * each.cells)) for share in shares
    ]


@pytest.mark.parametrize("a", [1.5, 2.5, 4.0])
def test_the_share_is_learnt_from_earlier_tables(a: float) -> None:
    for share in (0.08, 0.2, 0.33, 0.5):
        wanted = form(share)
        found = SuppressedCells(made(a)).expected(wanted)
        assert found.share == pytest.approx(1 - (1 - wanted.share) ** a, abs=0.03)
        assert found.low <= found.share <= found.high


def test_nothing_learnt_is_a_wide_interval_and_more_learnt_a_narrower_one() -> None:
    widths = []
    for number in (0, FEWEST - 1, FEWEST, 60):
        found = SuppressedCells(made(2.4, number)).expected(form(0.2))
        widths.append(found.high - found.low)
        assert found.low >= 0.2 - 1e-9  # those below k are suppressed in any case
    assert widths[0] == widths[1] > widths[3]
    assert widths[0] > 0.2


def test_no_cell_below_k_is_no_cell_suppressed() -> None:
    found = SuppressedCells([]).expected(form(0.0))
    assert (found.share, found.low, found.high, found.chance_within(0.0)) == (0.0, 0.0, 0.0, found.protected)
    assert SuppressedCells([]).expected(form(0.0, spread=0.02)).high > 0


def test_doubt_about_the_cells_below_k_widens_the_interval() -> None:
    learnt = SuppressedCells(made(2.4))
    sure, doubtful = (learnt.expected(form(0.2, spread=spread)) for spread in (0.0, 0.05))
    assert doubtful.high - doubtful.low > sure.high - sure.low


def test_tables_that_could_not_be_protected_lower_the_chance_of_their_like() -> None:
    refused = [TableOutcome(form(0.9, 20, totals=1), 20, is_protected=False) for _ in range(10)]
    learnt = SuppressedCells([*made(2.4), *refused])
    assert learnt.expected(form(0.9, 20, totals=1)).protected < 0.3
    assert learnt.expected(form(0.2)).protected > 0.9
    assert SuppressedCells([]).expected(form(0.2)).protected == 0.95


@pytest.mark.parametrize("most", [0.0, 0.2, 0.35, 1.0])
def test_the_chance_to_stay_within_a_share_rises_with_it(most: float) -> None:
    found = SuppressedCells(made(2.4)).expected(form(0.2))
    assert found.chance_within(most) <= found.chance_within(most + 0.1) <= found.protected
