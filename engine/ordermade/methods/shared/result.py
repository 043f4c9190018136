"""The result of a request, whatever its method, and its words on a card."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from typing_extensions import TypedDict

from ordermade.errors import Refused
from ordermade.loss.extremes import Extremes
from ordermade.loss.shares import LossShares, LossValues, given_up, share, shares
from ordermade.methods.shared.judged import BesideAnswer
from ordermade.methods.shared.released_columns import (
    COLUMN_HEADINGS,
    ColumnResult,
    ReleasedForms,
    column_rows,
    columns_of,
)
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.records.cells import cell, counted, one_in, percent
from ordermade.records.printed import CLASSES, NOT_PRINTED, Printed, printed_as
from ordermade.release.files import read_frame, read_rows
from ordermade.state.releases import PrivacyFigure

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow as pa

    from ordermade.release.numbers import Numbers
    from ordermade.release.returned import ReturnedFrame


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
    loss: LossValues = field(default_factory=dict)
    """The losses of the release, by metric."""
    beside: BesideAnswer | None = None
    """Beside what its recipients had: `safe`, `breach` (about fewer than k persons), `undecided`; null: not judged."""
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

    def frame(self, numbers: Numbers | None = None) -> Any:
        """The release in the kind of frame that was given; of a file, a frame of pandas.

        Args:
            numbers: The form of columns of interval labels, as of `AnonymizedTable.frame`.

        Returns:
            The frame.

        Raises:
            InputError: Intervals of a frame of polars or Arrow.
            Refused: There is no release (a refusal, a table of the source).
            ReleaseFault: Its file is gone.

        Example:
            >>> engine.run(request).frame(numbers="midpoint")["age"].dtype
            dtype('float64')
        """
        if numbers is not None:
            from ordermade.release.numbers import numbered

            return numbered(self._rows(), self.forms.hierarchies, numbers)
        report = self._report()
        return self.to_pandas() if report.frame is None else report.frame.frame()

    def to_pandas(self) -> pandas.DataFrame:
        """The release as a frame of pandas.

        Returns:
            The frame.

        Raises:
            Refused: There is no release (a refusal, a table of the source).
            ReleaseFault: Its file is gone.

        Example:
            >>> len(engine.run(request).to_pandas())
            600
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
        columns = Grid(COLUMN_HEADINGS, column_rows(self.columns, by_labels=True))
        return Card.of(heading(self), (*refused, *facts(self), *self._own_facts(), *warnings), columns, *self._grids())

    def _own_facts(self) -> Iterator[tuple[str, Any]]:
        """The method's own facts."""
        yield from ()

    def _grids(self) -> Iterator[Grid]:
        """The method's own tables."""
        yield from ()


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
    if result.released_rows is not None and result.method == "table":  # cells are suppressed, and no row
        yield "rows", f"{result.rows:,}, each counted"
    elif result.released_rows is not None:
        yield "rows", f"{result.released_rows:,} of {result.rows:,} released"
        yield "suppressed", _suppressed(result, limit)
    if release is not None and release.persons is not None:
        yield "persons", f"{release.persons:,} released"
    if result.k is not None:
        required = "" if result.k_requested is None else f" (you required {result.k_requested:,})"
        yield "k", f"{result.k:,}{required}; it counts {_unit(result, entity)}"
    yield from models(result)
    yield "risk", risk_in_words(result.risk)
    yield "detail given up", loss_in_words(result.loss_shares)
    yield "release", None if release is None else release.path


def _unit(result: Result, entity: str | None) -> str:
    """The unit that k counts."""
    if entity is not None:
        return f"persons, by {entity}"
    return "rows" if result.suppressed_persons is None else "persons"


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
    """The risk of the worst class and the average one: `at most 1 in 50 in the smallest class, …`."""
    if "prosecutor" not in risk:
        return None
    worst = f"at most {one_in(risk['prosecutor'])} in the smallest class"
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
