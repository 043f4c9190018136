"""The TF-IDF paper's simulation (4.1): its persons, hierarchies (Table 5) and rules (Table 6), run again."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
from numpy.typing import NDArray

from ordermade.methods.mondrian.algorithm.check import SplitRequirement
from ordermade.methods.mondrian.algorithm.domains import Codes, Nested
from ordermade.methods.mondrian.algorithm.partition import coverage
from ordermade.methods.mondrian.algorithm.rules import Guide, NestedReach, Reach
from ordermade.methods.mondrian.algorithm.split_scoring import Choice, Guided, Precise
from ordermade.methods.mondrian.algorithm.splitting import partitioned

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

EXPECTED_PREC = (0.384, 0.367, 0.362, 0.382, 0.386, 0.383)
"""The mean Prec of 100 persons, k = 2: guided by Prec, then by each rule alone (the readings)."""
EXPECTED_KEPT = {"birth": (2, 38.0, 99.8), "height": (4, 62.0, 87.0), "occupation": (3, 16.0, 54.0)}
"""An attribute with the rule that asks for it: the mean number of persons that keep it, by Prec and by the rule."""

SEEDS = range(1000)
"""Enough for the persons: of 300 seeds the standard error of their means is up to 2.7, of these up to 1.5."""


def _nested(*levels: Sequence[Hashable]) -> Nested:
    """A hierarchy: what each value is at each level below `*`, the values first."""
    numbers = [{each: number for number, each in enumerate(dict.fromkeys(level))} for level in levels]
    every = np.array([[of[each] for each in level] for of, level in zip(numbers, levels, strict=True)], dtype=np.int32)
    widths = tuple((np.bincount(each) - 1) / (each.size - 1) for each in every)
    return Nested(every, widths)


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


def choice_of(rule: int) -> Choice:
    """By a rule alone, from 1; by Prec where that is 0."""
    return Guided(guide_of(rule)) if rule else Precise()


def simulated(rule: int, seeds: Sequence[int]) -> tuple[float, dict[str, float]]:
    """Means over 100 persons of each seed, k = 2: Prec, and the persons who keep each attribute below `*`."""
    choice, requirement = choice_of(rule), SplitRequirement(2)
    found = []
    for seed in seeds:
        domains, codes, asked = _occurring(uniform_persons(100, seed), choice)
        covered = coverage(domains, codes, partitioned(domains, codes, asked, requirement))
        found.append((covered.prec, *covered.kept))
    prec, *kept = np.mean(found, axis=0).tolist()
    return prec, dict(zip(ATTRIBUTES, kept, strict=True))


def _occurring(codes: Codes, choice: Choice) -> tuple[list[Nested], Codes, Choice]:
    """The same with the values that occur alone: what is partitioned is not the 18,263 days, but the few there are."""
    every = [np.unique(column, return_inverse=True) for column in codes.T]
    domains = []
    for domain, (values, _) in zip(DOMAINS, every, strict=True):
        classes = domain.classes[:, values]
        classes[0] = np.arange(values.size)
        domains.append(Nested(classes, (domain.widths[0][values], *domain.widths[1:])))
    if isinstance(choice, Guided):
        reaches = tuple(
            _of_values(reach, values) for reach, (values, _) in zip(choice.guide.reaches, every, strict=True)
        )
        choice = Guided(replace(choice.guide, reaches=reaches))
    return domains, np.column_stack([numbers for _, numbers in every]).astype(np.int32), choice


def _of_values(reach: Reach, values: Codes) -> NestedReach:
    assert isinstance(reach, NestedReach)
    meets = (reach.meets[0][:, values], *reach.meets[1:])
    inside = (reach.inside[0][:, values], *reach.inside[1:])
    return NestedReach(meets, inside, reach.means[:, values])


def _all(_: Hashable) -> bool:
    return True


def _reach(domain: Nested, means: NDArray[np.bool_]) -> NestedReach:
    everything = np.zeros(means.shape[1], dtype=np.int32)
    inside = tuple(
        np.array([np.bincount(level, weights=each) / np.bincount(level) for each in means])
        for level in (*domain.classes, everything)
    )
    return NestedReach(tuple((share > 0).astype(np.uint8) for share in inside), inside, means)
