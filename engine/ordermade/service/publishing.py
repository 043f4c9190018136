"""A delivered release in the catalogue, for everybody: put there by the provider once it is judged for everybody.

The entry of the ledger comes first, within the transaction of the state: from then on every later release is judged
beside it, whatever becomes of the publication. A call that was killed between the two leaves the entry, which counts,
and no publication; the same call again takes it up. What leaves the catalogue stays in the ledger: it went out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.releases import Releases
from ordermade.errors import InputError, NeedsReview, Refused, ReleaseFault, quoted
from ordermade.evaluation.release_for_everybody import JudgedForEverybody, judged_for_everybody
from ordermade.ledger.entries import EntryStatus
from ordermade.records.cards import HasSummary
from ordermade.release.files import ending_of
from ordermade.requests.model import COUNT, misleading
from ordermade.requests.table import TableRequest
from ordermade.service.permissions import require_call
from ordermade.service.revising import LONGEST_TITLE, reason_of
from ordermade.service.step import request_of, step
from ordermade.service.submitted import as_now
from ordermade.state import hierarchies, opt_outs, publications, releases, requests
from ordermade.state import submissions as stored
from ordermade.state.ledger import ledger_of
from ordermade.state.publications import PUBLICATIONS, Publication

if TYPE_CHECKING:
    from datetime import datetime

    from ordermade.progress.waiting import Progress
    from ordermade.requests.model import Request
    from ordermade.service.authentication import Credential
    from ordermade.service.step import ServiceStep
    from ordermade.state.connection import StateConnection
    from ordermade.state.releases import ReleaseRecord
    from ordermade.state.submissions import SubmissionDetails


@dataclass(frozen=True, slots=True, repr=False)
class PublishedRelease(HasSummary):
    """A release that is in the catalogue, or was taken out of it."""

    release: int
    """Its number."""
    dataset: str
    """Its dataset."""
    title: str
    """Its title in the catalogue."""
    published_at: datetime
    """When it was put there."""
    ended_at: datetime | None = None
    """When it was taken out; null while it is there."""
    warnings: tuple[str, ...] = ()
    """What a reviewer let pass."""


@dataclass(frozen=True, slots=True)
class _Publishable:
    """A delivered release that the policy in force allows, with its submitted request."""

    release: ReleaseRecord
    details: SubmissionDetails
    policy: int | None
    user_texts: tuple[str, ...] = field(default=())

    @property
    def dataset(self) -> str:
        return self.details.submission.dataset_name


def publish(
    of: Releases, credential: Credential, progress: Progress, number: int, title: str, *, is_reviewed: bool
) -> PublishedRelease:
    """Puts a release in the catalogue. Raises as `ServiceReleases.publish`."""
    title = _title(title)
    with step(of.state, credential) as under_way:
        require_call("releases.publish", under_way.acting)
        before = _publishable(under_way, number)
        there = _in_force(under_way.connection, number)
    if there is not None:
        return _published_again(of, before, there, title)
    if before.user_texts and not is_reviewed:
        raise NeedsReview(
            f"everybody would read what its user wrote: {', '.join(before.user_texts)}",
            where=f"release {number}",
            next_step=_REVIEWED.format(number=number),
        )
    if not of.verify(number).intact:
        raise ReleaseFault(
            f"release {number} has changed since it was released",
            where=before.release.name,
            next_step=f"`ordermade release verify {number}` says what differs; run its request again.",
        )
    with of.state.reading() as connection:
        request = requests.get(connection, before.release.request_id)
    try:
        judged = judged_for_everybody(of.state, of.limits, progress, before.release, request, is_reviewed=is_reviewed)
    except NeedsReview as needed:
        raise NeedsReview(needed.what, where=needed.where, next_step=_REVIEWED.format(number=number)) from None
    with _entered(of, judged) as entered, step(of.state, credential) as under_way:
        require_call("releases.publish", under_way.acting)
        now = _publishable(under_way, number)
        opted_out = opt_outs.number_of(under_way.connection, now.dataset)
        if (now.policy, now.release, opted_out) != (before.policy, before.release, judged.entry.opted_out):
            what = "the policy, the release or who opted out was changed meanwhile"
            raise Refused(what, next_step="Give the command again.")
        entered.add()
        made = publications.add(under_way.changes, number, title)
        under_way.changes.audited("release publish", str(number), title + ("; reviewed" if is_reviewed else ""))
    return _of(now.dataset, made, judged.warnings)


def unpublish(of: Releases, credential: Credential, number: int, why: str | None) -> PublishedRelease:
    """Takes a release out of the catalogue. Raises as `ServiceReleases.unpublish`."""
    reason = reason_of(why)
    with step(of.state, credential) as under_way:
        require_call("releases.unpublish", under_way.acting)
        release = releases.get(under_way.connection, number)
        found = _open(under_way.connection, number)
        if found is None:
            next_step = "`ordermade release list` says which are."
            raise Refused(f"release {number} is not in the catalogue", next_step=next_step)
        publications.end(under_way.changes, found.id)
        under_way.changes.audited("release unpublish", str(number), reason)
        (ended,) = PUBLICATIONS.select(under_way.connection, id=found.id)
        dataset = requests.get(under_way.connection, release.request_id).dataset_name
    return _of(dataset, ended)


_TITLED = ".xlsx"
"""The ending of files in which a table has its title above it."""
_REVIEWED = "A reviewer looks at it; then `ordermade release publish {number} --reviewed` publishes it."


def _title(text: str) -> str:
    """A title in one line. Raises InputError."""
    title = text.strip()
    is_seen = title.isprintable() and not misleading(title) and any(map(str.isalnum, title))
    if len(title) > LONGEST_TITLE or not is_seen:
        raise InputError(
            f"a title in the catalogue is one line of 1 to {LONGEST_TITLE} characters that everybody sees",
            where="title",
            next_step="Say what it shows, and of whom; not who requested it.",
        )
    return title


def _publishable(under_way: ServiceStep, number: int) -> _Publishable:
    """A release that may be published now. Raises UnknownName, Refused with what is in the way."""
    connection, where = under_way.connection, f"release {number}"
    release = releases.get(connection, number)
    request_number = stored.of_release(connection, number)
    if request_number is None:
        what = "only a release of a submitted request is published, and the provider made this one"
        raise Refused(what, where=where, next_step="Submit its request, and deliver it.")
    details = stored.get(connection, request_number)
    found = details.submission
    status = as_now(found).status
    if status != "delivered":
        what = f"only a delivered release is published, and request {found.id} is {status.replace('_', ' ')}"
        raise Refused(what, where=where, next_step=f"Look at it: `ordermade request show {found.id}`.")
    releases.require_standing(release, "publish")
    policy = under_way.governing(found.dataset_name)
    if policy.rules.recipients:
        raise Refused(
            "the policy of its dataset names recipients, and what is published is for everybody",
            where=where,
            next_step=f"Change the policy: `ordermade policy show {found.dataset_name}`.",
        )
    request = request_of(details.in_force.request) if details.in_force.request else None
    if request is None:
        what = "its request was erased as the policy says, so that it cannot be compared with the policy"
        raise Refused(what, where=where, next_step="Submit the request again.")
    if tightened := under_way.tightened(details, request):
        raise Refused(tightened, where=where, next_step="Submit a request that the policy allows.")
    texts = tuple(_texts_of_user(connection, request, release))
    return _Publishable(release, details, policy.policy_id, texts)


def _texts_of_user(connection: StateConnection, request: Request, release: ReleaseRecord) -> Iterator[str]:
    """What of the file its user wrote, in words."""
    if isinstance(request, TableRequest):
        names = [each.name for each in request.linked if each.name]
        if names:
            yield f"the names of tables {', '.join(map(quoted, names))}"
        elif request.title and ending_of(Path(release.name)) == _TITLED:
            yield f"the title {quoted(request.title)}"
    if request.release.count != COUNT:
        yield f"the head of its counts {quoted(request.release.count)}"
    for name in sorted(hierarchies.of_users(connection, request.hierarchy_names)):
        yield f"the labels of the hierarchy {quoted(name)}"


def _open(connection: StateConnection, number: int) -> Publication | None:
    """The publication of a release that was not taken out, whether or not the release still stands."""
    return PUBLICATIONS.find(connection, release_id=number, ended_at=None)


def _in_force(connection: StateConnection, number: int) -> Publication | None:
    return next(iter(publications.in_catalogue(connection, release=number)), None)


def _published_again(of: Releases, found: _Publishable, there: Publication, title: str) -> PublishedRelease:
    """The publication that is there, under the same title; its entry is settled where a killed call did not."""
    if there.title != title:
        number = there.release_id
        raise Refused(
            f"release {number} is in the catalogue already, as {quoted(there.title)}",
            next_step=f"`ordermade release unpublish {number}` takes it out; publish it then.",
        )
    ledger = ledger_of(of.state)
    for each in ledger.entries(name=found.dataset, with_classes=False):
        if each.release == there.release_id and each.status == "intended":
            ledger.settle(each.id, "released")
    return _of(found.dataset, there)


@dataclass(slots=True)
class _Entered:
    """The entry of a publication that is under way. `was`: what it was before; absent where there was none."""

    of: Releases
    judged: JudgedForEverybody
    number: int = 0
    was: EntryStatus = "absent"

    def add(self) -> None:
        """Adds it, so that it counts. Raises ReleasedMeanwhile where another came since the judgement; StateFault."""
        ledger, entry = ledger_of(self.of.state), self.judged.entry
        self.number = ledger.add(entry, (), judged_beside=self.judged.last).id
        if self.number:
            return
        there = ledger.entries(entry.dataset, entry.dataset_name, with_classes=False)
        found = next(each for each in there if each.key == entry.key)
        self.number, self.was = found.id, found.status
        if not found.counts:
            ledger.settle(found.id, "intended")

    def take_back(self) -> None:
        """What it was before, unless the release is in the catalogue all the same."""
        if not self.number:
            return
        with self.of.state.writing() as connection:
            if _open(connection, self.judged.entry.release or 0) is None:
                ledger_of(self.of.state).settle(self.number, self.was)


@contextmanager
def _entered(of: Releases, judged: JudgedForEverybody) -> Iterator[_Entered]:
    """The entry of a publication: released once the block has ended, and what it was before where it failed."""
    entered = _Entered(of, judged)
    try:
        yield entered
    except Exception:
        entered.take_back()
        raise
    ledger_of(of.state).settle(entered.number, "released")


def _of(dataset: str, found: Publication, warnings: tuple[str, ...] = ()) -> PublishedRelease:
    return PublishedRelease(found.release_id, dataset, found.title, found.published_at, found.ended_at, warnings)
