"""The SQL of every privacy model as text, and what other databases make of it.

`ORDERMADE_RENEW_GOLDEN=1 python -m pytest tests/golden/test_privacy_statements.py` writes the snapshots anew; look at
the difference before committing it.
"""

from __future__ import annotations

import os
import random
import sqlite3
from collections import Counter
from fractions import Fraction
from pathlib import Path

import duckdb
import pytest
import sqlglot
from sqlglot import exp
from sqlglot.errors import ErrorLevel

from ordermade import sql
from ordermade.privacy.models import MODELS, AlphaK, DistinctL, EntropyL, Model, RecursiveCL, TCloseness
from ordermade.privacy.statements import (
    Counts,
    extremes_statement,
    failing_statement,
    figures_statement,
    keepable_statement,
)
from tests import privacy_by_hand as by_hand

SNAPSHOTS = Path(__file__).parent / "privacy"
RENEW = os.environ.get("ORDERMADE_RENEW_GOLDEN") == "1"

ANCESTORS = {1: ("1", "low"), 2: ("2", "low"), 3: ("3", "high"), 4: ("4", "high"), None: ("none", "none")}
TABLES = Counts(
    *(exp.to_table(name) for name in ("class_value", "table_value", "value_level")),
    missing_value=exp.to_table("missing_value"),
)
OF_PERSONS = Counts(TABLES.class_value, class_size=exp.to_table("class_size"))
ASKED: dict[str, tuple[Model, Counts]] = {
    "distinct_l": (DistinctL(3), TABLES),
    "distinct_l_of_values": (DistinctL(3, "no value"), TABLES),
    "entropy_l": (EntropyL(Fraction("2.5")), TABLES),
    "recursive_cl": (RecursiveCL(Fraction("1.5"), 2), TABLES),
    "alpha_k": (AlphaK(Fraction("0.5")), TABLES),
    "alpha_k_of_persons": (AlphaK(Fraction("0.5")), OF_PERSONS),
    "t_closeness_equal": (TCloseness(Fraction("0.25")), TABLES),
    "t_closeness_ordered": (TCloseness(Fraction("0.15"), "ordered"), TABLES),
    "t_closeness_hierarchical": (TCloseness(Fraction("0.25"), "hierarchical", by_hand.nested(ANCESTORS)), TABLES),
}
KEEPABLE = {f"keepable_{name}": asked for name, asked in ASKED.items() if asked[1].class_size is None}
NAMES = (*ASKED, "extremes", *KEEPABLE)


def statement(called: str) -> exp.Expression:
    """The statement of a snapshot."""
    if called == "extremes":
        return extremes_statement(*ASKED["t_closeness_equal"])
    return keepable_statement(*KEEPABLE[called]) if called in KEEPABLE else failing_statement(*ASKED[called])


def test_the_statements_are_those_of_the_snapshots() -> None:
    texts = {called: sql.text(statement(called), pretty=True) + ";\n" for called in NAMES}
    if RENEW:
        SNAPSHOTS.mkdir(exist_ok=True)
        for old in SNAPSHOTS.glob("*.sql"):
            old.unlink()
        for called, text in texts.items():
            (SNAPSHOTS / f"{called}.sql").write_text(text, encoding="utf-8")
    snapshots = {path.stem: path.read_text(encoding="utf-8") for path in SNAPSHOTS.glob("*.sql")}
    assert set(texts) == set(snapshots)
    different = [called for called, text in texts.items() if text != snapshots[called]]
    assert not different, "renew with ORDERMADE_RENEW_GOLDEN=1 if this was meant"


def test_every_template_has_a_snapshot() -> None:
    templates = {
        each.removeprefix("privacy/").replace("/", "_")
        for of in MODELS.values()
        for each in (*of.templates, *of.keepable)
    }
    assert {*templates, "extremes"} == set(NAMES)


@pytest.mark.parametrize("called", NAMES)
@pytest.mark.parametrize("dialect", ["postgres", "mysql", "spark"])
def test_other_databases_have_all_that_a_statement_uses(called: str, dialect: str) -> None:
    """Nothing unsupported, and read back it is the same statement, but for how the dialect writes it."""
    tree = statement(called)
    printed = tree.sql(dialect=dialect, unsupported_level=ErrorLevel.RAISE, comments=False)
    again = sqlglot.parse_one(printed, dialect=dialect)
    assert again.sql(dialect=dialect, unsupported_level=ErrorLevel.RAISE, comments=False) == printed
    assert not list(tree.find_all(exp.Filter, exp.Qualify, exp.Unnest, exp.Lateral, exp.Tuple, exp.Placeholder))
    for kind in (exp.Join, exp.Group, exp.Window, exp.Case, exp.Cast, exp.Literal):
        assert len(list(again.find_all(kind))) >= len(list(tree.find_all(kind))), kind


@pytest.mark.slow
def test_another_database_gives_the_same_answers() -> None:
    """SQLite, which is everywhere: the failing classes and the figures are those of DuckDB."""
    draw = random.Random(5)
    classes = {number: Counter(draw.choices(list(ANCESTORS), k=draw.randint(1, 12))) for number in range(40)}
    sizes = {number: part.total() for number, part in classes.items()}
    here = duckdb.connect()
    by_hand.asked_of(here, classes, ANCESTORS, sizes=sizes)
    there = sqlite3.connect(":memory:")
    for table in ("class_value", "table_value", "value_level", "class_size", "missing_value"):
        rows = here.table(table).fetchall()
        columns = here.table(table).columns
        there.execute(f"CREATE TABLE {table} ({', '.join(f'{column} INTEGER' for column in columns)})")
        there.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
    for name, (model, counts) in ASKED.items():
        failing, figures = failing_statement(model, counts), figures_statement(model, counts)
        expected = {row[0] for row in here.execute(sql.text(failing)).fetchall()}
        assert 0 < len(expected) < len(classes), name
        assert {row[0] for row in there.execute(failing.sql(dialect="sqlite"))} == expected, name
        exact = dict(here.execute(sql.text(figures)).fetchall())
        assert dict(there.execute(figures.sql(dialect="sqlite")).fetchall()) == pytest.approx(exact, abs=1e-12), name
        if f"keepable_{name}" in KEEPABLE:
            keepable = keepable_statement(model, counts)
            most = dict(here.execute(sql.text(keepable)).fetchall())
            assert any(0 < most[number] < sizes[number] for number in expected) or name.startswith("distinct_l"), name
            assert dict(there.execute(keepable.sql(dialect="sqlite")).fetchall()) == most, name


def test_what_persons_keep_is_not_bounded() -> None:
    with pytest.raises(ValueError, match="persons"):
        keepable_statement(*ASKED["alpha_k_of_persons"])
