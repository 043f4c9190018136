"""A release as a folder of files that its source writes: staged privately, read back, then given its name whole."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from ordermade.errors import ReleaseFault
from ordermade.files.private import FILE_MODE, flush, sha256_of
from ordermade.release.files import cannot_write, make_folders
from ordermade.state.runs import FileMove, Run

_READERS = 0o444


@dataclass(slots=True)
class StagedFolder:
    """A folder of a release at `path`, in a private folder beside the `target` whose name it is about to get.

    Other processes write it, which know it by its path alone: nobody else may rename what leads to it.
    `mode`: that of the published files; until then nobody else reaches them.
    """

    target: Path
    path: Path
    mode: int = FILE_MODE
    kind: ClassVar[str] = "folder"
    _seen: tuple[tuple[str, int, int, int], ...] = field(default=())

    @classmethod
    def planned(cls, run: Run, target: Path, mode: int = FILE_MODE) -> StagedFolder:
        """A folder that is not there yet; its source makes it. Raises ReleaseFault where its parent cannot be."""
        try:
            make_folders(target.parent, mode)
            return cls(target, run.workshop(target.parent).path / target.name, mode)
        except OSError as error:
            raise cannot_write(target, error) from None

    def finish(self) -> None:
        """Removes the source's own notes, and notes the files as they were written. Raises ReleaseFault."""
        try:
            for each in list(self.path.iterdir()):
                if each.name.startswith((".", "_")):
                    each.unlink()
        except OSError as error:
            raise self._unreachable(error) from None
        self._seen = self._look()

    def sha256(self) -> str:
        """The SHA-256 of the finished folder. Raises ReleaseFault if it is not as it was written."""
        found = sha256_of(self.path)
        self.require_untouched()
        return found

    def require_untouched(self) -> None:
        """Raises ReleaseFault unless the folder has the files that were written, as they were written."""
        if not self._seen or self._look() != self._seen:
            raise ReleaseFault(
                "the folder changed after it was written, so nothing was released",
                where=str(self.target),
                next_step="Something else writes into that folder: release to another one.",
            )

    def seal(self) -> None:
        """Gives the files their mode and brings them to the disk. Raises ReleaseFault."""
        self.require_untouched()
        try:
            for each in self._files():
                each.chmod(self.mode)
                flush(each)
            self.path.chmod(self.mode | 0o100 | (self.mode & _READERS) >> 2)
            flush(self.path)
        except OSError as error:
            raise cannot_write(self.target, error) from None

    def move(self, *, replace: bool) -> FileMove:
        """The last step of the folder, for the journal."""
        return FileMove(str(self.path), str(self.target), replace)

    def _files(self) -> Iterator[Path]:
        return iter(sorted(self.path.iterdir()))

    def _look(self) -> tuple[tuple[str, int, int, int], ...]:
        try:
            seen = [(each.name, os.lstat(each)) for each in self._files()]
        except OSError as error:
            raise self._unreachable(error) from None
        return tuple((name, now.st_ino, now.st_size, now.st_mtime_ns) for name, now in seen)

    def _unreachable(self, error: OSError) -> ReleaseFault:
        return ReleaseFault(
            f"what the source has written is not there for the engine ({error.strerror or type(error).__name__})",
            where=str(self.target),
            next_step="Name a folder that the workers of the source and this machine reach by one path, "
            "or release to a file.",
        )
