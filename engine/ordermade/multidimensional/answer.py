"""The answer to a request for Mondrian, readable top to bottom: from its file to its measured release."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ordermade.answering.publishing import published
from ordermade.answering.refusal import require_all, too_few
from ordermade.answering.released import Draft
from ordermade.answering.setting import Setting
from ordermade.measuring.dataset import version
from ordermade.measuring.entity import units_of
from ordermade.measuring.grounding import ground
from ordermade.measuring.sensitive import ground_sensitive
from ordermade.mondrian.choice import Choice, Gain, Guided, Precise, Widest
from ordermade.mondrian.coverage import coverage
from ordermade.mondrian.requirement import root_fails
from ordermade.mondrian.splitting import partitioned
from ordermade.multidimensional.book import SplitBook
from ordermade.multidimensional.groups import decide, fail_together, too_long
from ordermade.multidimensional.labels import released
from ordermade.multidimensional.question import Question, asked
from ordermade.multidimensional.records import Records
from ordermade.multidimensional.result import MondrianResult
from ordermade.multidimensional.rules import guide_of
from ordermade.multidimensional.service import rules_served
from ordermade.multidimensional.told import SplitRecords, of_method, report_of
from ordermade.release.settle import settle
from ordermade.requests.mondrian import MondrianRequest
from ordermade.requests.read import ReadRequest
from ordermade.side_by_side import cores

if TYPE_CHECKING:
    from ordermade.mondrian.guide import Guide


def divided(read: ReadRequest[MondrianRequest], setting: Setting) -> MondrianResult:
    """The release of classes that were split as often as they may be, or the reason why there is none.

    Raises InputError (malformed, or rows without a value), SourceFault, StateFault, ReleaseFault; then nothing is left
    half written.
    """
    started, tell = time.perf_counter(), setting.progress
    with asked(setting.state, setting.limits, read, tell.statement) as question:
        resolved, k = question.resolved, question.request.k
        tell.step("dataset version")
        seen = version(question.dataset)
        counted = units_of(question.dataset, seen.rows)
        book = SplitBook(setting.state, setting.cache, question, seen, started, counted.persons)
        with book.closed_on_failure():
            refusal = too_few(k, counted.number, "row(s)" if counted.persons is None else "person(s)")
            if refusal:
                return book.refused(refusal)
            tell.step("records")
            plan = question.plan(ground_sensitive)
            records = Records.stored(plan, question.wanted(ground), ordered=not resolved.strict, target=resolved.target)
            refusal = too_few(k, records.rows) or _whole_fails(records)
            if refusal:
                return book.refused(refusal)
            tell.step(f"classes ({resolved.split})")
            guide = None if resolved.rules is None else guide_of(resolved.rules, records.columns)
            partition = partitioned(
                records.domains,
                records.codes,
                _choice(question, records, guide),
                records.requirement,
                strict=resolved.strict,
                threads=setting.limits.threads or cores(),
                progress=lambda done: tell.records_left(records.rows - done),
            )
            tell.step("release")
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
            split = SplitRecords(partition, coverage(records.domains, records.codes, partition), settled)
            report, losses = report_of(question, split), split.losses(question)
            told = of_method(question, report, losses, book.request_id, seen)
            out = published(Draft(question, plan, settled, told), setting.limits)
            tell.step("record")
            served = () if guide is None else rules_served(question, records, guide, partition, given)
            return book.released(out, losses, report, served)


def _choice(question: Question, records: Records, guide: Guide | None) -> Choice:
    """What the request chooses splits by."""
    match question.resolved.split:
        case "tf-idf" if guide is not None:
            return Guided(guide)
        case "information-gain" if records.target is not None:
            return Gain(records.target, records.target_values)
        case "prec":
            return Precise()
        case "width":
            return Widest()
        case other:
            raise ValueError(f"nothing to choose splits by {other} with")


def _whole_fails(records: Records) -> str | None:
    """Why nothing is released where not even all records in one class pass."""
    fails = root_fails(records.requirement, records.rows)
    return None if fails is None else f"not even all rows in one class pass: they fail {fails}"
