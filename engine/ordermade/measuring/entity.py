"""Persons, where one may have several rows: how many, and a number for each instead of what tells them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, quoted
from ordermade.measuring.keys import as_key
from ordermade.requests.where import in_a_request
from ordermade.sources.door import Purpose

if TYPE_CHECKING:
    from ordermade.measuring.dataset import Dataset

PERSONS = "persons"
"""The table of the workspace with a row a person: `key` (what tells them apart), `code` (a number), `n` (rows)."""


@dataclass(frozen=True, slots=True)
class Units:
    """How many rows a dataset has, and how many persons where it tells them apart (else None)."""

    rows: int
    persons: int | None = None

    @property
    def number(self) -> int:
        """What classes count: persons where they are told apart, else rows."""
        return self.rows if self.persons is None else self.persons


def units_of(dataset: Dataset, rows: int) -> Units:
    """The rows of the dataset, and its persons where it tells them apart. Raises InputError for rows without one."""
    return Units(rows) if dataset.entity is None else units(dataset)


def units(dataset: Dataset) -> Units:
    """The rows and persons of a dataset with an entity column, whose table `PERSONS` is stored on the way.

    One statement in the source. Raises InputError where rows have no person, ValueError without an entity column.
    """
    if dataset.entity is None:
        raise ValueError(f"{dataset.name} does not tell persons apart")
    dataset.backend.door.store(Purpose.COVERAGE, PERSONS, persons_statement(dataset))
    rows, persons, without = dataset.backend.workspace.rows(Purpose.COVERAGE, sql.template("person_counts"))[0]
    if without:
        condition = f"{sql.text(sql.column(dataset.entity))} is not null"
        raise InputError(
            f"{int(without):,} row(s) have no person: the column {quoted(dataset.entity)} is NULL there",
            where=f"dataset {quoted(dataset.name)}",
            next_step=f"Leave them out with `{in_a_request(condition)}`, or register the dataset without "
            "--entity, which counts rows.",
        )
    return Units(int(rows), int(persons))


def persons_statement(dataset: Dataset) -> exp.Select:
    """The statement that numbers the persons of a dataset."""
    tree = sql.with_expressions(sql.select("persons"), {"dataset.id": person(dataset)})
    return sql.with_relations(tree, {"dataset": dataset.relation})


def person(dataset: Dataset) -> exp.Expr:
    """What tells the persons of a dataset apart, compared by its exact content."""
    if dataset.entity is None:
        raise ValueError(f"{dataset.name} does not tell persons apart")
    return as_key(dataset.entity, dataset.type_of(dataset.entity))[0]
