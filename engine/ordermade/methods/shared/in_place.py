"""Releases whose rows never leave their source: it writes them as a folder of files, and another job measures them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, cast
from urllib.parse import quote

from ordermade.errors import ReleaseFault, SourceFault
from ordermade.methods.shared.open_request import require_unchanged
from ordermade.methods.shared.published import Published, expected_of, report_of
from ordermade.methods.shared.result import manifest, record
from ordermade.release.files import StagedFile, manifest_of
from ordermade.release.folders import StagedFolder
from ordermade.release.measure import Reading, Written, check_measured, measured
from ordermade.release.plan import COUNTED, DECIDED, SORTED, inner
from ordermade.release.suppress import NUMBERED
from ordermade.sources.backend import Backend
from ordermade.sources.spark import PATHS, Spark

if TYPE_CHECKING:
    from ordermade.methods.shared.open_request import OpenRequest
    from ordermade.methods.shared.published import Published
    from ordermade.methods.shared.result import ReleaseDraft
    from ordermade.release.plan import Plan
    from ordermade.requests.resolving import ResolvedRequest
    from ordermade.sources.spark import RowsInSpark
    from ordermade.sources.workspace import Limits

_THERE = (COUNTED, NUMBERED, DECIDED, SORTED)
"""The tables with a row a combination of released values, which may be as many as the rows."""


def on_its_source(question: OpenRequest[ResolvedRequest], plan: Plan) -> Plan:
    """The plan, with Spark as the workspace of its rows until the request ends."""
    from ordermade.sources.spark import InSpark

    there = InSpark(cast("Spark", question.opened.backend), _THERE)
    question.run.closing.callback(there.workspace.let_go_of_all)
    return replace(plan, dataset=replace(plan.dataset, backend=cast("Backend", there)))


def into_folder(draft: ReleaseDraft, limits: Limits, warnings: tuple[str, ...], reading: Reading) -> Published:
    """Has the source write the rows, and measures them by another session of it. Raises ReleaseFault."""
    question, plan, release = draft.question, draft.plan, draft.question.read.request.release
    path, source = release.path, cast("Spark", question.opened.backend)
    if path is None:
        raise TypeError("a release to a folder has a path")
    data = StagedFolder.planned(question.run, path, release.file_mode)
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
    require_unchanged(question)
    sha256 = data.sha256()
    said = manifest(draft, found, sha256, data.path).text()
    note = StagedFile.with_text(question.run, manifest_of(path), said, release.file_mode)
    report = report_of(draft, str(path), sha256)
    noted = record(draft, report, found)
    return Published(report, noted, warnings, staged=(note, data), replaces=question.run.replaces)


def _measured(master: str, folder: Path, reading: Reading, limits: Limits) -> Written:
    """The figures of a written folder, by a session that knows nothing else. Raises SourceFault."""
    again = Spark(f"{master}?path={quote(str(folder))}", limits=limits)
    try:
        (table,) = (each for each in again.tables() if each.schema == PATHS)
        return measured(again.counting(), table.reference, reading)
    finally:
        again.close()
