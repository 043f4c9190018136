"""The erasure of what the policies of datasets keep for a time alone: cached counts, files of releases, requests.

Numbers, hashes and figures stay, so that the audit can be followed, and later requests are compared with everything
that was ever released. Titles of submitted requests and reasons stay, as the audit has them, too. A file is erased
before that is noted: a run that was killed between is finished by the next.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.catalogue.arguments import typed_methods
from ordermade.files.private import sha256_of
from ordermade.policies.policy import Policy, stored_policy
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.release.plan import IN_MEMORY
from ordermade.service.revising import deliveries
from ordermade.service.step import remove_release
from ordermade.service.submissions import Submissions
from ordermade.state import cache_ages, old_requests, policies, releases
from ordermade.state import submissions as stored
from ordermade.state.audit import add_audit_entry
from ordermade.state.backup import rewrite
from ordermade.state.cache import Cache
from ordermade.state.cache_contents import Contents, Dropped
from ordermade.state.changes import StateChanges
from ordermade.state.database import LockWait, StateFile
from ordermade.state.old_states import old_states, remove_old_states
from ordermade.state.releases import ReleaseRecord
from ordermade.state.statements import utc_now

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

_ACTION = "retention apply"


@dataclass(frozen=True, slots=True)
class LeftRelease:
    """A release whose time is over and which was left."""

    release: int
    """Its number."""
    reason: str
    """Why it was left."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What of one dataset was erased, or would be."""

    dataset: str
    """Name of the dataset."""
    releases: tuple[int, ...] = ()
    """Numbers of the releases whose files went."""
    requests: tuple[int, ...] = ()
    """Numbers of the requests whose texts and columns went."""
    submitted: tuple[int, ...] = ()
    """Numbers of the submitted requests whose texts went."""
    frequency_sets: int = 0
    """Frequency sets dropped from the cache."""
    marginals: int = 0
    """Levels whose marginals were dropped from the cache."""
    counts: int = 0
    """Columns whose counts of values were dropped from the cache."""
    twins: int = 0
    """CSV files, or parts, whose rows were dropped from the cache."""
    left: tuple[LeftRelease, ...] = ()
    """Releases whose time is over and which were left."""

    @property
    def cached(self) -> int:
        """The entries of the cache."""
        return self.frequency_sets + self.marginals + self.counts + self.twins


@dataclass(frozen=True, slots=True, repr=False)
class AppliedRetention(HasSummary):
    """What was erased by the policies of datasets."""

    dry_run: bool
    """Whether nothing was changed, and this is what would be erased."""
    expired: tuple[int, ...]
    """Numbers of the submitted requests that expired."""
    datasets: tuple[Erased, ...]
    """What was erased of each dataset that has a policy."""
    old_states: tuple[Path, ...] = ()
    """Files of states of before, left by `state restore` and `state convert`, that went."""

    def _card(self) -> Card:
        rows = [
            (each.dataset, each.cached, len(each.releases), len(each.requests), len(each.submitted))
            for each in self.datasets
        ]
        title = "To be erased by policy" if self.dry_run else "Erased by policy"
        columns = ("dataset", "of the cache", "releases", "requests", "submitted requests")
        facts = (("expired", len(self.expired)), ("states of before", len(self.old_states) or None))
        return Card.of(title, facts, Grid(columns, rows))


@dataclass(frozen=True, slots=True)
class _Old:
    """What of a dataset is older than its policy keeps it."""

    cached: Contents
    releases: tuple[ReleaseRecord, ...]
    left: tuple[LeftRelease, ...]
    requests: list[int]
    revisions: tuple[tuple[int, int], ...]

    def erased(self, dataset: str) -> Erased:
        gone: Dropped = self.cached.dropped
        return Erased(
            dataset,
            tuple(each.id for each in self.releases),
            tuple(self.requests),
            tuple(dict.fromkeys(number for number, _ in self.revisions)),
            gone.frequency_sets,
            gone.marginals,
            gone.counts,
            gone.twins,
            self.left,
        )


@typed_methods
@dataclass(frozen=True, slots=True)
class ServiceRetention:
    """The erasure of what the policies of datasets keep for a time alone."""

    state: StateFile
    cache: Cache = field(repr=False)
    submissions: Submissions = field(repr=False)

    def apply(self, *, dry_run: bool = False) -> AppliedRetention:
        """Erases what is older than the policy in force of its dataset says, after what is due has expired.

        `dry_run`: changes nothing, and gives what would be erased as it is now. A release goes with its manifest,
        unless another file is in its place; its record stays. A request goes once no release of it stands. Erased texts
        are on no page of the state afterwards, and where requests are kept for a time alone, the states of before that
        lie beside it go. A killed call is finished by the next one. Raises StateFault, OSError where a file cannot be
        removed.
        """
        with self.state.reading() as connection:
            in_force = [stored_policy(each.policy) for each in policies.in_force(connection)]
        expired = self.submissions.due() if dry_run else self.submissions.expire()
        found = [self._look(policy) if dry_run else self._erase(policy) for policy in in_force]
        old: tuple[Path, ...] = ()
        if any(each.kept_for("requests") is not None for each in in_force):
            old = old_states(self.state.path) if dry_run else self._erase_all_of_before()
        return AppliedRetention(dry_run, tuple(each.id for each in expired), tuple(found), old)

    def _erase_all_of_before(self) -> tuple[Path, ...]:
        """Leaves nothing of what was erased on free pages, nor in states of before, which are removed and given.

        Even where nothing was erased now: a call that was killed may have left it.
        """
        options: LockWait = {"wait_seconds": self.state.wait_seconds, "notice": self.state.notice}
        rewrite(self.state.path, self.state.authority, **options)
        return remove_old_states(self.state.path, self.state.authority, **options)

    def _look(self, policy: Policy) -> Erased:
        with self.state.reading() as connection:
            return self._old(connection, policy).erased(policy.dataset)

    def _erase(self, policy: Policy) -> Erased:
        with self.state.writing() as connection:
            old = self._old(connection, policy)
            for each in old.releases:
                _remove(self._path(each), deliveries(self.state.path))
            releases.note_erased(connection, [each.id for each in old.releases])
            old_requests.erase(connection, old.requests)
            if (length := policy.kept_for("requests")) is not None:
                old_requests.erase_filters(connection, policy.dataset, _ago(length))
            changes = StateChanges(connection, self.submissions.credential.actor(connection).name)
            for number, revision in old.revisions:
                stored.erase(changes, number, revision)
                changes.audited(_ACTION, str(number), "its texts were erased by policy")
            erased = old.erased(policy.dataset)
            if words := _words(erased):
                add_audit_entry(connection, _ACTION, policy.dataset, words)
        cache_ages.erase(self.cache, old.cached)
        return erased

    def _old(self, connection: StateConnection, policy: Policy) -> _Old:
        dataset, kept_for = policy.dataset, policy.kept_for
        cached, going, left = Contents(), list[ReleaseRecord](), list[LeftRelease]()
        if (length := kept_for("cache")) is not None:
            kept = cache_ages.kept_of(connection, dataset)
            cached = cache_ages.unused_since(self.cache, *kept, _ago(length).replace(tzinfo=UTC))
        if (length := kept_for("releases")) is not None:
            for each in releases.older_than(connection, dataset, _ago(length)):
                reason = self._in_the_way(each)
                if reason:
                    left.append(LeftRelease(each.id, reason))
                else:
                    going.append(each)
        old: list[int] = []
        revisions: tuple[tuple[int, int], ...] = ()
        if (length := kept_for("requests")) is not None:
            before = _ago(length)
            old = old_requests.older_than(connection, dataset, before, [each.id for each in going])
            revisions = stored.older_than(connection, dataset, before)
        return _Old(cached, tuple(going), tuple(left), old, revisions)

    def _in_the_way(self, release: ReleaseRecord) -> str:
        """Why a release cannot be erased, empty where it can; a file that is gone already is erased."""
        path = self._path(release)
        if path is None:
            in_memory = release.kind.partition(" ")[0] == IN_MEMORY
            return "" if in_memory else "it is a table: drop it in its source"
        if path.exists() and sha256_of(path) != release.sha256:
            return "another file is in its place"
        return ""

    def _path(self, release: ReleaseRecord) -> Path | None:
        return None if release.path is None else self.state.path.parent / release.path


def _ago(length: timedelta) -> datetime:
    """The moment so long before now (UTC, without a zone); the first of all where that is longer than there is time."""
    try:
        return utc_now() - length
    except OverflowError:
        return datetime.min


def _remove(path: Path | None, deliveries_in: Path) -> None:
    """Removes a release, a file or a folder, and what is beside it: in this folder a certificate; its manifest last."""
    if path is None:
        return
    if path.is_dir():
        shutil.rmtree(path)
    remove_release(path, is_delivery=deliveries_in in path.parents)


def _words(erased: Erased) -> str:
    """What was erased, by number, for the audit; empty where nothing was."""
    numbered = (("releases", erased.releases), ("requests", erased.requests), ("submitted", erased.submitted))
    words = [f"{name} {', '.join(map(str, numbers))}" for name, numbers in numbered if numbers]
    return "; ".join([*words, f"{erased.cached} entries of the cache"] if erased.cached else words)
