"""What releases of a few rows tell beyond their labels, by hand. One attribute: a and b are low, c and d are high."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from bench.minimal.attackers import Algorithm, Attack, Told, full_domain, mondrian, rounds, sealed
from bench.minimal.small_tables import SmallAttribute, SmallDomain, every_table, number_of_tables, orderings

LETTERS = SmallDomain((SmallAttribute.of((0, 0, 1, 1)),))
NEVER, ALWAYS = Fraction(0), Fraction(1)


def told(algorithm: Algorithm, *table: int, domain: SmallDomain = LETTERS) -> Told:
    tables = domain.tables(sum(table))
    attack = Attack(domain, algorithm, tables)
    return attack.told(attack.output_of(tables.tolist().index(list(table))))


def test_two_rows_of_a_class_differ_where_their_values_could_have_been_released() -> None:
    """k = 2, rows a and b: `low` is released, as a and b by themselves fail.

    Of the four placements aa, ab, ba, bb the first and the last would have been released as they are. Two of four are
    left, one bit: who knows one of the two rows knows the other. Each is a or b as before, with the probability 1/2.
    """
    found = told(full_domain(2, NEVER), 1, 1, 0, 0)
    (low,) = found.classes
    assert (found.orders, found.placements, found.kept) == (1, 4, 2)
    assert (low.rows, low.named, low.left, low.likeliest, low.rise) == (2, 2, 2, 0.5, 0)
    assert (found.anything, found.rules_out_a_value, found.bits, found.bits_open) == (True, False, 1, 2)


def test_full_domain_tells_that_one_of_the_classes_has_a_rare_value() -> None:
    """k = 2, rows a, b, c, c: `low` twice and `high` twice.

    16 placements; where each class has one value twice, 4 of them, the values would have been released. There are 6
    ways to have two of four rows in `low`.
    """
    found = told(full_domain(2, NEVER), 1, 1, 2, 0)
    assert [(each.rows, each.left) for each in found.classes] == [(2, 2), (2, 2)]
    assert (found.orders, found.placements, found.kept) == (6, 6 * 16, 6 * 12)
    assert found.bits == pytest.approx(math.log2(16 / 12))


def test_full_domain_tells_what_suppressed_rows_are_not() -> None:
    """k = 2, any number of rows may be suppressed: a, a and one that is not a, else it would be the third of them."""
    found = told(full_domain(2, ALWAYS), 2, 1, 0, 0)
    assert [(each.rows, each.named, each.left) for each in found.classes] == [(2, 1, 1)]
    assert (found.suppressed, found.orders, found.placements, found.kept) == (1, 3, 3 * 4, 3 * 3)
    assert not found.rules_out_a_value


@pytest.mark.parametrize("algorithm", [sealed(2, NEVER), mondrian(2)])
def test_a_split_that_was_not_made_has_a_part_below_k(algorithm: Algorithm) -> None:
    """k = 2, rows a, a, b: `low`, three times. Were all three alike they would have been released: 6 of 8 are left.

    Rows a, a, c: `*`. Were all three low, or high, they would be so: 2 x 8 of the 64 placements are excluded.
    """
    low, whole = told(algorithm, 2, 1, 0, 0), told(algorithm, 2, 0, 1, 0)
    assert (low.placements, low.kept) == (8, 6)
    assert (whole.placements, whole.kept) == (64, 48)
    assert [(each.named, each.left, each.rise) for each in (*low.classes, *whole.classes)] == [(2, 2, 0), (4, 4, 0)]


def test_sealed_classes_tell_nothing_of_rows_released_as_they_are() -> None:
    found = told(sealed(2, NEVER), 2, 0, 3, 0)
    assert [each.cells for each in found.classes] == [1, 1]
    assert (found.anything, found.bits) == (False, 0)


def test_rounds_that_are_not_sealed_rule_values_out() -> None:
    """k = 2, rows a, a, b, c: a twice, `*` twice.

    A third a would be an a, two b would be released, and so would two that are high. So one is b, the other c or d: 4
    of 16 placements, and b has the probability 1/2.
    """
    found = told(rounds(2, NEVER), 2, 1, 1, 0)
    whole = next(each for each in found.classes if each.named == 4)
    assert (whole.rows, whole.left, whole.cells_left, whole.likeliest, whole.rise) == (2, 3, 3, 0.5, 0.25)
    assert (found.orders, found.placements, found.kept) == (6, 6 * 16, 6 * 4)
    assert found.rules_out_a_value


def test_labels_of_two_levels_that_name_one_value_are_one_label() -> None:
    """The class of c is c alone: a reader does not see at which level c was released."""
    domain = SmallDomain((SmallAttribute.of((0, 0, 1)),))
    assert len(domain.regions) == 3 + 2 + 1
    assert len(domain.labels[0]) == 3 + 1 + 1
    assert not told(full_domain(2, NEVER), 2, 0, 2, domain=domain).anything
    assert [each.named for each in told(full_domain(2, NEVER), 1, 1, 2, domain=domain).classes] == [1, 2]


def test_every_table_of_so_many_rows() -> None:
    assert every_table(2, 2).tolist() == [[0, 2], [1, 1], [2, 0]]
    assert orderings(every_table(2, 2)).tolist() == [1, 2, 1]
    assert every_table(1, 3).tolist() == [[3]]
    assert (number_of_tables(9, 9), len(every_table(5, 4))) == (24_310, number_of_tables(5, 4))
    assert int(np.sum(orderings(every_table(5, 4)))) == 5**4
