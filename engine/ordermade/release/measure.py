"""The independent count: what was written is read back by a connection of its own and measured again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from sqlglot import exp

from ordermade import sql
from ordermade.errors import ReleaseFault, ReleaseMismatch
from ordermade.lattice.observation import Observation
from ordermade.release.files import ending_of, read_statement
from ordermade.sources.door import Door, Purpose
from ordermade.sources.workspace import Limits, SpillFolder, connect

Shape = Literal["rows", "table"]
COUNT = "count"


def measure_statement(released: exp.Expr, quasi_identifiers: Sequence[str], shape: Shape) -> exp.Query:
    """The statement that gives the histogram of class sizes of a written release."""
    tree = sql.select("measure_rows" if shape == "rows" else "measure_table")
    tree = sql.with_columns(tree, {"released.n": COUNT})
    inner = tree.args["from_"].this.this
    group = inner.args["group"].expressions[0]
    columns = [sql.with_columns(group.copy(), {"released.value": name}) for name in quasi_identifiers]
    inner.set("group", exp.Group(expressions=columns))
    return sql.with_relations(tree, {"released": released})


def measure_file(
    path: Path, quasi_identifiers: Sequence[str], shape: Shape, limits: Limits, *, ending: str | None = None
) -> Observation:
    """The observation of a written release. Raises ReleaseFault if it cannot be read."""
    statement = measure_statement(read_statement(path, ending or ending_of(path)), quasi_identifiers, shape)
    with SpillFolder() as spill:
        connection = connect(None, spill, limits)
        try:
            door = Door(connection, "written release", fault=ReleaseFault)
            return Observation.from_histogram(
                (int(size), int(classes)) for size, classes in door.rows(Purpose.MEASURE, statement)
            )
        finally:
            connection.close()


def check_measured(found: Observation, expected: Observation, k: int, where: str) -> None:
    """Raises ReleaseMismatch unless what was written has the rows and classes expected, and at least k rows a class."""
    if not found.passes(k) or not found.agrees_with(expected):
        raise ReleaseMismatch(
            f"what was written does not measure as it must: k {found.k} of {k} asked for, {found.divisions} classes of "
            f"{expected.divisions}, {found.rows} rows of {expected.rows}; it was not released",
            where=where,
            next_step="Nothing was left there, and what was known of this dataset is forgotten: run the request again.",
        )
