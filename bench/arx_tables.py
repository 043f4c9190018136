"""The tables that are compared with ARX: data, hierarchies in both programs' forms, requests and registered states."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import duckdb
import yaml

from bench.any_table import ADULT
from bench.local import COLUMNS
from bench.members import FINE
from ordermade import Engine, initialise, sql
from ordermade.demo.tables import MEMBERS, make_members
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read import read_hierarchy

K, L = 5, 2
IDENTIFIERS = ("member_id", "name")
REQUEST = "request.yaml"
RELEASE = "release.csv"
STATE = "state"


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifier: its column, the least level it may have, its hierarchy, and that as a table for ARX."""

    column: str
    least_level: int
    top: int
    registered: Path
    for_arx: Path


@dataclass(frozen=True)
class Source:
    """A place that the rows are read from: a CSV file or a DuckDB file."""

    name: str
    location: Path


@dataclass(frozen=True)
class Wanted:
    """The best node by an objective at a suppression limit.

    `sensitive`: a column that has `L` different values in every class; `seconds`: the most that the search may take.
    """

    limit: float
    objective: str = "prec"
    sensitive: str | None = None
    seconds: int | None = None


@dataclass(frozen=True)
class Table:
    """Rows to release: as CSV, which is all that ARX reads, and the sources that ordermade reads them from."""

    name: str
    table: str
    csv: Path
    delimiter: str
    attributes: Sequence[Attribute]
    sources: Sequence[Source]
    identifiers: Sequence[str] = ()

    def prec(self, levels: Sequence[int]) -> Fraction:
        """The mean of level / top level."""
        shares = [Fraction(level, each.top) for level, each in zip(levels, self.attributes, strict=True)]
        return sum(shares, Fraction()) / len(shares)

    def request(self, wanted: Wanted) -> dict[str, Any]:
        """The request for the best node."""
        sensitive = wanted.sensitive
        models = {} if sensitive is None else {"sensitive": {sensitive: [{"model": "distinct_l", "l": L}]}}
        budget = {} if wanted.seconds is None else {"budget": {"seconds": wanted.seconds}}
        return {
            "title": f"{self.name}, at most {wanted.limit:.0%} suppressed",
            "dataset": self.table,
            "k": K,
            "suppression_limit": wanted.limit,
            "quasi_identifiers": {
                each.column: {"hierarchy": each.column, "from": each.least_level} for each in self.attributes
            },
            "identifiers": [*self.identifiers],
            **models,
            "search": {"objective": wanted.objective, **budget},
            "release": {"to": RELEASE, "replace": True},
        }

    def registered(self, source: Source, folder: Path) -> None:
        """Makes a state in the folder, everything registered, nothing measured, and no row kept for later."""
        engine = Engine(folder / STATE / "state.sqlite")
        initialise(engine.state_file.path)
        engine.sources.add("source", str(source.location))
        engine.datasets.add(self.table, "source", table=self.table, least_k=2)
        for each in self.attributes:
            engine.hierarchies.add(each.column, each.registered, "arx" if each.registered == each.for_arx else "auto")
        # Registering a CSV file leaves its rows in the cache: they go, so that they are read in the seconds.
        engine.cache.purge()

    def asked(self, registered: Path, wanted: Wanted, folder: Path) -> None:
        """Makes the folder of one run: a copy of the registered state, and the request."""
        shutil.copytree(registered, folder)
        text = yaml.safe_dump(self.request(wanted), sort_keys=False)
        (folder / REQUEST).write_text(text, encoding="utf-8")


def adult() -> Table | None:
    """Adult; None where the public data sets are not there."""
    if not ADULT.is_file():
        return None
    return with_hierarchies("Adult", ADULT, "adult_hierarchy_", COLUMNS)


def with_hierarchies(name: str, csv: Path, prefix: str, columns: Sequence[str]) -> Table:
    """A table that came with ARX, with quasi-identifiers whose hierarchies lie beside it in files of that prefix."""
    attributes = []
    for column in columns:
        file = csv.parent / f"{prefix}{column}.csv"
        attributes.append(Attribute(column, 0, read_hierarchy(file, column, "arx").hierarchy.top, file, file))
    return Table(name, csv.stem, csv, ";", attributes, [Source("CSV", csv)])


def members(rows: int, folder: Path) -> Table:
    """So many members, made in the folder as a DuckDB file and as CSV."""
    database, file = folder / "members.duckdb", folder / "members.csv"
    make_members(database, rows)
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"COPY members TO '{file}' (HEADER, DELIMITER ',')")
        attributes = [
            member_attribute(connection, column, levels.get("from"), folder) for column, levels in FINE.items()
        ]
    sources = [Source("DuckDB", database), Source("CSV", file)]
    return Table(f"{rows:,} members", "members", file, ",", attributes, sources, IDENTIFIERS)


def member_attribute(connection: duckdb.DuckDBPyConnection, column: str, least: str | None, folder: Path) -> Attribute:
    """A column of the members, with its hierarchy written out in the folder for the values that occur."""
    with as_file(MEMBERS) as data:
        (given,) = (data / "hierarchies").glob(f"{column}.*")
        registered = Path(shutil.copy(given, folder))
    hierarchy = read_hierarchy(registered, column).hierarchy
    for_arx = folder / f"{column}_for_arx.csv"
    lines = value_table(connection, column, hierarchy)
    for_arx.write_text("".join(f"{';'.join(line)}\n" for line in lines), encoding="utf-8")
    least_level = 0 if least is None else hierarchy.level_number(least)
    assert least_level is not None
    return Attribute(column, least_level, hierarchy.top, registered, for_arx)


def value_table(connection: duckdb.DuckDBPyConnection, column: str, hierarchy: Hierarchy) -> list[tuple[str, ...]]:
    """A line for each value of a column of the members: its text, and its label at each level up to the top."""
    ((kind,),) = connection.execute("SELECT TYPEOF(?) FROM members LIMIT 1".replace("?", f'"{column}"')).fetchall()
    code = hierarchy.code(sql.column(column, "members"), kind, 0).sql(dialect=sql.DIALECT)
    text = f'CAST("{column}" AS VARCHAR)'
    found = connection.execute(
        f"SELECT DISTINCT {text}, {text if hierarchy.enumerated else code} FROM members ORDER BY ALL"
    ).fetchall()
    codes: Mapping[str, Any] = dict(found)
    grounding = hierarchy.ground(0, [*dict.fromkeys(codes.values()), None])
    cells = dict(zip(grounding.keys, grounding.cell_of_key, strict=True))
    levels = range(1, hierarchy.top + 1)
    return [(value, *(str(grounding.labels[level][cells[key]]) for level in levels)) for value, key in codes.items()]
