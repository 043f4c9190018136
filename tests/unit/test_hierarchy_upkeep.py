"""Storing hierarchies as rows, coverage in words, and first drafts."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pytest

from ordermade.errors import StateDamaged
from ordermade.hierarchies.coverage import coverage
from ordermade.hierarchies.read import parse_yaml
from ordermade.hierarchies.stored import restore, store
from ordermade.hierarchies.suggest import ColumnProfile, draft, interval_widths

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


@pytest.mark.parametrize(
    ("column_type", "profile", "kind"),
    [
        ("INTEGER", ColumnProfile(90, Decimal(15), Decimal(99)), "interval"),
        ("DOUBLE", ColumnProfile(900, Decimal("-0.3"), Decimal("0.7")), "interval"),
        ("DOUBLE", ColumnProfile(1, Decimal(5), Decimal(5), values=("5.0",)), "interval"),
        ("DOUBLE", ColumnProfile(9, Decimal("1e-30"), Decimal("1e300")), "interval"),
        ("DOUBLE", ColumnProfile(9, Decimal("nan"), Decimal("inf")), "interval"),
        ("BIGINT", ColumnProfile(0), "interval"),
        ("INTEGER", ColumnProfile(2, Decimal(0), Decimal(1), values=("0", "1")), "explicit"),
        ("DATE", ColumnProfile(900, date(1920, 1, 1), date(2013, 1, 1)), "date"),
        ("TIMESTAMP", ColumnProfile(0), "date"),
        ("VARCHAR", ColumnProfile(40_000, longest=7, digits_only=True, same_length=True), "prefix"),
        ("VARCHAR", ColumnProfile(40_000, longest=1), "prefix"),
        ("VARCHAR", ColumnProfile(0), "prefix"),
        (
            "VARCHAR",
            ColumnProfile(4, longest=9, values=("yes", 'q"\\ #: [', "\u2028\n\x00", "~"), has_null=True),
            "explicit",
        ),
        ("BOOLEAN", ColumnProfile(2, values=("true", "false")), "explicit"),
    ],
)
def test_drafts_read_back(column_type, profile, kind):
    text = draft("a\nb: 'c'", column_type, profile)
    hierarchy = parse(text)
    assert hierarchy.kind == kind
    if kind == "explicit":
        assert [leaf for leaf in hierarchy.leaves if leaf is not None] == list(profile.values)
    else:
        assert hierarchy.order.is_chain()


def test_widths_are_sensible():
    assert interval_widths(Decimal(84), whole=True) == (5, 10, 20)
    assert interval_widths(Decimal(1), whole=False)[0] == Decimal("0.05")
    assert interval_widths(Decimal(1), whole=True)[0] == 2
