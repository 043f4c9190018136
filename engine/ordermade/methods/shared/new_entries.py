"""An entry that the ledger does not have yet, of a release of an open dataset."""

from __future__ import annotations

from datetime import UTC, datetime

from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.ledger.entries import EntryStatus, LedgerEntry, ShownRelease


def new_entry(
    opened: OpenDataset,
    shown: ShownRelease,
    recipients: tuple[str, ...],
    *,
    method: str,
    k: int,
    filter_text: str | None,
    opted_out: int,
    status: EntryStatus = "released",
) -> LedgerEntry:
    """The entry of a release that is made now; without a number, which the ledger gives it, and without a key.

    `opted_out`: the persons on the list now.
    """
    return LedgerEntry(
        id=0,
        key="",
        dataset=opened.identity_of_everybody,
        dataset_name=opened.name,
        status=status,
        recipients=recipients,
        made_at=datetime.now(UTC),
        method=method,
        k=k,
        filter=filter_text,
        rows_hash="",
        opted_out=opted_out,
        shown=shown,
    )
