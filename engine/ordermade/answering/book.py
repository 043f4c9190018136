"""The book kept of one request: opened when it starts, closed as released, refused or failed, whatever happens."""

from __future__ import annotations

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ordermade.answering.publishing import Published
from ordermade.answering.question import OpenRequest
from ordermade.errors import OrdermadeError, ReleaseMismatch, SourceChanged, StateFault
from ordermade.measuring.dataset import Version
from ordermade.requests.resolving import ResolvedRequest
from ordermade.state import audit, observations, releases, requests, versions
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.records import FinishedRequest, StartedRequest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class Book(ABC):
    """What the state is told of one request, whatever its method. The state is open only while it is written."""

    def __init__(
        self,
        state: StateFile,
        question: OpenRequest[ResolvedRequest],
        version: Version,
        cache: Cache | None,
        persons: int | None = None,
    ) -> None:
        """Notes the request and its dataset version in the state. `persons` of the dataset, where it tells them apart.

        `cache`: the frequency sets beside the state, None where they are not used.
        """
        self._state = state
        self._cache = cache
        self._contradicted = False
        self._question = question
        self._version = version
        opened = question.opened
        with state.writing() as connection:
            seen = versions.register(
                connection,
                question.identity,
                opened.dataset_id,
                question.resolved.filter_text,
                version.rows,
                version.hash_sum,
                version.columns_hash,
                {each.name: each.type for each in question.dataset.columns},
                persons,
            )
            self.version_id = seen.id
            self.request_id = requests.start(connection, self._started(connection, seen.id))
            self.current_versions = versions.current(connection) if seen.first_seen_at == seen.last_seen_at else None

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
                    self._forget()
            except StateFault as fault:
                error.add_note(f"The failure could not be noted in the state: {fault.message}")
            raise

    def _close(self, status: str, reason: str | None, published: Published | None = None) -> None:
        with self._state.writing() as connection:
            # The request first: DuckDB updates no row that new rows of the same transaction refer to.
            requests.finish(connection, self.request_id, self._finished(status, reason))
            if not self._contradicted:  # table C is exact or it is nothing
                self._keep_measured(connection)
            if published is not None:
                releases.record(connection, self.request_id, published.record)
            audit.note(connection, f"request {status}", str(self.request_id), reason)

    def _forget(self) -> None:
        """Drops all that is known of this dataset version, the cached frequency sets with it."""
        with self._state.writing() as connection:
            observations.forget(connection, self.version_id)
        if self._cache is not None:
            self._cache.purge([self.version_id])

    @abstractmethod
    def _started(self, connection: DuckDBPyConnection, version_id: int) -> StartedRequest:
        """What is noted of the request as it starts. What the method wants to know of the version is read here."""

    @abstractmethod
    def _finished(self, status: str, reason: str | None) -> FinishedRequest:
        """How the request ended, and what it cost."""

    @abstractmethod
    def _keep_measured(self, connection: DuckDBPyConnection) -> None:
        """Notes what was measured on the way, so that later requests know it."""
