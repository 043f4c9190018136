"""Pseudonyms: random, as wide as the number of persons needs, and of one release alone."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest

from ordermade.errors import InputError
from ordermade.release.pseudonyms import least_width, random_pseudonyms, require_width

PERSONS = 7_928
"""As many as two releases once shared 6,582 numbers of."""


def seeded(seed: int) -> Callable[[int], bytes]:
    return random.Random(seed).randbytes


@pytest.mark.parametrize("kind", ["numbers", "letters"])
def test_two_releases_do_not_share_a_pseudonym(kind: Any) -> None:
    one, other = (random_pseudonyms(PERSONS, kind, seeded(each)) for each in (1, 2))
    assert len(set(one)) == len(set(other)) == PERSONS
    assert not set(one) & set(other)
    assert one == random_pseudonyms(PERSONS, kind, seeded(1)), "a seed repeats them, in tests"
    assert one not in (sorted(one), sorted(one, reverse=True))
    assert random_pseudonyms(0, kind) == []


def test_numbers_fill_63_bits_and_letters_the_alphabet_evenly() -> None:
    numbers = random_pseudonyms(20_000, "numbers", seeded(1))
    assert all(0 <= each < 2**63 for each in numbers)  # type: ignore[operator]
    for bit in (0, 31, 62):
        assert abs(sum(int(each) >> bit & 1 for each in numbers) - 10_000) < 400
    words = random_pseudonyms(20_000, "letters", seeded(1))
    assert {len(str(each)) for each in words} == {26}
    counts = [sum(str(each).count(letter) for each in words) for letter in "abcdefghijklmnopqrstuvwxyz"]
    assert sum(counts) == 26 * 20_000
    assert all(abs(each - 20_000) < 700 for each in counts)


def test_a_number_that_is_drawn_twice_is_drawn_again() -> None:
    drawn = iter([b"\x01" * 16, bytes(range(16))])
    assert len(set(random_pseudonyms(2, "numbers", lambda _: next(drawn)))) == 2


def test_a_width_that_two_releases_could_share_is_refused() -> None:
    assert least_width(1_000) == 12
    most = math.floor(10 ** ((63 * math.log10(2) - 6) / 2))
    assert most == 3_037_000
    require_width("numbers", most)
    with pytest.raises(InputError, match="could share some") as refused:
        random_pseudonyms(most + 1, "numbers")
    assert "pseudonyms: letters" in str(refused.value)
    require_width("letters", 8_000_000_000)
