"""The book kept of a request for histories, and the record that the state stores of it at the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.answering.book import Book
from ordermade.answering.publishing import Published
from ordermade.answering.started import as_started
from ordermade.purchases.asked import columns_of
from ordermade.purchases.question import Question
from ordermade.purchases.result import HistoryReport, HistoryResult
from ordermade.sources.door import Purpose
from ordermade.state.records import StartedRequest

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ordermade.answering.result import Losses


class HistoryBook(Book[Question]):
    """The book of a request whose customers are clustered. No node is searched, so table C learns nothing from it."""

    ASKS = (Purpose.RECORDS,)

    def refused(self, reason: str) -> HistoryResult:
        """Closes the book of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        self._close_refused(reason)
        return HistoryResult(
            request=self.request_id, status="refused", rows=self.rows, reason=reason, cost=self.costs()
        )

    def released(
        self, published: Published, loss: Losses, report: HistoryReport, warnings: tuple[str, ...]
    ) -> HistoryResult:
        """Closes the book of a released request."""
        self._close_released(published)
        return HistoryResult(
            request=self.request_id,
            status="released",
            rows=self.rows,
            k=published.record.k,
            divisions=published.record.divisions,
            suppressed_rows=published.record.suppressed_rows,
            suppressed_persons=published.record.suppressed_persons,
            privacy=published.record.privacy,
            loss=loss,
            release=published.report,
            warnings=(*published.warnings, *warnings),
            history=report,
            cost=self.costs(),
        )

    def _recall(self, connection: DuckDBPyConnection, version_id: int) -> None:
        """Nothing: customers are clustered anew."""

    def _started(self) -> StartedRequest:
        resolved = self._question.resolved
        started = as_started(
            self._question,
            self.version_id,
            algorithm=resolved.match,
            objective=resolved.cluster,
            quasi_identifiers=(),
        )
        return replace(started, options=resolved.in_words, history=columns_of(resolved))

    def _chosen(self) -> Mapping[str, tuple[int, str]]:
        """Nothing: no column is at a level of a lattice."""
        return {}

    def _keep_measured(self, connection: DuckDBPyConnection, version_id: int) -> None:
        """Nothing: clusters are no node of a lattice."""
