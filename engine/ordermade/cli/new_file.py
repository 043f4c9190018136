"""Files that drafts are written to: new ones, of their owner's alone."""

from __future__ import annotations

import types
from collections.abc import Mapping
from pathlib import Path

YAML: Mapping[str, str] = types.MappingProxyType({".yaml": "YAML", ".yml": "YAML"})


def require_new(path: Path, endings: Mapping[str, str] = YAML) -> None:
    """Raises InputError if the file exists, its folder does not, or its ending is none of `endings`.

    `endings`: each with the name of its format.
    """
    from ordermade.errors import InputError

    where = str(path)
    if path.is_symlink() or path.exists():
        raise InputError("a draft never replaces a file, and this one exists", where=where, next_step="Name another.")
    if path.suffix.casefold() not in endings:
        ending, form = next(iter(endings.items()))
        raise InputError(f"a draft is {form}", where=where, next_step=f"Name a file that ends in {ending}.")
    if not path.absolute().parent.is_dir():
        raise InputError("there is no such folder", where=str(path.parent), next_step="Make it, or name another.")


def write_new(path: Path, text: str) -> None:
    """Writes a file of its owner's alone: a draft may list values of the data."""
    from ordermade.private_files import write_private_file

    write_private_file(path, text)
