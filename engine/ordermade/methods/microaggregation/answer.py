"""The answer to a request for microaggregation, top to bottom: from its file to its measured release."""

from __future__ import annotations

from dataclasses import replace

from ordermade.counting.counts import Units
from ordermade.counting.coverage import encode_counted
from ordermade.counting.record_tables import MICRODATA
from ordermade.ledger.entries import ShownRelease
from ordermade.ledger.simulatable import RequestedLevels
from ordermade.methods.microaggregation.groups import decide, grouped_records, none_can_be
from ordermade.methods.microaggregation.open_request import OpenMicroaggregation
from ordermade.methods.microaggregation.recorder import GroupingRecorder
from ordermade.methods.microaggregation.records import PulledRecords
from ordermade.methods.microaggregation.result import (
    MicroaggregationResult,
    distributions_of,
    method_summary,
    report_of,
)
from ordermade.methods.shared.beside import NO_LEVELS
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.open_request import RunContext, identifying
from ordermade.methods.shared.publishing import published
from ordermade.methods.shared.release_record import ReleaseDraft, require_all
from ordermade.privacy.least_k import too_few
from ordermade.release.rows import count_release


def answer_microaggregation(
    open_request: OpenMicroaggregation, context: RunContext, started: float
) -> MicroaggregationResult | ReturnedResult:
    """The release of groups of k or more near records, or the reason why there is none.

    Raises InputError (malformed, or values that are no numbers), SourceFault, StateFault, ReleaseFault; then nothing is
    left half written.
    """
    progress = context.progress
    progress.step("dataset version")
    seen, earlier = earlier_release(open_request, context)
    if earlier is not None:
        return earlier
    few = too_few(open_request.request.k, seen.rows)
    recorder = GroupingRecorder(context.state, context.cache, open_request, None if few else seen, started)
    wanted = RequestedLevels(open_request.resolved.filter_text, open_request.request.k, unjudged=NO_LEVELS)
    with recorder.closed_on_failure():
        refusal = recorder.foreseen(context, seen, wanted) or few or identifying(open_request, Units(seen.rows))
        if refusal:
            return recorder.refused(refusal)
        progress.step("records")
        wants = open_request.request.microaggregation
        plan, columns = open_request.plan(encode_counted), open_request.aggregated(encode_counted)
        records = PulledRecords.stored(plan, columns, standardise=wants.standardise)
        refusal = none_can_be(open_request, records)
        if refusal:
            return recorder.refused(refusal)
        progress.step(f"groups ({wants.algorithm})")
        grouping = grouped_records(open_request, records, context)
        progress.step("release")
        decide(records, grouping.groups, grouping.released, wants.round)
        plan.dataset.backend.workspace.let_go(MICRODATA)  # a sweep decides on it again
        settled = count_release(plan)
        require_all(settled, seen.rows)
        report = report_of(open_request, grouping)
        summary = method_summary(open_request, grouping, report, recorder.request_id, seen)
        refusal = recorder.judged(context, ShownRelease((), NO_LEVELS, open_request.resolved.with_values))
        if refusal:
            return recorder.refused(refusal)
        out = published(ReleaseDraft(open_request, plan, settled, summary), context.limits)
        progress.step("record")
        shown = distributions_of(open_request, grouping) if context.distributions else ()
        return replace(recorder.released(out, grouping.losses), microaggregation=report, distributions=shown)
