"""The models of sensitive attributes, checked again on what was written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from ordermade import sql
from ordermade.errors import quoted
from ordermade.measuring.keys import as_type
from ordermade.measuring.sensitive import Sensitive
from ordermade.privacy.models import Model
from ordermade.privacy.statements import extremes_statement, failing_statement
from ordermade.release.decide import NUMBERED, Counted, models_with_counts, number_classes
from ordermade.release.plan import PERSON, inner, spread, without
from ordermade.sources.door import Door, Purpose

WRITTEN = "written_counted"


@dataclass(frozen=True, slots=True)
class Distribution:
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
    distribution: Distribution | None = None


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


def distribution(door: Door, sensitive: Sensitive) -> Distribution:
    """The distribution of a sensitive attribute in the whole dataset, from its tables in the workspace."""
    tree = sql.with_relations(sql.template("measure_distribution"), {"sensitive": exp.to_table(sensitive.values)})
    rows = door.rows(Purpose.STORE, tree)
    return Distribution(
        texts=[text for text, _, _ in rows],
        cells=[int(cell) for _, cell, _ in rows],
        counts=[int(n) for _, _, n in rows],
        levels={identity: _levels(door, table) for identity, table in sensitive.levels.items()},
    )


def _levels(door: Door, table: str) -> list[tuple[int, int, int]]:
    tree = sql.with_relations(sql.template("measure_ancestors"), {"value_level": exp.to_table(table)})
    return [(int(value), int(level), int(above)) for value, level, above in door.rows(Purpose.STORE, tree)]


def measured_models(
    door: Door,
    released: exp.Expr,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[SensitiveColumn],
    pseudonym: str | None,
) -> tuple[MeasuredModel, ...]:
    """The models of a written release, measured."""
    if not any(each.models for each in sensitive):
        return ()
    counted = _counted(door, released, quasi_identifiers, sensitive, pseudonym)
    number_classes(door, counted)
    return tuple(_measured(door, counted))


def _measured(door: Door, counted: Counted) -> Iterator[MeasuredModel]:
    unknown = {sensitive.column: unknown_values_statement(sensitive, column) for sensitive, column in counted.sensitive}
    for sensitive, model, decided_by in models_with_counts(counted):
        failing = [failing_statement(model, decided_by), unknown[sensitive.column]]
        either = exp.union(*failing, distinct=True, dialect=sql.DIALECT)
        counted_failing = sql.with_relations(sql.template("row_count"), {"dataset": either})
        classes = int(door.rows(Purpose.MEASURE, counted_failing)[0][0])
        least, greatest = door.rows(Purpose.MEASURE, extremes_statement(model, decided_by))[0]
        worst = least if model.definition.worst == "least" else greatest
        yield MeasuredModel(sensitive.column, model, classes, None if worst is None else float(worst))


def unknown_values_statement(sensitive: Sensitive, column: str) -> exp.Select:
    """The statement that lists the classes with a value that has no number: models are decided without it."""
    tree = sql.with_expressions(
        sql.select("measure_unknown_values"), {"numbered.value": sensitive.compared(sql.column(column, "numbered"))}
    )
    return sql.with_relations(tree, {"numbered": exp.to_table(NUMBERED), "sensitive": exp.to_table(sensitive.values)})


def _counted(
    door: Door,
    released: exp.Expr,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[SensitiveColumn],
    pseudonym: str | None,
) -> Counted:
    """The written release counted in this connection, its values numbered as the dataset's are."""
    columns = [*quasi_identifiers, *(each.column for each in sensitive)]
    values = tuple(inner(number) for number in range(len(columns)))
    door.store(Purpose.MEASURE, WRITTEN, counted_statement(released, columns, pseudonym))
    labels, held = values[: len(quasi_identifiers)], values[len(quasi_identifiers) :]
    numbered = [
        _numbered(door, each, place, name) for place, (each, name) in enumerate(zip(sensitive, held, strict=True))
    ]
    return Counted(WRITTEN, labels, values, tuple(zip(numbered, held, strict=True)), pseudonym is not None)


def counted_statement(released: exp.Expr, columns: Sequence[str], pseudonym: str | None) -> exp.Select:
    """The statement that counts the combinations of a written release, in names of the workspace."""
    tree = sql.select("measure_counted")
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
    spread(tree, "released.value", columns)
    return sql.with_relations(tree, {"released": released})


def _numbered(door: Door, released_column: SensitiveColumn, position: int, column: str) -> Sensitive:
    """The sensitive attribute, with the numbers of its values as a table of this connection."""
    value = as_type(sql.column(column, "counted"), released_column.value_type)
    sensitive = Sensitive(position, released_column.column, released_column.models, value, released_column.value_type)
    known = released_column.distribution
    if known is None:
        tree = sql.with_expressions(sql.select("measure_own_values"), {"counted.value": value})
        door.store(Purpose.MEASURE, sensitive.values, sql.with_relations(tree, {"counted": exp.to_table(WRITTEN)}))
        return sensitive
    tree = sql.select("measure_values")
    for cast in tree.find_all(exp.Cast):
        cast.set("to", exp.DataType.build(sensitive.value_type, dialect=sql.DIALECT))
    bound = {"texts": known.texts, "cells": known.cells, "counts": known.counts}
    door.store(Purpose.MEASURE, sensitive.values, tree, bound)
    levels = {}
    for number, (identity, rows) in enumerate(known.levels.items()):
        levels[identity] = f"{sensitive.values}_{number}"
        values, numbers, ancestors = (list(each) for each in zip(*rows, strict=True))
        bound = {"values": values, "levels": numbers, "ancestors": ancestors}
        door.store(Purpose.MEASURE, levels[identity], sql.select("measure_value_levels"), bound)
    return replace(sensitive, levels=levels)
