"""The book kept of a request for microaggregation, and the record that the state stores of it at the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.methods.microaggregation.open_request import Question
from ordermade.methods.microaggregation.result import DistributionReport, MicroaggregationReport, MicroaggregationResult
from ordermade.methods.shared.publishing import Published
from ordermade.methods.shared.recorder import Book, as_started
from ordermade.requests.numbers import decimal_text
from ordermade.sources.door import Purpose
from ordermade.state.records import MicroaggregatedAttribute, RequestedAttribute, StartedRequest

if TYPE_CHECKING:
    from ordermade.methods.shared.result import Losses


class GroupingBook(Book[Question]):
    """The book of a request whose records are grouped. No node is searched, so table C learns nothing from it."""

    ASKS = (Purpose.RECORDS,)

    def refused(self, reason: str) -> MicroaggregationResult:
        """Closes the book of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        self._close_refused(reason)
        return MicroaggregationResult(
            request=self.request_id, status="refused", rows=self.rows, reason=reason, cost=self.costs()
        )

    def released(
        self,
        published: Published,
        loss: Losses,
        report: MicroaggregationReport,
        distributions: tuple[DistributionReport, ...] = (),
    ) -> MicroaggregationResult:
        """Closes the book of a released request."""
        self._close_released(published)
        return MicroaggregationResult(
            request=self.request_id,
            status="released",
            rows=self.rows,
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

    def _started(self) -> StartedRequest:
        request, resolved = self._question.request, self._question.resolved
        started = as_started(
            self._question,
            self.version_id,
            algorithm=request.microaggregation.algorithm,
            objective="sse_over_sst",
            quasi_identifiers=tuple(
                RequestedAttribute(
                    each.column, each.hierarchy.name, each.hierarchy.content_hash, each.level, each.level
                )
                for each in resolved.within
            ),
        )
        return replace(
            started,
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

    def _chosen(self) -> Mapping[str, tuple[int, str]]:
        within = self._question.resolved.within
        return {each.column: (each.level, each.hierarchy.levels[each.level].name) for each in within}
