"""Hierarchies as a program gives them: files, texts, mappings, frames, and functions of the values of a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.errors import HierarchyError, an
from ordermade.hierarchies import from_python
from ordermade.hierarchies.read import ReadHierarchy, read_hierarchy

if TYPE_CHECKING:
    from ordermade.hierarchies.from_python import ListedHierarchy
    from ordermade.hierarchies.read_csv import Style

_FORMS = "the path of a file, YAML text, a mapping, a frame"


def read_given(hierarchy: object, name: str, style: Style = "auto", sheet: str | None = None) -> ReadHierarchy:
    """The hierarchy of a path, a YAML text, a mapping or a frame, called `name`. Raises HierarchyError, InputError."""
    where = from_python.where_of(name)
    match hierarchy:
        case str() if "\n" in hierarchy:
            return from_python.rule(hierarchy, name, where)
        case str() | Path():
            return read_hierarchy(Path(hierarchy), name, style, sheet=sheet)
        case Mapping() if from_python.is_rule(hierarchy):
            return from_python.rule(from_python.rule_text(hierarchy, where), name, where)
    found = listed(hierarchy, where)
    if found is None:
        raise HierarchyError(
            f"{an(type(hierarchy).__name__)} is no hierarchy", where=where, next_step=f"Give {_FORMS}."
        )
    return found.read(name, where)


def listed(hierarchy: object, where: str) -> ListedHierarchy | None:
    """The hierarchy of a mapping of values or of a frame; None for anything else. Raises HierarchyError, InputError."""
    if isinstance(hierarchy, Mapping):
        return from_python.listed(hierarchy, where)
    from ordermade.sources.frames import given, is_frame

    if not is_frame(hierarchy):
        return None
    table = given(hierarchy, where).inside
    columns = zip(table.schema.names, table.columns, strict=True)
    return from_python.of_columns([(name, values.to_pylist()) for name, values in columns], where)


def functions_of(hierarchy: object) -> Sequence[Callable[[Any], Any]]:
    """The functions of a hierarchy that is one, or a list of them; empty for anything else."""
    if callable(hierarchy):
        return (hierarchy,)
    if isinstance(hierarchy, list | tuple) and hierarchy and all(callable(each) for each in hierarchy):
        return hierarchy
    return ()
