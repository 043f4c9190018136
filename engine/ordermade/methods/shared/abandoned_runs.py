"""A run that was killed, put in order: its release gets its name or is withdrawn, and what it left is removed.

Mostly there is none, so that the code that writes releases is imported where one is put in order.
"""

from __future__ import annotations

from ordermade.errors import StateFault
from ordermade.sources.limits import AskPassword, Limits
from ordermade.state import releases, requests
from ordermade.state.database import StateFile
from ordermade.state.location import ledger_path
from ordermade.state.runs import AbandonedRun


def put_in_order(ask_password: AskPassword | None, state: StateFile, run: AbandonedRun) -> None:
    """Ends a run whose process is gone: its request, its release, what it left in servers, its folders.

    A server that its release went to may want a password, which `ask_password` gives. Raises StateFault, ReleaseFault,
    SourceFault where that cannot be done now.
    """
    limits = Limits(ask_password=ask_password)
    with state.reading() as connection:
        request = requests.of_run(connection, run.name)
        number = None if request is None else releases.of_request(connection, request[0])
    is_there = False
    if request is not None and number is not None and request[1] == "released":
        from ordermade.methods.shared.unfinished_releases import finish

        is_there = finish(state, run, request[0], number, limits)
    elif request is not None and request[1] == "running":
        with state.writing() as connection:
            requests.interrupt_run(connection, run.name)
    # Of a run that an older state knows nothing of, what was decided may have been carried out: that counts.
    is_lost = request is None and (bool(run.journal.moves) or run.journal.commit is not None)
    if ledger_path(state.path).exists():
        from ordermade.state.ledger import ledger_of

        ledger_of(state).settle_run(run.name, "released" if is_there or is_lost else "absent", number)
    for each in run.journal.tables:
        from ordermade.release.into_server import put_away

        put_away(each, run.name, limits)
    if not run.remove_folders():
        raise StateFault(
            "folders of an interrupted request cannot be removed",
            where=", ".join(run.journal.folders),
            next_step="Remove them; they hold personal data.",
        )
