"""The book kept of one request: opened when it starts, closed as released, refused or failed, whatever happens."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar, Generic

from ordermade.answering.costs import Costs
from ordermade.answering.publishing import Published
from ordermade.answering.question import Held, OpenRequest, require_unchanged
from ordermade.errors import OrdermadeError, ReleaseMismatch, SourceChanged, StateFault
from ordermade.measuring.dataset import Version
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.door import Purpose
from ordermade.state import audit, observations, releases, requests, versions
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.records import DatasetVersion, FinishedRequest, StartedRequest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


def noted_version(
    connection: DuckDBPyConnection,
    question: OpenRequest[ResolvedRequest],
    version: Version,
    persons: int | None = None,
) -> DatasetVersion:
    """The version of the request's dataset, noted in the state as seen now."""
    return versions.register(
        connection,
        question.identity,
        question.opened.dataset_id,
        question.resolved.filter_text,
        version.rows,
        version.hash_sum,
        version.columns_hash,
        {each.name: each.type for each in question.dataset.columns},
        persons,
    )


def forget_version(state: StateFile, cache: Cache | None, version_id: int) -> None:
    """Drops all that is known of a dataset version, the cached frequency sets with it."""
    with state.writing() as connection:
        observations.forget(connection, version_id)
    if cache is not None:
        cache.purge([version_id])


class Book(ABC, Generic[Held]):
    """What the state is told of one request, whatever its method. The state is open only while it is written."""

    ASKS: ClassVar[Collection[Purpose]]
    """What the method's own statements in the source are for."""

    def __init__(
        self,
        state: StateFile,
        cache: Cache | None,
        question: Held,
        version: Version,
        started: float,
        persons: int | None = None,
    ) -> None:
        """Notes the request and its dataset version in the state. `persons` of the dataset, where it tells them apart.

        `cache`: the frequency sets beside the state, None where they are not used. `started`: when the request did, by
        `time.perf_counter`.
        """
        self._started_at = started
        self._state = state
        self._cache = cache
        self._contradicted = False
        self._question = question
        self._version = version
        with state.writing() as connection:
            seen = noted_version(connection, question, version, persons)
            self.version_id = seen.id
            self._recall(connection)
            self.request_id = requests.start(connection, self._started())
            self.current_versions = versions.current(connection) if seen.first_seen_at == seen.last_seen_at else None

    def costs(self) -> Costs:
        """What the request cost so far."""
        return Costs.so_far(self._question.opened.backend.door, self.ASKS, self._started_at)

    @contextlib.contextmanager
    def closed_on_failure(self) -> Iterator[None]:
        """Notes the request as failed, and keeps what was measured, if the block raises; the error goes on up."""
        try:
            yield
        except BaseException as error:
            reason = error.message if isinstance(error, OrdermadeError) else type(error).__name__
            # Whatever ended the request: what was counted in files that changed meanwhile is not of this version.
            changed = self._question.opened.backend.changed()
            contradicted = changed or isinstance(error, ReleaseMismatch | SourceChanged)
            self._contradicted = contradicted
            try:
                self._close("failed", reason)
                if contradicted:
                    forget_version(self._state, self._cache, self.version_id)
            except StateFault as fault:
                error.add_note(f"The failure could not be noted in the state: {fault.message}")
            raise

    def _finished(self, status: str, reason: str | None) -> FinishedRequest:
        """How the request ended, and what it cost."""
        costs = self.costs()
        return FinishedRequest(
            status=status,
            reason=reason,
            dataset_version_id=self.version_id,
            source_queries=costs.source_queries,
            version_queries=costs.version_queries,
            coverage_queries=costs.coverage_queries,
            release_queries=costs.release_queries,
            seconds=costs.seconds,
            chosen=self._chosen() if status == "released" else {},
        )

    def _close_refused(self, reason: str) -> None:
        """Closes the book of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        require_unchanged(self._question)
        self._close("refused", reason)

    def _close(self, status: str, reason: str | None, published: Published | None = None) -> None:
        with self._state.writing() as connection:
            # The request first: DuckDB updates no row that new rows of the same transaction refer to.
            requests.finish(connection, self.request_id, self._finished(status, reason))
            if not self._contradicted:  # table C is exact or it is nothing
                self._keep_measured(connection)
            if published is not None:
                releases.record(connection, self.request_id, published.record)
            audit.note(connection, f"request {status}", str(self.request_id), reason)

    @abstractmethod
    def _recall(self, connection: DuckDBPyConnection) -> None:
        """Reads what the method wants to know of the dataset version before it starts."""

    @abstractmethod
    def _started(self) -> StartedRequest:
        """What is noted of the request as it starts."""

    @abstractmethod
    def _chosen(self) -> Mapping[str, tuple[int, str]]:
        """The number and the name of the level that each generalised column was released at, where it is one."""

    @abstractmethod
    def _keep_measured(self, connection: DuckDBPyConnection) -> None:
        """Notes what was measured on the way, so that later requests know it."""
