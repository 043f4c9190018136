"""Protected tables written to their files, read back, compared, and ready to be published together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from typing import Any

import numpy as np

from ordermade.counting.dataset import Version
from ordermade.errors import ReleaseMismatch
from ordermade.loss.extremes import Extremes
from ordermade.methods.shared.open_request import require_unchanged
from ordermade.methods.shared.published import Published
from ordermade.methods.shared.publishing import secured
from ordermade.methods.shared.release_record import level_in_manifest, level_noted, version_in_manifest
from ordermade.methods.shared.released_columns import ReleasedForms
from ordermade.methods.shared.result import ReleaseReport
from ordermade.methods.tables.open_request import OpenTables
from ordermade.methods.tables.records import CountedCells
from ordermade.methods.tables.result import losses_of, report_of
from ordermade.methods.tables.shown_cells import known_intervals, shown_tables
from ordermade.records.printed import json_of
from ordermade.release.files import Manifest, StagedFile, ending_of, manifest_of
from ordermade.release.rows import warning
from ordermade.release.shown_read_back import formulas_in, read_back, require_same
from ordermade.release.shown_tables import ShownForm, form_of, require_shown, write_intervals, write_shown
from ordermade.release.workbooks import ENDING as WORKBOOK
from ordermade.sources.backend import row_secured
from ordermade.sources.executor import Purpose
from ordermade.state.releases import ReleaseColumn, ReleaseRecord
from ordermade.state.statements import utc_now
from ordermade.tables.protected import ProtectedTables, unproved
from ordermade.tables.shown import ShownTable
from ordermade.tables.shown_words import words_in
from ordermade.version import VERSION

KIND = "file of cells"
"""The kind of these releases in the state."""
EARLIER = (
    "{releases} of this dataset {are} tables, too, which this one was protected without: a reader of both may find out "
    "more. Judge them together: `ordermade judge releases` with their numbers."
)
MANY = "more than half of the cells are suppressed: coarser levels, fewer columns or a smaller k leave more."
ROUNDED = "figures are rounded to multiples of {base}, which protects nothing by itself: suppression does."

MOST_SUPPRESSED = 0.5
"""The share of suppressed cells that is not remarked upon."""


@dataclass(frozen=True, slots=True)
class TablesDraft:
    """Protected tables in preparation: their request, the counted cells, and the version that they are of.

    `earlier`: the numbers of the dataset's other tables that were released and stand.
    """

    open_request: OpenTables
    counted: CountedCells
    found: ProtectedTables
    request_id: int
    version: Version
    earlier: tuple[int, ...] = ()

    @property
    def k(self) -> int:
        """The least number of units of a published cell."""
        units = self.found.tabulation.units[self._published]
        return int(units.min()) if len(units) else 0

    @property
    def published(self) -> int:
        """The number of published cells that are not empty."""
        return int(np.count_nonzero(self._published))

    @property
    def suppressed_persons(self) -> int | None:
        """0, as cells are suppressed and no person; None where rows are counted."""
        return None if self.open_request.resolved.entity is None else 0

    @property
    def _published(self) -> np.ndarray[Any, np.dtype[np.bool_]]:
        shown = self.found.shown.copy()
        shown[list(self.found.suppressed)] = False
        return shown


def published(draft: TablesDraft) -> Published:
    """Writes the tables and what goes beside them, reads the tables back, and compares them cell by cell.

    Raises ReleaseMismatch where a witness does not prove its cell or what was written differs, ReleaseFault,
    SourceChanged, InputError; then nothing has its name.
    """
    request, run = draft.open_request.request, draft.open_request.run
    if (n := unproved(draft.found)) != 0:
        raise _mismatch(f"has {n:,} suppressed cells that no witness proves", str(request.release.path))
    path = request.release.path
    if path is None:
        raise TypeError("tables with totals are released to a file")
    tables = shown_tables(draft.open_request, draft.counted, draft.found)
    form = form_of(request, path)
    require_shown(tables, form, str(path))
    data = StagedFile.made(run, path, request.release.file_mode)
    with data.written() as file:
        write_shown(file, tables, form)
    require_same(tables, read_back(data.within, form, tables), str(path))
    formulas = formulas_in(data.within, form)
    beside = list(_beside(draft, tables))
    require_unchanged(draft.open_request)
    sha256 = data.sha256()
    report = ReleaseReport(path=str(path), sha256=sha256, rows=sum(each.size for each in tables))
    note = StagedFile.with_text(
        run, manifest_of(path), _manifest(draft, sha256, tables).text(), request.release.file_mode
    )
    return Published(
        report,
        _record(draft, report),
        (*secured(draft.open_request), *_warnings(draft), *([warning(formulas, request.k)] if formulas else [])),
        staged=(*beside, note, data),
        replaces=run.replaces,
        forms=ReleasedForms(
            tuple(each for each in _columns(draft) if each.role != "count"),
            {each.column: each.hierarchy for each in draft.open_request.resolved.dimensions},
            partial(dict, _labels(draft)),
            {},
            Extremes,
        ),
    )


def _warnings(draft: TablesDraft) -> Iterator[str]:
    if draft.earlier:
        n = len(draft.earlier)
        named = f"release {draft.earlier[0]}" if n == 1 else f"{n:,} releases (the latest is {draft.earlier[-1]})"
        yield EARLIER.format(releases=named, are="is" if n == 1 else "are")
    if losses_of(draft.found)["suppressed_cells"] > MOST_SUPPRESSED:
        yield MANY
    if (base := draft.open_request.request.rounding) is not None:
        yield ROUNDED.format(base=base)


def _beside(draft: TablesDraft, tables: Sequence[ShownTable]) -> Iterator[StagedFile]:
    """The page and the files of intervals that the request wants beside the release."""
    request, run = draft.open_request.request, draft.open_request.run
    words, mode = words_in(request.language), request.release.file_mode
    if request.page_path is not None:
        form = ShownForm(".html", words, "crossed")
        require_shown(tables, form, str(request.page_path))
        page = StagedFile.made(run, request.page_path, mode)
        with page.written() as file:
            write_shown(file, tables, form)
        require_same(tables, read_back(page.within, form, tables), str(request.page_path))
        yield page
    wanted = request.intervals
    if wanted.provider is None and wanted.user is None:
        return
    known = known_intervals(draft.open_request, draft.counted, draft.found, words)
    # The program that opens a workbook opens these, too, and knows UTF-8 by its mark.
    is_workbook = request.release.path is not None and ending_of(request.release.path) == WORKBOOK
    has_mark = request.release.has_mark or is_workbook
    for path, for_user in ((wanted.provider_path, None), (wanted.user_path, request.k)):
        if path is not None:
            staged = StagedFile.made(run, path) if for_user is None else StagedFile.made(run, path, mode)
            with staged.written() as file:
                form = ShownForm(ending_of(path), words, "long", has_mark)
                write_intervals(file, tables, known, form, for_user=for_user)
            yield staged


def _columns(draft: TablesDraft) -> tuple[ReleaseColumn, ...]:
    noted = [level_noted(each.column, each.hierarchy, each.level) for each in draft.open_request.resolved.dimensions]
    return (*noted, *(ReleaseColumn(each, "count") for each in draft.open_request.request.cells))


def _labels(draft: TablesDraft) -> dict[str, str]:
    """A label of the finest level of each column."""
    return {
        column: levelled.dimension.codes[max(levelled.dimension.leaves)]
        for column, levelled in draft.counted.levelled.items()
    }


def _record(draft: TablesDraft, report: ReleaseReport) -> ReleaseRecord:
    return ReleaseRecord(
        kind=KIND,
        path=report.path,
        table_name=None,
        sha256=report.sha256,
        rows=report.rows,
        k=draft.k,
        divisions=draft.published,
        suppressed_rows=0,
        suppressed_persons=draft.suppressed_persons,
        released_at=utc_now(),
        columns=_columns(draft),
        losses=losses_of(draft.found),
    )


def _manifest(draft: TablesDraft, sha256: str, tables: Sequence[ShownTable]) -> Manifest:
    open_request = draft.open_request
    request, backend = open_request.request, open_request.opened.backend
    ledgers = (*backend.executor.ledger, *backend.workspace.ledger)
    report = report_of(draft.found, tuple(each.name for each in tables))
    return Manifest(
        engine_version=VERSION,
        released_at=datetime.now(UTC).isoformat(timespec="seconds"),
        request=request.model_dump(mode="json", by_alias=True, exclude_none=True),
        request_id=draft.request_id,
        dataset=open_request.opened.name,
        dataset_version=version_in_manifest(draft.version),
        method=request.method,
        method_summary={
            "quasi_identifiers": [
                level_in_manifest(each.column, each.hierarchy, each.level) for each in open_request.resolved.dimensions
            ],
            "tables": _without_files(json_of(report)),
        },
        sensitive=(),
        kept=(),
        pseudonym=None,
        shape=request.release.shape,
        formulas=("escape" if request.release.escapes_formulas else "keep") if request.release.is_csv else None,
        counts="rows" if open_request.resolved.entity is None else "persons",
        k=draft.k,
        classes=draft.published,
        rows=sum(each.size for each in tables),
        persons=None,
        suppressed_rows=0,
        suppressed_persons=draft.suppressed_persons,
        star_rows=0,
        risk={},
        loss=losses_of(draft.found),
        sha256=sha256,
        sql=[each.text for each in ledgers if each.purpose is Purpose.FREQUENCY_SET],
        row_level_security=row_secured(backend, open_request.dataset.relation),
    )


def _without_files(report: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in report.items() if name != "files"}


def _mismatch(what: str, where: str) -> ReleaseMismatch:
    return ReleaseMismatch(
        f"what is to be released {what}; it was not released",
        where=where,
        next_step="Nothing was written. This is a fault of the engine: report it.",
    )
