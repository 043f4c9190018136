"""The record of a request for histories."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.methods.histories.open_request import Question
from ordermade.methods.histories.result import HistoryReport, HistoryResult
from ordermade.methods.shared.publishing import Published
from ordermade.methods.shared.recorder import Book, as_started
from ordermade.requests.numbers import plain
from ordermade.requests.resolve_history import ResolvedHistory, ResolvedNumber
from ordermade.sources.door import Purpose
from ordermade.state.records import HistoryColumn, StartedRequest

if TYPE_CHECKING:
    from ordermade.methods.shared.result import Losses


def columns_of(resolved: ResolvedHistory) -> tuple[HistoryColumn, ...]:
    """The customer, when, the item, then the numbers in the order of the request."""
    taxonomy = resolved.taxonomy
    item = HistoryColumn(resolved.item.column, "item")
    if taxonomy is not None:
        item = HistoryColumn(
            resolved.item.column,
            "item",
            taxonomy=taxonomy.file,
            taxonomy_hash=taxonomy.content_hash,
            level=taxonomy.level,
        )
    return (
        HistoryColumn(resolved.customer.column, "customer"),
        HistoryColumn(resolved.when.column, "when"),
        item,
        *(_number(each, resolved.sort) for each in resolved.numbers),
    )


def _number(number: ResolvedNumber, sort: tuple[str, ...]) -> HistoryColumn:
    place = sort.index(number.column) if number.column in sort else None
    return HistoryColumn(number.column, "number", None if number.unit is None else plain(number.unit), place)


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
