"""The made-up members: as many as asked for, the same ones for the same seed, in a DuckDB file."""

from __future__ import annotations

import csv
import io
from importlib.resources import files
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.sources.door import Door, Purpose
from ordermade.sources.workspace import Limits, SpillFolder, connect

SEED = 20131001

DATA = files("ordermade.demo") / "data"


def make_members(path: Path, rows: int, *, seed: int = SEED, limits: Limits | None = None) -> None:
    """Writes `rows` made-up members into the table `members` of a new DuckDB file at `path`. Raises SourceFault."""
    attach = sql.with_literal(sql.template("demo/attach"), ":memory:", exp.Literal.string(str(path)))
    create = sql.with_relations(sql.template("demo/create_members"), {"dataset": sql.select("demo/members")})
    with SpillFolder() as spill, connect(None, spill, limits or Limits()) as connection:
        door = Door(connection, "demo")
        door.rows(Purpose.STORE, attach)
        door.rows(Purpose.STORE, create, {**shares(), "rows": rows, "seed": seed})
        door.rows(Purpose.STORE, sql.template("demo/detach"))


def shares() -> dict[str, list[str]]:
    """The lists that values are drawn from: each name as often as its share says."""
    drawn: dict[str, list[str]] = {}
    text = (DATA / "shares.csv").read_text(encoding="utf-8")
    for line in csv.DictReader(io.StringIO(text)):
        drawn.setdefault(line["list"], []).extend([line["name"]] * int(line["share"]))
    return drawn
