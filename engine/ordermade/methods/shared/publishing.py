"""From the rows to release to a measured release: written, counted independently, published, or nothing.

After a kill, `abandoned_runs` removes the leftovers, and gives a release that was decided its name.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from ordermade.counting.dataset import versioning
from ordermade.errors import ReleaseFault, ReleaseMismatch, SourceFault, quoted
from ordermade.files.private import new_private_file
from ordermade.methods.shared.open_request import OpenRequest, made_in, require_at_rest, require_unchanged
from ordermade.methods.shared.published import Commit, Published, expected_of, report_of
from ordermade.methods.shared.release_record import ReleaseDraft, manifest, record
from ordermade.methods.shared.released_columns import ReleasedForms
from ordermade.privacy.least_k import in_words, numbered
from ordermade.release.files import (
    StagedFile,
    ending_of,
    format_of,
    manifest_of,
    write_statement,
)
from ordermade.release.folders import StagedFolder
from ordermade.release.into_server import IntoServer, server_table_written
from ordermade.release.into_source import IntoTable, table_written
from ordermade.release.measure import (
    MeasuredRelease,
    ReadingPlan,
    SensitiveColumn,
    check_measured,
    distribution,
    measure_file,
    measured,
)
from ordermade.release.plan import COUNTED, DECISIONS, IN_MEMORY, SORTED, Plan, inner
from ordermade.release.rows import (
    ReleaseCounts,
    file_statement,
    formulas,
    labels_shown_statement,
    linked_persons,
    warning,
    written_statement,
)
from ordermade.release.suppress import NUMBERED
from ordermade.requests.model import SourcePath, SourceTable
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.backend import row_secured
from ordermade.sources.executor import Purpose
from ordermade.sources.kinds import kind_of
from ordermade.sources.limits import Limits
from ordermade.sources.open import expanded
from ordermade.sources.spark_location import PATHS
from ordermade.state.runs import SourceCommit

if TYPE_CHECKING:
    from ordermade.sources.spark import RowsInSpark, Spark


def published(draft: ReleaseDraft, limits: Limits, beside: Sequence[StagedFile] = ()) -> Published:
    """Writes what is in the table `SORTED` and measures it again with a connection of its own.

    `beside`: finished files that are published with it, before it. Nothing has its name yet. Raises ReleaseFault,
    SourceChanged, InputError; then the run takes away what was written.
    """
    warnings = (
        *_identifying(draft.open_request.resolved),
        *secured(draft.open_request),
        *_warnings(draft.plan, draft.settled),
    )
    release = draft.open_request.read.request.release
    if release.is_csv and not release.escapes_formulas:
        warnings += _formulas_warned_of(draft.plan)
    # Before it is written: a release into a frame or a table closes the workspace.
    forms = _forms(draft)
    return replace(_written(draft, limits, warnings, beside), forms=forms)


def in_place(open_request: OpenRequest[ResolvedRequest], plan: Plan) -> Plan:
    """The plan, on a source that keeps the rows of the release where the request wants it to write them."""
    if not isinstance(open_request.read.request.release.to, SourcePath):
        return plan

    return on_its_source(open_request, plan)


def _forms(draft: ReleaseDraft) -> ReleasedForms:
    """The columns as they are released, with one label of each quasi-identifier."""
    summary, plan = draft.summary, draft.plan
    shown = labels_shown_statement(len(plan.quasi_identifiers))
    (found,) = plan.dataset.backend.workspace.rows(Purpose.STORE, shown)
    labels = {
        column: None if label is None else str(label)
        for column, label in zip(plan.quasi_identifiers, found, strict=True)
    }
    return ReleasedForms(draft.columns, summary.hierarchies, partial(dict, labels), summary.shares, summary.extremes)


def _written(draft: ReleaseDraft, limits: Limits, warnings: tuple[str, ...], beside: Sequence[StagedFile]) -> Published:
    release = draft.open_request.read.request.release
    if draft.open_request.opened.backend.capabilities.gives_frames and release.path is None:
        return _into_frame(draft, limits, warnings)
    if isinstance(release.to, SourcePath):
        return into_folder(draft, limits, warnings, _reading(draft.plan, draft.settled))
    if isinstance(release.to, SourceTable):
        return _into_source(draft, limits, release.to.table, warnings)
    return _into_file(draft, limits, warnings, beside)


def _reading(plan: Plan, settled: ReleaseCounts) -> ReadingPlan:
    """Describe how the written release is measured: with the distributions that its models need."""
    sensitive: tuple[SensitiveColumn, ...] = ()
    if plan.entity is None or plan.pseudonym is not None:
        workspace = plan.dataset.backend.workspace
        sensitive = tuple(
            SensitiveColumn(each.column, each.value_type, each.models, distribution(workspace, each))
            for each in plan.sensitive
        )
    starred = plan.columns if settled.stars else ()
    return ReadingPlan(
        plan.quasi_identifiers, plan.shape, starred, plan.pseudonym, sensitive, plan.by_history, plan.count
    )


def _into_file(
    draft: ReleaseDraft, limits: Limits, warnings: tuple[str, ...], beside: Sequence[StagedFile]
) -> Published:
    open_request, plan, settled = draft.open_request, draft.plan, draft.settled
    release = open_request.read.request.release
    if release.path is None:
        raise TypeError("a release to a file has a path")
    ending, escaped = ending_of(release.path), release.escapes_formulas
    workspace, query = open_request.opened.backend.workspace, file_statement(plan, escaped=escaped)
    file_format = format_of(ending, has_mark=release.has_mark)
    file_format.require_fits(workspace, query, str(release.path))
    data = StagedFile.made(open_request.run, release.path, release.file_mode)
    with data.written() as file:
        file_format.write(workspace, query, file)
    found = measure_file(data.within, _reading(plan, settled), limits, ending=ending, escaped=escaped)
    try:
        check_measured(found, expected_of(plan, settled), where=str(release.path))
    except ReleaseMismatch:
        require_at_rest(open_request)  # of a source that changed meanwhile, that is why
        raise
    require_unchanged(open_request)
    sha256 = data.sha256()
    said = manifest(draft, found, sha256, data.within).text()
    note = StagedFile.with_text(open_request.run, manifest_of(release.path), said, release.file_mode)
    report = report_of(draft, str(release.path), sha256)
    staged = (*beside, note, data)
    return Published(report, record(draft, report, found), warnings, staged=staged, replaces=open_request.run.replaces)


def _into_frame(draft: ReleaseDraft, limits: Limits, warnings: tuple[str, ...]) -> Published:
    """The release as a table of Arrow in memory: what is measured is what the program gets."""
    from ordermade.release.returned import AT_ONCE, compact, measure_arrow

    open_request, plan = draft.open_request, draft.plan
    workspace = open_request.opened.backend.workspace
    # What the sorted rows were made of would be held beside the frame.
    workspace.let_go(DECISIONS, COUNTED)
    reading = _reading(plan, draft.settled)
    rows = compact(workspace.read(Purpose.RELEASE, written_statement(plan), rows=AT_ONCE))
    report = report_of(draft, f"{IN_MEMORY} of request {draft.summary.request_id}", None, rows)
    open_request.opened.backend.close()  # frees its tables before the count makes others
    found = measure_arrow(rows, reading, limits)
    check_measured(found, expected_of(plan, draft.settled), where=IN_MEMORY)
    if report.frame is not None:
        generalised = {each.column for each in draft.columns if each.level}
        warnings += tuple(report.frame.changes([each for each in plan.columns if each not in generalised]))
    return Published(report, record(draft, report, found), warnings)


def _into_source(draft: ReleaseDraft, limits: Limits, table: str, warnings: tuple[str, ...]) -> Published:
    open_request, plan, source, run = (
        draft.open_request,
        draft.plan,
        draft.open_request.opened.source,
        draft.open_request.run,
    )
    reading, expected = _reading(plan, draft.settled), expected_of(plan, draft.settled)
    staged = run.workshop(made_in(open_request.read.request)).through / "staged.parquet"
    os.close(new_private_file(staged))
    write = write_statement(written_statement(plan), staged, ".parquet")
    open_request.opened.backend.workspace.stream(Purpose.RELEASE, write)
    found = measure_file(staged, reading, limits)
    check_measured(found, expected, where=f"table {table}")
    schema, name = open_request.opened.backend.capabilities.place_of(table)
    report = report_of(draft, f"{source.name}.{schema}.{name}", None)
    if kind_of(source.kind).is_server:
        target = IntoServer(
            kind=source.kind,
            location=source.location,
            schema=schema,
            table=name,
            staged=staged,
            reading=reading,
            versioning=versioning(open_request.dataset),
            version=draft.summary.version,
            run=run,
        )
        # Its snapshot would keep the server from renaming a table that it has read.
        open_request.opened.backend.close()
        carry_out = run.closing.enter_context(server_table_written(target, expected, limits))
        commit = Commit(target.commit, carry_out)
        return Published(report, record(draft, report, found), warnings, commit=commit, replaces=run.replaces)
    database = Path(expanded(source.location))
    into = IntoTable(
        database=database,
        table=table,
        staged=staged,
        reading=reading,
        versioning=versioning(open_request.dataset),
        version=draft.summary.version,
        run=run.name or "",
        replaces=run.replaces,
        allow_external=source.allow_external,
    )
    open_request.opened.backend.close()
    carry_out = run.closing.enter_context(table_written(into, expected, limits))
    commit = Commit(SourceCommit(str(database), table, into.mark), carry_out)
    return Published(report, record(draft, report, found), warnings, commit=commit, replaces=run.replaces)


def _formulas_warned_of(plan: Plan) -> tuple[str, ...]:
    found = formulas(plan)
    return (warning(found, plan.k),) if found else ()


def _identifying(resolved: ResolvedRequest) -> list[str]:
    return [
        f"the column {quoted(column)} is released as it is, which allow_identifying allows: its value may be one "
        "person's alone, and then identifies the person."
        for column in resolved.allow_identifying
    ]


def secured(open_request: OpenRequest[ResolvedRequest]) -> list[str]:
    """A warning for each table of which the server shows the role some rows alone."""
    return [
        f"{quoted(table)} has row-level security: the rows that the role may see were counted, and no others."
        for table in row_secured(open_request.opened.backend, open_request.dataset.relation)
    ]


def _warnings(plan: Plan, settled: ReleaseCounts) -> list[str]:
    found, least_k = [], plan.dataset.least_k
    # Of histories nothing is linked that is not counted: their classes are of all rows of a person together.
    if plan.pseudonym is not None and not plan.by_history and (linked := linked_persons(plan)):
        found.append(
            f"the pseudonym '{plan.pseudonym}' links the rows of a person, and {in_words(linked, least_k)} of "
            f"{settled.persons} persons are in several classes: k counts the persons of each class, "
            "not of each combination of classes. "
            "Several rows of a person together may identify them; leave the pseudonym out, or request one row a person."
        )
    if plan.stars and settled.suppressed_rows and not settled.stars:
        found.append(
            f"the {numbered(settled.suppressed_rows, 'suppressed row was', 'suppressed rows were')} dropped: "
            "fewer than k are too few to stay as *."
        )
    return found


_THERE = (COUNTED, NUMBERED, DECISIONS, SORTED)
"""The tables with a row a combination of released values, which may be as many as the rows."""


def on_its_source(open_request: OpenRequest[ResolvedRequest], plan: Plan) -> Plan:
    """The plan, with Spark as the workspace of its rows until the request ends."""
    from ordermade.sources.spark import InSpark

    there = InSpark(cast("Spark", open_request.opened.backend), _THERE)
    open_request.run.closing.callback(there.workspace.let_go_of_all)
    return replace(plan, dataset=replace(plan.dataset, backend=there))


def into_folder(draft: ReleaseDraft, limits: Limits, warnings: tuple[str, ...], reading: ReadingPlan) -> Published:
    """Has the source write the rows, and measures them by another session of it. Raises ReleaseFault."""
    open_request, plan, release = draft.open_request, draft.plan, draft.open_request.read.request.release
    path, source = release.path, cast("Spark", open_request.opened.backend)
    if path is None:
        raise TypeError("a release to a folder has a path")
    data = StagedFolder.planned(open_request.run, path, release.file_mode)
    rows = cast("RowsInSpark", plan.dataset.backend.workspace)
    try:
        rows.write(SORTED, {inner(number): name for number, name in enumerate(plan.columns)}, data.path)
        data.finish()
        found = _measured(source.place.master, data.path, reading, limits)
    except SourceFault as fault:
        raise ReleaseFault(
            f"the release could not be written: {fault.what}", where=str(path), next_step=fault.next_step
        ) from fault
    check_measured(found, expected_of(plan, draft.settled), where=str(path))
    require_unchanged(open_request)
    sha256 = data.sha256()
    said = manifest(draft, found, sha256, data.path).text()
    note = StagedFile.with_text(open_request.run, manifest_of(path), said, release.file_mode)
    report = report_of(draft, str(path), sha256)
    noted = record(draft, report, found)
    return Published(report, noted, warnings, staged=(note, data), replaces=open_request.run.replaces)


def _measured(master: str, folder: Path, reading: ReadingPlan, limits: Limits) -> MeasuredRelease:
    """The figures of a written folder, by a session that knows nothing else. Raises SourceFault."""
    from ordermade.sources.spark import Spark

    again = Spark(f"{master}?path={quote(str(folder))}", limits=limits)
    try:
        (table,) = (each for each in again.tables() if each.schema == PATHS)
        return measured(again.counting(), table.reference, reading)
    finally:
        again.close()
