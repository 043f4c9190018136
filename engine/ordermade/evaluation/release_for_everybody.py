"""A release that its recipients have, judged for everybody: beside what every pool received, under the policy in force.

It comes into pools in which it was never judged, so it is judged beside all entries but its own. One of other data than
today's cannot be counted with them, and is undecided beside any.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.errors import InputError, Refused, SourceChanged
from ordermade.ledger.entries import LedgerEntry
from ordermade.ledger.pools import ANYONE
from ordermade.methods.shared.beside import BesideEntries, ReleaseOfToday, beside_entries, by_policy, pools_beside
from ordermade.methods.shared.counted_releases import hierarchies_of
from ordermade.methods.shared.foreseen import last_of
from ordermade.methods.shared.releases_without_entry import entries_beside, entry_of_publication
from ordermade.policies.policy import Policy
from ordermade.progress.waiting import Progress
from ordermade.sources.limits import Limits
from ordermade.state import opt_outs
from ordermade.state.database import StateFile
from ordermade.state.ledger import Ledger, ledger_of
from ordermade.state.records.requests import RequestRecord
from ordermade.state.releases import ReleaseRecord

_OTHER_DATA = "its figures are not those of the data of today"


@dataclass(frozen=True, slots=True)
class JudgedForEverybody:
    """The judgement on a release for everybody.

    `entry`: what the ledger is to have of it, with a key that is the same each time. `last`: the last entry of the
    dataset that was there. `warnings`: what the policy leaves to a reviewer, who let it pass.
    """

    entry: LedgerEntry
    last: int
    warnings: tuple[str, ...] = ()


def judged_for_everybody(
    state: StateFile,
    limits: Limits,
    progress: Progress,
    release: ReleaseRecord,
    request: RequestRecord,
    *,
    is_reviewed: bool,
) -> JudgedForEverybody:
    """The judgement on a release of a request for everybody. The dataset is counted where there is anything beside it.

    Raises Refused where the policy does not let it pass, and where others opted out than when it was made; NeedsReview
    where the policy leaves it to a reviewer, and none looked at it; UnknownName, SourceFault, StateFault.
    """
    with Datasets(state, limits).open(request.dataset_name, progress.statement) as opened:
        ledger = ledger_of(state)
        with state.reading() as connection:
            opted_out = opt_outs.number_of(connection, opened.name)
        entries = entries_beside(opened, ledger, state, opted_out)
        run = request.run or f"release {release.id}"
        own = next(each for each in entries if each.run == run)
        if own.opted_out != opted_out:
            raise Refused(
                "persons have opted out since it was made, or are no longer out",
                where=f"release {release.id}",
                next_step="`ordermade request rerun` makes it anew: publish that.",
            )
        policy = opened.terms.policy or Policy(dataset=opened.name)
        others = [each for each in entries if each.run != run]
        found = _judged(opened, ledger, own, pools_beside((ANYONE,), policy, others))
    where = f"release {release.id}"
    refusal, warnings = by_policy(found, policy, where, others, is_reviewed=is_reviewed)
    if refusal is not None:
        next_step = "Leave it to its recipients: a release at coarser levels may pass for everybody."
        raise Refused(refusal, where=where, next_step=next_step)
    entry = entry_of_publication(own, release.id, "intended")
    return JudgedForEverybody(entry, last_of(entries), warnings)


def _judged(
    opened: OpenDataset, ledger: Ledger, own: LedgerEntry, pools: Sequence[Sequence[LedgerEntry]]
) -> BesideEntries:
    release = ReleaseOfToday(opened, own.shown, own.filter, own.k, own.opted_out)
    beside = tuple(dict.fromkeys(each.id for pool in pools for each in pool))
    try:
        return beside_entries(release, hierarchies_of(ledger, (own.shown,)), ledger, pools)[0]
    except SourceChanged:
        return BesideEntries("undecided", beside, (_OTHER_DATA,), changed=True)
    except InputError as error:  # what programs need is not installed
        return BesideEntries("undecided", beside, (error.what,))
