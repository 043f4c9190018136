"""The book kept of a request for microaggregation, and what the state is told of it when it starts."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ordermade import __version__
from ordermade.answering.book import Book
from ordermade.answering.publishing import Published
from ordermade.answering.question import require_unchanged
from ordermade.measuring.dataset import Version
from ordermade.microdata.question import Question
from ordermade.microdata.result import Costs, DistributionReport, MicroaggregationReport, MicroaggregationResult
from ordermade.privacy.models import decimal_text
from ordermade.requests.identity import request_hash
from ordermade.requests.model import SourceTable
from ordermade.sources.door import Purpose
from ordermade.state.cache import Cache
from ordermade.state.database import StateFile
from ordermade.state.records import FinishedRequest, MicroaggregatedAttribute, RequestedAttribute, StartedRequest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.answering.result import Losses


class GroupingBook(Book):
    """The book of a request whose records are grouped. No node is searched, so table C learns nothing from it."""

    def __init__(
        self, state: StateFile, cache: Cache | None, question: Question, version: Version, started: float
    ) -> None:
        """Notes the request and its dataset version in the state."""
        self._asked = question
        self._started_at = started
        self._released = False
        super().__init__(state, question, version, cache)

    def refused(self, reason: str) -> MicroaggregationResult:
        """Closes the book of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        require_unchanged(self._asked)
        self._close("refused", reason)
        return MicroaggregationResult(
            request=self.request_id, status="refused", rows=self._version.rows, reason=reason, cost=self.costs()
        )

    def released(
        self,
        published: Published,
        loss: Losses,
        report: MicroaggregationReport,
        distributions: tuple[DistributionReport, ...] = (),
    ) -> MicroaggregationResult:
        """Closes the book of a released request."""
        self._released = True
        self._close("released", None, published)
        return MicroaggregationResult(
            request=self.request_id,
            status="released",
            rows=self._version.rows,
            k=published.record.k,
            divisions=published.record.divisions,
            privacy=published.record.privacy,
            loss=loss,
            release=published.report,
            warnings=published.warnings,
            microaggregation=report,
            distributions=distributions,
            cost=self.costs(),
        )

    def costs(self) -> Costs:
        """The statements that ran in the source so far, and the seconds of the whole request."""
        door = self._asked.opened.backend.door
        return Costs(
            source_queries=door.count([Purpose.RECORDS]),
            version_queries=door.count([Purpose.VERSION]),
            coverage_queries=door.count([Purpose.COVERAGE]),
            release_queries=door.count([Purpose.RELEASE]),
            seconds=round(time.perf_counter() - self._started_at, 4),
        )

    def _started(self, connection: DuckDBPyConnection, version_id: int) -> StartedRequest:  # noqa: ARG002
        request, resolved = self._asked.request, self._asked.resolved
        target = request.release.to
        return StartedRequest(
            title=request.title,
            request_hash=request_hash(request, resolved.filter_text),
            engine_version=__version__,
            dataset_name=self._asked.opened.name,
            filter=resolved.filter_text,
            k=request.k,
            algorithm=request.microaggregation.algorithm,
            objective="sse_over_sst",
            shape=request.release.shape,
            target_path=None if isinstance(target, SourceTable) else str(target),
            target_table=target.table if isinstance(target, SourceTable) else None,
            quasi_identifiers=tuple(
                RequestedAttribute(
                    each.column, each.hierarchy.name, each.hierarchy.content_hash, each.level, each.level
                )
                for each in resolved.within
            ),
            identifiers=resolved.identifiers,
            keep=resolved.keep,
            dataset_version_id=version_id,
            suppression_limit=None,
            recoding=None,
            method=request.method,
            options=request.microaggregation.in_words,
            attributes=tuple(
                MicroaggregatedAttribute(
                    each.column,
                    decimal_text(each.weight),
                    None if each.hierarchy is None else each.hierarchy.name,
                    None if each.hierarchy is None else each.hierarchy.content_hash,
                    each.aggregate,
                )
                for each in resolved.attributes
            ),
        )

    def _finished(self, status: str, reason: str | None) -> FinishedRequest:
        costs = self.costs()
        within = self._asked.resolved.within if self._released else ()
        return FinishedRequest(
            status=status,
            reason=reason,
            dataset_version_id=self.version_id,
            source_queries=costs.source_queries,
            version_queries=costs.version_queries,
            coverage_queries=costs.coverage_queries,
            release_queries=costs.release_queries,
            seconds=costs.seconds,
            chosen={each.column: (each.level, each.hierarchy.levels[each.level].name) for each in within},
        )

    def _keep_measured(self, connection: DuckDBPyConnection) -> None:
        """Nothing: groups are no node of a lattice."""
