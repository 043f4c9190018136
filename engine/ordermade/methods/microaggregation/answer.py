"""The answer to a request for microaggregation, top to bottom: from its file to its measured release."""

from __future__ import annotations

import time
from dataclasses import replace

from ordermade.counting.counts import Units
from ordermade.counting.coverage import ground
from ordermade.counting.record_tables import MICRODATA
from ordermade.methods.microaggregation.groups import decide, grouped_records, none_can_be
from ordermade.methods.microaggregation.open_request import OpenMicroaggregation
from ordermade.methods.microaggregation.recorder import GroupingRecorder
from ordermade.methods.microaggregation.records import Records
from ordermade.methods.microaggregation.result import (
    MicroaggregationResult,
    distributions_of,
    method_summary,
    report_of,
)
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.open_request import RunContext, identifying, opened_request
from ordermade.methods.shared.publishing import published
from ordermade.methods.shared.result import ReleaseDraft, require_all
from ordermade.privacy.least_k import too_few
from ordermade.release.rows import settle
from ordermade.requests.microaggregation import MicroaggregationRequest
from ordermade.requests.read import ReadRequest


def answer_microaggregation(
    read: ReadRequest[MicroaggregationRequest], setting: RunContext
) -> MicroaggregationResult | ReturnedResult:
    """The release of groups of k or more near records, or the reason why there is none.

    Raises InputError (malformed, or values that are no numbers), SourceFault, StateFault, ReleaseFault; then nothing is
    left half written.
    """
    started, progress = time.perf_counter(), setting.progress
    with opened_request(OpenMicroaggregation, setting.state, setting.limits, read, progress.statement) as question:
        progress.step("dataset version")
        seen, earlier = earlier_release(question, setting)
        if earlier is not None:
            return earlier
        few = too_few(question.request.k, seen.rows)
        recorder = GroupingRecorder(setting.state, setting.cache, question, None if few else seen, started)
        with recorder.closed_on_failure():
            refusal = few or identifying(question, Units(seen.rows))
            if refusal:
                return recorder.refused(refusal)
            progress.step("records")
            wants = question.request.microaggregation
            plan, columns = question.plan(ground), question.aggregated(ground)
            records = Records.stored(plan, columns, standardise=wants.standardise)
            refusal = none_can_be(question, records)
            if refusal:
                return recorder.refused(refusal)
            progress.step(f"groups ({wants.algorithm})")
            grouping = grouped_records(question, records, setting)
            progress.step("release")
            decide(records, grouping.groups, grouping.released, wants.round)
            plan.dataset.backend.workspace.let_go(MICRODATA)  # a sweep decides on it again
            settled = settle(plan)
            require_all(settled, seen.rows)
            report = report_of(question, grouping)
            summary = method_summary(question, grouping, report, recorder.request_id, seen)
            out = published(ReleaseDraft(question, plan, settled, summary), setting.limits)
            progress.step("record")
            shown = distributions_of(question, grouping) if setting.distributions else ()
            return replace(recorder.released(out, grouping.losses), microaggregation=report, distributions=shown)
