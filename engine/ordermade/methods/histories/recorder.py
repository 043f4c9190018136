"""The record of a request for histories."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.methods.histories.open_request import OpenHistory
from ordermade.methods.histories.result import HistoryResult
from ordermade.methods.shared.recorder import RecordsRecorder, as_started
from ordermade.requests.numbers import plain
from ordermade.requests.resolve_history import ResolvedHistory, ResolvedNumber
from ordermade.state.records.request_columns import HistoryColumn

if TYPE_CHECKING:
    from ordermade.state.records.requests import RequestRecord


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


class HistoryRecorder(RecordsRecorder[OpenHistory, HistoryResult]):
    """The recorder of a request whose customers are clustered."""

    ANSWER = HistoryResult

    def _advice(self) -> str:
        return "Ask for a smaller k, or for more customers."

    def _started(self) -> RequestRecord:
        resolved = self._question.resolved
        started = as_started(
            self._question,
            self.version_id,
            algorithm=resolved.match,
            objective=resolved.cluster,
            quasi_identifiers=(),
        )
        return replace(started, options=resolved.in_words, history=columns_of(resolved))
