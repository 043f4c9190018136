"""The independent count: the written release is read back by a connection of its own and measured again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.errors import ReleaseFault, ReleaseMismatch
from ordermade.lattice.observation import Observation
from ordermade.release.files import ending_of, header_of, read_statement
from ordermade.release.formulas import unescaped, unescaped_statement
from ordermade.release.histories import histories_statement
from ordermade.release.measure_models import MeasuredModel, SensitiveColumn, measured_models
from ordermade.release.plan import COUNT, Shape, spread
from ordermade.sources.door import Door, Purpose
from ordermade.sources.workspace import Limits, SpillFolder, connect


@dataclass(frozen=True, slots=True)
class Reading:
    """The way to read a written release: its quasi-identifiers, its shape, and the other columns to measure.

    `starred`: the columns that all are `*` in a star row, which is no part of a class; empty where there are none.
    `pseudonym`: the column that identifies persons. `sensitive`: the attributes whose models are checked.
    `by_history`: a class is the persons whose rows are the same, each as often, not those of one such row.
    """

    quasi_identifiers: tuple[str, ...]
    shape: Shape
    starred: tuple[str, ...] = ()
    pseudonym: str | None = None
    sensitive: tuple[SensitiveColumn, ...] = ()
    by_history: bool = False


@dataclass(frozen=True, slots=True)
class Written:
    """The measured figures of a written release.

    `classes`: its classes, in persons if it has a pseudonym. `rows`: its rows, star rows apart, of which it has
    `star_rows`, standing for `stars` units (more than their number in a statistical table). `models` as measured.
    """

    classes: Observation
    rows: int
    stars: int = 0
    star_rows: int = 0
    models: tuple[MeasuredModel, ...] = ()

    @property
    def failed(self) -> tuple[MeasuredModel, ...]:
        """The models that a class fails."""
        return tuple(each for each in self.models if each.failing)


def measure_statement(
    released: exp.Expr, quasi_identifiers: Sequence[str], shape: Shape, person: str | None = None
) -> exp.Query:
    """The statement that gives the histogram of class sizes of a written release, in persons given their column."""
    rows = "measure_rows" if person is None else "measure_persons"
    tree = sql.select(rows if shape == "rows" else "measure_table")
    tree = sql.with_columns(tree, {"released.n": COUNT, "released.person": person or ""})
    spread(tree.args["from_"].this.this, "released.value", quasi_identifiers)
    return sql.with_relations(tree, {"released": released})


def classes_statement(released: exp.Expr, reading: Reading) -> exp.Query:
    """The statement that gives the histogram of class sizes of a written release, as it is read."""
    if reading.by_history and reading.pseudonym is not None:
        return histories_statement(released, reading.quasi_identifiers, reading.pseudonym)
    return measure_statement(released, reading.quasi_identifiers, reading.shape, reading.pseudonym)


def apart_statement(released: exp.Expr, starred: Sequence[str]) -> exp.Select:
    """The statement that gives a release without its star rows."""
    tree = sql.select("measure_apart")
    differs = tree.args["where"].this
    different = [sql.with_columns(differs.copy(), {"released.value": name}) for name in starred]
    tree.args["where"].set("this", exp.or_(*different, copy=False))
    return sql.with_relations(tree, {"released": released})


def stars_statement(released: exp.Expr, starred: Sequence[str], shape: Shape) -> exp.Select:
    """The statement that counts the star rows of a release, and the units they stand for."""
    tree = spread(sql.select("measure_stars"), "released.value", starred)
    if shape == "rows":
        tree.set("expressions", tree.expressions[:1])
    return sql.with_relations(sql.with_columns(tree, {"released.n": COUNT}), {"released": released})


def measured(door: Door, released: exp.Expr, reading: Reading) -> Written:
    """Measure a written release through `door`."""
    stars = star_rows = 0
    if reading.starred:
        star_rows, *units = door.rows(Purpose.MEASURE, stars_statement(released, reading.starred, reading.shape))[0]
        stars = units[0] if units else star_rows
        released = apart_statement(released, reading.starred)
    statement = classes_statement(released, reading)
    sizes = [(int(size), int(classes)) for size, classes in door.rows(Purpose.MEASURE, statement)]
    rows, persons = sum(classes if reading.shape == "table" else size * classes for size, classes in sizes), None
    if reading.pseudonym is not None:
        count = sql.with_columns(sql.template("measure_person_count"), {"released.person": reading.pseudonym})
        rows, persons = door.rows(Purpose.MEASURE, sql.with_relations(count, {"released": released}))[0]
    models = measured_models(door, released, reading.quasi_identifiers, reading.sensitive, reading.pseudonym)
    return Written(Observation.from_histogram(sizes, units=persons), int(rows), int(stars), int(star_rows), models)


def file_statement(path: Path, ending: str, *, escaped: bool = False) -> exp.Select:
    """The query that reads the release in a file; `escaped`: without the apostrophes before formulas."""
    if not escaped:
        return read_statement(path, ending)
    columns = [unescaped(name) for name in header_of(path, ending)]
    return unescaped_statement(read_statement(path, ending, columns), columns)


def measure_file(
    path: Path, reading: Reading, limits: Limits, *, ending: str | None = None, escaped: bool = False
) -> Written:
    """Measure the release in a file, `escaped` or not. Raises ReleaseFault if it cannot be read."""
    with SpillFolder() as spill:
        connection = connect(None, spill, limits)
        try:
            door = Door(connection, "written release", fault=ReleaseFault)
            return measured(door, file_statement(path, ending or ending_of(path), escaped=escaped), reading)
        finally:
            connection.close()


@dataclass(frozen=True, slots=True)
class Expected:
    """The figures required of a release: its classes as a reader sees them, `k` at least, its rows and star rows."""

    classes: Observation
    k: int
    rows: int
    stars: int = 0


def check_measured(found: Written, expected: Expected, where: str) -> None:
    """Raises ReleaseMismatch unless what was written has the rows and classes expected, each of k and to the models."""
    now, then = found.classes, expected.classes
    same = now.agrees_with(then) and (found.rows, found.stars) == (expected.rows, expected.stars)
    if now.passes(expected.k) and same and not found.failed:
        return
    besides = [f"{found.rows} rows of {expected.rows}"]
    besides += [f"{found.stars} suppressed rows of {expected.stars}"] if found.stars or expected.stars else []
    besides += [f"{each.words} fails in {each.failing} class(es)" for each in found.failed]
    raise ReleaseMismatch(
        f"the release as written does not measure as it must: k {now.k} of {expected.k}, "
        f"{now.divisions} classes of {then.divisions}, {', '.join(besides)}; it was not released",
        where=where,
        next_step="Nothing was left there, and what was known of this dataset is forgotten: run the request again.",
    )
