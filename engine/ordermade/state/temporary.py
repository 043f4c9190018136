"""The state of an engine that keeps none: in a private folder, gone with it."""

from __future__ import annotations

import tempfile
import weakref
from pathlib import Path

from ordermade.errors import InputError
from ordermade.files.private import OwnFolder, random_name, remove_abandoned
from ordermade.state.authority import SHELL
from ordermade.state.database import initialise

_FOLDER = "ordermade-memory-"
"""The prefix of the folders of such states."""


class TemporaryState:
    """A new state in a folder (mode 0700) of the machine's temporary one, removed when this is closed or forgotten.

    The folders of processes that were killed are removed by the next one. Raises StateFault.
    """

    def __init__(self) -> None:
        root = Path(tempfile.gettempdir())
        remove_abandoned(root, _FOLDER)
        folder = OwnFolder.made(root / random_name(_FOLDER))
        self._removed = weakref.finalize(self, folder.remove)
        self.path = folder.path / "state.sqlite"
        try:
            initialise(self.path, SHELL)
        except BaseException:
            self.close()
            raise

    def require_open(self) -> None:
        """Raises InputError once it is closed."""
        if not self._removed.alive:
            raise InputError(
                "the engine in memory is closed, and what it knew is gone",
                where="Engine.in_memory",
                next_step="Make a new one, and work with it inside its `with` block.",
            )

    def close(self) -> None:
        """Removes the state and all that is beside it."""
        self._removed()
