"""Local recoding against counting by hand: random tables, hierarchies whose levels need not nest, NULLs, limits."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.read import parse_yaml
from ordermade.hierarchies.read_csv import read_csv
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Requirement
from ordermade.methods.generalization.narrowed_classes import held_regions
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from tests import privacy_by_hand as by_hand
from tests.local import Table, assigned, check, loss, opened, share
from tests.long import rounds
from tests.made import Row, Value, counted, label, write_hierarchy
from tests.privacy_by_hand import Ancestors, nested

pytestmark = pytest.mark.slow


@dataclass(frozen=True)
class Case:
    """A table, the paths of its values, the levels accepted of each column, and what is asked."""

    rows: tuple[Row, ...]
    kinds: tuple[str, ...]
    paths: tuple[tuple[tuple[Value, ...], ...], ...]
    spans: tuple[tuple[float, float], ...]
    k: int
    limit: float


@st.composite
def cases(draw: st.DrawFn) -> Case:
    kinds = draw(st.lists(st.sampled_from(["INTEGER", "VARCHAR"]), min_size=1, max_size=3))
    paths, columns = [], []
    for kind in kinds:
        size = draw(st.integers(1, 5))
        values: list[Value] = [f"v {n}" if kind == "VARCHAR" else n for n in range(size)]
        null = draw(st.sampled_from(["none", "unlisted", "listed"]))
        leaves: list[Value] = [*values, None] if null == "listed" else values
        levels = draw(st.lists(st.lists(st.integers(0, size), min_size=len(leaves), max_size=len(leaves)), max_size=3))
        paths.append(tuple((leaf, *(f"g{level[i]}" for level in levels)) for i, leaf in enumerate(leaves)))
        columns.append(st.sampled_from(values if null == "none" else [*values, None]))
    rows = draw(st.lists(st.tuples(*columns), min_size=1, max_size=40))
    spans = tuple(draw(st.tuples(st.floats(0, 1), st.floats(0, 1))) for _ in kinds)
    limit = draw(st.sampled_from([0.0, 0.05, 0.2, 1.0]))
    return Case(tuple(rows), tuple(kinds), tuple(paths), spans, draw(st.integers(2, 5)), limit)


@given(case=cases())
@pytest.mark.long
@settings(max_examples=rounds(5, 14))  # of tables that a database recodes
def test_rounds_keep_what_they_promise(case: Case) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = {f"q{place}": kind for place, kind in enumerate(case.kinds)}
        hierarchies = [
            read_csv(write_hierarchy(folder / f"{place}.csv", _header(paths), paths), f"h{place}", "header")[0]
            for place, paths in enumerate(case.paths)
        ]
        spans = [_span(share, each.top) for share, each in zip(case.spans, hierarchies, strict=True)]
        most = int(case.limit * len(case.rows))
        requirement = Requirement(case.k, most)
        with opened(folder, kinds, case.rows, hierarchies, case.k, accepted=spans) as table:
            best = _full_domain(table, requirement, hierarchies)
            _check(table, requirement, best)


def _check(table: Table, requirement: Requirement, best: Node | None) -> None:
    found = table.recode(requirement, best)
    if not found.rounds:
        assert best is None
        assert found.refusal
        return
    classes = check(table, found, requirement.k)
    assert (found.classes.divisions, found.classes.rows) == (len(classes), classes.total())
    assert (found.refusal is None) == (found.suppressed_rows <= requirement.most_suppressed)
    by_hand = loss(table, assigned(table, found))
    assert found.losses["loss"] == pytest.approx(by_hand, abs=1e-9)
    if best is not None:
        assert found.refusal is None
        assert found.full_domain_loss == pytest.approx(_loss_of_node(table, best, requirement.k), abs=1e-9)
        assert by_hand <= found.full_domain_loss + 1e-9
    elif found.start == "finest":
        # What is suppressed could be released at no node, even by itself.
        left = [row for row, node in enumerate(assigned(table, found)) if node is None]
        rest = [table.rows[row] for row in left]
        assert all(size < requirement.k for node in table.lattice.nodes() for size in _sizes(table, rest, node))


@given(case=cases())
@pytest.mark.long
@settings(max_examples=rounds(6, 24))  # of tables that a database recodes
def test_sealed_classes_hold_every_row_that_they_name(case: Case) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        kinds = {f"q{place}": kind for place, kind in enumerate(case.kinds)}
        hierarchies = [
            read_csv(write_hierarchy(folder / f"{place}.csv", _header(paths), paths), f"h{place}", "header")[0]
            for place, paths in enumerate(case.paths)
        ]
        spans = [_span(share, each.top) for share, each in zip(case.spans, hierarchies, strict=True)]
        requirement = Requirement(case.k, int(case.limit * len(case.rows)))
        with opened(folder, kinds, case.rows, hierarchies, case.k, accepted=spans) as table:
            best = _full_domain(table, requirement, hierarchies)
            found = table.seal(requirement, best)
            if best is None:
                # One class of all passes wherever a finer one does, so no partition passes where no node does.
                assert found.refusal
                return
            assert found.refusal is None
            nodes = table.placed(found)
            _check_sealed(table, nodes, case.k)
            assert found.suppressed_rows == nodes.count(None) <= requirement.most_suppressed
            by_hand = loss(table, nodes)
            assert found.losses["loss"] == pytest.approx(by_hand, abs=1e-9)
            assert by_hand <= _loss_of_node(table, best, case.k) + 1e-9


def _check_sealed(table: Table, nodes: list[Node | None], k: int) -> None:
    """Every row that lies in a released region is released with it, and regions have no cell in common."""
    leaves = [
        [*each.leaves, *({row[place] for row in table.rows} - {*each.leaves})]
        for place, each in enumerate(table.hierarchies)
    ]
    regions: dict[tuple[frozenset[Value], ...], int] = {}
    for row, node in enumerate(nodes):
        if node is not None:
            region = tuple(
                frozenset(leaf for leaf in each if label(own, leaf, level) == label(own, table.rows[row][place], level))
                for place, (own, each, level) in enumerate(zip(table.hierarchies, leaves, node, strict=True))
            )
            regions[region] = regions.get(region, 0) + 1
    for region, size in regions.items():
        inside = [row for row in table.rows if all(value in each for value, each in zip(row, region, strict=False))]
        assert len(inside) == size >= k
    for one, other in combinations(regions, 2):
        assert any(a.isdisjoint(b) for a, b in zip(one, other, strict=True))


def _sizes(table: Table, rows: list[Row], node: Node) -> list[int]:
    return list(counted(rows, table.hierarchies, node).values())


def _full_domain(table: Table, requirement: Requirement, hierarchies: list[ExplicitHierarchy]) -> Node | None:
    """The passing node of the least Loss, suppressed rows as `*`."""
    scored = []
    for node in table.lattice.nodes():
        sizes = counted(table.rows, hierarchies, node)
        suppressed = sum(size for size in sizes.values() if size < requirement.k)
        if suppressed <= requirement.most_suppressed and suppressed < len(table.rows):
            scored.append((_loss_of_node(table, node, requirement.k), node))
    return min(scored)[1] if scored else None


def _loss_of_node(table: Table, node: Node, k: int) -> float:
    sizes = counted(table.rows, table.hierarchies, node)
    total = 0.0
    for row in range(len(table.rows)):
        (mine,) = counted([table.rows[row]], table.hierarchies, node)
        for place, each in enumerate(table.hierarchies):
            level = node[place] if sizes[mine] >= k else each.top
            total += float(share(table, each, place, row, level))
    return total / (len(table.rows) * len(table.hierarchies))


def _header(paths: tuple[tuple[Value, ...], ...]) -> list[str]:
    return ["value", *(f"given{i}" for i in range(1, len(paths[0])))]


def _span(span: tuple[float, float], top: int) -> tuple[int, int]:
    low, high = sorted(round(each * top) for each in span)
    return low, high


def explicit_hierarchies() -> list[ExplicitHierarchy]:
    """Ages 1 to 4 in pairs, and plans x and y."""
    ages = "".join(f"  {age}: [{(age + 1) // 2}x, '*']\n" for age in range(1, 5))
    rules = {"age": ages, "plan": "  x: ['*']\n  y: ['*']\n"}
    hierarchies = [parse_yaml(f"mapping:\n{text}", name, where=name)[0] for name, text in rules.items()]
    return [each for each in hierarchies if isinstance(each, ExplicitHierarchy)]


@st.composite
def persons(draw: st.DrawFn) -> tuple[list[Row], int, bool, int, bool]:
    """Rows of (age, plan, illness, person), k, whether persons count, how many may be suppressed, whether sealed."""
    row = st.tuples(
        st.integers(1, 4), st.sampled_from("xy"), st.sampled_from(["flu", "ache", None]), st.integers(0, 12)
    )
    rows = draw(st.lists(row, min_size=4, max_size=40))
    return rows, draw(st.integers(2, 4)), draw(st.booleans()), draw(st.integers(0, 10)), draw(st.booleans())


JOBS: Ancestors = {"a": ("a", "1"), "b": ("b", "1"), "c": ("c", "2"), "d": ("d", "2"), None: ("none", "none")}
ROW = st.tuples(st.integers(1, 4), st.sampled_from("xy"), st.sampled_from([*JOBS]), st.integers(0, 12))


@given(
    rows=st.lists(ROW, min_size=4, max_size=40),
    k=st.integers(2, 4),
    required=st.lists(
        st.sampled_from(
            [
                DistinctL(2),
                EntropyL(Fraction(3, 2)),
                RecursiveCL(Fraction(2), 2),
                AlphaK(Fraction(1, 2)),
                TCloseness(Fraction(1, 3)),
                TCloseness(Fraction(1, 3), "ordered"),
                TCloseness(Fraction(1, 3), "hierarchical", nested(JOBS)),
            ]
        ),
        max_size=2,
        unique=True,
    ),
    entity=st.booleans(),
)
@pytest.mark.long
@settings(max_examples=rounds(8, 60))  # of tables that a database recodes
def test_sealed_classes_that_models_pass_lose_the_least_that_splits_can(
    rows: list[Row], k: int, required: list[Model], entity: bool
) -> None:
    hierarchies = explicit_hierarchies()
    kinds = {"age": "INTEGER", "plan": "VARCHAR", "s": "VARCHAR", "who": "INTEGER"}
    requirement = Requirement(k, 0, models=bool(required), monotone=not entity, persons=entity)
    with (
        tempfile.TemporaryDirectory() as name,
        opened(Path(name), kinds, rows, hierarchies, k, models=tuple(required), entity=entity) as table,
    ):
        found = table.seal(requirement, None)
    least = _least(rows, k, required, entity)
    assert (found.refusal is None) == math.isfinite(least)
    if found.refusal is None:
        assert found.losses["loss"] == pytest.approx(least / len(rows), abs=1e-9)


def _least(rows: list[Row], k: int, required: list[Model], entity: bool) -> float:
    """The least Loss, of all rows together, by trying every split."""

    def counted_by_value(of: Sequence[Row]) -> Counter[Value]:
        return Counter(row[2] for row in ({(None, None, *row[2:]) for row in of} if entity else of))

    def parted(levels: tuple[int, int], region: tuple[Row, ...]) -> float:
        size = len({row[3] for row in region}) if entity else len(region)
        values, whole = counted_by_value(region), counted_by_value(rows)
        passing = size >= k and all(by_hand.passes(each, values, whole, JOBS, size) for each in required)
        found = [len(region) * ((0, 1 / 3, 1)[levels[0]] + levels[1]) / 2] if passing else [math.inf]
        for place in (place for place in (0, 1) if levels[place]):
            parts: dict[Value, tuple[Row, ...]] = {}
            for row in region:
                own = row[1] if place else row[0] if levels[0] == 1 else (row[0] + 1) // 2  # type: ignore[operator]
                parts[own] = (*parts.get(own, ()), row)
            finer = (levels[0] - 1, levels[1]) if place == 0 else (levels[0], 0)
            found.append(sum(parted(finer, part) for part in parts.values()))
        return min(found)

    return parted((2, 1), tuple(rows))


@given(case=persons())
@pytest.mark.long
@settings(max_examples=rounds(6, 24))  # of tables that a database recodes
def test_classes_have_the_persons_and_the_values_that_are_asked_for(
    case: tuple[list[Row], int, bool, int, bool],
) -> None:
    rows, k, entity, most, is_sealed = case
    explicit = explicit_hierarchies()
    kinds = {"age": "INTEGER", "plan": "VARCHAR", "s": "VARCHAR", "who": "INTEGER"}
    requirement = Requirement(k, most, models=True, monotone=False, persons=entity)
    models = (DistinctL(2), AlphaK(Fraction(3, 4)))
    with (
        tempfile.TemporaryDirectory() as name,
        opened(Path(name), kinds, rows, explicit, k, models=models, entity=entity) as table,
    ):
        found = (table.seal if is_sealed else table.recode)(requirement, None)
        if not found.rounds:
            return
        released = table.released()
        gone = [rows[each.row] for each in released if each.labels is None]
        assert found.suppressed_units == (len({row[3] for row in gone}) if entity else len(gone))
        if found.refusal is not None:
            return
        assert found.suppressed_units <= most
        if not is_sealed:
            held = held_regions(table.plan, [each.node for each in found.rounds], requirement)
            assert (held.failing, held.given_up) == (0, 0)
            assert table.released() == released
        for labels in {each.labels for each in released if each.labels is not None}:
            of_class = [rows[each.row] for each in released if each.labels == labels]
            size = len({row[3] for row in of_class}) if entity else len(of_class)
            values = {
                value: len({row[3] for row in of_class if row[2] == value})
                if entity
                else sum(row[2] == value for row in of_class)
                for value in {row[2] for row in of_class}
            }
            assert size >= k
            assert len(values) >= 2
            assert max(values.values()) * 4 <= 3 * size
