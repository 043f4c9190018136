"""Members with four more columns: requests of 4, 6, 8 and 10 quasi-identifiers, and the GROUP BY of each by hand."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import duckdb
import yaml

from ordermade import Engine, initialise
from ordermade.demo.tables import MEMBERS, make_members
from ordermade.sources.limits import DEFAULT_MEMORY

K = 5
LIMIT = 0.01
REQUEST = "request.yaml"
STATE = "state"


@dataclass(frozen=True)
class Column:
    """A quasi-identifier: its least accepted level (None: the values), and its values of that level in SQL."""

    name: str
    by_hand: str
    least_level: str | None = None

    @property
    def requested(self) -> Mapping[str, str]:
        """The column in a request."""
        least = {} if self.least_level is None else {"from": self.least_level}
        return {"hierarchy": self.name, **least}


COLUMNS = (
    Column("sex", "sex"),
    Column("age", "age // 5", "5 years"),
    Column("prefecture", "prefecture"),
    Column("occupation", "occupation"),
    Column("plan", "plan"),
    Column("joined", "DATE_TRUNC('month', joined)", "month"),
    Column("education", "education"),
    Column("marital", "marital"),
    Column("children", "children"),
    Column("housing", "housing"),
)
"""Requests take the first of these."""

ADDED: Mapping[str, Mapping[str, Any]] = {
    "education": {
        "levels": ["stage"],
        "mapping": {
            "lower secondary": ["school"],
            "upper secondary": ["school"],
            "vocational": ["beyond school"],
            "university": ["beyond school"],
            "graduate school": ["beyond school"],
        },
    },
    "marital": {
        "levels": ["couple"],
        "mapping": {
            "single": ["not married"],
            "married": ["married"],
            "divorced": ["not married"],
            "widowed": ["not married"],
        },
    },
    "children": {"mapping": {str(number): ["*"] for number in range(6)}},
    "housing": {"mapping": {each: ["*"] for each in ("owned", "rented", "company", "public")}},
}
"""The hierarchies of the columns that members do not have. They are low: ten columns make 86,400 nodes."""

MADE = """
CREATE TABLE grown AS
SELECT
  drawn.* EXCLUDE (h1, h2, h3, h4),
  LIST_EXTRACT(
    ['lower secondary', 'upper secondary', 'vocational', 'university', 'graduate school'],
    1 + FLOOR(5 * POWER(h1 / 1000.0, CASE WHEN age < 60 THEN 0.8 ELSE 1.6 END))::INTEGER
  ) AS education,
  CASE
    WHEN h2 >= 30 * (age::INTEGER - 18) THEN 'single'
    WHEN h2 % 10 < 7 THEN 'married'
    WHEN h2 % 10 < 9 AND age < 65 THEN 'divorced'
    ELSE 'widowed'
  END AS marital,
  FLOOR(6 * POWER(h3 / 1000.0, CASE WHEN age < 30 THEN 6 ELSE 2 END))::UTINYINT AS children,
  CASE
    WHEN h4 < 8 * age::INTEGER THEN 'owned'
    WHEN h4 % 10 < 7 THEN 'rented'
    WHEN age < 65 THEN 'company'
    ELSE 'public'
  END AS housing
FROM (
  SELECT
    members.*,
    (HASH(member_id, 1) >> 16) % 1000 AS h1,
    (HASH(member_id, 2) >> 16) % 1000 AS h2,
    (HASH(member_id, 3) >> 16) % 1000 AS h3,
    (HASH(member_id, 4) >> 16) % 1000 AS h4
  FROM members
) AS drawn
"""
BY_HAND = "SELECT COUNT(*), MIN(n) FROM (SELECT COUNT(*) AS n FROM grown GROUP BY {values}) AS class"


@dataclass(frozen=True)
class GrownMembers:
    """A folder with so many members in a DuckDB file, and a state where all of it is registered."""

    folder: Path
    rows: int

    @property
    def database(self) -> Path:
        return self.folder / "members.duckdb"

    def make(self) -> None:
        """Makes the folder, the file and the state; nothing is measured."""
        self.folder.mkdir()
        make_members(self.database, self.rows)
        with duckdb.connect(str(self.database), config={"memory_limit": DEFAULT_MEMORY}) as connection:
            connection.execute("SET preserve_insertion_order = false")
            connection.execute(MADE)
            connection.execute("DROP TABLE members")
        engine = Engine(self.folder / STATE / "state.sqlite")
        initialise(engine.state_file.path)
        engine.sources.add("shop", str(self.database))
        engine.datasets.add("grown", "shop", table="grown", least_k=2)
        with as_file(MEMBERS) as data:
            for file in sorted((data / "hierarchies").iterdir()):
                engine.hierarchies.add(file.stem, file)
        for name, content in ADDED.items():
            file = self.folder / f"{name}.yaml"
            file.write_text(yaml.safe_dump(dict(content), sort_keys=False), encoding="utf-8")
            engine.hierarchies.add(name, file)

    def turn(self, columns: int, folder: Path) -> None:
        """Makes the folder of one run: a copy of the state, and the request of so many quasi-identifiers."""
        folder.mkdir()
        shutil.copytree(self.folder / STATE, folder / STATE)
        text = yaml.safe_dump(request(columns, folder / "release.parquet"), sort_keys=False)
        (folder / REQUEST).write_text(text, encoding="utf-8")


def request(columns: int, release: Path) -> Mapping[str, Any]:
    """The best node by Prec of the first so many columns, written to the file `release`."""
    return {
        "title": f"{columns} quasi-identifiers",
        "dataset": "grown",
        "k": K,
        "suppression_limit": LIMIT,
        "quasi_identifiers": {each.name: dict(each.requested) for each in COLUMNS[:columns]},
        "identifiers": ["member_id", "name"],
        "search": {"objective": "prec"},
        "release": {"to": str(release)},
    }


def grouping(columns: int) -> str:
    """The hand-typed GROUP BY of the first so many columns at their least levels: its classes, and the smallest."""
    return BY_HAND.format(values=", ".join(each.by_hand for each in COLUMNS[:columns]))
