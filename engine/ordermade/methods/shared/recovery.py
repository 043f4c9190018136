"""After a kill: what an interrupted request left behind is removed, and a release that was decided gets its name."""

from __future__ import annotations

import tempfile
from pathlib import Path

from ordermade.errors import InputError, OrdermadeError, ReleaseFault, StateFault
from ordermade.methods.shared.publishing import carry_out_all
from ordermade.private_files import remove_abandoned
from ordermade.release.into_source import is_committed
from ordermade.sources.workspace import SPILL
from ordermade.state import releases, requests, statements
from ordermade.state.database import StateFile
from ordermade.state.opening import WORKSHOP
from ordermade.state.runs import AbandonedRun, abandoned, run_folders

_WITHDRAWN = "the process ended before the release had its name"


def recover(state: StateFile) -> None:
    """Puts in order what killed processes left on this machine and beside this state.

    Their requests become `interrupted`; a release that the state had recorded gets its name, or is withdrawn where it
    cannot. Where a run cannot be put in order now, `notice` says why, and the next command tries again.
    """
    remove_abandoned(Path(tempfile.gettempdir()), SPILL)
    remove_abandoned(state.path.parent, WORKSHOP)
    for folder in run_folders(state.path):
        try:
            with abandoned(folder) as run:
                if run is not None:
                    _put_in_order(state, run)
        except OrdermadeError as error:
            if state.notice is not None:
                state.notice(f"an interrupted request could not be put in order: {error.message}")


def _put_in_order(state: StateFile, run: AbandonedRun) -> None:
    with state.reading() as connection:
        request = requests.of_run(connection, run.name)
        number = None if request is None else releases.of_request(connection, request[0])
    if request is not None and number is not None and request[1] == "released":
        _finish(state, run, request[0], number)
    elif request is not None and request[1] == "running":
        with state.writing() as connection:
            requests.interrupt_run(connection, run.name)
    if not run.remove_folders():
        raise StateFault(
            "folders of an interrupted request cannot be removed",
            where=", ".join(run.journal.folders),
            next_step="Remove them; they hold personal data.",
        )


def _finish(state: StateFile, run: AbandonedRun, request: int, number: int) -> None:
    """Gives a recorded release its name, or withdraws it. Raises ReleaseFault where the source cannot be looked at."""
    journal = run.journal
    began = any(not Path(each.made).exists() for each in journal.moves)
    if journal.commit is not None:
        is_there = is_committed(Path(journal.commit.location), journal.commit.table, journal.commit.mark)
    else:
        try:
            carry_out_all(journal.moves)
            is_there = True
        except (InputError, ReleaseFault):  # its name was taken meanwhile, or its folder is gone
            is_there = False
    if is_there:
        return
    with state.writing() as connection:
        releases.withdraw(connection, number, restore=not began or journal.commit is not None)
        requests.withdraw(connection, request, _WITHDRAWN)
        statements.add_audit_entry(connection, "release withdrawn", str(number), _WITHDRAWN)
