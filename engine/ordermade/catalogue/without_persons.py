"""The rows of a dataset without the persons who opted out of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.registered import DatasetRegistration
from ordermade.counting.dataset import relation
from ordermade.errors import InputError, quoted
from ordermade.sources.backend import OPTED_OUT, Backend, Column
from ordermade.sources.executor import Purpose

PERSONS = "every_person"


def without_persons(
    backend: Backend, origin: exp.Expr, columns: Sequence[Column], entity: str | None, found: DatasetRegistration
) -> exp.Query:
    """The rows of a table or query whose persons did not opt out. Raises InputError, SourceFault."""
    entity = required_entity(entity, found)
    every = keep_persons(backend, origin, columns, entity)
    keys = sql.with_relations(sql.select("opt_outs/keys"), {"persons": with_texts(exp.to_table(PERSONS))})
    bound = {"salt": found.opted_out[0][0], "hashes": [each for _, each in found.opted_out]}
    backend.workspace.store(Purpose.CATALOG, OPTED_OUT, keys, bound)
    backend.workspace.rows(Purpose.CATALOG, sql.dropped(PERSONS))
    backend.upload(OPTED_OUT)
    tree = sql.with_relations(sql.select("opt_outs/opted_out"), {"dataset": every, "persons": exp.to_table(OPTED_OUT)})
    tree = sql.with_expressions(tree, {"dataset.id": sql.column(entity, "dataset")})
    tree.set("expressions", [sql.named(sql.column(each.name, "dataset"), each.name) for each in columns])
    return tree


def keep_persons(backend: Backend, origin: exp.Expr, columns: Sequence[Column], entity: str) -> exp.Query:
    """Keeps the persons of a table or query in the workspace; gives its rows, texts compared by their bytes."""
    exact = columns if backend.capabilities.collates else None
    every = relation(origin, None, exact, backend.capabilities.binary)
    backend.keep(Purpose.CATALOG, PERSONS, persons_of(every, entity))
    return every


def persons_of(dataset: exp.Expr, entity: str) -> exp.Select:
    """The different persons of a dataset."""
    persons = sql.with_relations(sql.select("opt_outs/persons"), {"dataset": dataset})
    return sql.with_expressions(persons, {"dataset.id": sql.column(entity, "dataset")})


def with_texts(persons: exp.Expr) -> exp.Select:
    """Persons of the workspace with the texts that they are hashed by."""
    return sql.with_relations(sql.select("opt_outs/texts"), {"persons": persons})


def list_hash(opted_out: Iterable[tuple[str, str]]) -> str:
    """A hash of the list, which is part of the identity of the dataset."""
    return hashlib.sha256("\n".join(f"{salt}{each}" for salt, each in opted_out).encode()).hexdigest()


def required_entity(entity: str | None, found: DatasetRegistration) -> str:
    """The column that identifies a person. Raises InputError where there is none, or files are the parts."""
    name = quoted(found.name)
    if entity is None:
        raise InputError(
            f"the dataset {name} has no entity column, so no row is known to be a person's who opted out",
            where="opt-out",
            next_step="Register it with --entity COLUMN.",
        )
    if found.division is not None and found.division.column is None and not found.is_partitioned:
        raise InputError(
            f"files are the parts of the dataset {name}, and persons cannot be left out of files",
            where="opt-out",
            next_step="Register it without --file-parts.",
        )
    return entity
