"""The answer to a request for Mondrian, top to bottom: from its file to its measured release."""

from __future__ import annotations

import time

from ordermade.least_k import too_few
from ordermade.measuring.counting import ground_sensitive, units_of
from ordermade.measuring.dataset import version
from ordermade.measuring.grounding import ground
from ordermade.methods.mondrian.algorithm.partition import coverage
from ordermade.methods.mondrian.groups import decide, fail_together, none_can_be, split, too_long
from ordermade.methods.mondrian.labels import released
from ordermade.methods.mondrian.open_request import open_request
from ordermade.methods.mondrian.recorder import SplitBook
from ordermade.methods.mondrian.records import Records
from ordermade.methods.mondrian.result import MondrianResult, SplitRecords, of_method, report_of, rules_served
from ordermade.methods.mondrian.rules import guide_of
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.publishing import published
from ordermade.methods.shared.release_record import Draft
from ordermade.methods.shared.request_check import identifying
from ordermade.methods.shared.result import require_all
from ordermade.methods.shared.run_context import Setting
from ordermade.release.settle import settle
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.read import ReadRequest


def divided(read: ReadRequest[MondrianRequest], setting: Setting) -> MondrianResult | ReturnedResult:
    """The release of classes that were split as often as they may be, or the reason why there is none.

    Raises InputError (malformed, or rows without a value), SourceFault, StateFault, ReleaseFault; then nothing is left
    half written.
    """
    started, progress = time.perf_counter(), setting.progress
    with open_request(setting.state, setting.limits, read, progress.statement) as question:
        resolved, k = question.resolved, question.request.k
        progress.step("dataset version")
        seen = version(question.dataset)
        earlier = earlier_release(question, setting, seen)
        if earlier is not None:
            return earlier
        counted = units_of(question.dataset, seen.rows, k)
        few = too_few(k, counted.number, counted.called)
        kept = None if few else seen
        book = SplitBook(setting.state, setting.cache, question, kept, started, counted.persons)
        with book.closed_on_failure():
            refusal = few or identifying(question, counted)
            if refusal:
                return book.refused(refusal)
            progress.step("records")
            plan = question.plan(ground_sensitive)
            records = Records.stored(plan, question.wanted(ground), ordered=not resolved.strict, target=resolved.target)
            refusal = none_can_be(records)
            if refusal:
                return book.refused(refusal)
            progress.step(f"classes ({resolved.split})")
            guide = None if resolved.rules is None else guide_of(resolved.rules, records.columns)
            partition = split(question, records, guide, setting)
            progress.step("release")
            given = released(records, partition, resolved.labels)
            refusal = too_long(plan, partition, given)
            if refusal:
                return book.refused(refusal)
            decide(records, partition, given)
            refusal = fail_together(plan, partition)
            if refusal:
                return book.refused(refusal)
            settled = settle(plan)
            require_all(settled, seen.rows)
            found = SplitRecords(partition, coverage(records.domains, records.codes, partition), settled.classes)
            report, losses = report_of(question, found), found.losses(question)
            summary = of_method(question, report, losses, book.request_id, seen)
            out = published(Draft(question, plan, settled, summary), setting.limits)
            progress.step("record")
            served = () if guide is None else rules_served(question, records, guide, partition, given)
            return book.released(out, losses, report, served)
