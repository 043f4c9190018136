"""The answer to a request for Mondrian: records are split into classes, labelled, released and measured again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pyarrow import compute
from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import NARROW, ground_sensitive, units_of
from ordermade.counting.coverage import encode_counted
from ordermade.counting.record_tables import ASSIGNED, GROUPS, MICRODATA, OWN, PLACED, measured_column
from ordermade.counting.statements import carry_out
from ordermade.errors import quoted
from ordermade.ledger.entries import ShownRelease
from ordermade.ledger.simulatable import RequestedLevels
from ordermade.machine.parallel import cores
from ordermade.methods.mondrian.algorithm.partition import Partition, coverage
from ordermade.methods.mondrian.algorithm.requirement import root_fails
from ordermade.methods.mondrian.algorithm.split_scoring import Choice, Gain, Guided, Precise, Widest
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from ordermade.methods.mondrian.coded_columns import by_record, class_labels, classes_together
from ordermade.methods.mondrian.counted_combinations import records_of
from ordermade.methods.mondrian.labels import ReleasedLabels, released
from ordermade.methods.mondrian.open_request import OpenMondrian
from ordermade.methods.mondrian.own_values import own_values
from ordermade.methods.mondrian.records import MondrianRecords
from ordermade.methods.mondrian.result import (
    MondrianResult,
    SplitRecorder,
    SplitRecords,
    method_summary,
    original_extremes,
    report_of,
    rules_served,
)
from ordermade.methods.mondrian.rules import guide_of
from ordermade.methods.shared.beside import NO_LEVELS
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.open_request import RunContext, identifying
from ordermade.methods.shared.publishing import published
from ordermade.methods.shared.recorder import current_cache
from ordermade.methods.shared.release_record import ReleaseDraft, mismatch, require_all
from ordermade.methods.shared.usable_cache import UsableCache
from ordermade.privacy.least_k import in_words, too_few
from ordermade.release.plan import Plan
from ordermade.release.rows import count_release
from ordermade.release.suppress import CLASSES
from ordermade.sources.executor import Executor, Purpose, arrow

if TYPE_CHECKING:
    from ordermade.methods.mondrian.algorithm.rules import Guide


def none_can_be(records: MondrianRecords) -> str | None:
    """The words of the refusal if all records in one class do not pass; None if they do."""
    few = too_few(records.plan.k, records.rows)
    if few:
        return few
    fails = root_fails(records.requirement, records.records)
    return None if fails is None else f"not even all rows in one class pass: they fail {fails}"


def split(open_request: OpenMondrian, records: MondrianRecords, guide: Guide | None, context: RunContext) -> Partition:
    """The records split into classes by the strategy of the request; `guide`: its rules, None if it has none."""
    return partitioned(
        records.domains,
        records.codes,
        _choice(open_request, records, guide),
        records.requirement,
        strict=open_request.resolved.strict,
        threads=context.limits.threads or cores(),
        progress=lambda done: context.progress.records_left(records.rows - done),
    )


def _choice(open_request: OpenMondrian, records: MondrianRecords, guide: Guide | None) -> Choice:
    """The score by which the request chooses splits."""
    match open_request.resolved.split:
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


MAX_TEXT = 8 * 2**30
"""The greatest size of the labels of one column in all rows, in bytes: 8 GiB."""


def decide(records: MondrianRecords, partition: Partition, given: Sequence[ReleasedLabels]) -> None:
    """Store the released values of the groups in the workspace, as `DECIDED`, by the contract of `release.plan`.

    One row is a group; where released values differ within groups, a record. `given`: the result of `labels.released`.
    """
    plan, workspace = records.plan, records.plan.dataset.backend.workspace
    table: dict[str, Any] = {"number": np.arange(partition.groups, dtype=np.int32), "n": partition.sizes}
    table |= {measured_column(place): each.shown for place, each in enumerate(given)}
    workspace.take(Purpose.RELEASE, GROUPS, arrow().table(table))
    wanted, counted = [each.wanted for each in records.columns], records.combination is not None
    if by_record(plan):
        assigned = {"record": np.arange(records.records, dtype=np.int32), "number": partition.labels}
        workspace.take(Purpose.RELEASE, ASSIGNED, arrow().table(assigned))
        if records.combination is not None:
            carry_out(plan.dataset.backend, Purpose.RELEASE, own_values(plan, records.combination, wanted))
            workspace.let_go(PLACED)
    class_labels(plan, wanted, [each.form for each in given], counted=counted).keep(workspace, Purpose.RELEASE)
    workspace.let_go(OWN, ASSIGNED, GROUPS)


def too_long(plan: Plan, partition: Partition, given: Sequence[ReleasedLabels]) -> str | None:
    """The words of the refusal if the labels of a column, sets of many values, exceed `MAX_TEXT`; else None.

    Each label stands in every row of its class, or once in a statistical table.
    """
    repeated = partition.sizes if plan.shape == "rows" else np.ones(partition.groups, dtype=np.int64)
    for column, each in zip(plan.aggregated, given, strict=True):
        if each.form == "texts":
            lengths = compute.binary_length(each.shown).fill_null(0).to_numpy(zero_copy_only=False)
            size = int((lengths.astype(np.int64) * repeated).sum())
            if size > MAX_TEXT:
                return (
                    f"the labels of column {quoted(column)} would be {size / 2**30:,.0f} GiB of text, up to "
                    f"{int(lengths.max()):,} bytes in each row (intervals, or classes of a hierarchy, are short)"
                )
    return None


def fail_together(plan: Plan, partition: Partition) -> str | None:
    """The words of the refusal if classes with the same labels fail a model together, but not each alone; else None.

    This can happen only where persons are counted, as one person may be in several of these classes. Raises
    ReleaseMismatch if no two classes have the same labels and a class, counted again, has fewer than k persons or fails
    a model.
    """
    if not (plan.entity and plan.sensitive):
        return None
    executor = plan.dataset.backend.workspace
    *numbering, failing_classes = classes_together(plan)
    for each in numbering:
        each.keep(executor, Purpose.RELEASE)
    failing = _number(executor, failing_classes.tree)
    if not failing:
        return None
    if _number(executor, exp.to_table(CLASSES)) == partition.groups:
        raise mismatch("has classes that are smaller than k, or fail a model")
    number = in_words(failing, plan.dataset.least_k)
    return (
        f"{number} class(es) are made of several whose labels are the same, and fail the models of persons, though "
        "each of these passes (intervals, and a hierarchy without two classes of one label, keep them apart)"
    )


def _number(executor: Executor, rows: exp.Expr) -> int:
    counted = sql.with_relations(sql.template("dataset/row_count"), {"dataset": rows})
    return int(executor.rows(Purpose.RELEASE, counted)[0][0])


def answer_mondrian(open_request: OpenMondrian, context: RunContext, started: float) -> MondrianResult | ReturnedResult:
    """The release, its classes split until no split passes; or the refusal with its reason.

    Raises InputError (malformed request, or rows without a value), SourceFault, StateFault, ReleaseFault; no file is
    then left half written.
    """
    progress = context.progress
    resolved, k = open_request.resolved, open_request.request.k
    progress.step("dataset version")
    seen, earlier = earlier_release(open_request, context)
    if earlier is not None:
        return earlier
    counted = units_of(open_request.dataset, seen.rows, k)
    few = too_few(k, counted.number, counted.called)
    kept = None if few else seen
    recorder = SplitRecorder(context.state, context.cache, open_request, kept, started, counted.persons)
    levels = RequestedLevels(resolved.filter_text, k, unjudged=NO_LEVELS)
    with recorder.closed_on_failure():
        refusal = recorder.foreseen(context, seen, levels) or few or identifying(open_request, counted)
        if refusal:
            return recorder.refused(refusal)
        progress.step("records")
        plan = open_request.plan(ground_sensitive)
        cache = current_cache(context.cache, recorder.current_versions)
        version = recorder.version_id
        kept_in = None if cache is None or version is None else UsableCache(cache, version, seen.rows)
        wanted, strict, target = open_request.wanted(encode_counted), resolved.strict, resolved.target
        records = records_of(plan, wanted, strict=strict, target=target, kept=kept_in)
        refusal = none_can_be(records)
        if refusal:
            return recorder.refused(refusal)
        progress.step(f"classes ({resolved.split})")
        guide = None if resolved.rules is None else guide_of(resolved.rules, records.columns)
        partition = split(open_request, records, guide, context)
        progress.step("release")
        given = released(records, partition, resolved.labels)
        refusal = too_long(plan, partition, given)
        if refusal:
            return recorder.refused(refusal)
        decide(records, partition, given)
        refusal = fail_together(plan, partition)
        if refusal:
            return recorder.refused(refusal)
        plan.dataset.backend.workspace.let_go(MICRODATA, NARROW)  # a sweep decides on it again
        settled = count_release(plan)
        require_all(settled, seen.rows)
        found = SplitRecords(partition, coverage(records.domains, records.codes, partition), settled.classes)
        report, losses = report_of(open_request, found), found.losses(open_request)
        extremes = partial(replace, original_extremes(records, k))
        summary = method_summary(open_request, report, losses, recorder.request_id, seen, extremes)
        refusal = recorder.judged(context, ShownRelease((), NO_LEVELS, open_request.resolved.with_values))
        if refusal:
            return recorder.refused(refusal)
        out = published(ReleaseDraft(open_request, plan, settled, summary), context.limits)
        progress.step("record")
        served = () if guide is None else rules_served(open_request, records, guide, partition, given)
        return replace(recorder.released(out, losses), mondrian=report, recommendation=served)
