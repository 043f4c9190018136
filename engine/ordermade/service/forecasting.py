"""The forecast of a request that its user might submit: what it goes by is read here, once, and what it costs counted.

Of the state it reads what the provider set (the policy, the dataset's columns, hierarchies), the numbers of the
releases that reached their recipients, and how many forecasts the user had; of the ledger what the user's pool received
(`ledger/received.py`). It opens no source, and reads neither table C nor the versions of a dataset.

So it is blind where an honest answer would tell: to data that changed, to answers that the ledger counts in bits, to
releases for anyone. A request that it calls likely may be refused, and the other way round.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, cast

from ordermade.catalogue.registered import described, named_hierarchies
from ordermade.errors import Refused
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.entries import LedgerEntry
from ordermade.ledger.received import ReceivedClasses, received
from ordermade.ledger.simulatable import RequestedLevels, foreseen
from ordermade.machine.linear_algebra import one_blas_thread
from ordermade.methods.generalization.requested_levels import foretold_levels, requested_levels
from ordermade.phrases import phrase
from ordermade.policies.amounts import days_of
from ordermade.policies.decision import PERIODS, is_automatic
from ordermade.policies.enforcement import refused, within_policy
from ordermade.policies.policy import Policy
from ordermade.prediction.foretold import OPEN, ForetoldLevels, Ground, Outlook, foretold
from ordermade.requests.generalization import GeneralizationRequest
from ordermade.requests.read import ReadRequest
from ordermade.requests.resolve_generalization import Resolved, resolve
from ordermade.requests.resolving import request_hash
from ordermade.service.effective_policy import governing, names_own
from ordermade.service.open_names import require_names
from ordermade.service.revising import deliveries, of_user, submittable
from ordermade.state import datasets, live_forecasts, publications, releases
from ordermade.state.ledger import Ledger, ledger_of
from ordermade.state.statements import utc_now

if TYPE_CHECKING:
    from pathlib import Path

    from ordermade.requests.model import Request
    from ordermade.requests.read import RequestLike
    from ordermade.service.desk import Desk
    from ordermade.state.connection import StateConnection
    from ordermade.state.database import StateFile

MOST_RELEASES = 500
"""The most releases that a forecast goes by, the latest."""
MOST_KEPT = 2_000_000
"""The most numbers of classes of releases that a process keeps in memory, so that each is read once."""


@dataclass(frozen=True, slots=True)
class LiveForecast:
    """The forecast of a request that its user might submit."""

    answer: Outlook
    """Whether it is released: `likely`, `open` or `unlikely`."""
    at_finest: Outlook
    """Whether the finest levels that it accepts pass."""
    why: Ground
    """What `answer` goes by: `released`, `estimated`, `unknown`, `filter`, `method`, `models` or `earlier`."""
    needs_review: bool
    """Whether a reviewer decides it, whatever the data are: by the policy, or because of earlier releases."""
    left: int
    """The number of other requests that the user may have a forecast of, in the period of the policy."""


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request as far as the provider's rules and the registered hierarchies say what it means."""

    request_hash: str
    levels: ForetoldLevels | None = None
    beside: RequestedLevels | None = None
    hierarchies: Mapping[str, Hierarchy] | None = None


def forecast_of(of: Desk, request: RequestLike) -> LiveForecast:
    """The forecast for who acts. Raises as `Submissions.forecast`."""
    with of.state.reading() as connection:
        acting = of.credential.actor(connection)
        read = submittable(request) if acting.is_provider else of_user(request)
        dataset = str(read.request.dataset)
        require_names(connection, read, acting.name, acting)
        governed = governing(connection, dataset)
        standing = governed.standing_of(connection, acting.name, submits=False, accepts=True)
        broken = governed.broken(connection, read.request, standing)
        if broken:
            raise refused(governed.rules, broken, read.where, read)
        request_hash, found = outlook_of(connection, of.state, read, acting.name, governed.rules)
        limit, since = governed.rules.forecasts, utc_now() - days_of(governed.rules.forecasts.per)
        counted = live_forecasts.since(connection, dataset, acting.name, since)
    left = limit.most - len(counted.keys() | {request_hash})
    if request_hash not in counted:
        if left < 0:
            raise Refused(
                phrase(
                    "the policy allows forecasts of %(most)s different requests %(per)s",
                    most=format(limit.most, ","),
                    per=PERIODS[limit.per],
                ),
                next_step=phrase("Submit the request without one."),
            )
        with of.state.writing() as connection:
            live_forecasts.count(connection, dataset, acting.name, request_hash, since)
    return replace(found, left=max(left, 0))


@one_blas_thread()
def outlook_of(
    connection: StateConnection, state: StateFile, read: ReadRequest[Request], user: str, policy: Policy
) -> tuple[str, LiveForecast]:
    """The hash of a request that keeps the policy, and its forecast for a user, whether it is counted or not."""
    asked = _asked(connection, read)
    reached = releases.reached(connection, f"{deliveries(state.path)}/")
    dataset = str(read.request.dataset)
    published = frozenset(each.release_id for each in publications.in_catalogue(connection, dataset=dataset))
    given = _received(ledger_of(state), dataset, user, policy, reached, published)
    found = _answered(asked, given, policy)
    is_free = policy.reviews == 0 or is_automatic(policy, read.request)
    by_policy = not is_free or names_own(connection, read.request)
    return asked.request_hash, replace(found, needs_review=found.needs_review or by_policy)


def _asked(connection: StateConnection, read: ReadRequest[Request]) -> _Asked:
    if read.request.method != "generalization":
        return _Asked(request_hash(read.request))
    registered = described(connection, read.request.dataset)
    hierarchies = named_hierarchies(connection, read.request.hierarchy_names)
    cut = within_policy(read, registered.terms, hierarchies, None, for_user=True)
    columns = None if registered.dataset_id is None else datasets.columns_of(connection, registered.dataset_id)
    of_method = cast("ReadRequest[GeneralizationRequest]", cut)
    resolved = resolve(of_method, columns or None, hierarchies, registered.entity, registered.terms)
    levels = foretold_levels(resolved)
    if read.request.where is not None and resolved.filter_text is None:  # its columns were never noted
        levels = replace(levels, filter=read.request.where)
    return _Asked(
        request_hash(read.request, resolved.filter_text),
        levels,
        requested_levels(resolved),
        _by_content(resolved),
    )


def _by_content(resolved: Resolved) -> Mapping[str, Hierarchy]:
    return {each.hierarchy.content_hash: each.hierarchy for each in resolved.qis}


def _answered(
    asked: _Asked, given: Sequence[tuple[LedgerEntry, tuple[ReceivedClasses, ...]]], policy: Policy
) -> LiveForecast:
    """The forecast by what was received."""
    if asked.levels is None or asked.beside is None or asked.hierarchies is None:
        return _of(OPEN.answer, OPEN.at_finest, OPEN.why)
    classes = [each for _, partitions in given for each in partitions]
    found = foretold(asked.levels, classes, asked.hierarchies)
    # As if the rows were those of the releases still: whether they are, their recipients do not know.
    entries = [replace(entry, rows_hash="those released", opted_out=0) for entry, _ in given]
    decided, _ = foreseen(asked.beside, entries, asked.hierarchies, "those released", 0)
    if decided == "fails":
        return _of("unlikely", "unlikely", "released")
    if decided in ("breach", "undecided"):
        if getattr(policy.beside, decided) == "refuse":
            return _of("unlikely", "unlikely", "earlier")
        return replace(_of(found.answer, found.at_finest, found.why), needs_review=True)
    return _of(found.answer, found.at_finest, found.why)


def _of(answer: Outlook, at_finest: Outlook, why: Ground) -> LiveForecast:
    return LiveForecast(answer, at_finest, why, needs_review=False, left=0)


def _received(
    ledger: Ledger, dataset: str, user: str, policy: Policy, reached: frozenset[int], published: frozenset[int]
) -> list[tuple[LedgerEntry, tuple[ReceivedClasses, ...]]]:
    """The releases that the pool of a user received, the latest first, with the classes that bound sizes."""
    entries = ledger.entries(name=dataset, with_classes=False)
    return _CLASSES.of(ledger, received(entries, user, policy.pools, reached, published)[:MOST_RELEASES])


class _KeptClasses:
    """The classes of entries in memory: an entry is never changed but for what became of it, which is read anew."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[Path, int, str], tuple[LedgerEntry, tuple[ReceivedClasses, ...]]]
        self._kept, self._numbers, self._lock = OrderedDict(), 0, Lock()

    def of(
        self, ledger: Ledger, entries: Sequence[LedgerEntry]
    ) -> list[tuple[LedgerEntry, tuple[ReceivedClasses, ...]]]:
        """The entries with their classes; those not kept are read at once."""
        with self._lock:
            keys = [(ledger.path, each.id, each.key) for each in entries]
            known = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {number for path, number, key in keys if (path, number, key) not in known}
        read = ledger.entries(numbers=missing) if missing else ()
        known |= {(ledger.path, each.id, each.key): (each, tuple(ReceivedClasses.of(each))) for each in read}
        with self._lock:
            for key in reversed(keys):
                if key in known:
                    self._keep(key, known[key])
        return [known[key] for key in keys if key in known]

    def _keep(self, key: tuple[Path, int, str], found: tuple[LedgerEntry, tuple[ReceivedClasses, ...]]) -> None:
        if key not in self._kept:
            self._kept[key] = found
            self._numbers += _numbers_of(found[0])
        self._kept.move_to_end(key)
        while self._numbers > MOST_KEPT and len(self._kept) > 1:
            self._numbers -= _numbers_of(self._kept.popitem(last=False)[1][0])


def _numbers_of(entry: LedgerEntry) -> int:
    return sum(each.codes.size + 3 * len(each.least) for each in entry.shown.classes)


_CLASSES = _KeptClasses()
