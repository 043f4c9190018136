"""The names that a state has, for a shell that completes them: read quickly, or not at all.

Nothing here imports DuckDB, waits for a lock, migrates, or reports an error: where the state cannot be read
at once there is nothing to complete.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from ordermade.files.resources import statement
from ordermade.state.authority import Authority
from ordermade.state.connection import connect, file_address

Named = Literal["sources", "datasets", "measured", "hierarchies", "tables", "requests", "releases", "users"]
"""The kinds of names. `measured`: of datasets, also of those removed. `tables`: of datasets, after their sources."""

_STATEMENTS: Mapping[Named, str] = MappingProxyType(
    {
        "sources": "state/complete_sources",
        "datasets": "state/complete_datasets",
        "measured": "state/complete_measured",
        "hierarchies": "state/complete_hierarchies",
        "tables": "state/complete_tables",
        "requests": "state/complete_requests",
        "releases": "state/complete_releases",
        "users": "state/complete_users",
    }
)

_LONGEST = 60
"""A longer note beside a name is cut off."""


def registered_names(state: Path, kind: Named, authority: Authority) -> list[tuple[str, str]]:
    """The names of a kind, or numbers, in the state at this path, each with a note; none where it cannot be read.

    Raises Refused for others than the provider.
    """
    if not state.is_file():
        return []
    try:
        with closing(connect(file_address(state, read_only=True))) as connection:
            authority.require_provider(connection)
            found = connection.execute(statement(_STATEMENTS[kind])).fetchall()
    except sqlite3.Error:
        return []
    return [(str(name), _note(note)) for name, note in found]


def _note(note: str | None) -> str:
    words = " ".join((note or "").split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
