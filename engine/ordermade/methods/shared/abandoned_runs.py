"""A run that was killed, put in order: its release gets its name or is withdrawn, and what it left is removed.

Mostly there is none, so that the code that writes releases is imported where one is put in order.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.errors import InputError, ReleaseFault, StateFault

if TYPE_CHECKING:
    from ordermade.sources.limits import AskPassword, Limits
    from ordermade.state.database import StateFile
    from ordermade.state.runs import AbandonedRun, SourceCommit

_WITHDRAWN = "the process ended before the release had its name"


def put_in_order(ask_password: AskPassword | None, state: StateFile, run: AbandonedRun) -> None:
    """Ends a run whose process is gone: its request, its release, what it left in servers, its folders.

    A server that its release went to may want a password, which `ask_password` gives. Raises StateFault, ReleaseFault,
    SourceFault where that cannot be done now.
    """
    from ordermade.sources.limits import Limits
    from ordermade.state import releases, requests

    limits = Limits(ask_password=ask_password)
    with state.reading() as connection:
        request = requests.of_run(connection, run.name)
        number = None if request is None else releases.of_request(connection, request[0])
    if request is not None and number is not None and request[1] == "released":
        _finish(state, run, request[0], number, limits)
    elif request is not None and request[1] == "running":
        with state.writing() as connection:
            requests.interrupt_run(connection, run.name)
    for each in run.journal.tables:
        from ordermade.release.into_server import put_away

        put_away(each, run.name, limits)
    if not run.remove_folders():
        raise StateFault(
            "folders of an interrupted request cannot be removed",
            where=", ".join(run.journal.folders),
            next_step="Remove them; they hold personal data.",
        )


def _finish(state: StateFile, run: AbandonedRun, request: int, number: int, limits: Limits) -> None:
    """Gives a recorded release its name, or withdraws it. Raises ReleaseFault where the source cannot be looked at."""
    from ordermade.methods.shared.published import carry_out_all
    from ordermade.state import audit, releases, requests

    journal = run.journal
    began = any(not Path(each.made).exists() for each in journal.moves)
    if journal.commit is not None:
        is_there = _is_committed(run.name, journal.commit, limits)
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
        audit.add_audit_entry(connection, "release withdrawn", str(number), _WITHDRAWN)


def _is_committed(run: str, commit: SourceCommit, limits: Limits) -> bool:
    from ordermade.release.into_source import is_committed
    from ordermade.sources.open import SERVERS

    if commit.kind in SERVERS.values():
        from ordermade.release.into_server import is_in_place

        return is_in_place(commit, run, limits)
    return is_committed(Path(commit.location), commit.table, commit.mark)
