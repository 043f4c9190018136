"""The book kept of a request for Mondrian, and the record that the state stores of it at the start."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.methods.mondrian.open_request import Question
from ordermade.methods.mondrian.result import MondrianReport, MondrianResult, RuleReport
from ordermade.methods.shared.publishing import Published
from ordermade.methods.shared.recorder import Book, as_started, requested_models
from ordermade.sources.door import Purpose
from ordermade.state.records import SplitColumn, StartedRequest

if TYPE_CHECKING:
    from ordermade.methods.shared.result import Losses


class SplitBook(Book[Question]):
    """The book of a request whose records are split. No node is searched, so table C learns nothing from it."""

    ASKS = (Purpose.RECORDS,)

    def refused(self, reason: str) -> MondrianResult:
        """Closes the book of a refused request. Raises SourceChanged if files of the source changed meanwhile."""
        self._close_refused(reason)
        return MondrianResult(
            request=self.request_id, status="refused", rows=self.rows, reason=reason, cost=self.costs()
        )

    def released(
        self, published: Published, loss: Losses, report: MondrianReport, rules: tuple[RuleReport, ...]
    ) -> MondrianResult:
        """Closes the book of a released request."""
        self._close_released(published)
        return MondrianResult(
            request=self.request_id,
            status="released",
            rows=self.rows,
            k=published.record.k,
            divisions=published.record.divisions,
            privacy=published.record.privacy,
            loss=loss,
            release=published.report,
            warnings=published.warnings,
            mondrian=report,
            recommendation=rules,
            cost=self.costs(),
        )

    def _started(self) -> StartedRequest:
        resolved = self._question.resolved
        started = as_started(
            self._question,
            self.version_id,
            algorithm=resolved.variant,
            objective=resolved.split,
            quasi_identifiers=(),
        )
        return replace(
            started,
            options=resolved.in_words,
            splits=tuple(
                SplitColumn(
                    each.column,
                    each.kind,
                    None if each.hierarchy is None else each.hierarchy.name,
                    None if each.hierarchy is None else each.hierarchy.content_hash,
                    each.finest if each.kind == "nested" else None,
                )
                for each in resolved.qis
            ),
            sensitive=requested_models(resolved.sensitive),
        )
