"""Table 1 of Nakamura 2019 (PWSCUP 2018), and the definition added up plainly."""

from fractions import Fraction
from math import comb

import pytest

from ordermade.evaluation.attacks import is_unsafe, unsafe_from

TABLE_1 = {7: 7, 11: 10, 13: 11, 16: 13, 19: 15, 500: 308, 1_000: 612}


def plainly(attempts: int) -> int | None:
    total, hits = Fraction(0), attempts + 1
    while hits:
        total += comb(attempts, hits - 1) * Fraction(1, 3 ** (hits - 1))
        if total >= Fraction(5, 10_000):
            break
        hits -= 1
    return hits if hits <= attempts else None


@pytest.mark.parametrize(("attempts", "hits"), TABLE_1.items())
def test_the_table_of_the_paper(attempts, hits):
    assert unsafe_from(attempts) == hits
    assert is_unsafe(hits, attempts)
    assert not is_unsafe(hits - 1, attempts)


def test_every_number_of_attempts_is_as_the_sum_says():
    assert [unsafe_from(each) for each in range(1, 70)] == [plainly(each) for each in range(1, 70)]
    assert unsafe_from(6) is None  # too few to be told from guessing
    assert not is_unsafe(6, 6)


@pytest.mark.slow
def test_a_hundred_thousand_attempts_are_told_at_once():
    assert unsafe_from(100_000) == 60_911


def test_no_attempt_has_no_threshold():
    with pytest.raises(ValueError, match="at least one"):
        unsafe_from(0)
