"""Persons who opted out of a dataset: kept as salted hashes, and left out before anything is counted.

The values of the entity column are hashed in the workspace, whatever the source; those that are on the list go back to
it as a table of keys, which its statements leave out by a join. So no source needs a hash function, and every method
works on a relation without these persons.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal, InvalidOperation
from pathlib import Path

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.arguments import typed_methods
from ordermade.catalogue.open_dataset import OpenDataset, opened_dataset
from ordermade.catalogue.registered import DatasetRegistration, described
from ordermade.catalogue.without_persons import (
    PERSONS,
    keep_persons,
    persons_of,
    required_entity,
    with_texts,
)
from ordermade.counting.dataset import relation
from ordermade.errors import InputError, quoted
from ordermade.hierarchies.column_types import is_number
from ordermade.privacy.least_k import shown
from ordermade.records.listing import Listing
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Limits
from ordermade.state import audit, datasets
from ordermade.state import opt_outs as stored
from ordermade.state.database import StateFile

_QUOTED = re.compile(r'"(\s.*|.*\s)"')
"""A line in quotes, for a value with a space at an end; others keep their quotes."""
_SHOWN = {"dataset": "dataset", "persons": "persons", "last added": "last_added_at"}


@dataclass(frozen=True, slots=True)
class OptedOut:
    """The list of a dataset."""

    dataset: str
    """Name of the dataset."""
    persons: int | None
    """Persons on the list; null below the least k."""
    least_k: int
    """The least k of the dataset."""
    last_added_at: datetime
    """When persons were last added, in UTC."""


@typed_methods
@dataclass(frozen=True, slots=True)
class OptOuts:
    """The lists of persons who opted out, by dataset."""

    state: StateFile
    limits: Limits = field(repr=False)

    def add(self, dataset: str, persons: Path | str | Iterable[str]) -> int | None:
        """Adds persons to the list of a dataset: values of its entity column, in a file a line each, or as texts.

        `-` is the standard input; a line is in double quotes where its value has a space at an end. Gives how many of
        them are no person of the data now, None below the least k. Raises InputError where the dataset has no entity
        column, or files are its parts, and for a text that is no value of that column; UnknownName, SourceFault,
        StateFault.
        """
        texts, of_before, unmatched = self._texts(dataset, persons, counted=True)
        with self.state.writing() as connection:
            stored.remove(connection, dataset, of_before)
            stored.add(connection, dataset, texts)
            audit.add_audit_entry(connection, "dataset opt-out add", dataset)
        return unmatched

    def list(self) -> tuple[OptedOut, ...]:
        """The datasets with a list, by name. Raises StateFault."""
        with self.state.reading() as connection:
            least = {each.name: each.terms.least_k for each in datasets.listed(connection)}
            found = [
                OptedOut(name, shown(count, k), k, last)
                for name, count, last in stored.listed(connection)
                for k in [least.get(name, max(least.values(), default=0))]
            ]
        return Listing(tuple(found), "lists of opt-outs", _SHOWN)

    def remove(self, dataset: str, persons: Path | str | Iterable[str] | None = None) -> None:
        """Takes persons, given as for `add`, off the list of a dataset; None: all. Who is not on it is passed over.

        Raises as `add`.
        """
        texts = None
        if persons is not None:
            of_now, of_before, _ = self._texts(dataset, persons)
            texts = [*of_now, *of_before]
        with self.state.writing() as connection:
            datasets.ever_named(connection, dataset)
            stored.remove(connection, dataset, texts)
            audit.add_audit_entry(connection, "dataset opt-out remove", dataset)

    def _texts(
        self, dataset: str, persons: Path | str | Iterable[str], *, counted: bool = False
    ) -> tuple[Sequence[str], Sequence[str], int | None]:
        """The texts of the values of persons, those that lists of before have, and how many are none of the data now.

        That number where they are `counted`.
        """
        given = _lines(persons) if isinstance(persons, Path | str) else list(persons)
        if not given:
            raise InputError("there is no person in it", where=_where(persons), next_step="Write a value in each line.")
        with self.state.reading() as connection:
            found = replace(described(connection, dataset), opted_out=())
        with opened_dataset(found, self.limits) as opened:
            texts, of_before = _as_values(opened, given, found, _where(persons))
            unmatched = shown(_unmatched(opened, texts), opened.terms.least_k) if counted else None
            return texts, of_before, unmatched


def _unmatched(opened: OpenDataset, texts: Iterable[str]) -> int:
    """The number of texts that no person of an open dataset has."""
    keep_persons(opened.backend, opened.origin, opened.columns, opened.entity or "")
    tree = sql.with_relations(sql.select("opt_outs/unmatched"), {"persons": with_texts(exp.to_table(PERSONS))})
    ((count,),) = opened.backend.workspace.rows(Purpose.CATALOG, tree, {"texts": list(dict.fromkeys(texts))})
    return int(count)


def _as_values(
    opened: OpenDataset, given: Sequence[str], found: DatasetRegistration, where: str
) -> tuple[list[str], list[str]]:
    """The texts that values of the entity column are hashed by, and those of them that lists of before have."""
    entity = required_entity(opened.entity, found)
    kind = _spelling(opened, entity)
    if kind == "CHAR":
        given = [each.rstrip(" ") for each in given]
    tree = sql.select("opt_outs/given")
    for cast in tree.find_all(exp.TryCast):
        if not kind.startswith("ENUM"):
            cast.set("to", exp.DataType.build(kind, dialect=sql.DIALECT))
    texts = exp.select("given", "text", "written").from_(with_texts(tree).subquery("texts"))
    rows = opened.backend.workspace.rows(Purpose.CATALOG, texts, {"persons": list(given)})
    if not all(text is not None and (not is_number(kind) or _same_number(own, text)) for own, text, _ in rows):
        step = f"Write values of {quoted(entity)}, a line each, without a header."
        raise InputError(f"a line is no value of the entity column {quoted(entity)}", where=where, next_step=step)
    return [text for _, text, _ in rows], [written for _, text, written in rows if written != text]


def _spelling(opened: OpenDataset, entity: str) -> str:
    """The type that reads a text as a value of the entity column: the server's, where the workspace has texts of it."""
    persons = persons_of(relation(opened.origin, None), entity)
    spelling = opened.backend.spelling(persons.selects[0].this)
    if spelling in ("UUID", "CHAR"):
        return spelling
    return next(each.type for each in opened.columns if each.name == entity)


def _same_number(given: str, text: str) -> bool:
    """Whether a number became no other one by the type of its column, as 1.4 would become 1."""
    try:
        return Decimal(given) == Decimal(text)
    except InvalidOperation:
        return False


def _lines(persons: Path | str) -> list[str]:
    try:
        text = sys.stdin.read() if str(persons) == "-" else Path(persons).expanduser().read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("this is no text in UTF-8", where=_where(persons), next_step="Save it as UTF-8.") from None
    except OSError:
        step = "Check the path."
        raise InputError("this file cannot be read", where=_where(persons), next_step=step) from None
    lines = [line for line in text.splitlines() if line.strip()]
    if any(line != line.strip() for line in lines):
        step = "Take it out; where it is part of the value, write the line in double quotes."
        raise InputError("a line has a space at an end", where=_where(persons), next_step=step)
    return [line[1:-1] if _QUOTED.fullmatch(line) else line for line in lines]


def _where(persons: object) -> str:
    if not isinstance(persons, Path | str):
        return "persons"
    return "the standard input" if str(persons) == "-" else str(persons)
