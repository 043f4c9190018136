"""The made-up tables of the demos, written into DuckDB files, and the files that come with each."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, cast

from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.read import read_hierarchy
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import connect

SEED = 20131001

DATA = files("ordermade.demo") / "data"
MEMBERS = DATA / "members"
RECOMMEND = DATA / "recommend"
PURCHASES = DATA / "purchases"
"""The files that the folder of each demo gets a copy of: hierarchies, requests, rules."""


def make_members(path: Path, rows: int, *, seed: int = SEED, limits: Limits | None = None) -> None:
    """Writes `rows` made-up members into the table `members` of a new DuckDB file at `path`. Raises SourceFault."""
    create = sql.with_relations(sql.template("demo/create_members"), {"dataset": sql.select("demo/members")})
    _make_table(path, create, {**shares(), "rows": rows, "seed": seed}, limits)


def make_persons(path: Path, rows: int, *, seed: int = SEED, limits: Limits | None = None) -> None:
    """Writes `rows` made-up persons into the table `persons` of a new DuckDB file at `path`. Raises SourceFault."""
    create = sql.with_relations(sql.template("demo/create_persons"), {"dataset": sql.select("demo/persons")})
    _make_table(path, create, {"occupations": occupations(), "rows": rows, "seed": seed}, limits)


def make_purchases(path: Path, customers: int, *, seed: int = SEED, limits: Limits | None = None) -> None:
    """Writes the purchases of so many made-up customers into the table `purchases` of a new DuckDB file at `path`.

    Some 40 of each, of whom most have fewer. Raises SourceFault.
    """
    create = sql.with_relations(sql.template("demo/create_purchases"), {"dataset": sql.select("demo/purchases")})
    _make_table(path, create, {**goods(), "customers": customers, "seed": seed}, limits)


def goods() -> dict[str, list[Any]]:
    """The lists that goods are drawn from: kinds and designs by number, each in proportion to its share; and names."""
    kinds, designs = _lines("goods.csv"), _lines("designs.csv")
    drawn: dict[str, list[Any]] = {
        season: [number for number, kind in enumerate(kinds) if kind["season"] == season]
        for season in ("spring", "summer", "autumn", "winter")
    }
    return drawn | {
        "kinds": [number for number, kind in enumerate(kinds) for _ in range(int(kind["share"]))],
        "designs": [number for number, design in enumerate(designs) for _ in range(int(design["share"]))],
        "kind_names": [kind["kind"] for kind in kinds],
        "design_names": [design["design"] for design in designs],
        "prices": [float(kind["price"]) for kind in kinds],
    }


def _lines(name: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO((DATA / name).read_text(encoding="utf-8"))))


def shares() -> dict[str, list[str]]:
    """The lists that values of members are drawn from: each name in proportion to its share."""
    drawn: dict[str, list[str]] = {}
    for line in _lines("shares.csv"):
        drawn.setdefault(line["list"], []).extend([line["name"]] * int(line["share"]))
    return drawn


def occupations() -> list[str]:
    """The middle groups of Japan's standard classification of occupations, in its order."""
    with as_file(RECOMMEND / "hierarchies" / "occupation.yaml") as file:
        hierarchy = cast("ExplicitHierarchy", read_hierarchy(file, file.stem).hierarchy)  # the file lists them
    return [str(value) for value in hierarchy.leaves]


def _make_table(path: Path, create: exp.Expr, values: Mapping[str, Any], limits: Limits | None) -> None:
    attach = sql.with_literal(sql.template("demo/attach"), ":memory:", exp.Literal.string(str(path)))
    with SpillFolder() as spill, connect(None, spill, limits or Limits(), reads=[path.parent]) as connection:
        executor = Executor(connection, "demo")
        executor.rows(Purpose.STORE, attach)
        executor.rows(Purpose.STORE, create, values)
        executor.rows(Purpose.STORE, sql.template("demo/detach"))
