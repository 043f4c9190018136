"""A recorded release whose process was killed before it had its name: it gets it, or is withdrawn."""

from __future__ import annotations

from pathlib import Path

from ordermade.errors import InputError, ReleaseFault
from ordermade.methods.shared.published import carry_out_all
from ordermade.release.into_server import is_in_place
from ordermade.release.into_source import is_committed
from ordermade.sources.kinds import kind_of
from ordermade.sources.limits import Limits
from ordermade.state import audit, releases, requests
from ordermade.state.database import StateFile
from ordermade.state.runs import AbandonedRun, SourceCommit

_WITHDRAWN = "the process ended before the release had its name"


def finish(state: StateFile, run: AbandonedRun, request: int, number: int, limits: Limits) -> bool:
    """Gives a recorded release its name, or withdraws it; whether it has its name.

    One that came to its end meanwhile gets none: another process has taken its request, and may have used its name.
    Raises ReleaseFault where the source cannot be looked at.
    """
    journal = run.journal
    began = any(not Path(each.made).exists() for each in journal.moves)
    if journal.commit is None:
        with state.reading() as connection:
            ended = releases.get(connection, number).ended
        if ended is not None:
            return began
    if journal.commit is not None:
        is_there = _is_committed(run.name, journal.commit, limits)
    else:
        try:
            carry_out_all(journal.moves)
            is_there = True
        except (InputError, ReleaseFault):  # its name was taken meanwhile, or its folder is gone
            is_there = False
    if is_there:
        return True
    with state.writing() as connection:
        releases.withdraw(connection, number, restore=not began or journal.commit is not None)
        requests.withdraw(connection, request, _WITHDRAWN)
        audit.add_audit_entry(connection, "release withdrawn", str(number), _WITHDRAWN)
    return False


def _is_committed(run: str, commit: SourceCommit, limits: Limits) -> bool:
    if kind_of(commit.kind).is_server:
        return is_in_place(commit, run, limits)
    return is_committed(Path(commit.location), commit.table, commit.mark)
