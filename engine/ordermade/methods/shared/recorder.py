"""The record of one request in the state: opened at its start, closed as released, refused or failed."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar

from ordermade.catalogue.open_dataset import require_compared
from ordermade.counting.dataset import Version
from ordermade.errors import OrdermadeError, ReleaseMismatch, SourceChanged, StateFault, Undecided
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.methods.shared.judged import AFTER_BREACH, BesideAnswer, JudgedOnly
from ordermade.methods.shared.open_request import Costs, Held, OpenRequest, RunContext, require_unchanged
from ordermade.privacy.least_k import AFTER_TOO_FEW
from ordermade.privacy.requirement import required_models
from ordermade.requests.model import SourceTable
from ordermade.requests.read import as_json
from ordermade.requests.resolving import ResolvedRequest, ResolvedSensitive, request_hash
from ordermade.sources.backend import may_have_changed
from ordermade.state import audit, observations, offer_lists, parts, releases, requests, runs, versions
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.leases import require_held
from ordermade.state.records.request_columns import RequestedModels
from ordermade.state.records.requests import RequestRecord
from ordermade.state.statements import utc_now
from ordermade.version import VERSION

if TYPE_CHECKING:
    from ordermade.ledger.entries import EntryStatus, ShownRelease
    from ordermade.ledger.simulatable import RequestedLevels
    from ordermade.loss.shares import LossValues
    from ordermade.methods.shared.beside import Coarser, JudgedBeside, SafeOffer
    from ordermade.methods.shared.foreseen import ForeseenRequest
    from ordermade.methods.shared.published import Published
    from ordermade.methods.shared.result import Result
    from ordermade.state.connection import StateConnection
    from ordermade.state.ledger import Ledger
    from ordermade.state.records.request_columns import RequestedAttribute
    from ordermade.state.versions import DatasetVersion


def as_started(
    open_request: OpenRequest[ResolvedRequest],
    version_id: int | None,
    *,
    algorithm: str,
    objective: str,
    quasi_identifiers: tuple[RequestedAttribute, ...],
) -> RequestRecord:
    """Record the request, columns as stored and levels by number. Each method fills in its own fields."""
    resolved, request = open_request.resolved, open_request.read.request
    target = request.release.to
    return RequestRecord(
        title=request.title,
        request_hash=request_hash(request, resolved.filter_text, resolved.said_by_files),
        engine_version=VERSION,
        dataset_name=open_request.opened.name,
        filter=resolved.filter_text,
        k=request.k,
        algorithm=algorithm,
        objective=objective,
        shape=request.release.shape,
        target_path=None if request.release.path is None else str(request.release.path),
        target_table=target.table if isinstance(target, SourceTable) else None,
        quasi_identifiers=quasi_identifiers,
        identifiers=resolved.identifiers,
        keep=resolved.keep,
        dataset_version_id=version_id,
        entity_column=resolved.entity,
        method=request.method,
        request=as_json(request),
        started_at=utc_now(),
    )


def requested_models(sensitive: Iterable[ResolvedSensitive]) -> tuple[RequestedModels, ...]:
    """The sensitive columns with their models in words."""
    return tuple(
        RequestedModels(column, ", ".join(model.written for model in models))
        for column, models in required_models(sensitive).items()
    )


def noted_version(
    connection: StateConnection,
    open_request: OpenRequest[ResolvedRequest],
    version: Version,
    persons: int | None = None,
) -> DatasetVersion:
    """The version of the request's dataset, noted in the state as seen now, and those of its parts."""
    if open_request.dataset.parts is not None:
        parts.note(connection, open_request.identity, open_request.dataset.parts.rows_by_content())
        for columns in open_request.counted_by:
            parts.note_columns(connection, open_request.identity, columns)
    return versions.register(
        connection,
        open_request.identity,
        open_request.opened.dataset_id,
        open_request.resolved.filter_text,
        version.rows,
        version.hash_sum,
        version.columns_hash,
        {each.name: each.type for each in open_request.dataset.columns},
        persons,
        version.vouched_by,
        None if open_request.dataset.is_unread else open_request.opened.identity(None),
    )


def _reason(error: BaseException) -> str:
    """The reason that a failed request is noted with: the engine's own message, or the kind of another error."""
    if isinstance(error, JudgedOnly):
        return str(error)
    return error.message if isinstance(error, OrdermadeError) else type(error).__name__


def forget_version(state: StateFile, cache: Cache | None, version_id: int) -> None:
    """Drops all that is known of a dataset version, the cached frequency sets with it."""
    with state.writing() as connection:
        observations.forget(connection, version_id)
        offer_lists.forget(connection, version_id)
    if cache is not None:
        cache.purge([version_id])


def current_cache(cache: Cache | None, current: Collection[int] | None) -> Cache | None:
    """The cache, rid of the sets of versions that are not `current` (None: all are); None where it is not used."""
    if cache is not None and current is not None:
        cache.drop_missing_versions(current)
    return cache


class Recorder(ABC, Generic[Held]):
    """The state's records of one request, whatever its method. The state is open only while it is written."""

    AFTER_RELEASE: ClassVar[str] = "ordermade release report {number} --html report-{number}.html"
    """The next command after a release."""

    def __init__(
        self,
        state: StateFile,
        cache: Cache | None,
        open_request: Held,
        version: Version | None,
        started: float,
        persons: int | None = None,
    ) -> None:
        """Notes the request and its dataset version in the state. `persons`: their number, given an entity column.

        Without a `version` there are fewer than k of them, and nothing of the dataset is kept: neither count nor hash.
        `cache`: the frequency sets beside the state, None where they are not used. `started`: when the request did, by
        `time.perf_counter`.
        """
        self._started_at = started
        self._state = state
        self._cache = cache
        self._contradicted = False
        self._closed = False
        self._number: int | None = None
        self._beside: JudgedBeside | None = None
        self._foreseen: ForeseenRequest | None = None
        self._unnoted: tuple[str, ...] = ()
        self._question = open_request
        self._version = version
        self._run = open_request.run
        self._run.begin()
        alive = runs.alive(state.path)
        with state.writing() as connection:
            requests.interrupt(connection, alive)
            seen = None if version is None else noted_version(connection, open_request, version, persons)
            self.version_id = None if seen is None else seen.id
            if seen is not None:
                self._recall(connection, seen)
            self._record = requests.start(connection, replace(self._started(), run=self._run.name))
            new = seen is not None and seen.first_seen_at == seen.last_seen_at
            self.current_versions = versions.current(connection) if new else None

    @property
    def request_id(self) -> int:
        """The number of the request."""
        return self._record.id

    @property
    def rows(self) -> int | None:
        """The rows of the dataset; None where fewer than k rows (or persons) remain, however many they are."""
        return None if self._version is None else self._version.rows

    @property
    def requested(self) -> dict[str, Any]:
        """The fields of a result that say what was requested, by their names."""
        request = self._question.read.request
        return {
            "request": self.request_id,
            "title": request.title,
            "dataset": self._question.opened.name,
            "method": request.method,
            "k_requested": request.k,
            "beside": None if self._beside is None else self._beside.answer,
        }

    def reported(self, published: Published) -> dict[str, Any]:
        """The fields of a result that a release alone has, by their names; after it is on record."""
        report, number = replace(published.report, number=self._number), self._number
        beside = () if self._beside is None else self._beside.warnings
        return {
            "status": "released",
            "k": published.record.k,
            "divisions": published.record.divisions,
            "privacy": published.record.privacy,
            "release": report,
            "warnings": (*published.warnings, *beside, *self._unnoted),
            "forms": published.forms,
            "next": self.AFTER_RELEASE.format(number=number),
        }

    def foreseen(
        self,
        context: RunContext,
        seen: Version,
        wanted: RequestedLevels,
        hierarchies: Iterable[Hierarchy] = (),
    ) -> str | None:
        """Judges a request by released figures alone, before its data are counted; why it is refused, if it is.

        `seen`: the version of its rows. Raises as `foreseen_request`, NeedsReviewFirst where nothing decides it and no
        reviewer has approved it.
        """
        from ordermade.ledger.entries import ShownRelease
        from ordermade.methods.shared.beside import JudgedBeside, foreseen_by_policy
        from ordermade.methods.shared.foreseen import foreseen_request

        self._foreseen = found = foreseen_request(self._question, context, wanted, hierarchies, seen)
        refusal = None if found is None else foreseen_by_policy(self._question, context, wanted, found)
        if refusal is not None and found is not None:
            answer: BesideAnswer = "breach" if found.decided == "breach" else "undecided"
            self._beside = JudgedBeside(ShownRelease(), context.recipients, answer=answer, refusal=refusal)
        return refusal

    def judged(
        self,
        context: RunContext,
        shown: ShownRelease,
        hierarchies: Iterable[Hierarchy] = (),
        coarser: Coarser | None = None,
    ) -> str | None:
        """Judges what is about to be released beside what its recipients have; why it is not released, if it is not.

        `hierarchies` are those of its columns, `coarser` the levels that may be offered instead. Raises as
        `judged_beside`.
        """
        from ordermade.methods.shared.beside import judged_beside  # with arrays, which kept answers do without

        self._beside = judged_beside(self._question, context, shown, hierarchies, coarser, self._foreseen)
        return self._beside.refusal

    @property
    def after_breach(self) -> str | None:
        """The next step where a release is refused for what its readers have already; None where it is not."""
        return None if self._beside is None or self._beside.refusal is None else AFTER_BREACH

    @property
    def safe_offer(self) -> SafeOffer | None:
        """What may be released instead of what is a breach beside earlier releases; None where nothing was found."""
        return None if self._beside is None else self._beside.offer

    def costs(self) -> Costs:
        """The cost of the request so far."""
        return Costs.so_far(self._question, self._started_at)

    @contextlib.contextmanager
    def closed_on_failure(self) -> Iterator[None]:
        """Notes the request as failed, and keeps what was measured, if the block raises; the error goes on up."""
        try:
            yield
        except BaseException as error:
            reason = _reason(error)
            # However the request ended: counts of files that changed meanwhile are not of this version.
            changed = may_have_changed(self._question.opened.backend)
            contradicted = changed or isinstance(error, ReleaseMismatch | SourceChanged)
            self._contradicted = contradicted
            try:
                if not self._closed:
                    self._close("failed", reason)
                if contradicted and self.version_id is not None:
                    forget_version(self._state, self._cache, self.version_id)
            except StateFault as fault:
                error.add_note(f"The failure could not be noted in the state: {fault.message}")
            raise

    def _finished(self, status: str, reason: str | None) -> RequestRecord:
        """The record of the request with its end and its cost."""
        costs = self.costs()
        return replace(
            self._record,
            status=status,
            reason=reason,
            source_queries=costs.source_queries,
            version_queries=costs.version_queries,
            coverage_queries=costs.coverage_queries,
            release_queries=costs.release_queries,
            seconds=costs.seconds,
            chosen=self._chosen() if status == "released" else {},
        )

    def _close_refused(self, reason: str) -> None:
        """Closes the record of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        require_unchanged(self._question)
        self._close("refused", reason)

    def _close(self, status: str, reason: str | None) -> None:
        with self._state.writing() as connection:
            self._note_end(connection, status, reason)

    def _close_released(self, published: Published) -> None:
        """Closes the record of a released request, and gives the release its name.

        The state records the release first, and the journal of the run has the steps that are left, so that after a
        kill either nothing has the name of the release, or the next command finishes what was begun. Raises
        InputError where the name was taken meanwhile, ReleaseFault; then the release is withdrawn. Raises
        ReleasedMeanwhile, Refused where the lease of the submitted request is another process's, and Undecided, which
        leaves that to the next command.
        """
        published.require_room()
        ledger, entry = self._intended()
        try:
            number = self._decided(published)
        except BaseException as error:
            self._settle(ledger, entry, "absent", None, error)
            raise
        try:
            self._carry_out(published)
        except Undecided:
            self._closed = True
            raise
        except BaseException as error:
            reason = _reason(error)
            with self._state.writing() as connection:
                releases.withdraw(connection, number, restore=True)
                requests.withdraw(connection, self.request_id, reason)
                audit.add_audit_entry(connection, "release withdrawn", str(number), reason)
            self._closed = True
            self._settle(ledger, entry, "absent", number, error)
            raise
        self._closed = True
        self._settle(ledger, entry, "released", number)

    def _carry_out(self, published: Published) -> None:
        """Gives the release its name: of a submitted request while nobody else can take it, and nobody has.

        Raises Refused where somebody has, and as `Published.carry_out`.
        """
        if self._run.lease is None:
            published.carry_out()
            return
        with self._state.writing() as connection:
            require_held(connection, self._run.lease)
            published.carry_out()

    def _settle(
        self,
        ledger: Ledger,
        entry: int,
        status: EntryStatus,
        number: int | None,
        error: BaseException | None = None,
    ) -> None:
        """Notes what became of an entry; where that cannot be noted now it goes on to count, and the next command does.

        The release stands, or does not, whatever the ledger says of it: a fault is a warning of the result, or a note
        on the `error` that the request ends with.
        """
        try:
            ledger.settle(entry, status, number)
        except StateFault as fault:
            self._run.stays = True
            said = f"The ledger could not note that this release is {status}, so the next command does: {fault.message}"
            if error is None:
                self._unnoted = (said,)
            else:
                error.add_note(said)

    def _intended(self) -> tuple[Ledger, int]:
        """The ledger, and the number of the entry that was committed for a release before it gets its name.

        Raises ReleasedMeanwhile.
        """
        from ordermade.methods.shared.beside import intended

        if self._beside is None:
            raise TypeError("a release is judged beside earlier ones before it gets its name")
        return intended(self._beside, self._question, self._state, self.request_id, self._version)

    def _decided(self, published: Published) -> int:
        """The number of a release whose record is in the state, and whose last steps are in the journal of the run."""
        self._run.decide(published.moves, None if published.commit is None else published.commit.noted)
        with self._state.writing() as connection:
            require_held(connection, self._run.lease)
            if self._question.opened.terms.policy is not None:
                require_compared(connection, self._question.opened, self._question.resolved.filter_text)
            self._note_end(connection, "released", None)
            number = self._number = releases.record(connection, self.request_id, published.record)
            releases.supersede(connection, number)
        return number

    def _note_end(self, connection: StateConnection, status: str, reason: str | None) -> None:
        requests.finish(connection, self._finished(status, reason))
        if not self._contradicted and self.version_id is not None:  # table C is exact or it is nothing
            self._keep_measured(connection, self.version_id)
        audit.add_audit_entry(connection, f"request {status}", str(self.request_id), reason)

    @abstractmethod
    def _started(self) -> RequestRecord:
        """The record of the request as it starts."""

    def _recall(self, connection: StateConnection, version: DatasetVersion) -> None:
        """Reads the state's knowledge of the dataset version before the method starts; nothing by default."""

    def _chosen(self) -> Mapping[str, tuple[int, str]]:
        """The number and the name of the level of each column that was released at one; none by default."""
        return {}

    def _keep_measured(self, connection: StateConnection, version_id: int) -> None:
        """Notes the nodes measured on the way, so that later requests know them; nothing by default."""


Answer = TypeVar("Answer", bound="Result")
"""The result of one method."""


class RecordsRecorder(Recorder[Held], Generic[Held, Answer]):
    """The recorder of a request whose records are pulled. No node is searched, so table C learns nothing from it."""

    ANSWER: Callable[..., Answer]
    """The type of the method's results, whose own fields have defaults but for their `cost`."""

    def refused(self, reason: str) -> Answer:
        """Closes the record of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        self._close_refused(reason)
        advice = AFTER_TOO_FEW if self.rows is None else self.after_breach or self._advice()
        return self._answer(status="refused", reason=reason, next=advice)

    @abstractmethod
    def _advice(self) -> str:
        """The next step after a refusal of enough rows."""

    def released(self, published: Published, loss: LossValues) -> Answer:
        """Closes the record of a released request; the method fills in its own fields, and what it suppressed."""
        self._close_released(published)
        return self._answer(loss=loss, **self.reported(published))

    def _answer(self, **figures: Any) -> Answer:
        return self.ANSWER(rows=self.rows, cost=self.costs(), **self.requested, **figures)
