"""Releases that the state has and the ledger has not: of an earlier version, or from before a ledger that was lost.

What was released counts, so they get an entry, as releases for anyone whose classes are not known: later ones are
undecided beside them, until the provider takes them in from their files, or says that nobody has them any more.
"""

from __future__ import annotations

from typing import Any

from ordermade.ledger.entries import LedgerEntry, ShownRelease
from ordermade.ledger.pools import ANYONE
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.state import releases, requests
from ordermade.state.database import StateFile
from ordermade.state.ledger import Ledger

NOT_REMEMBERED = "was made while the ledger had no entry of it"


def entries_beside(
    open_request: OpenRequest[Any], ledger: Ledger, state: StateFile, opted_out: int
) -> tuple[LedgerEntry, ...]:
    """The entries of the dataset of a request, however it was registered then, those of every release among them.

    `opted_out`: the persons on the list now, with which an entry is made that was missing: what they were is not known.
    Raises StateDamaged, StateLocked, StateFault.
    """
    opened = open_request.opened
    found = ledger.entries(opened.identity_of_everybody, opened.name)
    known = {each.run for each in found}
    with state.reading() as connection:
        missing = [
            (number, requests.get(connection, request))
            for number, request, run in releases.of_dataset(connection, opened.name)
            if run is None or run not in known
        ]
    added = 0
    for number, request in missing:
        run = request.run or f"release {number}"
        added += ledger.add(
            LedgerEntry(
                id=0,
                key=f"without entry {opened.name} {run}",
                dataset=opened.identity_of_everybody,
                dataset_name=opened.name,
                status="released",
                recipients=(ANYONE,),
                made_at=request.finished_at or request.started_at,
                method=request.method or "generalization",
                k=request.k,
                filter=request.filter,
                rows_hash="",
                opted_out=opted_out,
                shown=ShownRelease((), NOT_REMEMBERED),
                request=request.id,
                release=number,
                run=run,
            ),
            (),
        ).id
    return ledger.entries(opened.identity_of_everybody, opened.name) if added else found
