"""The state as a command finds it: what killed processes left behind is put in order first.

Mostly there is nothing, so that the code that writes releases is imported where a run is to be put in order.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import OrdermadeError
from ordermade.private_files import SPILL, remove_abandoned
from ordermade.state.database import StateFile, located
from ordermade.state.requests import AbandonedRun, abandoned, run_folders
from ordermade.state.statements import WORKSHOP
from ordermade.waiting import Notice

if TYPE_CHECKING:
    from ordermade.sources.workspace import AskPassword


def recovered(
    state: Path | str | None,
    wait_seconds: float,
    notice: Notice | None,
    ask_password: AskPassword | None,
    token_hash: str | None = None,
) -> StateFile:
    """The state (None: the nearest), not opened yet; what killed processes left on this machine and beside it is gone.

    Their requests become `interrupted`; a release that the state had recorded gets its name, or is withdrawn where it
    cannot. Where a run cannot be put in order now, `notice` says why, and the next command tries again. A server that a
    release went to may want a password, which `ask_password` gives. `token_hash`: as `StateFile` has it. Raises
    InputError as `located` does.
    """
    file = StateFile(located(state), wait_seconds, notice, token_hash)
    remove_abandoned(Path(tempfile.gettempdir()), SPILL)
    remove_abandoned(file.path.parent, WORKSHOP)
    for folder in run_folders(file.path):
        try:
            with abandoned(folder) as run:
                if run is not None:
                    _put_in_order(file, run, ask_password)
        except OrdermadeError as error:
            if notice is not None:
                notice(f"an interrupted request could not be put in order: {error.message}")
    return file


def _put_in_order(state: StateFile, run: AbandonedRun, ask_password: AskPassword | None) -> None:
    from ordermade.methods.shared.abandoned_runs import put_in_order
    from ordermade.sources.workspace import Limits

    put_in_order(state, run, Limits(ask_password=ask_password))
