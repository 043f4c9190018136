"""The answer to a request for histories, top to bottom: from its file to its measured release."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import units_of
from ordermade.errors import ReleaseFault
from ordermade.files.private import sha256_of
from ordermade.ledger.entries import ShownRelease
from ordermade.ledger.simulatable import RequestedLevels
from ordermade.methods.histories.open_request import OpenHistory, none_can_be
from ordermade.methods.histories.recorder import HistoryRecorder
from ordermade.methods.histories.records import Purchases
from ordermade.methods.histories.release import kept, let_go, none_is_left, settle_histories
from ordermade.methods.histories.result import HistoryResult, losses_of, method_summary, report_of, warnings_of
from ordermade.methods.histories.slots import SharedHistories, fill_slots, losses
from ordermade.methods.histories.units import as_text
from ordermade.methods.shared.beside import NO_LEVELS
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.open_request import RunContext, identifying
from ordermade.methods.shared.publishing import published
from ordermade.methods.shared.release_record import ReleaseDraft
from ordermade.release.files import (
    StagedFile,
    check_target,
    manifest_of,
    read_manifest,
    refuse_standing,
    write_statement,
)
from ordermade.requests.resolve_history import MAP_ROW
from ordermade.sources.executor import Purpose
from ordermade.state.releases import ReleaseRecord
from ordermade.state.runs import Run


def answer_history(open_request: OpenHistory, context: RunContext, started: float) -> HistoryResult | ReturnedResult:
    """The release of histories that k customers or more share, or the reason why there is none.

    Raises InputError (malformed, or rows without a value), SourceFault, StateFault, ReleaseFault; then nothing is left
    half written.
    """
    progress = context.progress
    k, truth = open_request.request.k, open_request.resolved.map
    progress.step("dataset version")
    seen, earlier = earlier_release(open_request, context, lambda release: truth is None or is_map_of(truth, release))
    if earlier is not None:
        return earlier
    release = open_request.request.release
    if truth is not None and release.path is not None:
        check_map(truth, release.path, replaces=open_request.run.replaces, any_file=release.replace)
    counted = units_of(open_request.registered, seen.rows, k)
    few = none_can_be(open_request, k)
    recorder = HistoryRecorder(
        context.state, context.cache, open_request, None if few else seen, started, counted.persons
    )
    wanted = RequestedLevels(open_request.resolved.filter_text, k, unjudged=NO_LEVELS)
    with recorder.closed_on_failure():
        refusal = recorder.foreseen(context, seen, wanted) or few or identifying(open_request, counted)
        if refusal:
            return recorder.refused(refusal)
        progress.step("purchases")
        purchases = Purchases.stored(open_request.plan, open_request.resolved)
        SharedHistories.of(purchases, context).assign(k)
        fill_slots(purchases, delete_costly=open_request.resolved.delete_costly)
        progress.step("release")
        lost, figures = losses(purchases), kept(open_request.plan)
        refusal = none_is_left(figures)
        if refusal:
            return recorder.refused(refusal)
        report, by_name = report_of(open_request, lost, figures), losses_of(lost, k)
        if truth is None:
            let_go(open_request.plan, settled=False)
        settled = settle_histories(open_request.plan, figures)
        summary = method_summary(open_request, report, by_name, recorder.request_id, seen)
        refusal = recorder.judged(context, ShownRelease((), NO_LEVELS, open_request.resolved.with_values))
        if refusal:
            return recorder.refused(refusal)
        beside = _map_of(purchases, open_request)
        let_go(open_request.plan, settled=True)
        out = published(ReleaseDraft(open_request, open_request.plan, settled, summary), context.limits, beside)
        progress.step("record")
        warnings = (*out.warnings, *warnings_of(purchases))
        return replace(
            recorder.released(out, by_name),
            suppressed_rows=out.record.suppressed_rows,
            suppressed_persons=out.record.suppressed_persons,
            warnings=warnings,
            history=report,
        )


def _map_of(purchases: Purchases, open_request: OpenHistory) -> tuple[StagedFile, ...]:
    """The files of the map, if the request wants one."""
    truth, release = purchases.resolved.map, open_request.request.release.path
    return () if truth is None or release is None else map_staged(purchases, open_request.run, truth, release)


OF = "release"
NOTED = "map_sha256"
"""The keys of the note beside a map: the file of its release, and the map's own hash.

The manifest of the release has neither: the hash of a map would confirm a correct guess of whose rows they are.
"""


def check_map(path: Path, release: Path, *, replaces: bool, any_file: bool) -> None:
    """Raises InputError if a map may not be written to `path`: no regular file, or a name that is taken.

    With `replaces` it may take the place of a map of the file `release`; with `any_file` of any file.
    """
    check_target(path, "history: map:")
    if not any_file and not (replaces and _noted(path).get(OF) == str(release)):
        refuse_standing(path, "Move it away, or give `history: map:` another name.")


def is_map_of(path: Path, release: ReleaseRecord) -> bool:
    """Whether the map of a release stands at `path`, as the note beside it says."""
    note = _noted(path)
    try:
        return (note.get(OF), note.get(NOTED)) == (release.path, sha256_of(path))
    except OSError:  # there is none, or none that can be read
        return False


def _noted(path: Path) -> Mapping[str, Any]:
    """The content of the note beside a map; empty if there is none."""
    try:
        return read_manifest(path)
    except ReleaseFault:
        return {}


def map_staged(purchases: Purchases, run: Run, path: Path, release: Path) -> tuple[StagedFile, StagedFile]:
    """The note of the map and the map, written and about to get their names; both are their owner's alone for good.

    Raises ReleaseFault if they cannot be written.
    """
    staged = StagedFile.made(run, path)
    with staged.written() as file:
        write = write_statement(map_statement(purchases), file, path.suffix.lower())
        purchases.plan.dataset.backend.workspace.rows(Purpose.RELEASE, write)
    note = {OF: str(release), NOTED: staged.sha256()}
    return StagedFile.with_text(run, manifest_of(path), json.dumps(note, indent=2) + "\n"), staged


def map_statement(purchases: Purchases) -> exp.Select:
    """The statement that gives the customer, the day, the item and the numbers of the purchase of each released row."""
    tree = sql.select("history/map")
    customer, item, measured, place = tree.expressions
    resolved, columns = purchases.resolved, []
    for each in purchases.measures:
        units = sql.with_columns(measured.unalias().copy(), {"purchases.measured": each.name})
        columns.append(sql.named(as_text(each, units), each.column))
    columns.insert(1, sql.named(item, resolved.item.column))
    tree.set("expressions", [sql.named(customer, resolved.customer.column), *columns, sql.named(place, MAP_ROW)])
    return sql.with_columns(tree, {"purchases.item": purchases.good_column})
