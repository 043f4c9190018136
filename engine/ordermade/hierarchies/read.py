"""Reading a hierarchy from a file: YAML by its ending, else CSV."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.read_csv import Style, read_csv
from ordermade.hierarchies.read_yaml import read_yaml


@dataclass(frozen=True, slots=True)
class ReadHierarchy:
    """A hierarchy and what a reader of the file should know: levels renumbered, a `*` added or renamed."""

    hierarchy: Hierarchy
    notes: tuple[str, ...] = ()


def read_hierarchy(path: Path, name: str, style: Style = "auto") -> ReadHierarchy:
    """The hierarchy in the file, called `name`.

    The file is YAML where it ends in `.yaml` or `.yml`, else CSV in this style (see `read_csv`). Raises
    HierarchyError with file, line and what to do.
    """
    if path.suffix.casefold() in {".yaml", ".yml"}:
        return ReadHierarchy(*read_yaml(path, name))
    return ReadHierarchy(*read_csv(path, name, style))
