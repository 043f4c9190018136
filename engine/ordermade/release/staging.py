"""A file of a release on its way: made in a private folder, known by its inode, and given its name at the very end.

The file that is measured, the file that is hashed and the file that gets the name are one: same device, same inode, and
not written to in between.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path

from ordermade.errors import ReleaseFault
from ordermade.private_files import FILE_MODE, FOLDER_MODE, new_private_file, same_file
from ordermade.release.files import cannot_write
from ordermade.state.runs import Move, Run

_BLOCK = 1 << 20
_READ_BY_OTHERS = 0o044


@dataclass(slots=True)
class StagedFile:
    """A file of a release at `path`, in a private folder beside the `target` whose name it is about to get.

    `mode`: that of the published file; until then it is readable by its owner alone.
    """

    target: Path
    path: Path
    mode: int
    _descriptor: int
    _seen: os.stat_result | None = field(default=None)

    @classmethod
    def made(cls, run: Run, target: Path, mode: int = FILE_MODE) -> StagedFile:
        """A new, empty file, removed when the run ends. Raises ReleaseFault where the folder cannot be written."""
        try:
            _make_folders(target.parent, mode)
            path = run.workshop(target.parent) / target.name
            descriptor = new_private_file(path)
        except OSError as error:
            raise cannot_write(target, error) from None
        run.closing.callback(os.close, descriptor)
        return cls(target, path, mode, descriptor)

    @classmethod
    def with_text(cls, run: Run, target: Path, text: str, mode: int = FILE_MODE) -> StagedFile:
        """A finished file of this text. Raises ReleaseFault."""
        staged = cls.made(run, target, mode)
        try:
            with os.fdopen(os.dup(staged._descriptor), "w", encoding="utf-8", newline="") as file:
                file.write(text)
        except OSError as error:
            raise cannot_write(target, error) from None
        staged.finish()
        return staged

    def finish(self) -> None:
        """Notes the file as it was written; from now on it must stay so. Raises ReleaseFault."""
        self._seen = self._look()

    def sha256(self) -> str:
        """The SHA-256 of the finished file, in hexadecimal. Raises ReleaseFault if it is not as it was written."""
        found = hashlib.sha256()
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        while block := os.read(self._descriptor, _BLOCK):
            found.update(block)
        self.require_untouched()
        return found.hexdigest()

    def require_untouched(self) -> None:
        """Raises ReleaseFault unless the file under its path is the one that was written, and as it was written."""
        now, then = self._look(), self._seen
        if (
            then is None
            or not same_file(now, then)
            or (now.st_size, now.st_mtime_ns) != (then.st_size, then.st_mtime_ns)
        ):
            raise ReleaseFault(
                "the file changed after it was written, so nothing was released",
                where=str(self.target),
                next_step="Something else writes into that folder: release to another one.",
            )

    def seal(self) -> None:
        """Gives the file its mode and brings it to the disk. Raises ReleaseFault."""
        self.require_untouched()
        try:
            os.fchmod(self._descriptor, self.mode)
            os.fsync(self._descriptor)
        except OSError as error:
            raise cannot_write(self.target, error) from None

    def move(self, *, replace: bool) -> Move:
        """The last step of the file, for the journal."""
        return Move(str(self.path), str(self.target), replace)

    def _look(self) -> os.stat_result:
        try:
            named, opened = self.path.lstat(), os.fstat(self._descriptor)
        except OSError as error:
            raise cannot_write(self.target, error) from None
        if not same_file(named, opened):
            raise ReleaseFault(
                "another file took the place of the one that was written, so nothing was released",
                where=str(self.target),
                next_step="Something else writes into that folder: release to another one.",
            )
        return opened


def _make_folders(folder: Path, mode: int) -> None:
    """Makes the folder of a release; folders that are made let in whom the release is for, whatever the umask."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(exist_ok=True)
        # A user who may read the file must be able to reach it.
        reading = mode & _READ_BY_OTHERS
        each.chmod(FOLDER_MODE | reading | reading >> 2)
