"""Random tables measured as they are, against counting row by row in Python: rows and persons, NULLs, split classes."""

from __future__ import annotations

import math
import tempfile
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.catalogue.any_table import AnyTable
from ordermade.counting import any_table
from ordermade.counting.table_figures import MeasuredTable, SensitiveFigures
from ordermade.sources.limits import Limits
from ordermade.state.authority import SHELL
from ordermade.state.database import StateFile
from tests.long import rounds
from tests.made import Row, write_table

pytestmark = pytest.mark.slow

COLUMNS = {
    "zone": "VARCHAR",
    "age": "INTEGER",
    "ward": "VARCHAR",
    "illness": "VARCHAR",
    "income": "INTEGER",
    "id": "INTEGER",
}
QIS = 3
rows = st.lists(
    st.tuples(
        st.sampled_from(["n", "s", None]),
        st.sampled_from([1, 2, None]),
        st.sampled_from(["", "w"]),
        st.sampled_from(["flu", "cold", "hiv", None]),
        st.sampled_from([10, 20, 30, 40, None]),
        st.integers(1, 6),
    ),
    min_size=1,
    max_size=24,
)
TIGHT = {"abs": 1e-9, "rel": 1e-9}


def measured(table: list[Row], entity: str | None, largest: int) -> MeasuredTable:
    with tempfile.TemporaryDirectory() as folder, patch.object(any_table, "LARGEST_CLASS_NUMBER", largest):
        path = Path(folder) / "t.duckdb"
        write_table(path, COLUMNS, table)
        asked = AnyTable(str(path))
        names = list(COLUMNS)
        return asked.measured(
            StateFile(Path(folder) / "state.sqlite", SHELL), Limits(), names[:QIS], names[QIS:5], entity=entity
        )


def in_order(value: Any) -> tuple[bool, Any]:
    return value is None, 0 if value is None else value


def check_sensitive(found: SensitiveFigures, whole: Counter[Any], units: set[tuple[Row, Any, Any]]) -> None:
    """`whole`: the units of each value; `units`: (class, value, unit).

    Shares are of the pairs of unit and value, in a class or in the table; alpha's are of a class's units.
    """
    every = sorted(whole, key=in_order)
    classes: defaultdict[Row, Counter[Any]] = defaultdict(Counter)
    members: defaultdict[Row, set[Any]] = defaultdict(set)
    for group, value, unit in units:
        classes[group][value] += 1
        members[group].add(unit)
    p = {value: Fraction(whole[value], sum(whole.values())) for value in every}
    equal, ordered, ratios, cs = [], [], [], defaultdict(list)
    for counts in classes.values():
        size = sum(counts.values())
        apart = [Fraction(counts[value], size) - p[value] for value in every]
        equal.append(sum(map(abs, apart)) / 2)
        steps = [abs(sum(apart[: place + 1])) for place in range(len(every))]
        ordered.append(sum(steps) / (len(every) - 1) if len(every) > 1 else Fraction(0))
        ratios += [(value, Fraction(n, size) / p[value]) for value, n in counts.items()]
        ranked = sorted(counts.values(), reverse=True)
        for length in range(2, len(ranked) + 1):
            cs[length].append(Fraction(ranked[0], sum(ranked[length - 1 :])))
    distinct = min(map(len, classes.values()))
    entropies = [
        -sum(n / sum(counts.values()) * math.log(n / sum(counts.values())) for n in counts.values())
        for counts in classes.values()
    ]
    assert found.distinct_l == distinct
    assert found.entropy_l == pytest.approx(math.exp(min(entropies)), **TIGHT)
    assert found.recursive_c == tuple(
        (length, pytest.approx(float(max(cs[length])), **TIGHT)) for length in range(2, distinct + 1)
    )
    assert found.t_equal == pytest.approx(float(max(equal)), **TIGHT)
    if found.t_ordered is not None:
        assert found.t_ordered == pytest.approx(float(max(ordered)), **TIGHT)
    assert (found.t_ordered is None) == (found.column.type == "VARCHAR")
    shares = [Fraction(n, len(members[group])) for group, counts in classes.items() for n in counts.values()]
    assert found.alpha == pytest.approx(float(max(shares)), **TIGHT)
    beta = float(max(ratio for _, ratio in ratios)) - 1
    assert found.beta_basic == pytest.approx(beta, **TIGHT)
    assert found.delta == pytest.approx(max(abs(math.log(ratio)) for _, ratio in ratios), **TIGHT)
    beyond = any(float(ratio) - 1 > -math.log(p[value]) + 1e-9 for value, ratio in ratios)
    assert found.beta_enhanced is None if beyond else found.beta_enhanced == found.beta_basic


@pytest.mark.long
@settings(max_examples=rounds(8, 12))  # of tables that a database measures
@given(rows, st.booleans(), st.sampled_from([4, 2**62]))
def test_every_figure_is_that_of_counting_row_by_row(table: list[Row], persons: bool, largest: int) -> None:
    found = measured(table, "id" if persons else None, largest)
    unit_of = {place: row[5] if persons else place for place, row in enumerate(table)}
    members: defaultdict[Row, set[Any]] = defaultdict(set)
    for place, row in enumerate(table):
        members[row[:QIS]].add(unit_of[place])
    sizes = Counter(map(len, members.values()))
    assert found.classes.sizes == tuple(sorted(sizes.items()))
    assert (found.rows, found.units) == (len(table), len(set(unit_of.values())))
    smallest = {unit: min(len(each) for each in members.values() if unit in each) for unit in unit_of.values()}
    assert found.units_by_size == tuple(sorted(Counter(smallest.values()).items()))
    assert found.risks().average == sum(Fraction(1, size) for size in smallest.values()) / len(smallest)
    risks = sorted(Fraction(1, size) for size in smallest.values())
    for percent, risk in found.risks().percentiles:
        assert risk == risks[max(math.ceil(Fraction(percent, 100) * len(risks)), 1) - 1]
    for place, figures in enumerate(found.sensitive, start=QIS):
        pairs = {(row[:QIS], row[place], unit_of[at]) for at, row in enumerate(table)}
        whole = Counter(value for value, _ in {(row[place], unit_of[at]) for at, row in enumerate(table)})
        check_sensitive(figures, whole, pairs)
        assert figures.column.values == len(whole)
