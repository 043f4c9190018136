"""The result of a request, whatever its method, and the record of its release: in the state, and in the manifest."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from fractions import Fraction
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typing_extensions import TypedDict

from ordermade.counting.dataset import Version
from ordermade.errors import Refused, ReleaseMismatch
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.loss.shares import Extremes, LossShares, given_up, share, shares
from ordermade.methods.shared.open_request import OpenRequest
from ordermade.methods.shared.released_columns import (
    COLUMN_HEADINGS,
    ColumnResult,
    ReleasedForms,
    column_rows,
    columns_of,
)
from ordermade.privacy.models import Model
from ordermade.privacy.requirement import RiskFigures, risk_figures
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import cell, counted, one_in, percent
from ordermade.records.printed import CLASSES, NOT_PRINTED, Printed, printed_as
from ordermade.release.files import Manifest, read_frame, read_rows
from ordermade.release.measure import MeasuredRelease
from ordermade.release.plan import IN_MEMORY, Plan
from ordermade.release.rows import ReleaseCounts, file_text
from ordermade.requests.resolving import ResolvedRequest
from ordermade.sources.backend import row_secured
from ordermade.sources.executor import Purpose
from ordermade.state.releases import PrivacyFigure, ReleaseColumn, ReleaseRecord
from ordermade.state.statements import utc_now
from ordermade.version import VERSION

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from ordermade.loss.shares import LossValues
    from ordermade.release.returned import ReturnedFrame


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
    losses: Losses
    columns: tuple[ReleaseColumn, ...]
    manifest: Mapping[str, Any]
    sampling_fraction: Fraction = Fraction(1)
    open_losses: Losses | None = None
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


def _noted_losses(losses: Losses) -> Iterator[tuple[str, float]]:
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
        dataset_version=_version_in_manifest(summary.version),
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


def _version_in_manifest(version: Version) -> dict[str, int | str]:
    vouched = {} if version.vouched_by is None else {"vouched_by": version.vouched_by}
    return {"rows": version.rows, "columns_hash": version.columns_hash, **vouched}


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


Losses = Mapping[str, float | int | Mapping[str, float | None] | None]
"""Information loss by metric; a metric may be split by attribute."""


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """The release: its file or table, and its rows."""

    path: str
    """The path of its file, or the name of its table."""
    sha256: str | None
    """The hash of its file; null of a table."""
    rows: int
    """The rows written, `*` rows included."""
    star_rows: int = 0
    """Suppressed rows that stay as `*`."""
    suppressed_rows: int = 0
    """The rows of the dataset that were suppressed."""
    persons: int | None = None
    """The persons in it; null where a row is a person."""
    suppressed_persons: int | None = None
    """The persons with a suppressed row; null where a row is a person."""
    number: int | None = None
    """The number of the release on record."""
    frame: ReturnedFrame | None = field(default=None, repr=False, compare=False, metadata=NOT_PRINTED)


class ReleaseRisk(TypedDict, total=False):
    """The risks of re-identification, from 0 to 1; none where nothing was released."""

    prosecutor: float
    """The highest risk of somebody known to be in the release."""
    journalist: float
    """The highest risk of somebody of the population."""
    marketer: float
    """The expected share that is recognised."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Result(Printed, HasSummary):
    """The answer to one request. Each method adds fields of its own."""

    request: int
    """The number of the request."""
    title: str = ""
    """Its title; may be empty."""
    dataset: str = ""
    """The dataset."""
    method: str = ""
    """The method of the request."""
    status: Annotated[str, Literal["released", "refused", "stopped"]]
    """`released`, `refused`, or `stopped`: Ctrl-C or a budget ended the search, and nothing was released."""
    k_requested: int | None = None
    """The requested k."""
    k: int | None = None
    """The measured k of the release, suppressed rows apart."""
    divisions: int | None = field(default=None, metadata=CLASSES)
    """The number of its equivalence classes."""
    rows: int | None
    """The rows of the dataset; null where fewer than k of them (or of its persons) remain."""
    suppressed_rows: int = 0
    """The suppressed rows."""
    suppressed_persons: int | None = None
    """The persons with a suppressed row; null where a row is a person."""
    privacy: tuple[PrivacyFigure, ...] = ()
    """The measured models and risks of the release."""
    loss: Losses = field(default_factory=dict)
    """The losses of the release, by metric."""
    release: ReleaseReport | None = None
    """The release; null of a refusal."""
    reason: str | None = None
    """The reason of a refusal, or of a stop."""
    next: str = ""
    """The next command, or the advice after a refusal."""
    warnings: tuple[str, ...] = ()
    """Warnings, in counts."""
    forms: ReleasedForms = field(default_factory=ReleasedForms, repr=False, compare=False, metadata=NOT_PRINTED)
    """The forms that `columns` and `loss_shares` are made of."""

    @property
    @printed_as("columns")
    def columns(self) -> tuple[ColumnResult, ...]:
        """The columns of the release, quasi-identifiers first; none where nothing was released."""
        return tuple(columns_of(self.forms))

    @property
    @printed_as("loss_shares")
    def loss_shares(self) -> LossShares:
        """The losses from 0 (as it was) to 1 (all gone), by metric; null where an extreme is not known."""
        return shares(self.loss, self.forms.extremes())

    @property
    @printed_as("risk")
    def risk(self) -> Annotated[dict[str, float], ReleaseRisk]:
        """The risks of the release."""
        return {
            each.figure.removesuffix(" risk"): each.value
            for each in self.privacy
            if each.column is None and each.value is not None
        }

    @property
    @printed_as("released_rows")
    def released_rows(self) -> int | None:
        """The rows of the dataset that were not suppressed; null where nothing was released."""
        return None if self.k is None or self.rows is None else self.rows - self.suppressed_rows

    @property
    def released(self) -> bool:
        """True if there is a release."""
        return self.status == "released"

    def frame(self) -> Any:
        """The release in the kind of frame that was given; of a file, a frame of pandas. As `to_pandas`."""
        report = self._report()
        return self.to_pandas() if report.frame is None else report.frame.frame()

    def to_pandas(self) -> pandas.DataFrame:
        """The release as a frame of pandas.

        Raises Refused where there is none (a refusal, a table of the source), ReleaseFault where its file is gone.
        """
        report = self._report()
        return read_frame(Path(report.path)) if report.frame is None else report.frame.to_pandas()

    def to_arrow(self) -> pa.Table:
        """The release as a table of pyarrow. As `to_pandas`."""
        return self._rows().to_arrow()

    def to_polars(self) -> polars.DataFrame:
        """The release as a frame of polars. As `to_pandas`; raises InputError where polars is not installed."""
        return self._rows().to_polars()

    def _rows(self) -> ReturnedFrame:
        from ordermade.release.returned import ReturnedFrame

        report = self._report()
        return report.frame or ReturnedFrame("pandas", partial(read_rows, Path(report.path)))

    def _report(self) -> ReleaseReport:
        """The report of a release that can be read. Raises Refused where there is none."""
        if self.release is None:
            raise Refused(self.reason or "nothing was released", next_step=self.next or "Ask for a smaller k.")
        if self.release.sha256 is None and self.release.frame is None:
            raise Refused(
                f"the release is the table {self.release.path} of the source", next_step="Read it from there."
            )
        return self.release

    def _card(self) -> Card:
        warnings = (("warning", each) for each in self.warnings)
        refused = (("reason", self.reason), ("next", None if self.released else self.next or None))
        columns = Grid(COLUMN_HEADINGS, column_rows(self.columns))
        return Card.of(heading(self), (*refused, *facts(self), *self._own_facts(), *warnings), columns, *self._grids())

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        """The method's own facts."""
        yield from ()

    def _grids(self) -> Iterator[Grid]:
        """The method's own tables."""
        yield from ()


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


LEVEL_HEADINGS = ("quasi-identifier", "level", "level name")


LOSS_HEADINGS = ("loss", "share", "raw")
LOSS_RANGE = "Losses as shares: 0 is the table as it was, 1 all of it gone."

_OF_WHAT: Mapping[str, str] = {"sse_over_sst": "of the variance", "utility": "of the detail"}
_STATUS: Mapping[str, str] = {"released": "Released", "refused": "Refused", "stopped": "Not released"}


def heading(result: Result) -> str:
    """The first line: the outcome, the request, its title."""
    status = "Released before" if hasattr(result, "returned") else _STATUS.get(result.status, result.status)
    return f"{status}: request {result.request}" + (f", {result.title}" if result.title else "")


def facts(result: Result, limit: float | None = None, entity: str | None = None) -> Iterator[tuple[str, Any]]:
    """The few figures of a release that every reader wants: rows, k, risk and loss in words, and its place.

    `limit`: the share of rows (or persons) that may be suppressed; `entity`: the column that identifies persons.
    """
    release = result.release
    if result.released_rows is not None:
        yield "rows", f"{result.released_rows:,} of {result.rows:,} released"
        yield "suppressed", _suppressed(result, limit)
    if result.k is not None:
        asked = "" if result.k_requested is None else f"{result.k_requested:,} asked, "
        persons = "" if entity is None else f"; it counts persons, by {entity}"
        yield "k", f"{asked}{result.k:,} measured{persons}"
    yield from models(result)
    yield "risk", risk_in_words(result.risk)
    yield "detail given up", loss_in_words(result.loss_shares)
    yield "release", None if release is None else release.path


def _suppressed(result: Result, limit: float | None) -> str:
    rows, persons = result.suppressed_rows, result.suppressed_persons
    if not rows and not persons:
        words = "none"
    elif persons is None:
        words = counted(rows, "row")
    elif not rows:  # a release that was not written, whose persons alone were counted
        words = counted(persons, "person")
    else:
        words = f"{counted(rows, 'row')} of {counted(persons, 'person')}"
    if limit:
        words += f" (at most {percent(limit)} of the {'rows' if persons is None else 'persons'})"
    return words + (", released as *" if result.release is not None and result.release.star_rows else "")


def risk_in_words(risk: Mapping[str, float]) -> str | None:
    """The risk of the worst class and the average one: `at best 1 in 50 in the smallest class, …`."""
    if "prosecutor" not in risk:
        return None
    worst = f"at best {one_in(risk['prosecutor'])} in the smallest class"
    return worst if "marketer" not in risk else f"{worst}, {one_in(risk['marketer'])} on average"


def loss_in_words(shares: LossShares) -> str | None:
    """The one loss that speaks for a release: `33 %`; of numbers, the part of their variance."""
    found = given_up(shares)
    if found is None:
        return None
    metric, lost = found
    return f"{percent(lost)} {_OF_WHAT[metric]}" if metric == "sse_over_sst" else percent(lost)


def models(result: Result) -> Iterator[tuple[str, Any]]:
    """The measured figure of each model of a sensitive column."""
    for each, figure in zip(result.privacy, privacy_facts(result), strict=True):
        if each.column is not None:
            yield figure


def loss_rows(losses: LossValues, extremes: Extremes) -> list[tuple[str, Any, Any]]:
    """A row a loss: its name, its share and its raw figure; those of an attribute by their names."""
    rows: list[tuple[str, Any, Any]] = []
    for metric, value in losses.items():
        parts = value if isinstance(value, Mapping) else {"": value}
        for of, each in parts.items():
            if each is not None:
                shown = share(metric, float(each), extremes)
                rows.append((f"{metric} of {of}" if of else metric, None if shown is None else round(shown, 4), each))
    return rows


def cost(queries: int, seconds: float, *besides: str) -> str:
    """The statements that ran in the source and the seconds, in words."""
    return ", ".join([counted(queries, "source query", "source queries"), *besides, f"{seconds:.2f} s"])


def privacy_facts(result: Result) -> Iterable[tuple[str, Any]]:
    """The measured figures of each model and risk of the release."""
    for each in result.privacy:
        unmeasured = "holds where it was counted; the release alone does not show it"
        named = each.figure if each.column is None else f"{each.column}: {each.figure}"
        yield named, unmeasured if each.value is None else f"{cell(each.value)} measured"
