"""Releases whose classes the ledger cannot have, with an entry all the same: later ones are undecided beside them.

Those that the state has and the ledger has not: of an earlier version, or from before a ledger that was lost. And live
views, whose classes change with the data. They are for anyone, until the provider says that nobody has them any more.

A publication that the ledger has not, or that the catalogue has all the same, gets its entry again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.ledger.entries import EntryStatus, LedgerEntry, ShownRelease
from ordermade.ledger.pools import ANYONE
from ordermade.methods.shared.new_entries import new_entry
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.state import opt_outs, publications, releases, requests
from ordermade.state.database import StateFile
from ordermade.state.ledger import Ledger, ledger_of

NOT_REMEMBERED = "was made while the ledger had no entry of it"
FOLLOWS_DATA = "is a live view, whose classes change with the data"


def entries_beside(opened: OpenDataset, ledger: Ledger, state: StateFile, opted_out: int) -> tuple[LedgerEntry, ...]:
    """The entries of a dataset, however it was registered then, those of every release and publication among them.

    `opted_out`: the persons on the list now, with which an entry is made that was missing: what they were is not known.
    Raises StateDamaged, StateLocked, StateFault.
    """
    found = ledger.entries(opened.identity_of_everybody, opened.name)
    known = {each.run for each in found}
    with state.reading() as connection:
        made = releases.of_dataset(connection, opened.name)
        missing = [
            (number, requests.get(connection, request))
            for number, request, run in made
            if run is None or run not in known
        ]
        published = publications.of_releases(connection, [number for number, *_ in made])
        in_catalogue = {each.release_id for each in publications.in_catalogue(connection, dataset=opened.name)}
    added = 0
    for number, request in missing:
        run = request.run or f"release {number}"
        method = request.method or "generalization"
        entry = replace(
            _of_unknown_classes(opened, method, request.k, request.filter, opted_out, NOT_REMEMBERED),
            key=f"without entry {opened.name} {run}",
            made_at=request.finished_at or request.started_at,
            request=request.id,
            release=number,
            run=run,
        )
        added += ledger.add(entry, ()).id
    published_runs = {run: number for number, _, run in made if number in published}
    by_key = {each.key: each for each in found}
    for own in found:
        if own.run not in published_runs or ANYONE in own.recipients:
            continue
        entry = entry_of_publication(own, published_runs[own.run], "released")
        there = by_key.get(entry.key)
        if there is None:
            added += ledger.add(entry, ()).id
        elif entry.release in in_catalogue and not there.counts:
            ledger.settle(there.id, "released")
            added += there.id
    return ledger.entries(opened.identity_of_everybody, opened.name) if added else found


def entry_of_publication(own: LedgerEntry, release: int, status: EntryStatus) -> LedgerEntry:
    """The entry of a publication, by that of its release: for anyone, with a key that is the same each time."""
    entry = replace(own, id=0, key=f"publication {own.key}", status=status, recipients=(ANYONE,))
    return replace(entry, release=release)


def entry_of_view(open_request: OpenRequest[Any], state: StateFile) -> LedgerEntry:
    """The entry of a live view that is about to be made, as the ledger now has it. Raises StateLocked, StateFault."""
    with state.reading() as connection:
        opted_out = opt_outs.number_of(connection, open_request.opened.name)
    request, text = open_request.read.request, open_request.resolved.filter_text
    unknown = _of_unknown_classes(open_request.opened, request.method, request.k, text, opted_out, FOLLOWS_DATA)
    entry = replace(unknown, status="intended")
    return ledger_of(state).add(entry, ())


def _of_unknown_classes(
    opened: OpenDataset, method: str, k: int, filter_text: str | None, opted_out: int, unjudged: str
) -> LedgerEntry:
    shown = ShownRelease((), unjudged)
    return new_entry(opened, shown, (ANYONE,), method=method, k=k, filter_text=filter_text, opted_out=opted_out)
