"""Tables on their way between the cache and a workspace, which reaches no file but those of its own folder.

The cache is never attached to a workspace: a view of the source, which is read there, could name its tables and its
file. A table crosses in a database file of the workspace's folder, private and gone afterwards, with its types as they
are.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.private_files import own_folder, private_umask
from ordermade.state.statements import rows, run

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_PREFIX = "crossing-"


@dataclass(frozen=True, slots=True)
class Crossing:
    """The file in which tables cross."""

    path: Path

    @contextmanager
    def attached(self, connection: DuckDBPyConnection, *, read_only: bool) -> Iterator[None]:
        """The file attached to a connection while the block runs: to one at a time."""
        attach = "cache/attach_crossing_read_only" if read_only else "cache/attach_crossing"
        with private_umask():  # the file, and the log beside it, are made by DuckDB
            run(connection, attach, path=str(self.path))
            try:
                yield
            finally:
                run(connection, "cache/detach_crossing")


@contextmanager
def crossing(workspace: DuckDBPyConnection) -> Iterator[Crossing]:
    """A new file in the folder of a workspace, gone at the end. Raises OSError where none can be made there."""
    ((folder,),) = rows(workspace, "cache/workspace_folder")
    with own_folder(Path(folder), _PREFIX) as private:
        yield Crossing(private / "crossing.duckdb")
