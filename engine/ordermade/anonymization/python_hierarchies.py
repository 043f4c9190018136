"""Hierarchies that a Python program passes, by column: written as files, functions being evaluated on the values."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade import sql
from ordermade.anonymization.plan import HierarchyFile
from ordermade.catalogue.python_hierarchies import functions_of, listed
from ordermade.catalogue.sources import opened
from ordermade.counting.dataset import relation
from ordermade.errors import HierarchyError, InputError, an
from ordermade.files.private import new_private_file
from ordermade.hierarchies import from_python
from ordermade.requests.columns import stored_column
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.sources.backend import find_table, qualified
from ordermade.sources.executor import Purpose

if TYPE_CHECKING:
    from sqlglot import exp

    from ordermade.anonymization.proposal import Proposal
    from ordermade.engine import Engine

Function = Callable[[Any], Any]
HierarchyLike = Any
"""A mapping, a frame, a function or a list of them, a path, YAML text, or the content of a YAML file."""
_FORMS = "a mapping, a frame, a function, the path of a file, or YAML text"
_UNTIL_EVALUATED = b"value,all\n*,*\n"


def files_of(
    hierarchies: Mapping[str, HierarchyLike], folder: Path
) -> tuple[dict[str, Path], dict[str, Sequence[Function]]]:
    """The file of each hierarchy, and the hierarchies that are functions, both by column.

    A path is used as it is; any other hierarchy is written into the folder. The file of a function is a placeholder,
    which `with_functions` replaces. Raises HierarchyError.
    """
    files: dict[str, Path] = {}
    functions: dict[str, Sequence[Function]] = {}
    for number, (column, given) in enumerate(hierarchies.items()):
        called = functions_of(given)
        if called:
            functions[column] = called
            content, ending = _UNTIL_EVALUATED, ".csv"
        elif isinstance(given, Path) or (isinstance(given, str) and "\n" not in given):
            files[column] = Path(given)
            continue
        else:
            content, ending = _content(given, from_python.where_of(column))
        files[column] = folder / f"{number}{ending}"
        with os.fdopen(new_private_file(files[column]), "wb") as file:
            file.write(content)
    return files, functions


def _content(given: HierarchyLike, where: str) -> tuple[bytes, str]:
    if isinstance(given, str):
        return given.encode("utf-8"), ".yaml"
    if isinstance(given, Mapping) and from_python.is_rule(given):
        return from_python.rule_text(given, where).encode("utf-8"), ".yaml"
    found = listed(given, where)
    if found is None:
        raise HierarchyError(f"{an(type(given).__name__)} is no hierarchy", where=where, next_step=f"Give {_FORMS}.")
    return found.content(where), ".csv"


def with_functions(engine: Engine, proposal: Proposal, functions: Mapping[str, Sequence[Function]]) -> Proposal:
    """The proposal with the hierarchies of functions, which are evaluated on the different values of their columns.

    The values are those of the dataset, where texts are already read as numbers and dates. Raises HierarchyError,
    SourceFault.
    """
    if not functions:
        return proposal
    made: dict[str, bytes] = {}
    names = [each.name for each in proposal.table.columns]
    for name, called in functions.items():
        column = stored_column(name, names)
        where = from_python.where_of(column)
        made[column] = from_python.of_functions(called, _values(engine, proposal, column), where).content(where)
    files = tuple(
        HierarchyFile(each.column, made[each.column], ".csv", "from functions") if each.column in made else each
        for each in proposal.plan.hierarchies
    )
    return dataclasses.replace(proposal, plan=dataclasses.replace(proposal.plan, hierarchies=files))


def _values(engine: Engine, proposal: Proposal, column: str) -> list[Any]:
    """The different values of a column as Python objects. Raises InputError for a value outside Python's ranges."""
    table = proposal.table
    with opened(engine.sources.get(table.source), engine.limits) as backend:
        origin: exp.Expr = find_table(backend, table.table).reference
        if proposal.query is not None:
            origin = qualified(backend, parse_dataset_query(proposal.query))
        whole = relation(origin, None)
        tree = sql.with_columns(sql.select("dataset/distinct_values"), {"dataset.qi": column})
        statement = sql.with_relations(tree, {"dataset": whole})
        try:
            return [
                value for batch in backend.read(Purpose.CATALOG, statement) for value in batch.column(0).to_pylist()
            ]
        except (ValueError, OverflowError):
            raise InputError(
                "a value of the column is no value of Python, so no function can be given it",
                where=from_python.where_of(column),
                next_step="Give a mapping or a rule instead.",
            ) from None
