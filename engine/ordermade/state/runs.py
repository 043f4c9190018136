"""The runs that answer requests: folders and journals beside the state, by which a killed one is put in order.

A run is a request under way, with a locked folder. The folder has a random name, which the request is noted with, and
a journal: the private folders that the run has made elsewhere, and once its release is decided, the names that the
finished files are about to get. A process that takes the lock of the folder knows that the run's own is gone, and goes
by the journal.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.errors import StateFault
from ordermade.files.private import (
    FOLDER_MODE,
    OwnFolder,
    flush,
    is_alive,
    random_name,
    remove_abandoned,
    remove_if_abandoned,
    taken,
    write_private_file,
)
from ordermade.state.faults import state_fault
from ordermade.state.files import WORKSHOP, require
from ordermade.state.location import runs_folder

if TYPE_CHECKING:
    from ordermade.state.leases import Lease

_JOURNAL = "journal.json"


@dataclass(frozen=True, slots=True)
class FileMove:
    """A finished file on its way to its name; without `replace` it takes no other's place."""

    made: str
    name: str
    replace: bool


@dataclass(frozen=True, slots=True)
class SourceCommit:
    """A table about to be committed: at `location` (`${ENV}` kept), called `table`, with `mark` in its comment.

    `kind` of source; `schema` of the table on a server.
    """

    location: str
    table: str
    mark: str
    kind: str = "duckdb"
    schema: str = ""


@dataclass(frozen=True, slots=True)
class MadeTable:
    """A table that the run makes on a server that commits every step by itself, under the private name `made`.

    `gone` is the private name of the one whose place it takes as `table`. `location` as the source was registered,
    without a password.
    """

    kind: str
    location: str
    schema: str
    table: str
    made: str
    gone: str


@dataclass(frozen=True, slots=True)
class Journal:
    """The journal of a run: private `folders` and `tables`; once it is decided, `moves` in order or a `commit`."""

    folders: tuple[str, ...] = ()
    moves: tuple[FileMove, ...] = ()
    commit: SourceCommit | None = None
    tables: tuple[MadeTable, ...] = ()


@dataclass(slots=True)
class Run:
    """A request under way on the state at `state`; it has no folder until it begins.

    `closing`: all that is to be closed or removed when the run ends, however it ends. `replaces`: whether its release
    may take the place of what has its name. `stays`: its journal is left to the next command, which does what is left.
    `lease`: that of the submitted request that it answers; None: it answers none.
    """

    state: Path
    replaces: bool = False
    lease: Lease | None = None
    stays: bool = False
    closing: contextlib.ExitStack = field(default_factory=contextlib.ExitStack)
    _folder: OwnFolder | None = None
    _journal: Journal = field(default_factory=Journal)
    _foreseen: tuple[Path, ...] = ()
    _workshops: list[OwnFolder] = field(default_factory=list)

    @property
    def name(self) -> str | None:
        """The name of the run; None until it begins."""
        return None if self._folder is None else self._folder.path.name

    def begin(self) -> None:
        """Makes the folder of the run, locked until it ends. Raises StateFault."""
        folder = runs_folder(self.state)
        while self._folder is None:
            try:
                folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
                self._folder = OwnFolder.made(folder / random_name(""))
            except FileNotFoundError:  # the last run that ended took it away; without a state there is no place for it
                require(self.state)
            except OSError as error:
                raise state_fault(error, folder, "folder of runs") from error

    def end(self) -> None:
        """Closes and removes all that the run has made on its way, its own folder last."""
        try:
            self.closing.close()
        finally:
            if self._folder is not None:
                if self.stays:
                    self._folder.leave()
                else:
                    self._folder.remove()
                self._folder = None
                remove_if_empty(runs_folder(self.state))

    def foreseen(self, parents: Iterable[Path]) -> tuple[Path, ...]:
        """The paths of the workshops in `parents`, each once, for a source that is opened before they are made."""
        self._foreseen = tuple(each / random_name(WORKSHOP) for each in dict.fromkeys(parents))
        return self._foreseen

    def workshop(self, parent: Path) -> OwnFolder:
        """A private folder in `parent` for files to be made in, gone when the run ends. Raises OSError, StateFault."""
        there = next((each for each in self._workshops if each.path.parent == parent), None)
        if there is not None:
            return there
        remove_abandoned(parent, WORKSHOP)
        foreseen = (each for each in self._foreseen if each.parent == parent)
        path = next(foreseen, None) or parent / random_name(WORKSHOP)
        self._note(replace(self._journal, folders=(*self._journal.folders, str(path))))
        folder = OwnFolder.made(path)
        self.closing.callback(folder.remove)
        self._workshops.append(folder)
        return folder

    def make_table(self, table: MadeTable) -> None:
        """Notes a table before it is made on a server. Raises StateFault."""
        self._note(replace(self._journal, tables=(*self._journal.tables, table)))

    def decide(self, moves: tuple[FileMove, ...], commit: SourceCommit | None) -> None:
        """Notes the last steps of a release, before the state records it. Raises StateFault."""
        self._note(replace(self._journal, moves=moves, commit=commit))

    def _note(self, journal: Journal) -> None:
        self._journal = journal
        if self._folder is None:
            return
        path = self._folder.path / _JOURNAL
        beside = path.with_suffix(".new")
        try:
            beside.unlink(missing_ok=True)
            write_private_file(beside, json.dumps(asdict(journal)))
            beside.replace(path)
            flush(path.parent)
        except OSError as error:
            raise state_fault(error, path, "journal of the run") from error


def alive(state: Path) -> frozenset[str]:
    """The names of the runs whose processes live."""
    return frozenset(each.name for each in run_folders(state) if is_alive(each))


@dataclass(frozen=True, slots=True)
class AbandonedRun:
    """A run whose process is gone, locked by this process while it is put in order."""

    name: str
    journal: Journal

    def remove_folders(self) -> bool:
        """Removes the private folders that the run has made elsewhere; whether all are gone."""
        gone = [remove_if_abandoned(Path(each)) for each in self.journal.folders]
        return all(gone)


@contextlib.contextmanager
def abandoned(folder: Path) -> Iterator[AbandonedRun | None]:
    """The run of a folder if its process is gone, None if it lives; the folder goes where the block leaves it at that.

    The folder stays if the block raises, for the next process to try.
    """
    lock = taken(folder)
    if lock is None:
        yield None
        return
    try:
        yield AbandonedRun(folder.name, _read(folder / _JOURNAL))
    except BaseException:
        os.close(lock)
        raise
    OwnFolder(folder, lock).remove()
    remove_if_empty(folder.parent)


def run_folders(state: Path) -> tuple[Path, ...]:
    """The folders of the runs of a state, alive or not."""
    try:
        with os.scandir(runs_folder(state)) as entries:
            return tuple(sorted(Path(each.path) for each in entries if each.is_dir(follow_symlinks=False)))
    except OSError:  # no request was ever run on this state, or none is under way
        return ()


def remove_if_empty(folder: Path) -> None:
    """Removes the folder of runs where no run is in it."""
    with contextlib.suppress(OSError):  # another run has its folder there
        folder.rmdir()


def _read(path: Path) -> Journal:
    """The journal; an empty one where the process was killed before it wrote one. Raises StateFault."""
    try:
        noted: Any = json.loads(path.read_text(encoding="utf-8"))
        return Journal(
            tuple(str(each) for each in noted["folders"]),
            tuple(FileMove(**each) for each in noted["moves"]),
            None if noted["commit"] is None else SourceCommit(**noted["commit"]),
            tuple(MadeTable(**each) for each in noted.get("tables", ())),
        )
    except FileNotFoundError:
        return Journal()
    except (OSError, ValueError, KeyError, TypeError):
        raise StateFault(
            "the journal of an interrupted request cannot be read",
            where=str(path),
            next_step="Remove its folder once you have looked at what is in it.",
        ) from None
