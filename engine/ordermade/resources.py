"""Where the engine's own files are: `sql/` and `migrations/`, in the wheel or in the repository."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


@cache
def folder(name: str) -> Path:
    """The folder `name` (`sql` or `migrations`): the package's own if it is there (a wheel), else the repository's.

    Raises FileNotFoundError if neither exists, which means a broken installation.
    """
    for candidate in (_PACKAGE / name, _PACKAGE.parents[1] / name):
        if candidate.is_dir():
            return candidate
    raise FileNotFoundError(f"the folder '{name}' of ordermade is missing: install the package again")
