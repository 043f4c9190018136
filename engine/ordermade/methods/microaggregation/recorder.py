"""The recorder of a request for microaggregation, and the record that the state stores of it at the start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from ordermade.methods.microaggregation.open_request import OpenMicroaggregation
from ordermade.methods.microaggregation.result import MicroaggregationResult
from ordermade.methods.shared.recorder import RecordsRecorder, as_started
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.numbers import decimal_text
from ordermade.state.records.request_columns import MicroaggregatedAttribute, RequestedAttribute

if TYPE_CHECKING:
    from ordermade.state.records.requests import RequestRecord


def advice(request: MicroaggregationRequest) -> str:
    """The next step after a refusal of enough rows."""
    if not request.within:
        return "Ask for a smaller k, or for more rows."
    coarser = "Take a coarser level" if len(request.within) == 1 else "Take coarser levels"
    return f"{coarser} in `within`, ask for a smaller k, or leave the rows of small classes out (where)."


class GroupingRecorder(RecordsRecorder[OpenMicroaggregation, MicroaggregationResult]):
    """The recorder of a request whose records are grouped."""

    ANSWER = MicroaggregationResult

    def _advice(self) -> str:
        return advice(self._question.request)

    def _started(self) -> RequestRecord:
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
