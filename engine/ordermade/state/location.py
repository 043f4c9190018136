"""The place of the state: named, or looked for in the working directory and the folders above it, as git does."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from ordermade.errors import InputError

ENVIRONMENT_VARIABLE = "ORDERMADE_STATE"
DEFAULT_PATH = Path(".ordermade") / "state.sqlite"
EARLIER_PATH = Path(".ordermade") / "state.duckdb"
"""The place of the state of earlier engines, which kept it in a DuckDB file."""


@dataclass(frozen=True, slots=True)
class StateLookup:
    """The search for a state in a folder and those above it: the state, if there is one, and why it went no further.

    `above`: the state is not in the folder itself. `stopped`: the reason to look no further up, as the end of a
    sentence; empty at the root.
    """

    path: Path | None
    above: bool
    stopped: str = ""


def state_here() -> Path:
    """The default state of the working directory. Raises InputError where that folder is gone."""
    return _working_directory() / DEFAULT_PATH


def look_up(start: Path | None = None, place: Path = DEFAULT_PATH) -> StateLookup:
    """Looks for the nearest `.ordermade/state.sqlite`, or `place`, in `start` (None: here) and above, as git does.

    The search ends where another file system begins, and at a folder, a `.ordermade` or a state above that belongs to
    another user: a state names files to read, and nobody reads by the names that a stranger wrote. The working
    directory itself may be anybody's. Raises InputError where the working directory is gone.
    """
    here = _working_directory() if start is None else start
    try:
        device = here.stat().st_dev
    except OSError:
        return StateLookup(None, above=False)
    for each in (here, *here.parents):
        try:
            if each != here and (stopped := _boundary(each, device, place)):
                return StateLookup(None, above=False, stopped=stopped)
            if _is_there(each / place):
                stopped = "" if each == here else _strangers(each, place)
                return StateLookup(None if stopped else each / place, above=each != here, stopped=stopped)
        except OSError:
            return StateLookup(None, above=False, stopped=f"{each} cannot be read")
    return StateLookup(None, above=False)


def _is_there(path: Path) -> bool:
    """Whether there is a file, or a link to nowhere. Raises OSError where that cannot be known."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def _boundary(folder: Path, device: int, place: Path) -> str:
    """The reason not to look in a folder above; empty if there is none."""
    found = folder.stat()
    if found.st_dev != device:
        return f"{folder} is on another file system"
    if not _is_own(found.st_uid):
        return f"{folder} belongs to another user{_refused_there(folder / place)}"
    return ""


def _refused_there(path: Path) -> str:
    try:
        found = path.exists()
    except OSError:
        return ""
    return ": name its state with --state if you trust it" if found else ""


def _strangers(folder: Path, place: Path) -> str:
    """The reason not to use the state in a folder above: it, or its folder, is another user's; empty if neither is."""
    for each in (folder / place.parent, folder / place):
        found = each.lstat()
        if not _is_own(found.st_uid):
            return f"{each} belongs to another user: name the state with --state if you trust it"
        if stat.S_ISLNK(found.st_mode):  # a link of one's own leads where one wants
            break
    return ""


def _is_own(owner: int) -> bool:
    """Whether a file is this user's; under sudo also that of the user who called it."""
    user = os.geteuid()
    return owner == user or (user == 0 and os.environ.get("SUDO_UID") == str(owner))


def _working_directory() -> Path:
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise InputError(
            "the working directory is gone",
            where="the state",
            next_step="Go to another folder, or name the state with --state and a path from /.",
        ) from None


def locate_state(option: str | Path | None = None) -> Path:
    """Where the state is: the option, else ORDERMADE_STATE, else the nearest one in this folder or above.

    Where there is none, the place in the working directory where `init` makes one: `.ordermade/state.sqlite`. Always
    absolute; `~` is expanded. Raises InputError for an option that is given but empty, and where the working directory
    that is to be looked in is gone.
    """
    return named_state(None if option is None else str(option)) or look_up().path or state_here()


def named_state(option: str | None = None) -> Path | None:
    """The state that the option or ORDERMADE_STATE names, absolute; None where neither does. Raises InputError."""
    if option is not None and not option.strip():
        raise InputError("the path of the state is empty", where="--state", next_step="Give a path, or leave it out.")
    chosen = option or os.environ.get(ENVIRONMENT_VARIABLE)
    if not chosen:
        return None
    path = Path(chosen).expanduser()
    return path if path.is_absolute() else _working_directory() / path


def not_found_above(path: Path) -> str:
    """The end of a sentence on a state that is not at `path`: that none is above either, and where the search ended.

    Empty where `path` is not the default of the working directory, or there is a state above.
    """
    try:
        found = look_up() if path == state_here() else None
    except InputError:
        return ""
    if found is None or found.path is not None:
        return ""
    return f", nor in a folder above ({found.stopped})" if found.stopped else ", nor in a folder above"


def cache_path(state: Path) -> Path:
    """Where the cache of a state is: beside it."""
    return state.with_name(f"{state.stem}.{CACHE_NAME}" if state.name != DEFAULT_PATH.name else CACHE_NAME)


def ledger_path(state: Path) -> Path:
    """Where the ledger of a state is: beside it."""
    return state.with_name(LEDGER_NAME if state.name == DEFAULT_PATH.name else f"{state.stem}.{LEDGER_NAME}")


def runs_folder(state: Path) -> Path:
    """Where the runs of a state are: beside it."""
    return state.with_name(RUNS if state.name == DEFAULT_PATH.name else f"{state.stem}.{RUNS}")


CACHE_NAME = "cache.duckdb"


LEDGER_NAME = "ledger.sqlite"


RUNS = "runs"


def earlier_state(path: Path) -> Path | None:
    """The state of an earlier engine that is meant where there is none at `path`: beside it, or the nearest one."""
    beside = path.with_suffix(EARLIER_PATH.suffix)
    try:
        if beside.is_file():
            return beside
        return look_up(place=EARLIER_PATH).path if path == state_here() else None
    except (InputError, OSError):
        return None
