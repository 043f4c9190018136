"""The figures of the report of a release: gathered from the release itself, from its original, and from the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ordermade.catalogue.verified_releases import TABLES
from ordermade.drafts.label_order import by_value
from ordermade.hierarchies.explicit import ExplicitHierarchy
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.hierarchies.intervals import IntervalHierarchy
from ordermade.lattice.observation import Observation
from ordermade.loss.extremes import Extremes
from ordermade.loss.shares import given_up, share
from ordermade.release.entitled import Entitled
from ordermade.reports.associations import MAX_CATEGORIES, MAX_COLUMNS, Measured, associations
from ordermade.reports.cautions import Facts, cautions
from ordermade.reports.coded import (
    Coded,
    coded_original,
    coded_release,
    fewest_values,
    histogram,
    histories,
    one_value_classes,
    units_by_size,
)
from ordermade.reports.distributions import Layout, counted_before, distribution, laid_out
from ordermade.reports.figures import (
    MAX_LABELS,
    Association,
    Audience,
    Caution,
    CodebookColumn,
    Count,
    LevelShown,
    Loss,
    Proof,
    ReleaseSummary,
    ReportedDistribution,
    ReportedHierarchy,
    ReportedRisks,
    RequestedModel,
    RequestSummary,
    Unit,
    ValuesLeft,
)
from ordermade.reports.file import Report, ReportOfTables
from ordermade.reports.gathering_tables import gathered_tables
from ordermade.reports.label_levels import levels_of_label
from ordermade.reports.original import opened_original, placed_at_level
from ordermade.reports.places import Scale, ScaledColumn, frequent, placed, scale_of, spans
from ordermade.reports.released import OpenRelease, Record, opened_release, recorded
from ordermade.reports.sizes import by_size, risks_of, sizes_of, smallest_first
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile
from ordermade.state.releases import PrivacyFigure, ReleaseColumn

if TYPE_CHECKING:
    import pyarrow as pa

USER = "user"
DISJOINT, OVERLAPPING = frozenset({"sealed"}), frozenset({"local", "held"})
"""The kinds of local recoding by whether classes have combinations of values in common."""


def gathered(
    state: StateFile, limits: Limits, number: int, audience: Audience = "provider", rows: pa.Table | None = None
) -> Report | ReportOfTables:
    """The report of a release, for a provider or for a user; of tables with totals one of their own.

    `rows`: those of a release that a program got and that is not kept. Raises UnknownName, Refused where the release no
    longer has its name or is not what was released, ReleaseFault where it is gone, SourceFault, StateFault.
    """
    record = recorded(state, number)
    if record.request.method == TABLES:
        return gathered_tables(record, audience)
    with opened_release(record, limits, rows) as release:
        after = _after(record, release)
    before = _Before(why_not=USER) if audience == USER else _before(state, limits, record, after)
    return _Gathering(record, after, before, audience).report()


@dataclass(frozen=True, slots=True)
class _Shown:
    """A released column: its record, its places as figures, the layout of its bars, the most frequent labels."""

    column: ReleaseColumn
    placed: ScaledColumn
    scale: Scale
    layout: Layout
    labels: tuple[tuple[str, int], ...]
    kind: str

    @property
    def is_comparable(self) -> bool:
        """Whether the original has its labels: not where rows are at several levels, or have sets of values."""
        column = self.column
        at_one_level = column.level is not None or column.role != "quasi-identifier"
        return self.placed.is_numeric or at_one_level or column.level_name in ("mode", "mean", "median")


@dataclass(frozen=True, slots=True)
class _After:
    """The figures of a release."""

    columns: tuple[_Shown, ...]
    quasi_identifiers: tuple[str, ...]
    classes: Observation
    rows: int
    star_rows: int
    stars: int
    units: Mapping[int, int]
    counts: Unit
    associations: Measured
    paired: tuple[str, ...]
    one_value: Mapping[str, int]
    fewest: Mapping[str, int]
    manifest: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Before:
    """The figures of the original; `why_not`: why there are none."""

    why_not: str | None = None
    sizes: Mapping[int, int] | None = None
    units: Mapping[int, int] | None = None
    bars: Mapping[str, tuple[int, ...]] | None = None
    associations: Measured | None = None


def _after(record: Record, release: OpenRelease) -> _After:
    reading, found = release.was.reading, release.found
    names = [each.column for each in record.release.columns if each.role != "pseudonym"]
    count = reading.count if reading.shape == "table" else None
    coded = coded_release(release.executor, release.relation, names, reading.pseudonym, count)
    columns = tuple(_shown(record, coded, each) for each in record.release.columns if each.role != "pseudonym")
    paired = [
        each
        for each in columns
        if each.placed.labels > 1
        and (each.placed.is_numeric or each.placed.labels <= min(MAX_CATEGORIES, each.placed.rows // 2))
    ][:MAX_COLUMNS]
    numeric = [each.column.column for each in paired if each.placed.is_numeric]
    sizes = dict(found.classes.sizes)
    units = by_size(sizes)
    if reading.pseudonym is not None and not reading.by_history:
        units = dict(units_by_size(coded, reading.quasi_identifiers, sizes))
    of_persons = record.request.entity_column is not None and reading.shape == "table"
    counts_persons = of_persons or reading.by_history or reading.pseudonym is not None
    as_they_are = [each.column.column for each in columns if each.column.role in ("sensitive", "keep")]
    return _After(
        columns=columns,
        quasi_identifiers=reading.quasi_identifiers,
        classes=found.classes,
        rows=found.rows,
        star_rows=found.star_rows,
        stars=found.stars,
        units=units,
        counts="persons" if counts_persons else "rows",
        associations=associations(coded, [each.placed for each in paired], numeric),
        paired=tuple(each.column.column for each in paired),
        one_value={
            each: one_value_classes(coded, reading.quasi_identifiers, each)
            for each in as_they_are
            if not reading.by_history
        },
        fewest={
            each: fewest_values(coded, reading.quasi_identifiers, each)
            for each in as_they_are
            if _overlap(record, release.manifest) is not None
        },
        manifest=release.manifest,
    )


def _overlap(record: Record, manifest: Mapping[str, Any]) -> bool | None:
    """Whether classes have combinations in common; None where rows are not recoded locally, or it is not known.

    Relaxed Mondrian deals values equal to a median out to both halves, of which an elimination leaves both.
    """
    request = record.request
    if request.method == "mondrian" and request.shape == "rows":
        options = manifest.get("request", {}).get("mondrian")
        return None if isinstance(options, Mapping) and options.get("strict") is False else False
    if request.recoding in DISJOINT | OVERLAPPING and request.shape == "rows":
        return request.recoding in OVERLAPPING
    return None


def _shown(record: Record, coded: Coded, column: ReleaseColumn) -> _Shown:
    scale = scale_of(record.types.get(column.column))
    found = placed(coded, column.column, scale, unit=_unit(record.hierarchies.get(column.column)))
    labels = frequent(found, MAX_LABELS)
    return _Shown(column, found, scale, laid_out(found, scale), labels, _kind(column, found, scale, labels))


def _unit(hierarchy: Hierarchy | None) -> str:
    """The unit of the labels of a hierarchy of intervals."""
    return hierarchy.intervals[0].unit if isinstance(hierarchy, IntervalHierarchy) else ""


def _before(state: StateFile, limits: Limits, record: Record, after: _After) -> _Before:
    request = record.request
    asked = after.manifest.get("request", {}).get("dataset")
    inline = asked if isinstance(asked, Mapping) else None
    with opened_original(state, limits, request, inline) as original:
        if original.dataset is None:
            return _Before(why_not=original.why_not)
        names = [each.column.column for each in after.columns]
        customer = next((each.column for each in record.request.history if each.role == "customer"), None)
        coded = coded_original(original.dataset, names, customer or request.entity_column)
        counted = histogram if customer is None else histories
        sizes = counted(coded, after.quasi_identifiers)
        places = {}
        for each in after.columns:
            name, level = each.column.column, each.column.level
            hierarchy = record.hierarchies.get(name)
            in_numbers = each.placed.is_numeric
            places[name] = placed_at_level(
                original.dataset, coded, name, None if in_numbers else hierarchy, level, each.scale
            )
        numeric = [each.column.column for each in after.columns if each.placed.is_numeric]
        return _Before(
            sizes=sizes,
            units=by_size(sizes) if customer else units_by_size(coded, after.quasi_identifiers, sizes),
            bars={
                each.column.column: counted_before(each.layout, places[each.column.column])
                for each in after.columns
                if each.is_comparable
            },
            associations=associations(coded, [places[name] for name in after.paired], numeric),
        )


@dataclass(frozen=True, slots=True)
class _Gathering:
    """A report in the making."""

    record: Record
    after: _After
    before: _Before
    audience: Audience

    @property
    def floor(self) -> int:
        return self.record.request.k

    @property
    def unit(self) -> Unit:
        """The unit that k counts: the customers of histories, and the persons of a dataset that names them."""
        request = self.record.request
        return "rows" if request.entity_column is None and request.method != "history" else "persons"

    @property
    def released_rows(self) -> int:
        """The rows of the release; of a statistical table the units that it counts, not its rows, which are classes."""
        if self.record.request.shape == "table":
            return self.after.classes.rows + self.after.stars
        return self.record.release.rows

    @property
    def for_user(self) -> bool:
        return self.audience == USER

    @property
    def entitled(self) -> Entitled:
        """What a user may have of the figures."""
        return Entitled.of_record(self.record.release, self.record.request, self.record.release.columns)

    @property
    def least(self) -> int:
        """The k of the release that is stated."""
        measured = self.record.release.k
        return self.entitled.smallest_class(measured) if self.for_user else measured

    def report(self) -> Report:
        record, request, release = self.record, self.record.request, self.record.release
        return Report(
            audience=self.audience,
            floor=self.floor,
            release=release.id,
            request=record.request_number,
            title=request.title,
            dataset=request.dataset_name,
            method=request.method or "generalization",
            file=Path(release.name).name if self.for_user and release.path is not None else release.name,
            sha256=release.sha256,
            released_at=release.released_at,
            engine_version=request.engine_version,
            standing=release.standing,
            asked=self.asked(),
            given=self.given(),
            proof=self.proof(),
            columns=tuple(self.codebook(each) for each in self.after.columns),
            hierarchies=tuple(self.hierarchies()),
            sizes=sizes_of(self.after.classes, self.after.counts),
            risks_after=self.risks(
                min(self.least, self.after.classes.k),
                self.after.classes.divisions,
                smallest_first(self.after.units, self.floor) if self.for_user else self.after.units,
            ),
            risks_before=self.risks_before(),
            losses=tuple(self.losses()),
            distributions=tuple(self.distributions()),
            associations=tuple(self.associations()),
            cautions=self.cautions(),
            values_left=tuple(self.values_left()),
            classes_overlap=bool(_overlap(self.record, self.after.manifest)),
            left_out=() if self.for_user else record.request.identifiers,
            original=self.before.why_not,
            shape="rows" if request.shape == "rows" else "table",
            counts="persons" if request.shape == "table" and self.unit == "persons" else "rows",
            headline=None if (found := given_up(record.release.losses)) is None else found[0],
        )

    def asked(self) -> RequestSummary:
        request, risk = self.record.request, self.record.risk
        bounds = {"highest": risk.highest, "average": risk.average}
        return RequestSummary(
            k=request.k,
            unit=self.unit,
            suppression_limit=float(Fraction(request.suppression_limit or "0")),
            models=tuple(
                RequestedModel(each.column, each.model, tuple(each.parameters.items()), self.worst(each))
                for each in self.record.release.privacy
                if each.column is not None and each.model is not None
            ),
            risk_bounds=tuple((name, float(bound)) for name, bound in bounds.items() if bound is not None),
            filter=None if self.for_user else request.filter,
            objective=request.objective,
            missing_as_star=tuple(each.column for each in request.quasi_identifiers if each.missing == "suppressed"),
        )

    def worst(self, figure: PrivacyFigure) -> float | None:
        return self.entitled.worst(figure.model, figure.value) if self.for_user else figure.value

    def given(self) -> ReleaseSummary:
        release, floor = self.record.release, self.floor
        persons = release.suppressed_persons
        found = ReleaseSummary(
            k=self.least,
            classes=release.divisions,
            rows=self.released_rows,
            rows_of_dataset=self.record.dataset_rows,
            suppressed_rows=Count.of(release.suppressed_rows, floor),
            persons=release.persons,
            persons_of_dataset=None if release.persons is None else self.record.dataset_persons,
            suppressed_persons=None if persons is None else Count.of(persons, floor),
            star_rows=None if not release.star_rows else Count.of(release.star_rows, floor),
            is_measured=not self.for_user or self.entitled.shows_units,
        )
        return self.of_user(found) if self.for_user else found

    def of_user(self, given: ReleaseSummary) -> ReleaseSummary:
        entitled = self.entitled
        return replace(
            given,
            rows_of_dataset=entitled.rows_of_dataset(given.rows_of_dataset),
            suppressed_rows=Count.none_or(entitled.suppressed, self.floor),
            persons=entitled.persons(given.persons),
            persons_of_dataset=None,
            suppressed_persons=None,
            star_rows=None if not self.after.stars else Count.of(self.after.stars, self.floor),
        )

    def proof(self) -> Proof:
        request, proved = self.record.request, self.after.manifest.get("optimum_proved")
        return Proof(
            certified=proved if isinstance(proved, bool) else None,
            algorithm=request.algorithm,
            objective=request.objective,
            nodes=request.nodes_in_lattice,
            measured=None if self.for_user else request.nodes_measured,  # how a search went follows from the data
        )

    def codebook(self, shown: _Shown) -> CodebookColumn:
        column, found, floor = shown.column, shown.placed, self.floor
        listed = [(label, n) for label, n in shown.labels if n >= floor]
        apart = found.missing if found.missing >= floor else 0
        # The rows of all other labels are the difference: as many as k, or none.
        while listed and 0 < found.rows - apart - sum(n for _, n in listed) < floor:
            listed.pop()
        if self.for_user and found.is_numeric and (len(listed) < found.labels or len(shown.labels) < found.labels):
            listed = []  # a bar of its distribution, less a label in it, is a number of rows as well
        hierarchy = self.record.hierarchies.get(column.column)
        top = None if hierarchy is None else hierarchy.top
        return CodebookColumn(
            name=column.column,
            role=column.role,
            kind=shown.kind,
            hierarchy=None if hierarchy is None else hierarchy.name,
            level=column.level,
            level_name=column.level_name,
            distinct=found.labels,
            labels=tuple(
                (listed[place][0], Count(listed[place][1])) for place in by_value([name for name, _ in listed])
            ),
            missing=Count.of(found.missing, floor),
            loss=column.level / top if column.level is not None and top else None,
        )

    def hierarchies(self) -> Sequence[ReportedHierarchy]:
        shown = ((each, self.record.hierarchies.get(each.column.column)) for each in self.after.columns)
        found = [
            hierarchy_shown(each.column, hierarchy, each.labels, for_user=self.for_user)
            for each, hierarchy in shown
            if hierarchy is not None
        ]
        return [each for each in found if each.levels]

    def risks(self, k: int, classes: int, units: Mapping[int, int]) -> ReportedRisks:
        return risks_of(k, classes, units, self.record.risk.sampling_fraction, self.floor)

    def risks_before(self) -> ReportedRisks | None:
        sizes, units = self.before.sizes, self.before.units
        if not sizes or not units:
            return None
        return self.risks(min(sizes), sum(sizes.values()), units)

    def losses(self) -> Sequence[Loss]:
        losses, objective = self.record.release.losses, self.record.request.objective
        if self.for_user:
            losses = {name: value for name, value in losses.items() if self.entitled.has_loss(name)}
        names = sorted(losses, key=lambda name: (name != objective, name))
        extremes = self.extremes()
        return [Loss(name, share(name, losses[name], extremes), losses[name]) for name in names]

    def extremes(self) -> Extremes:
        """The extremes that the losses run between; a user gets none that is a figure of the original."""
        hierarchies = [self.record.hierarchies.get(each.column.column) for each in self.after.columns]
        tops = tuple(each.top for each in hierarchies if each is not None)
        k, sizes, units = self.record.request.k, self.before.sizes, self.before.units
        if self.for_user or not sizes or not units:
            return Extremes(k=k, tops=tops or None)
        squares = sum(size * size * classes for size, classes in sizes.items())
        return Extremes(sum(units.values()), k, sum(sizes.values()), squares, tops or None)

    def cautions(self) -> tuple[Caution, ...]:
        narrowed = self.after.manifest.get("narrowed")
        facts = Facts(
            one_value=self.after.one_value,
            distinct={each.column.column: each.placed.labels for each in self.after.columns},
            rows=sum(self.after.units.values()),
            narrowed=narrowed.get("share") if isinstance(narrowed, Mapping) else None,
            stars=self.after.stars if self.for_user else self.record.release.star_rows or 0,
        )
        return cautions(self.record, facts, self.floor, for_user=self.for_user)

    def values_left(self) -> Iterator[ValuesLeft]:
        """The sensitive values that an elimination leaves: those of the own class."""
        overlap = _overlap(self.record, self.after.manifest)
        narrowed = self.after.manifest.get("narrowed")
        listed = narrowed.get("sensitive") if isinstance(narrowed, Mapping) else None
        shares = {each["column"]: each["share"] for each in listed} if isinstance(listed, list) else {}
        for column, fewest in self.after.fewest.items():
            share = 0.0 if overlap is False else shares.get(column)
            yield ValuesLeft(column, fewest, None if self.for_user and overlap else share)

    def distributions(self) -> Sequence[ReportedDistribution]:
        found = []
        for each in self.after.columns:
            bars = None if self.before.bars is None else self.before.bars.get(each.column.column)
            shown = distribution(each.layout, bars, each.placed, self.floor)
            if shown is not None:
                unit = _unit(self.record.hierarchies.get(each.column.column))
                found.append(replace(shown, unit=unit) if unit and shown.kind == "numbers" else shown)
        return found

    def associations(self) -> Sequence[Association]:
        before = self.before.associations or {}
        return [
            Association(one, other, measure, before.get((one, other), ("", None))[1], after)
            for (one, other), (measure, after) in self.after.associations.items()
            if after is not None
        ]


def _kind(column: ReleaseColumn, found: ScaledColumn, scale: Scale, labels: Sequence[tuple[str, int]]) -> str:
    """The kind of the values of a released column."""
    if found.is_numeric:
        if any(low != high for low, high, _ in spans(found, MAX_LABELS)):
            return "intervals"
        return "dates" if scale == "days" else "numbers"
    if any(label.startswith("{") for label, _ in labels):
        return "sets"
    return "labels" if column.role == "quasi-identifier" else "texts"


def hierarchy_shown(
    column: ReleaseColumn, hierarchy: Hierarchy, labels: Sequence[tuple[str, int]], *, for_user: bool
) -> ReportedHierarchy:
    """The hierarchy of a released column; for a user its released levels alone, without how many labels they list.

    More labels than the release has are those of suppressed rows. `labels`: released ones, with their rows. Where rows
    are at several levels, a level is called released that has one of these labels.
    """
    released = _released(column, hierarchy, [label for label, _ in labels])
    levels = tuple(
        LevelShown(
            level.name,
            None if for_user else _number_of_labels(hierarchy, number),
            number in released,
            released.get(number),
        )
        for number, level in enumerate(hierarchy.levels)
        if not for_user or number in released
    )
    return ReportedHierarchy(column.column, hierarchy.name, hierarchy.kind, levels)


def _released(column: ReleaseColumn, hierarchy: Hierarchy, labels: Sequence[str]) -> dict[int, str | None]:
    """The released levels, each with a released label."""
    if column.level is not None:
        return {column.level: next(iter(labels), None)}
    found: dict[int, str | None] = {}
    for label in labels:
        for level in levels_of_label(hierarchy, label):
            found.setdefault(level, label)
    return found


def _number_of_labels(hierarchy: Hierarchy, level: int) -> int | None:
    if level == hierarchy.top:
        return 1
    if not isinstance(hierarchy, ExplicitHierarchy):
        return None
    return len(set(hierarchy.leaves if level == 0 else hierarchy.labels[level - 1]))
