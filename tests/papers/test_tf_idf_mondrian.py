"""The TF-IDF paper: Prec of its result tables, and its simulation with the figures of the readings."""

from __future__ import annotations

import numpy as np
import pytest

from ordermade.methods.mondrian.algorithm.check import SplitRequirement
from ordermade.methods.mondrian.algorithm.domains import Nested
from ordermade.methods.mondrian.algorithm.partition import Partition, coverage
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from tests.papers.uniform_persons import (
    DOMAINS,
    EXPECTED_KEPT,
    EXPECTED_PREC,
    HEIGHTS,
    SEEDS,
    choice_of,
    guide_of,
    simulated,
    uniform_persons,
)
from tests.plain_scans.mondrian import Group, PlainMondrian

MALE_OR_FEMALE, DECADE, MAJOR, TENS = 0, 2, 1, 1
ALL_SEXES, ALL_DAYS, ALL_WORK, ALL_HEIGHTS = HEIGHTS
TABLES = {
    7: (((0, ALL_DAYS, ALL_WORK, TENS), 92), ((0, DECADE, ALL_WORK, TENS), 8)),
    8: (
        ((0, DECADE, ALL_WORK, ALL_HEIGHTS), 39),
        ((0, ALL_DAYS, ALL_WORK, TENS), 53),
        ((0, DECADE, ALL_WORK, TENS), 8),
    ),
    9: (
        ((0, DECADE, ALL_WORK, TENS), 23),
        ((0, DECADE, ALL_WORK, ALL_HEIGHTS), 58),
        ((0, DECADE, MAJOR, ALL_HEIGHTS), 5),
        ((ALL_SEXES, DECADE, MAJOR, ALL_HEIGHTS), 12),
        ((ALL_SEXES, DECADE, ALL_WORK, TENS), 2),
    ),
    10: (((0, DECADE, ALL_WORK, ALL_HEIGHTS), 92), ((0, DECADE, ALL_WORK, TENS), 8)),
    11: (
        ((0, ALL_DAYS, ALL_WORK, TENS), 73),
        ((ALL_SEXES, DECADE, ALL_WORK, TENS), 12),
        ((0, DECADE, ALL_WORK, TENS), 15),
    ),
    12: (((0, ALL_DAYS, ALL_WORK, TENS), 92), ((0, DECADE, ALL_WORK, TENS), 8)),
}
"""The levels of sex, birth, occupation and height, with the persons who are released at them."""
TABLE_13 = {7: 0.3817, 8: 0.3654, 9: 0.3508, 10: 0.3433, 11: 0.3675, 12: 0.3817}

NAMES = ("prec", *(f"rule-{rule}" for rule in range(1, 6)))


@pytest.mark.parametrize("table", TABLES)
def test_prec_of_the_paper_s_result_tables(table):
    levels, persons = zip(*TABLES[table], strict=True)
    assert sum(persons) == 100
    # Prec looks at levels alone: everybody may have the same values.
    everybody = np.arange(100, dtype=np.int32)
    starts = np.cumsum([0, *persons], dtype=np.int64)
    released = Partition(everybody, starts, np.array(levels, dtype=np.int8), made=0, tried=0)
    domains = [
        Nested(np.zeros((height, 1), dtype=np.int32), tuple(np.zeros(1) for _ in range(height))) for height in HEIGHTS
    ]
    covered = coverage(domains, np.zeros((100, len(HEIGHTS)), dtype=np.int32), released)
    assert round(covered.prec, 4) == TABLE_13[table]


@pytest.mark.parametrize("rule", range(6), ids=NAMES)
def test_the_groups_of_the_paper_s_persons_are_those_of_the_plain_scan(rule):
    for seed in range(3):
        codes = uniform_persons(100, seed)
        found = partitioned(DOMAINS, codes, choice_of(rule), SplitRequirement(2))
        rows = np.split(found.order, found.starts[1:-1])
        plain = PlainMondrian(
            DOMAINS, codes.tolist(), 2, "tf-idf" if rule else "prec", guide=guide_of(rule) if rule else None
        )
        assert plain.partition() == [
            Group(tuple(one.tolist()), tuple(of.tolist())) for one, of in zip(rows, found.levels, strict=True)
        ]


@pytest.mark.slow
@pytest.mark.parametrize(
    "rule", [pytest.param(each, marks=() if each in (0, 4) else pytest.mark.whole, id=NAMES[each]) for each in range(6)]
)
def test_mean_prec_and_the_persons_who_keep_what_is_recommended(rule):
    prec, kept = simulated(rule, SEEDS)
    assert prec == pytest.approx(EXPECTED_PREC[rule], abs=0.01)
    for attribute, (number, by_prec, by_rule) in EXPECTED_KEPT.items():
        if rule in (0, number):
            assert kept[attribute] == pytest.approx(by_rule if rule else by_prec, abs=3)
