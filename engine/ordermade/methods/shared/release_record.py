"""The record of a release: as the state notes it, and as its manifest has it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Any

from ordermade.counting.dataset import Version
from ordermade.errors import ReleaseMismatch
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.loss.extremes import Extremes
from ordermade.loss.shares import LossValues
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.methods.shared.result import ReleaseReport
from ordermade.privacy.models import Model
from ordermade.privacy.requirement import RiskFigures, risk_figures
from ordermade.release.files import Manifest
from ordermade.release.measure import MeasuredRelease
from ordermade.release.plan import IN_MEMORY, Plan
from ordermade.release.rows import ReleaseCounts, file_text
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.backend import row_secured
from ordermade.sources.executor import Purpose
from ordermade.state.releases import PrivacyFigure, ReleaseColumn, ReleaseRecord
from ordermade.state.statements import utc_now
from ordermade.version import VERSION


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """The method's own part of the record of its release.

    `request_id` and `version` of the dataset; the `losses`, of which the manifest has those in `open_losses` (None:
    all), where exact ones would reveal the rows; the quasi-identifiers as the state notes them, in order
    (`columns`); `manifest`: the manifest's entries beside those of every release; the `sampling_fraction` that
    its risks go by. `hierarchies` of the columns that have one; `shares`: the loss of each column, from 0 to 1;
    `extremes` of the losses.
    """

    request_id: int
    version: Version
    losses: LossValues
    columns: tuple[ReleaseColumn, ...]
    manifest: Mapping[str, Any]
    sampling_fraction: Fraction = Fraction(1)
    open_losses: LossValues | None = None
    hierarchies: Mapping[str, Hierarchy] = field(default_factory=dict)
    shares: Mapping[str, float | None] = field(default_factory=dict)
    extremes: Callable[[], Extremes] = Extremes


@dataclass(frozen=True, slots=True)
class ReleaseDraft:
    """A release in preparation: its request, its plan, its settled rows, and the method's summary of it."""

    open_request: OpenRequest[ResolvedRequest]
    plan: Plan
    settled: ReleaseCounts
    summary: MethodSummary

    @property
    def rows(self) -> int:
        """The rows written, star rows included."""
        if self.plan.shape == "rows":
            return self.settled.rows + self.settled.star_rows
        return self.settled.classes.divisions + (1 if self.settled.stars else 0)

    @property
    def columns(self) -> tuple[ReleaseColumn, ...]:
        """The columns of the release as the state notes them."""
        return tuple(_columns(self))

    @property
    def risks(self) -> RiskFigures | None:
        """The risks of what is released as it is, star rows apart."""
        return risk_figures(self.settled.units_by_size, self.summary.sampling_fraction)


def level_noted(column: str, hierarchy: Hierarchy, level: int) -> ReleaseColumn:
    """The state's record of a column that is released at one level."""
    return ReleaseColumn(column, "quasi-identifier", level, hierarchy.levels[level].name)


def level_in_manifest(column: str, hierarchy: Hierarchy, level: int) -> Mapping[str, Any]:
    """The manifest's entry of a column that is released at one level."""
    return {
        "column": column,
        "hierarchy": hierarchy.name,
        "level": level,
        "level_name": hierarchy.levels[level].name,
        "level_hash": hierarchy.levels[level].content_hash,
    }


def record(draft: ReleaseDraft, report: ReleaseReport, written: MeasuredRelease) -> ReleaseRecord:
    """The state's record of a release."""
    plan, settled = draft.plan, draft.settled
    is_file = report.sha256 is not None
    return ReleaseRecord(
        kind=f"{_kind(report)} of {'rows' if plan.shape == 'rows' else 'classes'}",
        path=report.path if is_file else None,
        table_name=None if is_file else report.path,
        sha256=report.sha256,
        rows=report.rows,
        k=settled.classes.k,
        divisions=settled.classes.divisions,
        suppressed_rows=settled.suppressed_rows,
        released_at=utc_now(),
        columns=tuple(replace(each, loss_share=draft.summary.shares.get(each.column)) for each in draft.columns),
        losses=dict(_noted_losses(draft.summary.losses)),
        persons=settled.persons,
        suppressed_persons=settled.suppressed_persons,
        star_rows=settled.star_rows if plan.stars else None,
        privacy=tuple(_privacy(draft, written)),
    )


def _kind(report: ReleaseReport) -> str:
    if report.sha256 is not None:
        return "file"
    return "table" if report.frame is None else IN_MEMORY


def _noted_losses(losses: LossValues) -> Iterator[tuple[str, float]]:
    """Each loss by one name; those of an attribute as `metric.attribute`."""
    for name, value in losses.items():
        parts = {f"{name}.{of}": each for of, each in value.items()} if isinstance(value, Mapping) else {name: value}
        for part, each in parts.items():
            if each is not None:
                yield part, float(each)


def _columns(draft: ReleaseDraft) -> Iterator[ReleaseColumn]:
    plan = draft.plan
    yield from draft.summary.columns
    for each in plan.sensitive:
        yield ReleaseColumn(each.column, "sensitive")
    for column in plan.kept:
        yield ReleaseColumn(column, "keep")
    if plan.pseudonym is not None:
        yield ReleaseColumn(plan.pseudonym, "pseudonym")


def _privacy(draft: ReleaseDraft, written: MeasuredRelease) -> Iterator[PrivacyFigure]:
    """The models with the figure of the worst class (None where the release identifies no persons), and the risks."""
    for column, model, worst in _measured(draft, written):
        yield PrivacyFigure(column, model.written, worst, model.name, model.given)
    for name, value in _risks(draft).items():
        yield PrivacyFigure(None, f"{name} risk", value)


def _risks(draft: ReleaseDraft) -> dict[str, float]:
    risks = draft.risks
    if risks is None:
        return {}
    return {name: float(getattr(risks, name)) for name in ("prosecutor", "journalist", "marketer")}


def manifest(draft: ReleaseDraft, written: MeasuredRelease, sha256: str, staged: Path) -> Manifest:
    """The note beside a released file, which was written as the file `staged`."""
    open_request, plan, settled, summary = draft.open_request, draft.plan, draft.settled, draft.summary
    ledgers = (*open_request.opened.backend.executor.ledger, *open_request.opened.backend.workspace.ledger)
    request = open_request.read.request
    escaped = request.release.escapes_formulas
    formulas = ("escape" if escaped else "keep") if request.release.is_csv else None
    return Manifest(
        engine_version=VERSION,
        released_at=datetime.now(UTC).isoformat(timespec="seconds"),
        request=request.model_dump(mode="json", by_alias=True, exclude_none=True),
        request_id=summary.request_id,
        dataset=open_request.opened.name,
        # Not its sum of hashes: less those of the released rows, it would let trials find the suppressed ones.
        dataset_version=version_in_manifest(summary.version),
        method=request.method,
        method_summary=summary.manifest,
        sensitive=list(_models(draft, written)),
        kept=plan.kept,
        pseudonym=plan.pseudonym,
        shape=plan.shape,
        formulas=formulas,
        counts="rows" if plan.entity is None else "persons",
        k=settled.classes.k,
        classes=settled.classes.divisions,
        rows=draft.rows,
        persons=settled.persons,
        suppressed_rows=settled.suppressed_rows,
        suppressed_persons=settled.suppressed_persons,
        star_rows=settled.star_rows,
        risk=_risks(draft),
        loss=summary.losses if summary.open_losses is None else summary.open_losses,
        sha256=sha256,
        # Under the name of the file alone: the folder that it was written in is gone.
        sql=[each.text.replace(f"{staged.parent}{os.sep}", "") for each in ledgers if each.purpose is Purpose.RELEASE]
        + [file_text(plan, escaped=escaped)],
        row_level_security=row_secured(open_request.opened.backend, open_request.dataset.relation),
    )


def version_in_manifest(version: Version) -> dict[str, int | str]:
    """The manifest's entry of a dataset version."""
    vouched = {} if version.vouched_by is None else {"vouched_by": version.vouched_by}
    return {"rows": version.rows, "columns_hash": version.columns_hash, "proof": version.proof, **vouched}


def _models(draft: ReleaseDraft, written: MeasuredRelease) -> Iterator[Mapping[str, Any]]:
    for column, measured in groupby(_measured(draft, written), key=lambda each: each[0]):
        models = [
            {
                "model": model.written,
                "name": model.name,
                "parameters": model.given,
                "figure": model.definition.figure,
                "worst": worst,
            }
            for _, model, worst in measured
        ]
        yield {"column": column, "models": models}


def _measured(draft: ReleaseDraft, written: MeasuredRelease) -> Iterator[tuple[str, Model, float | None]]:
    """Each model of each sensitive column, with its figure in the worst class, if the release determines it."""
    worst = {(each.column, each.model.identity): each.worst for each in written.models}
    for each in draft.plan.sensitive:
        for model in each.models:
            yield each.column, model, worst.get((each.column, model.identity))


def mismatch(what: str) -> ReleaseMismatch:
    """The error where what is to be released is not what was decided, found before it is written."""
    return ReleaseMismatch(
        f"what is to be released {what}; it was not released",
        next_step="Nothing was written, and what was known of this dataset is forgotten: run the request again.",
    )


def require_all(settled: ReleaseCounts, rows: int) -> None:
    """Raises ReleaseMismatch unless every row of the dataset is about to be released."""
    if settled.rows != rows or settled.suppressed_rows:
        raise mismatch(f"has {settled.rows} rows of {rows}")
