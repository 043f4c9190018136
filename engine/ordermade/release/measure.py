"""The independent measurement: the written release is read back and measured again, models too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import Sensitive
from ordermade.counting.encoding import as_type
from ordermade.errors import ReleaseFault, ReleaseMismatch, quoted
from ordermade.lattice.observation import Observation
from ordermade.privacy.models import Model
from ordermade.privacy.statements import extremes_statement, failing_statement
from ordermade.release.files import ending_of, format_of, header_of, read_statement
from ordermade.release.plan import PERSON, Shape, expand_columns, inner, without
from ordermade.release.rows import unescaped, unescaped_statement
from ordermade.release.suppress import NUMBERED, Counted, models_with_counts, number_classes
from ordermade.requests.model import COUNT
from ordermade.sources.backend import Backend
from ordermade.sources.executor import Executor, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.spill_folder import SpillFolder
from ordermade.sources.workspace import Interrupt, connect


def histories_statement(released: exp.Expr, columns: Sequence[str], person: str) -> exp.Select:
    """The statement that gives the sizes of the classes of persons with the same history, as (size, classes).

    `released`: a relation with a row a released record; `columns`: what a record has; `person`: the column that names
    its person. Records are compared by the MD5 of their texts, NULL as a value of its own.
    """
    tree = sql.select("release/measure/histories")
    content = tree.find(exp.ConcatWs)
    if content is None:
        raise ValueError("the template compares no contents")
    between, value = content.expressions
    values = [sql.with_columns(value.copy(), {"released.value": column}) for column in columns]
    content.set("expressions", [between, *values])
    return sql.with_relations(sql.with_columns(tree, {"released.person": person}), {"released": released})


WRITTEN = "written_counted"
READ_BACK = "written_release"


@dataclass(frozen=True, slots=True)
class ReleasedDistribution:
    """The counts of each value of a sensitive attribute in the whole dataset, suppressed rows included.

    Lists in parallel: the value as text (None for NULL), its number, its rows (or persons). `levels`: for each model
    that goes by a hierarchy, rows of (value, level, ancestor). It holds data values: it is bound to statements only.
    """

    texts: Sequence[str | None] = field(repr=False)
    cells: Sequence[int] = field(repr=False)
    counts: Sequence[int] = field(repr=False)
    levels: Mapping[tuple[str, ...], Sequence[tuple[int, int, int]]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class SensitiveColumn:
    """A sensitive column of a written release, whose values are compared as `value_type`, and its models.

    Without a distribution none of these may need one: it is not in the release.
    """

    column: str
    value_type: str
    models: tuple[Model, ...]
    distribution: ReleasedDistribution | None = None


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A model of a sensitive column: how many classes of a written release fail it, and its figure in the worst.

    A class with a value that the dataset does not have fails whatever the model.
    """

    column: str
    model: Model
    failing: int
    worst: float | None

    @property
    def words(self) -> str:
        """The model and its column, for people."""
        return f"{self.model.written} of column {quoted(self.column)}"


def distribution(executor: Executor, sensitive: Sensitive) -> ReleasedDistribution:
    """The distribution of a sensitive attribute in the whole dataset, from its tables in the workspace."""
    tree = sql.with_relations(
        sql.template("release/measure/distribution"), {"sensitive": exp.to_table(sensitive.values)}
    )
    rows = executor.rows(Purpose.STORE, tree)
    return ReleasedDistribution(
        texts=[text for text, _, _ in rows],
        cells=[int(cell) for _, cell, _ in rows],
        counts=[int(n) for _, _, n in rows],
        levels={identity: _levels(executor, table) for identity, table in sensitive.levels.items()},
    )


def _levels(executor: Executor, table: str) -> list[tuple[int, int, int]]:
    tree = sql.with_relations(sql.template("release/measure/ancestors"), {"value_level": exp.to_table(table)})
    return [(int(value), int(level), int(above)) for value, level, above in executor.rows(Purpose.STORE, tree)]


def measured_models(
    executor: Executor,
    released: exp.Expr,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[SensitiveColumn],
    pseudonym: str | None,
) -> tuple[MeasuredModel, ...]:
    """The models of a written release, measured."""
    if not any(each.models for each in sensitive):
        return ()
    counted = _counted(executor, released, quasi_identifiers, sensitive, pseudonym)
    number_classes(executor, counted)
    return tuple(_measured(executor, counted))


def _measured(executor: Executor, counted: Counted) -> Iterator[MeasuredModel]:
    unknown = {sensitive.column: unknown_values_statement(sensitive, column) for sensitive, column in counted.sensitive}
    for sensitive, model, decided_by in models_with_counts(counted):
        failing = [failing_statement(model, decided_by), unknown[sensitive.column]]
        either = exp.union(*failing, distinct=True, dialect=sql.DIALECT)
        counted_failing = sql.with_relations(sql.template("dataset/row_count"), {"dataset": either})
        classes = int(executor.rows(Purpose.MEASURE, counted_failing)[0][0])
        least, greatest = executor.rows(Purpose.MEASURE, extremes_statement(model, decided_by))[0]
        worst = least if model.definition.worst == "least" else greatest
        yield MeasuredModel(sensitive.column, model, classes, None if worst is None else float(worst))


def unknown_values_statement(sensitive: Sensitive, column: str) -> exp.Select:
    """The statement that lists the classes with a value that has no number: models are decided without it."""
    tree = sql.with_expressions(
        sql.select("release/measure/unknown_values"),
        {"numbered.value": sensitive.compared(sql.column(column, "numbered"))},
    )
    return sql.with_relations(tree, {"numbered": exp.to_table(NUMBERED), "sensitive": exp.to_table(sensitive.values)})


def _counted(
    executor: Executor,
    released: exp.Expr,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[SensitiveColumn],
    pseudonym: str | None,
) -> Counted:
    """The written release counted in this connection, its values numbered as the dataset's are."""
    columns = [*quasi_identifiers, *(each.column for each in sensitive)]
    values = tuple(inner(number) for number in range(len(columns)))
    executor.store(Purpose.MEASURE, WRITTEN, counted_statement(released, columns, pseudonym))
    labels, held = values[: len(quasi_identifiers)], values[len(quasi_identifiers) :]
    numbered = [
        _numbered(executor, each, place, name) for place, (each, name) in enumerate(zip(sensitive, held, strict=True))
    ]
    return Counted(WRITTEN, labels, values, tuple(zip(numbered, held, strict=True)), pseudonym is not None)


def counted_statement(released: exp.Expr, columns: Sequence[str], pseudonym: str | None) -> exp.Select:
    """The statement that counts the combinations of a written release, in names of the workspace."""
    tree = sql.select("release/measure/counted")
    if pseudonym is None:
        without(tree, "released.person")
    else:
        person = tree.expressions[1]
        person.replace(sql.named(person.copy(), PERSON))
        sql.with_columns(tree, {"released.person": pseudonym})
    value = tree.expressions[0]
    values = [
        sql.named(sql.with_columns(value.copy(), {"released.value": column}), inner(number))
        for number, column in enumerate(columns)
    ]
    tree.set("expressions", [*values, *tree.expressions[1:]])
    expand_columns(tree, "released.value", columns)
    return sql.with_relations(tree, {"released": released})


def _numbered(executor: Executor, released_column: SensitiveColumn, position: int, column: str) -> Sensitive:
    """The sensitive attribute, with the numbers of its values as a table of this connection."""
    value = as_type(sql.column(column, "counted"), released_column.value_type)
    sensitive = Sensitive(position, released_column.column, released_column.models, value, released_column.value_type)
    known = released_column.distribution
    if known is None:
        tree = sql.with_expressions(sql.select("release/measure/own_values"), {"counted.value": value})
        executor.store(Purpose.MEASURE, sensitive.values, sql.with_relations(tree, {"counted": exp.to_table(WRITTEN)}))
        return sensitive
    tree = sql.select("release/measure/values")
    for cast in tree.find_all(exp.Cast):
        cast.set("to", exp.DataType.build(sensitive.value_type, dialect=sql.DIALECT))
    bound = {"texts": known.texts, "cells": known.cells, "counts": known.counts}
    executor.store(Purpose.MEASURE, sensitive.values, tree, bound)
    levels = {}
    for number, (identity, rows) in enumerate(known.levels.items()):
        levels[identity] = f"{sensitive.values}_{number}"
        values, numbers, ancestors = (list(each) for each in zip(*rows, strict=True))
        bound = {"values": values, "levels": numbers, "ancestors": ancestors}
        executor.store(Purpose.MEASURE, levels[identity], sql.select("release/measure/value_levels"), bound)
    return replace(sensitive, levels=levels)


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The way to read a written release: its quasi-identifiers, its shape, and the other columns to measure.

    `starred`: the columns that all are `*` in a star row, which is no part of a class; empty where there are none.
    `pseudonym`: the column that identifies persons. `sensitive`: the attributes whose models are checked.
    `by_history`: a class is the persons whose rows are the same, each as often, not those of one such row.
    `count`: the column of a statistical table that counts the units of a class.
    """

    quasi_identifiers: tuple[str, ...]
    shape: Shape
    starred: tuple[str, ...] = ()
    pseudonym: str | None = None
    sensitive: tuple[SensitiveColumn, ...] = ()
    by_history: bool = False
    count: str = COUNT


@dataclass(frozen=True, slots=True)
class MeasuredRelease:
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
    released: exp.Expr, quasi_identifiers: Sequence[str], shape: Shape, person: str | None = None, count: str = COUNT
) -> exp.Query:
    """The statement that gives the histogram of class sizes of a written release, in persons given their column."""
    return sql.with_relations(_measure(tuple(quasi_identifiers), shape, person, count), {"released": released})


@sql.BuiltOnce
def _measure(quasi_identifiers: tuple[str, ...], shape: Shape, person: str | None, count: str) -> exp.Select:
    rows = "release/measure/rows" if person is None else "release/measure/persons"
    tree = sql.select(rows if shape == "rows" else "release/measure/table")
    tree = sql.with_columns(tree, {"released.n": count, "released.person": person or ""})
    expand_columns(tree.args["from_"].this.this, "released.value", quasi_identifiers)
    return tree


def classes_statement(released: exp.Expr, reading: ReadingPlan) -> exp.Query:
    """The statement that gives the histogram of class sizes of a written release, as it is read."""
    if reading.by_history and reading.pseudonym is not None:
        return histories_statement(released, reading.quasi_identifiers, reading.pseudonym)
    return measure_statement(released, reading.quasi_identifiers, reading.shape, reading.pseudonym, reading.count)


def apart_statement(released: exp.Expr, starred: Sequence[str]) -> exp.Select:
    """The statement that gives a release without its star rows."""
    tree = sql.select("release/measure/apart")
    differs = tree.args["where"].this
    different = [sql.with_columns(differs.copy(), {"released.value": name}) for name in starred]
    tree.args["where"].set("this", exp.or_(*different, copy=False))
    return sql.with_relations(tree, {"released": released})


def stars_statement(released: exp.Expr, starred: Sequence[str], shape: Shape, count: str = COUNT) -> exp.Select:
    """The statement that counts the star rows of a release, and the units they stand for."""
    tree = expand_columns(sql.select("release/measure/stars"), "released.value", starred)
    if shape == "rows":
        tree.set("expressions", tree.expressions[:1])
    return sql.with_relations(sql.with_columns(tree, {"released.n": count}), {"released": released})


def measured(executor: Executor, released: exp.Expr, reading: ReadingPlan) -> MeasuredRelease:
    """Measure a written release through `executor`."""
    stars = star_rows = 0
    if reading.starred:
        star_rows, *units = executor.rows(
            Purpose.MEASURE, stars_statement(released, reading.starred, reading.shape, reading.count)
        )[0]
        stars = units[0] if units else star_rows
        released = apart_statement(released, reading.starred)
    statement = classes_statement(released, reading)
    sizes = [(int(size), int(classes)) for size, classes in executor.rows(Purpose.MEASURE, statement)]
    rows, persons = sum(classes if reading.shape == "table" else size * classes for size, classes in sizes), None
    if reading.pseudonym is not None:
        count = sql.with_columns(sql.template("release/measure/person_count"), {"released.person": reading.pseudonym})
        rows, persons = executor.rows(Purpose.MEASURE, sql.with_relations(count, {"released": released}))[0]
    models = measured_models(executor, released, reading.quasi_identifiers, reading.sensitive, reading.pseudonym)
    return MeasuredRelease(
        Observation.from_histogram(sizes, units=persons), int(rows), int(stars), int(star_rows), models
    )


def measured_table(backend: Backend, table: exp.Table, reading: ReadingPlan) -> MeasuredRelease:
    """Measure the release in a table of a source: where source and workspace are apart, its rows read back."""
    return measured(backend.workspace, backend.workspace_table(Purpose.MEASURE, table, READ_BACK), reading)


def file_statement(path: Path, ending: str, *, escaped: bool = False) -> exp.Select:
    """The query that reads the release in a file; `escaped`: without the apostrophes before formulas."""
    if not escaped:
        return read_statement(path, ending)
    columns = [unescaped(name) for name in header_of(path, ending)]
    return unescaped_statement(read_statement(path, ending, columns), columns)


def measure_file(
    path: Path,
    reading: ReadingPlan,
    limits: Limits,
    *,
    ending: str | None = None,
    escaped: bool = False,
    interrupt: Interrupt | None = None,
) -> MeasuredRelease:
    """Measure the release in a file, `escaped` or not. Raises ReleaseFault if it cannot be read.

    `interrupt`: by which another thread may end this.
    """
    with SpillFolder() as spill:
        ending = ending or ending_of(path)
        readable = format_of(ending).readable(path, spill.path)
        connection = connect(None, spill, limits, reads=[readable])
        try:
            if interrupt is not None:
                interrupt.covers(connection)
            executor = Executor(connection, "written release", fault=ReleaseFault)
            return measured(executor, file_statement(readable, ending, escaped=escaped), reading)
        finally:
            connection.close()


def labels_in_file(path: Path, types: Mapping[str, str]) -> dict[str, str | None]:
    """Return one released label of each of the columns of a release in a file: the greatest, as a value of its type.

    Raises ReleaseFault.
    """
    with SpillFolder() as spill:
        ending = ending_of(path)
        readable = format_of(ending).readable(path, spill.path)
        connection = connect(None, spill, Limits(), reads=[readable])
        try:
            tree = expand_columns(sql.select("release/rows/labels"), "released.value", tuple(types))
            for each, kind in zip(tree.find_all(exp.Max), types.values(), strict=True):
                each.set("this", exp.TryCast(this=each.this, to=exp.DataType.build(kind, dialect=sql.DIALECT)))
            tree = sql.with_relations(tree, {"released": read_statement(readable, ending)})
            (found,) = Executor(connection, "written release", fault=ReleaseFault).rows(Purpose.MEASURE, tree)
        finally:
            connection.close()
    return {name: None if label is None else str(label) for name, label in zip(types, found, strict=True)}


@dataclass(frozen=True, slots=True)
class ExpectedRelease:
    """The figures required of a release: its classes as a reader sees them, `k` at least, its rows and star rows."""

    classes: Observation
    k: int
    rows: int
    stars: int = 0


def check_measured(found: MeasuredRelease, expected: ExpectedRelease, where: str) -> None:
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
