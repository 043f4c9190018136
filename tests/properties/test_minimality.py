"""The minimality attack on random small domains: methods as the engine decides them, attackers, and the bound."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.minimal import attackers
from bench.minimal.attackers import Algorithm, Attack
from bench.minimal.small_tables import SUPPRESSED, SmallAttribute, SmallDomain
from bench.minimal.split_bound import LabelSplits, split_bound
from tests.small_tables import ByEngine, seen, splits_of

pytestmark = pytest.mark.slow

LIMITS = (Fraction(0), Fraction(1, 5), Fraction(1, 2), Fraction(1))
METHODS = ("full_domain", "rounds", "sealed", "mondrian")


def algorithm(method: str, k: int, limit: Fraction) -> Algorithm:
    if method == "mondrian":
        return attackers.mondrian(k)
    makers = {"full_domain": attackers.full_domain, "rounds": attackers.rounds}
    return makers.get(method, attackers.sealed)(k, limit)


@st.composite
def attributes(draw: st.DrawFn, values: int) -> SmallAttribute:
    """A chain of one or two levels between the values and `*`."""
    size = draw(st.integers(1, values))
    levels, classes = [], tuple(range(size))
    for _ in range(draw(st.integers(1, 2))):
        to = draw(st.lists(st.integers(0, max(classes)), min_size=max(classes) + 1, max_size=max(classes) + 1))
        numbers = {each: number for number, each in enumerate(dict.fromkeys(to[c] for c in classes))}
        classes = tuple(numbers[to[c]] for c in classes)
        levels.append(classes)
    return SmallAttribute.of(*levels)


@st.composite
def domains(draw: st.DrawFn, values: int = 4) -> SmallDomain:
    return SmallDomain(tuple(draw(attributes(values)) for _ in range(draw(st.integers(1, 2)))))


@pytest.mark.parametrize("method", METHODS)
@given(domain=domains(), k=st.integers(2, 4), limit=st.sampled_from(LIMITS), data=st.data())
def test_many_tables_at_once_are_decided_as_the_engine_decides_each(
    method: str, domain: SmallDomain, k: int, limit: Fraction, data: st.DataObject
) -> None:
    of_rows = st.lists(st.integers(0, len(domain.cells) - 1), min_size=12, max_size=12)
    number = data.draw(st.integers(k, 12))
    cells = [data.draw(of_rows)[:number] for _ in range(3)]
    tables = np.array([np.bincount(each, minlength=len(domain.cells)) for each in cells], dtype=np.int64)
    placed = algorithm(method, k, limit)(domain, tables)
    for table, mine in zip(tables, placed, strict=True):
        other = getattr(ByEngine(domain, table, k, limit), method)()
        assert np.where(table > 0, mine, SUPPRESSED).tolist() == np.where(table > 0, other, SUPPRESSED).tolist()


@pytest.mark.parametrize("method", METHODS)
@given(domain=domains(3), k=st.integers(2, 3), limit=st.sampled_from(LIMITS), data=st.data())
def test_no_attacker_excludes_the_truth(
    method: str, domain: SmallDomain, k: int, limit: Fraction, data: st.DataObject
) -> None:
    """The labels hold every cell of their rows, the true table is kept, and the algorithm tells no less than labels."""
    tables = domain.tables(data.draw(st.integers(k, 5)))
    attack = Attack(domain, algorithm(method, k, limit), tables)
    true = data.draw(st.integers(0, len(tables) - 1))
    told, kept = attack.told(attack.output_of(true)), attack.kept(attack.output_of(true))
    assert true in kept
    assert {each.label: each.rows for each in told.classes} == seen(domain, tables[true], attack.placed[true])
    held, of_regions = domain.labels
    for table, placed in zip(tables[kept], attack.placed[kept], strict=True):
        under = [(cell, of_regions[placed[cell]]) for cell in np.flatnonzero((table > 0) & (placed != SUPPRESSED))]
        assert all(held[label, cell] for cell, label in under)
    assert 0 < told.kept <= told.placements
    for each in told.classes:
        assert each.rows >= k
        assert each.left <= each.named
        assert each.cells_left <= each.cells
        assert each.rise > -1e-12


@pytest.mark.parametrize("method", METHODS)
@given(domain=domains(3), k=st.integers(2, 3), limit=st.sampled_from(LIMITS), data=st.data())
def test_every_output_has_all_placements_once(
    method: str, domain: SmallDomain, k: int, limit: Fraction, data: st.DataObject
) -> None:
    """Each table gives one output: the kept ones of all outputs together are every order of rows."""
    rows = data.draw(st.integers(k, 4))
    attack = Attack(domain, algorithm(method, k, limit), domain.tables(rows))
    assert sum(attack.told(each).kept for each in range(attack.outputs)) == len(domain.cells) ** rows


@pytest.mark.parametrize("method", ["sealed", "mondrian"])
@given(domain=domains(), k=st.integers(2, 3), data=st.data())
def test_releases_by_splits_tell_what_the_bound_says(
    method: str, domain: SmallDomain, k: int, data: st.DataObject
) -> None:
    """Something is told of a release exactly where a class is open, and never less than the bound."""
    attack = Attack(domain, algorithm(method, k, Fraction(0)), domain.tables(data.draw(st.integers(k, 4))))
    for output in range(attack.outputs):
        told = attack.told(output)
        classes = [LabelSplits(each.rows, splits_of(domain, each.label)) for each in told.classes]
        bound = split_bound(classes, k)
        assert told.anything == (bound.told > 0)
        assert told.bits >= bound.bits - 1e-9


@pytest.mark.parametrize("method", METHODS)
@given(domain=domains(3), k=st.integers(2, 3), data=st.data())
def test_without_suppression_nothing_is_told_where_no_class_is_open(
    method: str, domain: SmallDomain, k: int, data: st.DataObject
) -> None:
    attack = Attack(domain, algorithm(method, k, Fraction(0)), domain.tables(data.draw(st.integers(k, 4))))
    for output in range(attack.outputs):
        told = attack.told(output)
        if not any(len(parts) > 1 for each in told.classes for parts in splits_of(domain, each.label)):
            assert not told.anything
