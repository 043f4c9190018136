"""The folders of the runs beside a state: which are there, and what is left of those whose processes are gone."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import OrdermadeError
from ordermade.private_files import SPILL, is_alive, remove_abandoned
from ordermade.state.location import DEFAULT_PATH
from ordermade.state.statements import WORKSHOP

if TYPE_CHECKING:
    from ordermade.state.database import StateFile
    from ordermade.state.runs import AbandonedRun

RUNS = "runs"


def runs_folder(state: Path) -> Path:
    """Where the runs of a state are: beside it."""
    return state.with_name(RUNS if state.name == DEFAULT_PATH.name else f"{state.stem}.{RUNS}")


def alive(state: Path) -> frozenset[str]:
    """The names of the runs whose processes live."""
    return frozenset(each.name for each in _folders(state) if is_alive(each))


def run_folders(state: Path) -> tuple[Path, ...]:
    """The folders of the runs of a state, alive or not."""
    return tuple(_folders(state))


def recovered(file: StateFile, put_in_order: Callable[[StateFile, AbandonedRun], None]) -> StateFile:
    """The state, not opened yet; what killed processes left on this machine and beside it is gone.

    `put_in_order` ends a run. Where it cannot now, a notice says why, and the next command tries again.
    """
    remove_abandoned(Path(tempfile.gettempdir()), SPILL)
    remove_abandoned(file.path.parent, WORKSHOP)
    for folder in run_folders(file.path):
        from ordermade.state.runs import abandoned  # mostly no run is under way

        try:
            with abandoned(folder) as run:
                if run is not None:
                    put_in_order(file, run)
        except OrdermadeError as error:
            if file.notice is not None:
                file.notice(f"an interrupted request could not be put in order: {error.message}")
    return file


def _folders(state: Path) -> list[Path]:
    try:
        with os.scandir(runs_folder(state)) as entries:
            return sorted(Path(each.path) for each in entries if each.is_dir(follow_symlinks=False))
    except OSError:  # no request was ever run on this state, or none is under way
        return []
