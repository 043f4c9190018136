"""Storing hierarchies as rows, and coverage in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ordermade.errors import StateDamaged
from ordermade.hierarchies.coverage import coverage
from ordermade.hierarchies.read import parse_yaml
from ordermade.hierarchies.stored import restore, store

RULES = (
    "intervals: {origin: 0.5, levels: [{width: 10}, {width: 25, name: quarter}]}",
    "date: [month, year]",
    'prefix: {keep: [3, 1], mask: "#", length: 7}',
    "mapping: {a: [x, 1], b: [x, 2], c: [y, 2], null: [z, 3]}",
    "mapping: {a: [], b: []}",
)


def parse(text):
    return parse_yaml(text, "h", where="h.yaml")[0]


@pytest.mark.parametrize("rule", RULES)
def test_the_round_trip_is_exact(rule):
    hierarchy = parse(rule)
    stored = store(hierarchy)
    restored = restore("h", stored)
    assert restored == hierarchy
    assert restored.content_hash == hierarchy.content_hash
    assert [row.level for row in stored.levels] == list(range(len(hierarchy.levels)))


@pytest.mark.parametrize("rule", RULES)
def test_damage_is_found(rule):
    stored = store(parse(rule))
    damaged = [replace(stored, kind="tree"), replace(stored, levels=stored.levels[:1] + stored.levels[2:])]
    if stored.labels:
        first, *others = stored.labels
        damaged.append(replace(stored, labels=tuple(others)))
        shorter = replace(first, leaf_numbers=first.leaf_numbers[1:], leaves=first.leaves[1:], labels=first.labels[1:])
        damaged.append(replace(stored, labels=(shorter, *others)))
        for labels in ("other", None):
            changed = replace(first, labels=(labels, *first.labels[1:]))
            damaged.append(replace(stored, labels=(changed, *others)))
    else:
        damaged.append(
            replace(
                stored,
                levels=(
                    stored.levels[0],
                    replace(stored.levels[1], width="nan", part=None, keep=None),
                    *stored.levels[2:],
                ),
            )
        )
    for each in damaged:
        with pytest.raises(StateDamaged, match="hierarchy 'h'"):
            restore("h", each)


def test_coverage_in_words():
    hierarchy = parse("mapping: {a: [x, 1], b: [x, 2], c: [y, 2]}")
    report = coverage(
        hierarchy,
        "plan",
        rows=1_000,
        values=3,
        null_rows=2,
        missing_values=1,
        missing_rows=40,
        used_leaves=2,
        duplicates=1,
    )
    assert not report.usable
    assert report.never_used == 1
    assert report.lines() == (
        "hierarchy 'h' on column 'plan': 3 values in 1,000 rows",
        "missing: 1 value in 40 rows is not in the hierarchy",
        "duplicate: 1 listed value is the same value of the column as another",
        "never used: 1 listed value of 3 does not occur (harmless)",
        "NULL in 2 rows: stays NULL at every level below '*'",
        (
            "level 'level1' does not refine level 'level2': "
            "searches that need nested levels are refused where both are accepted"
        ),
        "the hierarchy cannot be used yet",
    )


def test_coverage_of_a_rule():
    report = coverage(parse("date: [year]"), "joined", rows=10, values=4, null_rows=0)
    assert report.usable
    assert report.never_used == 0
    assert report.lines()[-1] == "the hierarchy covers the column"
