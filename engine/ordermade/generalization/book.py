"""The book kept of one request: opened when it starts, closed as released, refused or failed, whatever happens."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator

from ordermade.errors import OrdermadeError, ReleaseMismatch, SourceChanged, StateFault
from ordermade.generalization.foreknowledge import remembered
from ordermade.generalization.goal import models_hash_of
from ordermade.generalization.local_recoding import Recoded
from ordermade.generalization.measurement import SOURCE_QUERIES, require_unchanged
from ordermade.generalization.publish import Chosen, Published
from ordermade.generalization.question import Question
from ordermade.generalization.refusal import Refusal
from ordermade.generalization.result import LocalReport, Nearest, Result, SearchReport, StartReport
from ordermade.generalization.started import as_started
from ordermade.lattice.node import Node
from ordermade.measuring.dataset import Version
from ordermade.measuring.oracle import Oracle
from ordermade.search import Outcome
from ordermade.sources.door import Purpose
from ordermade.state import audit, observations, releases, requests, versions
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.records import FinishedRequest


class Book:
    """What the state is told of one request. The state is open only while it is written."""

    def __init__(
        self,
        state: StateFile,
        cache: Cache | None,
        question: Question,
        version: Version,
        algorithm: str,
        started: float,
        persons: int | None = None,
    ) -> None:
        """Notes the request and its dataset version in the state, and reads what table C knows of that version.

        `persons` of the dataset, where it tells them apart.
        """
        self._state = state
        self._cache = cache
        self._question = question
        self._version = version
        self._algorithm = algorithm
        self._started = started
        self.oracle: Oracle | None = None
        self.outcome: Outcome | None = None
        self.nodes_proven = 0
        self.rounds: Recoded | None = None
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
            self.request_id = requests.start(connection, as_started(question, algorithm, seen.id))
            self.current_versions = versions.current(connection) if seen.first_seen_at == seen.last_seen_at else None
            self.known = remembered(connection, seen.id, question.resolved)

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
            if contradicted and self.oracle:
                self.oracle.measured.clear()  # table C is exact or it is nothing
            try:
                self._close("failed", reason)
                if contradicted:
                    self._forget()
            except StateFault as fault:
                error.add_note(f"The failure could not be noted in the state: {fault.message}")
            raise

    def _forget(self) -> None:
        """Drops all that is known of this version, the cached frequency sets with it."""
        with self._state.writing() as connection:
            observations.forget(connection, self.known.version_id)
        if self._cache is not None:
            self._cache.purge([self.known.version_id])

    def refused(self, refusal: Refusal) -> Result:
        """Closes the book of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        require_unchanged(self._question)
        reason = refusal.reason
        nearest = self._nearest(refusal)
        if nearest:
            levels = ", ".join(f"{column}: {name}" for column, name in nearest.level_names.items())
            withheld = f", {nearest.withheld:,} withheld" if nearest.withheld else ""
            reason += f". Nearest node that passes: {levels} (k = {nearest.k}{withheld})"
        self._close("refused", reason)
        return Result(
            request=self.request_id,
            status="refused",
            rows=self._version.rows,
            search=self._report(),
            reason=reason,
            column=refusal.column,
            nearest=nearest,
        )

    def released(self, chosen: Chosen, published: Published) -> Result:
        """Closes the book of a released request."""
        node = chosen.node if chosen.local is None else None
        self._close("released", None, node, published)
        return Result(
            request=self.request_id,
            status="released",
            rows=self._version.rows,
            search=self._report(),
            levels={} if node is None else dict(zip(self._question.columns, node, strict=True)),
            level_names={} if node is None else self._question.level_names(node),
            local=self._local(chosen),
            k=published.record.k,
            divisions=published.record.divisions,
            suppressed_rows=published.record.suppressed_rows,
            suppressed_persons=published.record.suppressed_persons,
            privacy=published.record.privacy,
            loss=chosen.losses,
            release=published.report,
            warnings=published.warnings,
        )

    def _local(self, chosen: Chosen) -> LocalReport | None:
        if chosen.local is None or self.rounds is None:
            return None
        return LocalReport(self.rounds.start, tuple(chosen.local.rounds), self.rounds.full_domain_loss)

    def _close(
        self, status: str, reason: str | None, node: Node | None = None, published: Published | None = None
    ) -> None:
        measured = self._question.for_table_c(self.oracle.measured) if self.oracle else []
        report = self._report()
        names = {} if node is None else self._question.level_names(node)
        chosen = (
            {}
            if node is None
            else {column: (level, names[column]) for column, level in zip(self._question.columns, node, strict=True)}
        )
        finished = FinishedRequest(
            status=status,
            reason=reason,
            dataset_version_id=self.known.version_id,
            nodes_in_lattice=report.nodes_in_lattice,
            nodes_measured=report.nodes_measured,
            divisions_measured=report.divisions_measured,
            source_queries=report.source_queries,
            version_queries=report.version_queries,
            coverage_queries=report.coverage_queries,
            release_queries=report.release_queries,
            seconds=report.seconds,
            chosen=chosen,
        )
        with self._state.writing() as connection:
            # The request first: DuckDB updates no row that new rows of the same transaction refer to.
            requests.finish(connection, self.request_id, finished)
            models = models_hash_of(self._question.resolved)
            observations.record(connection, self.known.version_id, self.request_id, measured, models)
            if published is not None:
                releases.record(connection, self.request_id, published.record)
            audit.note(connection, f"request {status}", str(self.request_id), reason)

    def _report(self) -> SearchReport:
        door = self._question.opened.backend.door
        return SearchReport(
            algorithm=self._algorithm,
            nodes_in_lattice=self._question.resolved.lattice.size,
            nodes_proven=self.nodes_proven,
            nodes_measured=len(self.oracle.measured) if self.oracle else 0,
            divisions_measured=self.oracle.divisions_measured if self.oracle else 0,
            certified=self.outcome is None or self.outcome.certified,
            start=self._start(),
            source_queries=door.count(SOURCE_QUERIES),
            version_queries=door.count([Purpose.VERSION]),
            coverage_queries=door.count([Purpose.COVERAGE]),
            release_queries=door.count([Purpose.RELEASE]),
            seconds=round(time.perf_counter() - self._started, 4),
        )

    def _start(self) -> StartReport | None:
        start = self.outcome.start if self.outcome else None
        if start is None:
            return None
        return StartReport(
            dict(zip(self._question.columns, start.node, strict=True)),
            self._question.level_names(start.node),
            start.predicted,
            start.alpha,
            start.beta,
            start.r,
            start.sampled,
            start.sampled_divisions,
        )

    def _nearest(self, refusal: Refusal) -> Nearest | None:
        if refusal.nearest is None or refusal.nearest_k is None:
            return None
        levels = dict(zip(self._question.columns, refusal.nearest, strict=True))
        names = self._question.level_names(refusal.nearest)
        return Nearest(levels, names, refusal.nearest_k, refusal.nearest_withheld or 0)
