"""Private files: those of one process, locked while it lives, removed by others once it is gone; those kept for others.

A folder that a process makes on its way has a random name, mode 0700, and an `flock` on it for as long as the process
lives. Process numbers are reused and differ between containers; a lock does neither. A process that can take the lock
of such a folder knows that its owner is gone, and may remove it.

A kept file has its own hash in its name: it is made under another name, and whoever reads it takes a copy and knows
whether it is whole. So processes that keep, read and drop the same file at once need no lock.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import importlib.util
import os
import re
import secrets
import shutil
import stat
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

_LOCKS = importlib.util.find_spec("fcntl") is not None
"""Whether folders can be locked. Where they cannot (no POSIX system), no folder is ever taken for abandoned."""
if _LOCKS:
    import fcntl

FILE_MODE = 0o600
FOLDER_MODE = 0o700
OTHERS = 0o077
SPILL = "ordermade-spill-"
"""The prefix of the folders that DuckDB spills to."""

_NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)

_umask_guard = threading.Lock()
_umasks: list[int] = []
"""The umask of the process: the first block that narrows it stores the old one here, the last block restores it."""


@contextlib.contextmanager
def private_umask() -> Iterator[None]:
    """Every file made while the block runs, by any code, is readable and writable by its owner alone.

    For files that a database makes by itself, such as a write-ahead log; blocks of several threads may overlap.
    """
    with _umask_guard:
        before = os.umask(OTHERS)
        _umasks.append(_umasks[0] if _umasks else before)
    try:
        yield
    finally:
        with _umask_guard:
            before = _umasks.pop()
            if not _umasks:
                os.umask(before)


def new_private_file(path: Path) -> int:
    """A descriptor of the new, empty file `path`, mode 0600 whatever the umask.

    Raises FileExistsError where anything has that name, a symbolic link included; OSError.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), FILE_MODE)
    os.fchmod(descriptor, FILE_MODE)
    return descriptor


def write_private_file(path: Path, text: str) -> None:
    """Writes a new file of its owner's alone, and brings it to the disk. Raises FileExistsError, OSError."""
    with open(new_private_file(path), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


@dataclass(frozen=True, slots=True)
class OwnFolder:
    """A folder of this process, mode 0700, with the descriptor that keeps it locked (None where nothing locks)."""

    path: Path
    lock: int | None

    @classmethod
    def made(cls, path: Path) -> OwnFolder:
        """The new folder `path`. Raises FileExistsError where anything has that name, OSError."""
        while True:
            path.mkdir(mode=FOLDER_MODE)
            if not _LOCKS:
                return cls(path, None)
            lock = _locked(path)
            if lock is not None:
                return cls(path, lock)
            # Before it was locked, another process took it for abandoned and removed it.

    @property
    def through(self) -> Path:
        """The folder by its descriptor: what is written there stays there, whatever is renamed on the way to it.

        Its path where the system has no such names: Linux has them, for the process itself alone.
        """
        named = Path(f"/proc/self/fd/{self.lock}")
        return self.path if self.lock is None or not named.is_dir() else named

    def has_made(self, descriptor: int) -> bool:
        """Whether an open file, made in the folder, has its owner: else the folder is not the one that was made."""
        return self.lock is None or os.fstat(self.lock).st_uid == os.fstat(descriptor).st_uid

    def remove(self) -> None:
        """Removes the folder with all that is in it, and lets go of the lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self.lock is not None:
            _remove_where_it_is(self.lock, self.path.name)
        self.leave()

    def leave(self) -> None:
        """Lets go of the lock and leaves the folder to the process that finds it abandoned."""
        if self.lock is not None:
            os.close(self.lock)


def _remove_where_it_is(folder: int, name: str) -> None:
    """Removes an open folder whose path leads to another place by now, as where the one above it was renamed."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for each in list(entries):
            if each.is_dir(follow_symlinks=False):
                shutil.rmtree(each.name, ignore_errors=True, dir_fd=folder)
            else:
                os.unlink(each.name, dir_fd=folder)
        above = os.open("..", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        try:
            os.rmdir(name, dir_fd=above)
        finally:
            os.close(above)


def random_name(prefix: str) -> str:
    """A file name that begins with `prefix` and that nobody can foresee."""
    return f"{prefix}{secrets.token_hex(8)}"


@contextlib.contextmanager
def own_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new folder in `parent` with a random name, locked while the block runs and removed at its end.

    Those of the same prefix whose processes are gone are removed first. Raises OSError where it cannot be made.
    """
    remove_abandoned(parent, prefix)
    folder = OwnFolder.made(parent / random_name(prefix))
    try:
        yield folder.path
    finally:
        folder.remove()


def taken(folder: Path) -> int | None:
    """The descriptor that locks a folder, if nobody else does and it still has its name; else None.

    None, too, for anything but a folder, and for a folder of somebody else's.
    """
    if not _LOCKS:
        return None
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:  # it is gone, or it may not be opened
        return None
    # An error of either call: another process has the lock, or has removed the folder.
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if same_file(os.fstat(descriptor), folder.lstat()):
            return descriptor
    os.close(descriptor)
    return None


def _locked(folder: Path) -> int | None:
    """The descriptor that locks a folder made a moment ago; None if it was removed. Raises OSError.

    Another process that looks whether the folder is abandoned has the lock for a moment: it is waited for.
    """
    with contextlib.suppress(FileNotFoundError), contextlib.ExitStack() as unless_locked:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        unless_locked.callback(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        if same_file(os.fstat(descriptor), folder.lstat()):
            unless_locked.pop_all()
            return descriptor
    return None


def is_alive(folder: Path) -> bool:
    """Whether a process has the lock of a folder. Where nothing locks, every folder counts as alive."""
    descriptor = taken(folder)
    if descriptor is None:
        return folder.exists()
    os.close(descriptor)
    return False


def remove_abandoned(parent: Path, prefix: str) -> None:
    """Removes the folders in `parent` whose names begin with `prefix` and whose processes are gone."""
    try:
        with os.scandir(parent) as entries:
            found = [Path(each.path) for each in entries if each.name.startswith(prefix)]
    except OSError:  # the parent is not there or may not be read: nothing in it is ours to remove
        return
    for each in found:
        remove_if_abandoned(each)


def remove_if_abandoned(folder: Path) -> bool:
    """Removes a folder unless its process lives; whether it is gone now."""
    lock = taken(folder)
    if lock is not None:
        OwnFolder(folder, lock).remove()
    return not folder.exists()


def give_name(made: Path, name: Path, *, replace: bool) -> None:
    """Gives the finished file or folder `made` the name `name`; without `replace` never in the place of another.

    A link replaces nothing, so of two processes at once one gets the name; where the file system has no links, a rename
    under the lock of the folder does the same. Called again after a kill, it finishes what it began. Raises
    FileExistsError where another file has the name, OSError.
    """
    if replace and made.is_dir() and name.exists():
        # A folder takes the place of none that has files. Its predecessor goes with the folder that it was made in.
        gone = made.with_name(f"{made.name}.gone")
        name.rename(gone)
        try:
            made.rename(name)
        except OSError:
            gone.rename(name)
            raise
    elif replace:
        if made.exists() or not name.exists():
            made.replace(name)
    else:
        _link(made, name)
    flush(name.parent)


def _link(made: Path, name: Path) -> None:
    try:
        os.link(made, name, follow_symlinks=False)
    except FileExistsError:
        if not made.exists() or not same_file(made.lstat(), name.lstat()):
            raise
    except FileNotFoundError:
        if not name.exists():  # else it was renamed before
            raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with alone_in(name.parent):
            if os.path.lexists(name):
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(name)) from None
            made.rename(name)


def take_back(made: Path, name: Path) -> None:
    """Frees the name that a finished file was given, if it is still this file that has it. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        if same_file(made.lstat(), name.lstat()):
            name.unlink()


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """The block runs while no other process is in such a block for the same folder. Raises OSError."""
    if not _LOCKS:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def flush(path: Path) -> None:
    """Brings a file, or the names in a folder, to the disk. Raises OSError."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def same_file(one: os.stat_result, other: os.stat_result) -> bool:
    """Whether two looks saw one file: the same device and the same inode."""
    return (one.st_dev, one.st_ino) == (other.st_dev, other.st_ino)


def kind_of_file(mode: int) -> str:
    """The kind of thing that a `st_mode` is of, in words: `folder`, `named pipe`, …; `file` for a regular file."""
    for is_it, words in (
        (stat.S_ISREG, "file"),
        (stat.S_ISDIR, "folder"),
        (stat.S_ISLNK, "symbolic link"),
        (stat.S_ISFIFO, "named pipe"),
        (stat.S_ISSOCK, "socket"),
    ):
        if is_it(mode):
            return words
    return "device"


_KEPT = re.compile(r"([0-9a-f]{16})-([0-9a-f]{32})-([0-9a-f]{64})[.]kept")
_MADE = ".new-"
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class SharedFile:
    """A kept file: the hash of the `place` that its content is of, and the `key` that the content goes by."""

    path: Path
    place: str
    key: str
    digest: str
    bytes: int
    last_used_at: datetime

    def copied(self, to: BinaryIO) -> str | None:
        """Its note, with its content written `to` a file; None where it is not as it was kept. Raises OSError."""
        found = hashlib.sha256()
        with self.path.open("rb") as file:
            note = file.readline()
            found.update(note)
            while block := file.read(_BLOCK):
                found.update(block)
                to.write(block)
        return note.decode("utf-8").rstrip("\n") if found.hexdigest() == self.digest else None


@dataclass(frozen=True, slots=True)
class SharedFiles:
    """The files kept in a folder, mode 0600 in a folder 0700; one of each place."""

    folder: Path

    def listed(self) -> tuple[SharedFile, ...]:
        """The files, the one used longest ago first; none where there is no folder. Raises OSError."""
        found = []
        with contextlib.suppress(FileNotFoundError), os.scandir(self.folder) as entries:
            for each in entries:
                name = _KEPT.fullmatch(each.name)
                with contextlib.suppress(FileNotFoundError):
                    if name and each.is_file(follow_symlinks=False):
                        seen = each.stat(follow_symlinks=False)
                        used = datetime.fromtimestamp(seen.st_mtime, UTC)
                        found.append(SharedFile(Path(each.path), name[1], name[2], name[3], seen.st_size, used))
        return tuple(sorted(found, key=lambda each: (each.last_used_at, each.path)))

    def copied(self, place: str, key: str, to: Path) -> str | None:
        """The note of what is kept under this key, its content copied into the file `to`; None where nothing is.

        One that is damaged is dropped. Raises OSError.
        """
        for each in self.listed():
            if (each.place, each.key) == (_hash(place)[:16], _hash(key)[:32]):
                with (
                    contextlib.suppress(FileNotFoundError),
                    to.open("wb") as file,
                ):  # another process may have dropped it
                    note = each.copied(file)
                    if note is not None:
                        with contextlib.suppress(OSError):  # a folder that may only be read serves as well
                            os.utime(each.path)
                        return note
                    each.path.unlink()
        return None

    def keep(self, place: str, key: str, note: str, content: Path) -> None:
        """Keeps the `content` of a file with a `note`, one line of text, instead of all that is of this place.

        Raises OSError.
        """
        self.folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        with own_folder(self.folder, _MADE) as workshop:
            made = workshop / "made"
            found = hashlib.sha256()
            with open(new_private_file(made), "wb") as file, content.open("rb") as source:
                block = note.encode("utf-8") + b"\n"
                while block:
                    found.update(block)
                    file.write(block)
                    block = source.read(_BLOCK)
                file.flush()
                os.fsync(file.fileno())
            name = f"{_hash(place)[:16]}-{_hash(key)[:32]}-{found.hexdigest()}.kept"
            made.replace(self.folder / name)
        self.drop(each for each in self.of_places([place]) if each.path.name != name)

    def of_places(self, places: Iterable[str]) -> tuple[SharedFile, ...]:
        """The files of some places. Raises OSError."""
        hashes = {_hash(each)[:16] for each in places}
        return tuple(each for each in self.listed() if each.place in hashes)

    def drop(self, files: Iterable[SharedFile]) -> int:
        """Removes files, and those that killed processes left half made; the number removed. Raises OSError."""
        remove_abandoned(self.folder, _MADE)
        dropped = 0
        for each in files:
            with contextlib.suppress(FileNotFoundError):
                each.path.unlink()
                dropped += 1
        return dropped


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal; of a folder, that of the lines which `sha256sum *` prints in it."""
    if path.is_dir():
        lines = [f"{sha256_of(each)}  {each.name}\n" for each in sorted(path.iterdir())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
