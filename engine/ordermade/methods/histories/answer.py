"""The answer to a request for histories, top to bottom: from its file to its measured release."""

from __future__ import annotations

import time
from dataclasses import replace

from ordermade.measuring.counting import units_of
from ordermade.methods.histories.map_file import check_map, is_map_of, map_staged
from ordermade.methods.histories.open_request import OpenHistory, none_can_be, open_request
from ordermade.methods.histories.recorder import HistoryRecorder
from ordermade.methods.histories.records import Purchases
from ordermade.methods.histories.release import kept, let_go, none_is_left, settle_histories
from ordermade.methods.histories.result import HistoryResult, losses_of, method_summary, report_of, warnings_of
from ordermade.methods.histories.slots import Alike, fill_slots, losses
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.open_request import RunContext
from ordermade.methods.shared.publishing import published
from ordermade.methods.shared.result import ReleaseDraft
from ordermade.release.files import StagedFile
from ordermade.requests.history import HistoryRequest
from ordermade.requests.read import ReadRequest


def answer_history(read: ReadRequest[HistoryRequest], setting: RunContext) -> HistoryResult | ReturnedResult:
    """The release of histories that k customers or more share, or the reason why there is none.

    Raises InputError (malformed, or rows without a value), SourceFault, StateFault, ReleaseFault; then nothing is left
    half written.
    """
    started, progress = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, progress.statement) as question:
        k, truth = question.request.k, question.resolved.map
        progress.step("dataset version")
        seen, earlier = earlier_release(
            question, setting, question.registered, lambda release: truth is None or is_map_of(truth, release)
        )
        if earlier is not None:
            return earlier
        release = question.request.release
        if truth is not None and release.path is not None:
            check_map(truth, release.path, replaces=question.run.replaces, any_file=release.replace)
        counted = units_of(question.registered, seen.rows, k)
        few = none_can_be(question, k)
        recorder = HistoryRecorder(
            setting.state, setting.cache, question, None if few else seen, started, counted.persons
        )
        with recorder.closed_on_failure():
            if few:
                return recorder.refused(few)
            progress.step("purchases")
            purchases = Purchases.stored(question.plan, question.resolved)
            Alike.of(purchases, setting).assign(k)
            fill_slots(purchases, delete_costly=question.resolved.delete_costly)
            progress.step("release")
            lost, figures = losses(purchases), kept(question.plan)
            refusal = none_is_left(figures)
            if refusal:
                return recorder.refused(refusal)
            report, by_name = report_of(question, lost, figures), losses_of(lost, k)
            if truth is None:
                let_go(question.plan, settled=False)
            settled = settle_histories(question.plan, figures)
            summary = method_summary(question, report, by_name, recorder.request_id, seen)
            beside = _map_of(purchases, question)
            let_go(question.plan, settled=True)
            out = published(ReleaseDraft(question, question.plan, settled, summary), setting.limits, beside)
            progress.step("record")
            warnings = (*out.warnings, *warnings_of(purchases))
            return replace(
                recorder.released(out, by_name),
                suppressed_rows=out.record.suppressed_rows,
                suppressed_persons=out.record.suppressed_persons,
                warnings=warnings,
                history=report,
            )


def _map_of(purchases: Purchases, question: OpenHistory) -> tuple[StagedFile, ...]:
    """The files of the map, if the request wants one."""
    truth, release = purchases.resolved.map, question.request.release.path
    return () if truth is None or release is None else map_staged(purchases, question.run, truth, release)
