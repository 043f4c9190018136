"""The names that a state has, for a shell that completes them: read quickly, or not at all.

Nothing here imports more than DuckDB, waits for a lock, migrates, or reports an error: where the state cannot be read
at once there is nothing to complete.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from ordermade.resources import folder
from ordermade.state.authority import Authority

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
    import duckdb

    if not state.is_file():
        return []
    statement = (folder("sql") / f"{_STATEMENTS[kind]}.sql").read_text(encoding="utf-8")
    settings: dict[str, str | bool | int | float | list[str]] = {
        "threads": 1,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(str(state), read_only=True, config=settings) as connection:
            authority.require_provider(connection)
            found = connection.execute(statement).fetchall()
    except duckdb.Error:
        return []
    return [(str(name), _note(note)) for name, note in found]


def _note(note: str | None) -> str:
    words = " ".join((note or "").split())
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
