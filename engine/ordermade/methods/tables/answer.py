"""The answer to a request for tables with totals, top to bottom: from its file to its verified release."""

from __future__ import annotations

from dataclasses import replace

from ordermade.counting.counts import units_of
from ordermade.counting.marginals import marginals_of
from ordermade.methods.shared.existing_release import ReturnedResult, earlier_release
from ordermade.methods.shared.open_request import RunContext, identifying
from ordermade.methods.shared.recorder import current_cache
from ordermade.methods.shared.usable_cache import UsableCache
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.protection import protected, rare_values, refusal
from ordermade.methods.tables.publish import KIND, TablesDraft, published
from ordermade.methods.tables.recorder import TablesRecorder, measured_nodes, tabulated_cells
from ordermade.methods.tables.records import cells_of, counted_records
from ordermade.methods.tables.result import TablesResult, losses_of, report_of
from ordermade.methods.tables.shown import requested_cells, shown_tables_of
from ordermade.privacy.least_k import too_few
from ordermade.release.files import check_target, refuse_standing
from ordermade.state import releases
from ordermade.state.statements import utc_now


def answer_tables(open_request: OpenTables, context: RunContext, started: float) -> TablesResult | ReturnedResult:
    """The tables with every suppressed cell proved, or the reason why there are none.

    Raises InputError (malformed, or values that are no numbers), SourceFault, StateFault, ReleaseFault; then nothing is
    left half written.
    """
    progress, request = context.progress, open_request.request
    progress.step("dataset version")
    seen, earlier = earlier_release(
        open_request, context, lambda _: all(each.is_file() for each in request.files_beside)
    )
    if earlier is not None:
        return earlier
    for path in request.files_beside:
        check_target(path, "page: or intervals:")
        if not open_request.run.replaces:
            refuse_standing(path, "Move it away, or give the file another name.")
    counted = units_of(open_request.dataset, seen.rows, request.k)
    few = too_few(request.k, counted.number, counted.called)
    recorder = TablesRecorder(
        context.state, context.cache, open_request, None if few else seen, started, counted.persons
    )
    own = [each.hierarchy for each in open_request.resolved.dimensions]
    with recorder.closed_on_failure():
        refused = recorder.foreseen(context, seen, requested_cells(open_request.resolved), own)
        refused = refused or few or identifying(open_request, counted)
        if refused:
            return recorder.refused(refused)
        progress.step("cells")
        cache = current_cache(context.cache, recorder.current_versions)
        version = recorder.version_id
        kept = None if cache is None or version is None else UsableCache(cache, version, seen.rows)
        records = counted_records(open_request, kept)
        cells = cells_of(open_request, records)
        recorder.learn(measured_nodes(open_request, cells))
        if kept is not None and not open_request.dataset.backend.changed():
            kept.cache.store_marginals(kept.version_id, marginals_of(records.attributes, counted))
        refused = rare_values(open_request, cells)
        if refused:
            return recorder.refused(refused)
        progress.step("suppression")
        found = protected(open_request, cells)
        recorder.note_cells(tabulated_cells(open_request, cells, found))
        refused = refusal(found, request)
        if refused:
            return recorder.refused(refused)
        progress.step("earlier releases")
        refused = recorder.judged(context, shown_tables_of(open_request, cells, found), own)
        if refused:
            return recorder.refused(refused)
        progress.step("release")
        beside = earlier_tables(open_request, context)
        draft = TablesDraft(open_request, cells, found, recorder.request_id, seen, beside)
        out = published(draft)
        progress.step("record")
        names = tuple(each.name or str(number) for number, each in enumerate(open_request.resolved.tables, start=1))
        report = report_of(found, names, request.files_beside)
        return replace(
            recorder.released(out, losses_of(found)),
            tables=report,
            suppressed_persons=draft.suppressed_persons,
        )


def earlier_tables(open_request: OpenTables, context: RunContext) -> tuple[int, ...]:
    """The releases of tables of the dataset that stand, but for one that this release takes the place of."""
    path = str(open_request.request.release.path)
    with context.state.reading() as connection:
        found = releases.older_than(connection, open_request.opened.name, utc_now())
    return tuple(each.id for each in found if each.kind == KIND and each.path != path)
