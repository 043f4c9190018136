"""Where what does not fit in memory is put down: a private folder that goes when it is closed."""

from __future__ import annotations

import tempfile
from pathlib import Path
from types import TracebackType

from ordermade.files.private import SPILL, OwnFolder, random_name, remove_abandoned


class SpillFolder:
    """A private folder (mode 0700) for what does not fit in memory; it holds personal data, so it goes when closed.

    Folders that a killed process left behind are removed by the next one.
    """

    def __init__(self) -> None:
        root = Path(tempfile.gettempdir())
        remove_abandoned(root, SPILL)
        self._folder = OwnFolder.made(root / random_name(SPILL))
        self.path = self._folder.through  # nothing is spilled elsewhere, if another user renames in the folder around
        self._is_open = True

    @property
    def named(self) -> Path:
        """The folder by its name, for another process, which has no descriptor of it."""
        return self._folder.path

    def close(self) -> None:
        """Removes the folder and all that is in it."""
        if self._is_open:
            self._is_open = False
            self._folder.remove()

    def __enter__(self) -> SpillFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
