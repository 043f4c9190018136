"""Persons, where one may have several rows: their count, and a number for each instead of its entity value."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, quoted
from ordermade.least_k import in_words
from ordermade.measuring.keys import as_key
from ordermade.requests.where import in_a_request
from ordermade.sources.backend import row_count
from ordermade.sources.door import Purpose

if TYPE_CHECKING:
    from ordermade.measuring.dataset import Dataset

PERSONS = "persons"
"""The table of the workspace with a row a person: `key` (the entity value), `code` (a number), `n` (rows)."""


@dataclass(frozen=True, slots=True)
class Units:
    """The rows of a dataset, and its persons where it has an entity column (else None)."""

    rows: int
    persons: int | None = None

    @property
    def called(self) -> str:
        """The noun for what classes count: `persons` or `rows`."""
        return "rows" if self.persons is None else "persons"

    @property
    def number(self) -> int:
        """The number of units that classes count: persons where there is an entity column, else rows."""
        return self.rows if self.persons is None else self.persons


def units_of(dataset: Dataset, rows: int, enough: int = 0) -> Units:
    """The rows of the dataset, and its persons where it has an entity column. Raises InputError as `units` does."""
    return Units(rows) if dataset.entity is None else units(dataset, enough)


def remaining(dataset: Dataset, enough: int) -> Units:
    """Count the rows of the dataset, or its rows and persons where it has an entity column. Raises as `units` does."""
    return units_of(dataset, row_count(dataset.backend, dataset.relation) if dataset.entity is None else 0, enough)


def units(dataset: Dataset, enough: int = 0) -> Units:
    """The rows and persons of a dataset with an entity column, whose table `PERSONS` is stored on the way.

    One statement in the source. Raises InputError where rows have no person, unless there are not `enough` persons for
    that to matter; ValueError without an entity column.
    """
    counted, without = counted_persons(dataset)
    if without and counted.number >= enough and dataset.entity is not None:
        condition = f"{sql.text(sql.column(dataset.entity))} is not null"
        raise InputError(
            f"{in_words(without, dataset.least_k)} row(s) have no person: the column {quoted(dataset.entity)} is NULL "
            "there",
            where=f"dataset {quoted(dataset.name)}",
            next_step=f"Leave them out with `{in_a_request(condition)}`, or register the dataset without "
            "--entity, which counts rows.",
        )
    return counted


def counted_persons(dataset: Dataset) -> tuple[Units, int]:
    """The rows and persons of a dataset with an entity column, and the rows that have no person.

    One statement in the source, which stores the table `PERSONS`. Raises ValueError without an entity column.
    """
    dataset.backend.keep(Purpose.COVERAGE, PERSONS, persons_statement(dataset), part="counted")
    dataset.backend.upload(PERSONS)
    rows, persons, without = dataset.backend.workspace.rows(Purpose.COVERAGE, sql.template("person_counts"))[0]
    return Units(int(rows), int(persons)), int(without)


def persons_statement(dataset: Dataset) -> exp.Select:
    """The statement that numbers the persons of a dataset."""
    tree = sql.with_expressions(sql.select("persons"), {"dataset.id": person(dataset)})
    return sql.with_relations(tree, {"dataset": dataset.relation})


def person(dataset: Dataset) -> exp.Expr:
    """The entity column of a dataset, compared by its exact content."""
    if dataset.entity is None:
        raise ValueError(f"{dataset.name} has no entity column")
    return as_key(dataset.entity, dataset.type_of(dataset.entity))[0]
