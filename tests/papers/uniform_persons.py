"""The persons of the TF-IDF paper's simulation (4.1), its hierarchies (Table 5) and its rules (Table 6)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from ordermade.mondrian.domains import Codes, Nested
from ordermade.mondrian.guide import Guide, NestedReach

ATTRIBUTES = ("sex", "birth", "occupation", "height")

FIRST_DAY, LAST_DAY = date(1944, 1, 29), date(1994, 1, 28)
DAYS = tuple(FIRST_DAY + timedelta(days) for days in range((LAST_DAY - FIRST_DAY).days + 1))
CENTIMETRES = tuple(range(140, 191))
MAJORS = "ABCDEFGHIJKL"
MIDDLE_GROUPS = tuple(zip(MAJORS, (4, 20, 7, 3, 8, 3, 3, 11, 5, 5, 4, 1), strict=True))
"""How many middle groups each major group of the Japan Standard Occupational Classification (2009) has."""
OCCUPATIONS = tuple((major, number) for major, groups in MIDDLE_GROUPS for number in range(groups))
PRODUCTION = "H"
"""生産工程従事者."""

RULES: tuple[dict[str, Callable[..., bool]], ...] = (
    {"sex": lambda sex: sex == "male"},
    {"birth": lambda day: 1977 <= day.year <= 1979},
    {"occupation": lambda occupation: occupation[0] == PRODUCTION},
    {"height": lambda height: 165 <= height <= 171},
    {"birth": lambda day: 1974 <= day.year <= 1979, "height": lambda height: 167 <= height <= 188},
)
"""Table 6: which values of an attribute a rule means; it is silent of the others."""


def _nested(*levels: Sequence[Hashable]) -> Nested:
    """A hierarchy: what each value is at each level below `*`, the values first."""
    classes = np.array([[list(dict.fromkeys(level)).index(each) for each in level] for level in levels[1:]])
    every = np.vstack([np.arange(len(levels[0])), classes.reshape(-1, len(levels[0]))]).astype(np.int32)
    widths = tuple((np.bincount(each) - 1) / (each.size - 1) for each in every)
    return Nested(np.ascontiguousarray(every), widths)


VALUES: tuple[Sequence[Hashable], ...] = (("female", "male"), DAYS, OCCUPATIONS, CENTIMETRES)
DOMAINS = (
    _nested(VALUES[0]),
    _nested(DAYS, [day.year for day in DAYS], [day.year // 10 for day in DAYS]),
    _nested(OCCUPATIONS, [major for major, _ in OCCUPATIONS]),
    _nested(CENTIMETRES, [height // 10 for height in CENTIMETRES]),
)
"""Table 5: calendar years and decades; major groups; tens of centimetres."""
HEIGHTS = tuple(domain.top for domain in DOMAINS)


def uniform_persons(n: int, seed: int) -> Codes:
    """The numbers of the values of `n` persons, every value of an attribute being as probable."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.integers(0, len(values), n) for values in VALUES]).astype(np.int32)


def guide_of(*numbers: int) -> Guide:
    """The rules of these numbers, from 1, as a partition reads them."""
    rules = [RULES[number - 1] for number in numbers]
    reaches = tuple(
        _reach(domain, np.array([[rule.get(attribute, _all)(value) for value in values] for rule in rules]))
        for attribute, domain, values in zip(ATTRIBUTES, DOMAINS, VALUES, strict=True)
    )
    asks = np.array([[attribute in rule for attribute in ATTRIBUTES] for rule in rules])
    return Guide(np.ones(len(rules)), reaches, asks)


def _all(_: Hashable) -> bool:
    return True


def _reach(domain: Nested, means: NDArray[np.bool_]) -> NestedReach:
    everything = np.zeros(means.shape[1], dtype=np.int32)
    inside = tuple(
        np.array([np.bincount(level, weights=each) / np.bincount(level) for each in means])
        for level in (*domain.classes, everything)
    )
    return NestedReach(tuple((share > 0).astype(np.uint8) for share in inside), inside, means)
