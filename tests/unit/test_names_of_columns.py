"""Columns that are called as stand-ins of the SQL templates are columns like any other."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlglot import exp

from ordermade import sql
from tests.made import new_engine, write_hierarchy, write_table

pytestmark = pytest.mark.slow

ROWS = [("ab"[n % 2], "uvvv"[n // 2 % 4], n % 9) for n in range(30)]


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("id", 0),
        ("id", 1),
        ("id", 2),
        ("qi", 0),
        *(pytest.param("qi", each, marks=pytest.mark.thorough) for each in (1, 2)),
    ],
)
def test_a_column_may_be_called_as_a_stand_in(name: str, role: int, tmp_path: Path) -> None:
    """Of persons: another column would be counted in its place, with another k or an error of the source."""
    columns = ["group", "ill", "who"]
    columns[role] = name
    group, ill, who = columns
    engine = new_engine(tmp_path)
    write_table(tmp_path / "s.duckdb", {group: "VARCHAR", ill: "VARCHAR", who: "INTEGER"}, ROWS)
    engine.sources.add("s", str(tmp_path / "s.duckdb"))
    engine.datasets.add("d", "s", table="persons", entity=who, least_k=2)
    paths = [("a", "*"), ("b", "*")]
    engine.hierarchies.add("h", write_hierarchy(tmp_path / "h.csv", ("value", "top"), paths), "header")
    result = engine.run(
        {
            "dataset": "d",
            "k": 2,
            "quasi_identifiers": {group: {"hierarchy": "h"}},
            "sensitive": {ill: [{"model": "t_closeness", "t": 0.05, "distance": "equal"}]},
            "release": {"replace": True, "to": str(tmp_path / "out.csv"), "pseudonym": "person"},
        }
    )
    # Persons in each group: 9; of them 4 with u, 8 with v. Of all: 5 with u, 9 with v.
    distance = 5 / 14 - 4 / 12
    assert (result.k, result.divisions) == (9, 2)
    assert [each.value for each in result.privacy if each.column == ill] == [pytest.approx(distance)]


def test_a_quoted_column_is_no_stand_in() -> None:
    column = sql.column("id", table="dataset")
    tree = exp.select(column, exp.column("id", table="dataset"))
    filled = sql.with_columns(sql.with_expressions(tree, {"dataset.id": sql.column("b", table="dataset")}), {})
    assert sql.text(filled) == 'SELECT "dataset"."id", "dataset"."b"'
    assert sql.text(sql.with_columns(filled, {"dataset.b": "c"})) == 'SELECT "dataset"."id", "dataset"."b"'
