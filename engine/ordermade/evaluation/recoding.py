"""Judge a locally recoded release, made by any tool: how many of its rows can be narrowed below their labels.

The attack is run as anybody could run it: on the released labels, the hierarchies and, where they are known, the rounds
(`elimination`). With the original, what it inferred is checked against the rows. Nothing is registered or kept.

* A row is *generalised* if a label of its class names more than one value: `[40, 60)`, `East`. A label of a higher
  level that names one value alone (`Hokkaido`, a region of one prefecture) says as much as that value.
* A row is *narrowed* if in its class, of some column, fewer values remain possible than the label names.
* The share of a release is narrowed rows of generalised rows; that of a column, rows narrowed in this column of the
  rows whose label in it names more than one value.
* A row that is `*` in every column is a suppressed one and in no class, unless a round has all columns at `*`, or the
  release has no other rows.
* Of a sensitive column, with the original: the values that remain possible for persons whose quasi-identifiers a
  reader knows, beside those that the labels allow (`possible_values`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.catalogue.hierarchies import Hierarchies
from ordermade.errors import HierarchyError, InputError, Refused, quoted
from ordermade.evaluation.recoding_options import RecodingContext, RecodingOptions
from ordermade.evaluation.rounds import KnownRounds, nodes_of
from ordermade.evaluation.tables import label_classes
from ordermade.hierarchies.hierarchy import STAR
from ordermade.privacy.elimination import ClassLabels, Eliminations, Left, Places
from ordermade.privacy.least_k import DEFAULT_LEAST_K, in_words, shown
from ordermade.privacy.possible_values import CandidateClasses, PossibleValues
from ordermade.privacy.released_labels import Label, ReleasedColumn, numbered, spans_of
from ordermade.progress.waiting import Progress, Silent
from ordermade.records.cards import Card, Grid, HasSummary
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile

MAX_WORST = 10
"""The most classes that are listed."""


@dataclass(frozen=True, slots=True)
class ColumnNarrowed:
    """A column: the rows whose label in it names more than one value, and those of them with fewer left.

    `hierarchy`: its name or file, None where it has none, so that it is never narrowed. `counted`: what its values are:
    `listed`, `whole numbers`, `days`, `pieces` (of intervals or prefixes) or `labels`. `named` and `left`: the mean
    number of values that the label of a generalised row names, and that remain possible; None where there is no such
    row.
    """

    column: str
    hierarchy: str | None
    counted: str
    rows_generalised: int
    rows_narrowed: int
    named: float | None
    left: float | None

    @property
    def share(self) -> float:
        """Narrowed rows of generalised rows."""
        return self.rows_narrowed / self.rows_generalised if self.rows_generalised else 0.0


@dataclass(frozen=True, slots=True)
class ClassNarrowed:
    """A class of k rows or more: its labels, and by column how many values they name and how many are left."""

    labels: Mapping[str, Label]
    rows: int
    named: Mapping[str, int]
    left: Mapping[str, int]

    @property
    def share(self) -> float:
        """The combinations of values left, of those named, as if columns were independent."""
        found = 1.0
        for column, named in self.named.items():
            found *= self.left[column] / named
        return found


@dataclass(frozen=True, slots=True)
class CheckedSets:
    """The inferred sets, one a class, held against the original.

    `right` of `classes`: as many rows of the original can be in the class as the release has in it, once the rows of
    classes that came before are gone, and all their values are among those inferred. `uncovered`: rows of the original
    that no class can hold: suppressed ones if it is the original of this release. `unnamed`: those of them with a value
    that is not listed in its hierarchy, so that no release by it could have had them. `fits`: whether it can be the
    original: every set is right, each row of the release is one of it, and none is unnamed.
    """

    classes: int
    right: int
    uncovered: int
    unnamed: int
    fits: bool

    @property
    def wrong(self) -> int:
        """The other classes."""
        return self.classes - self.right


@dataclass(frozen=True, slots=True)
class ColumnPossible:
    """A sensitive column, and the values of it that remain possible for the persons of the original."""

    column: str
    possible: PossibleValues


@dataclass(frozen=True, slots=True, repr=False)
class RecodingJudgement(HasSummary):
    """The findings on a locally recoded release.

    `rows`: those in classes; `star_rows`: suppressed ones that stayed. `rounds`: how many are known, None where none
    are. `classes_by_labels`: narrowed by labels and hierarchies alone; `classes_by_rounds`: only with the rounds;
    `classes_further`: narrowed further by the rounds. `classes_given_up`: too many cases, counted as not narrowed.
    `classes_contradicted`: classes of which nothing would be left, so that the release did not come about in rounds;
    counted as not narrowed. `not_judged`: columns of the release that are no quasi-identifiers here.
    `overlaps`: whether classes may overlap, by the manifest; None where that is not known. `sensitive`: of each
    sensitive column the values that remain possible; empty without the original.
    """

    release: str
    original: str | None
    where: str | None
    k: int | None
    rows: int
    star_rows: int
    classes: int
    rounds: int | None
    rows_generalised: int
    rows_narrowed: int
    classes_generalised: int
    classes_narrowed: int
    classes_by_labels: int
    classes_by_rounds: int
    classes_further: int
    classes_given_up: int
    classes_contradicted: int
    columns: tuple[ColumnNarrowed, ...]
    not_judged: tuple[str, ...]
    worst: tuple[ClassNarrowed, ...]
    checked: CheckedSets | None
    overlaps: bool | None = None
    sensitive: tuple[ColumnPossible, ...] = ()

    @property
    def share(self) -> float:
        """Narrowed rows of generalised rows."""
        return self.rows_narrowed / self.rows_generalised if self.rows_generalised else 0.0

    @property
    def least_shown(self) -> int:
        """No count of rows below this is shown."""
        return self.k or DEFAULT_LEAST_K

    def _card(self) -> Card:

        title = f"RecodingJudgement: {self.classes_narrowed:,} of {self.classes:,} classes narrowed"
        return Card.of(title, facts(self), Grid(COLUMN_HEADINGS, column_rows(self), "By column"))


def judged_recoding(
    release: AnyTable,
    wanted: RecodingOptions,
    state: StateFile,
    limits: Limits,
    *,
    original: AnyTable | None = None,
    where: str | None = None,
    progress: Progress | None = None,
) -> RecodingJudgement:
    """Judge a locally recoded release; `original`: checks what is inferred; `where`: a row filter of the original.

    Raises InputError (UnknownName, HierarchyError, FilterError) with counts and names of columns only; Refused where a
    class is smaller than the k that is promised; SourceFault, StateFault, ReleaseFault.
    """
    progress = progress or Silent()
    if where is not None and original is None:
        raise InputError(
            "there is no original to filter",
            where="--where",
            next_step="Give it with --original, or leave --where out.",
        )
    if wanted.k is not None and wanted.k < 2:
        raise InputError("k is at least 2", where="--k", next_step="Give the k that the release promises.")
    if wanted.sensitive and original is None:
        raise InputError(
            "the values that remain possible depend on which combinations occur",
            where="--sensitive",
            next_step="Give the original with --original, or leave --sensitive out.",
        )
    progress.step("release")
    with release.released(state, limits) as dataset:
        context = RecodingContext.of(
            wanted, release, [each.name for each in dataset.columns], Hierarchies(state, limits)
        )
        combinations, rows = label_classes(dataset, context.columns)
        of_classes = {
            column: label_classes(dataset, [*context.columns, column])[0]
            for column in (context.sensitive if original is not None else ())
        }
    table = _Table.of(release.named, context, combinations, rows)
    progress.step("elimination")
    by_labels = tuple(Eliminations(table.released, with_rounds=False).all_left())
    by_all = by_labels
    if context.rounds is not None:
        by_all = tuple(Eliminations(table.released, with_rounds=True).all_left())
        _require_consistent(by_all, context.rounds)
    beside = _Beside(None, None, None, ())
    if original is not None:
        progress.step("original")
        with original.dataset(state, limits, where) as (dataset, text):
            names = [each.name for each in dataset.columns]
            columns = [column_named(original.named, each, names) for each in context.columns]
            combinations, rows = label_classes(dataset, columns)
        holdings = _Holdings.of(table, _numbered(table.columns, combinations), rows)
        beside = _Beside(
            original.named,
            text,
            _checked(table, by_all, holdings),
            tuple(ColumnPossible(column, _possible(table, each, holdings)) for column, each in of_classes.items()),
        )
    return _findings(table, context, by_labels, by_all, beside)


@dataclass(frozen=True, slots=True)
class _Beside:
    """The original that a release was compared with, if any: its name, its filter, what the comparison gave."""

    original: str | None
    where: str | None
    checked: CheckedSets | None
    sensitive: tuple[ColumnPossible, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    """The released classes by number: their columns, their rows, what is known of their rounds; suppressed rows.

    `labels`: those of each class, as texts.
    """

    name: str
    columns: tuple[ReleasedColumn, ...]
    labels: tuple[tuple[Label, ...], ...]
    released: ClassLabels
    rows: Places
    star_rows: int

    @classmethod
    def of(
        cls, named: str, context: RecodingContext, combinations: Sequence[tuple[Label, ...]], rows: Places
    ) -> _Table:
        """The classes of a release. Raises HierarchyError, InputError, Refused."""
        columns, of_classes = numbered(context.columns, context.hierarchies, combinations)
        nodes = None if context.rounds is None else nodes_of(context.rounds, columns, context.hierarchies)
        stars = np.array([all(label == STAR for label in each) for each in combinations], dtype=np.bool_)
        tops = {column: each.top for column, each in context.hierarchies.items()}
        top = tuple(tops.get(column) for column in context.columns)
        if context.noted.has_star_rows is False or len(combinations) == 1 or (nodes is not None and top in nodes):
            stars[:] = False
        star_rows = int(rows[stars].sum())
        of_classes, rows = of_classes[~stars], rows[~stars]
        _require_known(columns, of_classes, rows, context.k)
        _require_k(named, rows, context.k)
        if context.rounds is None or nodes is None:
            released = ClassLabels.of([each.attribute for each in columns], of_classes, None)
        else:
            first, last = spans_of(nodes, columns, of_classes)
            _require_rounds(first, context.rounds)
            released = ClassLabels(tuple(each.attribute for each in columns), of_classes, first, last)
        labels = tuple(each for each, is_star in zip(combinations, stars.tolist(), strict=True) if not is_star)
        return cls(named, tuple(columns), labels, released, rows, star_rows)

    def named(self, number: int) -> tuple[Places, ...]:
        """The values that each label of a class names."""
        labels = self.released.labels[number].tolist()
        return tuple(each.attribute.named[label] for each, label in zip(self.columns, labels, strict=True))

    def sure(self, number: int) -> tuple[Places, ...]:
        """The values that each label of a class names, whatever its level."""
        labels = self.released.labels[number].tolist()
        return tuple(each.attribute.sure[label] for each, label in zip(self.columns, labels, strict=True))


def _require_known(columns: Sequence[ReleasedColumn], labels: Places, rows: Places, k: int | None) -> None:
    """Raises HierarchyError for labels that are in no level of their hierarchy."""
    for place, column in enumerate(columns):
        unknown = np.isin(labels[:, place], np.array(column.unknown, dtype=np.intp))
        if unknown.any():
            among = in_words(int(rows[unknown].sum()), k or DEFAULT_LEAST_K)
            raise HierarchyError(
                f"labels of {among} rows are in no level of the hierarchy",
                where=f"column {quoted(column.name)}",
                next_step="Give the hierarchy that the release was made with, or judge the column as it is: leave its "
                "hierarchy out and name it among --columns.",
            )


def _require_k(named: str, rows: Places, k: int | None) -> None:
    """Raises Refused where a class is smaller than k."""
    if k is not None and len(rows) and int(rows.min()) < k:
        raise Refused(
            f"the release is not {k:,}-anonymous: a class has fewer than {k:,} rows",
            where=named,
            next_step="Check --k and the columns: --columns and --hierarchy name every quasi-identifier.",
        )


def _require_rounds(first: Places, rounds: KnownRounds) -> None:
    """Raises InputError where a class is at the levels of no round."""
    if np.any(first < 0):
        raise InputError(
            f"{np.count_nonzero(first < 0):,} of the {len(first):,} classes are at the levels of no round",
            where=rounds.source,
            next_step="Give the rounds of this release.",
        )


def _require_consistent(left: Sequence[Left], rounds: KnownRounds) -> None:
    """Raises InputError where by these rounds a class could have no row."""
    impossible = sum(each.contradicted for each in left)
    if impossible:
        raise InputError(
            f"by these rounds {impossible:,} of the {len(left):,} classes could have no row",
            where=rounds.source,
            next_step="Give the rounds of this release, in the order in which they released.",
        )


def _fewer(table: _Table, left: Sequence[Left]) -> Iterator[tuple[int, ...]]:
    """Of each class, by column, how many values are no longer possible."""
    for number, each in enumerate(left):
        yield tuple(len(named) - len(now) for named, now in zip(table.named(number), each.values, strict=True))


def _findings(
    table: _Table, context: RecodingContext, by_labels: Sequence[Left], by_all: Sequence[Left], beside: _Beside
) -> RecodingJudgement:
    count = len(table.rows)
    named = np.array([[len(each) for each in table.named(number)] for number in range(count)], dtype=np.intp)
    gone_by_labels = np.array(list(_fewer(table, by_labels)), dtype=np.intp).reshape(named.shape)
    gone = np.array(list(_fewer(table, by_all)), dtype=np.intp).reshape(named.shape)
    generalised, narrowed = np.any(named > 1, axis=1), np.any(gone > 0, axis=1)
    first_by_labels = np.any(gone_by_labels > 0, axis=1)
    rows = table.rows
    columns = tuple(
        _column(column, context, named[:, place], gone[:, place], rows) for place, column in enumerate(table.columns)
    )
    return RecodingJudgement(
        release=table.name,
        original=beside.original,
        where=beside.where,
        k=context.k,
        rows=int(rows.sum()),
        star_rows=table.star_rows,
        classes=count,
        rounds=None if context.rounds is None else len(context.rounds.levels),
        rows_generalised=int(rows[generalised].sum()),
        rows_narrowed=int(rows[narrowed].sum()),
        classes_generalised=int(generalised.sum()),
        classes_narrowed=int(narrowed.sum()),
        classes_by_labels=int(first_by_labels.sum()),
        classes_by_rounds=int((narrowed & ~first_by_labels).sum()),
        classes_further=int((first_by_labels & np.any(gone > gone_by_labels, axis=1)).sum()),
        classes_given_up=sum(each.given_up for each in by_all),
        classes_contradicted=sum(each.contradicted for each in by_all),
        columns=columns,
        not_judged=context.not_judged,
        worst=_worst(table, named, gone, context.k or DEFAULT_LEAST_K),
        checked=beside.checked,
        overlaps=context.noted.overlaps,
        sensitive=beside.sensitive,
    )


def _column(
    column: ReleasedColumn, context: RecodingContext, named: Places, gone: Places, rows: Places
) -> ColumnNarrowed:
    generalised = named > 1
    weights = rows[generalised]
    return ColumnNarrowed(
        column=column.name,
        hierarchy=context.names.get(column.name),
        counted=column.counted,
        rows_generalised=int(weights.sum()),
        rows_narrowed=int(rows[gone > 0].sum()),
        named=float(np.average(named[generalised], weights=weights)) if len(weights) else None,
        left=float(np.average((named - gone)[generalised], weights=weights)) if len(weights) else None,
    )


def _worst(table: _Table, named: Places, gone: Places, least: int) -> tuple[ClassNarrowed, ...]:
    """The classes that are narrowed most, of `least` rows or more."""
    left_share = np.prod((named - gone) / np.maximum(named, 1), axis=1)
    shown = [number for number in np.flatnonzero(np.any(gone > 0, axis=1)).tolist() if int(table.rows[number]) >= least]
    shown.sort(key=lambda number: (float(left_share[number]), -int(table.rows[number]), number))
    return tuple(_class(table, number, named[number], gone[number]) for number in shown[:MAX_WORST])


def _class(table: _Table, number: int, named: Places, gone: Places) -> ClassNarrowed:
    names = [each.name for each in table.columns]
    labels = table.released.labels[number].tolist()
    return ClassNarrowed(
        labels={each.name: each.labels[label] for each, label in zip(table.columns, labels, strict=True)},
        rows=int(table.rows[number]),
        named=dict(zip(names, named.tolist(), strict=True)),
        left=dict(zip(names, (named - gone).tolist(), strict=True)),
    )


@dataclass(frozen=True, slots=True)
class _Holdings:
    """The combinations of an original, by number of the value in each column, with their rows, that classes may have.

    `named[class]`: those that its labels cover; `own[class]`: those of them that no class that came before covers. A
    combination is in the class that came first of those whose labels cover it; where the order of two of them is not
    known, it may be in either.
    """

    values: Places
    rows: Places
    named: tuple[Places, ...]
    own: tuple[Places, ...]

    @classmethod
    def of(cls, table: _Table, values: Places, rows: Places) -> _Holdings:
        """The combinations with these values; -1 where no label names the value."""
        eliminations = Eliminations(table.released, with_rounds=False)
        surely = [_covered(table, table.sure(number), values) for number in range(len(table.rows))]
        earliest = np.full(len(rows), np.iinfo(np.intp).max, dtype=np.intp)
        for number, places in enumerate(surely):
            earliest[places] = np.minimum(earliest[places], table.released.last[number])
        named, own = [], []
        for number in range(len(table.rows)):
            covered_by: list[Places] = []
            held_by: list[Places] = []
            for reading in eliminations.readings(number):
                places = _covered(table, reading.named, values)
                remaining = places[earliest[places] >= table.released.first[number]]
                for other in reading.within.tolist():
                    if len(remaining) == 0:
                        break
                    remaining = np.setdiff1d(remaining, surely[other], assume_unique=True)
                covered_by.append(places)
                held_by.append(remaining)
            named.append(_together(covered_by))
            own.append(_together(held_by))
        return cls(values, rows, tuple(named), tuple(own))


def _together(sets: Sequence[Places]) -> Places:
    return sets[0] if len(sets) == 1 else np.unique(np.concatenate(sets))


def _checked(table: _Table, left: Sequence[Left], held: _Holdings) -> CheckedSets:
    """Hold what was inferred against the original."""
    values, rows = held.values, held.rows
    holders = np.zeros(len(rows), dtype=np.intp)
    for places in held.own:
        holders[places] += 1
    right = 0
    for number, places in enumerate(held.own):
        most, least = int(rows[places].sum()), int(rows[places[holders[places] == 1]].sum())
        inside = all(
            np.isin(values[places, place], inferred).all() for place, inferred in enumerate(left[number].values)
        )
        right += inside and least <= int(table.rows[number]) <= most
    uncovered = int(rows[holders == 0].sum())
    unnamed = int(rows[np.any(values < 0, axis=1)].sum())
    fits = right == len(held.own) and not unnamed and int(rows.sum()) - uncovered == int(table.rows.sum())
    return CheckedSets(len(held.own), right, uncovered, unnamed, fits)


def _possible(table: _Table, of_classes: Sequence[tuple[Label, ...]], held: _Holdings) -> PossibleValues:
    """The sensitive values that remain possible; `of_classes`: the labels of each class with each value that it has."""
    number = {labels: place for place, labels in enumerate(table.labels)}
    known: dict[Label, int] = {}
    pairs = [
        (number[labels], known.setdefault(value, len(known)))
        for *of, value in of_classes
        if (labels := tuple(of)) in number
    ]
    values = np.zeros((len(table.rows), len(known)), dtype=np.bool_)
    values[tuple(np.array(pairs, dtype=np.intp).reshape(-1, 2).T)] = True
    candidates = CandidateClasses(values, table.rows, len(held.rows))
    for place, (named, own) in enumerate(zip(held.named, held.own, strict=True)):
        candidates.add(place, named, own)
    return candidates.possible(held.rows)


def _numbered(columns: Sequence[ReleasedColumn], combinations: Sequence[tuple[Label, ...]]) -> Places:
    """The number of each value of each combination; -1 where no label names it."""
    found = []
    for place, column in enumerate(columns):
        numbers: dict[Label, int] = {}
        for combination in combinations:
            text = combination[place]
            if text not in numbers:
                number = column.value_of(text)
                numbers[text] = -1 if number is None else number
        found.append([numbers[combination[place]] for combination in combinations])
    return np.array(found, dtype=np.intp).T


def _covered(table: _Table, sets: Sequence[Places], values: Places) -> Places:
    """The combinations that these values of each column cover; the fewest values are looked at first."""
    found = np.arange(len(values))
    for place in sorted(range(len(sets)), key=lambda place: len(sets[place])):
        if len(sets[place]) == 1:
            found = found[values[found, place] == sets[place][0]]
        else:
            inside = np.zeros(table.columns[place].attribute.values + 1, dtype=np.bool_)
            inside[sets[place]] = True  # the last place is that of -1, which no label names
            found = found[inside[values[found, place]]]
    return found


COLUMN_HEADINGS = ("column", "values", "rows generalised", "rows narrowed", "share", "values named", "values left")


def facts(found: RecodingJudgement) -> Iterator[tuple[str, Any]]:
    """The judged release, its rows, those that are narrowed, and what it took."""
    yield "release", found.release
    yield "original", found.original
    yield "where", found.where
    yield "k", found.k
    yield "rows", f"{_rows(found, found.rows)} in {_classes(found.classes)}"
    if found.star_rows:
        yield "suppressed rows", _rows(found, found.star_rows)
    yield "rounds", found.rounds if found.rounds is not None else "not known"
    yield "rows generalised", f"{_rows(found, found.rows_generalised)} in {_classes(found.classes_generalised)}"
    narrowed = f"{_rows(found, found.rows_narrowed)} in {_classes(found.classes_narrowed)}"
    share = f": {_percent(found.share)} of the rows generalised" if is_shown(found, found.rows_narrowed) else ""
    yield "rows narrowed", f"{narrowed}{share}"
    if found.classes_narrowed:
        yield "by labels alone", _classes(found.classes_by_labels)
    if found.classes_narrowed and found.rounds is not None:
        yield (
            "by rounds only",
            f"{_classes(found.classes_by_rounds)}, and {found.classes_further:,} of the others further",
        )
    if found.classes_generalised:
        yield "by the method", f"at most the {_classes(found.classes_generalised)} generalised: finer ones failed"
    if found.checked is not None:
        checked = found.checked
        uncovered, unnamed = (_original_rows(found, each) for each in (checked.uncovered, checked.unnamed))
        yield "inferred sets right", f"{checked.right:,} of {checked.classes:,}"
        if checked.fits:
            yield "rows of no class", f"{uncovered} of the original, suppressed"
        else:
            beside = f", {unnamed} of them with values that no hierarchy lists" if checked.unnamed else ""
            yield "rows of no class", f"{uncovered} of what was given as the original{beside}"


def column_rows(found: RecodingJudgement) -> list[tuple[Any, ...]]:
    """The rows of each column that are generalised and narrowed, and the mean number of values before and after."""
    return [
        (
            each.column,
            each.counted,
            _cell(found, each.rows_generalised),
            _cell(found, each.rows_narrowed),
            _percent(each.share) if each.rows_generalised and is_shown(found, each.rows_narrowed) else None,
            None if each.named is None else f"{each.named:.2f}",
            None if each.left is None or not is_shown(found, each.rows_narrowed) else f"{each.left:.2f}",
        )
        for each in found.columns
    ]


POSSIBLE_HEADINGS = (
    "column",
    "rows",
    "with fewer values",
    "share",
    "values by labels",
    "left",
    "least",
    "left",
    "candidates",
    "left",
    "least",
)


def possible_rows(found: RecodingJudgement) -> list[tuple[Any, ...]]:
    """Of each sensitive column the rows with fewer values left than the labels allow, and how many are left.

    Figures that few rows alone would change are left out.
    """
    return [
        (
            each.column,
            _original_rows(found, (own := each.possible).rows),
            _original_rows(found, own.rows_narrowed),
            *(
                (
                    _percent(own.share),
                    f"{own.by_labels:.2f}",
                    f"{own.left:.2f}",
                    own.least_by_labels,
                    own.least_left,
                    f"{own.candidates_by_labels:,.1f}",
                    f"{own.candidates_left:,.1f}",
                    own.least_candidates,
                )
                if is_possible_shown(found, own)
                else (None,) * 8
            ),
        )
        for each in found.sensitive
    ]


def is_possible_shown(found: RecodingJudgement, own: PossibleValues) -> bool:
    """Whether means and least figures of a sensitive column are shown: of enough rows, narrowed ones and others."""
    apart = (own.rows, own.rows_narrowed, own.rows - own.rows_narrowed)
    return all(of_original(found, rows) is not None for rows in apart)


def worst_headings(found: RecodingJudgement) -> tuple[str, ...]:
    """The number of rows, and each column."""
    return ("rows", *(each.column for each in found.columns))


def worst_rows(found: RecodingJudgement) -> list[tuple[Any, ...]]:
    """Each class: its label in each column, and of how many values named how many are left where some are not."""
    return [(each.rows, *(_narrowed(each, column.column) for column in found.columns)) for each in found.worst]


def notes(found: RecodingJudgement) -> Iterator[str]:
    """Notes on what these figures rest on."""
    without = [each.column for each in found.columns if each.hierarchy is None]
    if without:
        yield f"\nWithout a hierarchy, so each label counts as one value: {', '.join(without)}."
    if found.rounds is None and found.overlaps is not False:
        yield "\nThe order of the rounds is not known: whoever knows it may infer more (--rounds)."
    if found.classes_given_up:
        yield f"\nToo many cases in {_classes(found.classes_given_up)}, counted as not narrowed: more may be inferred."
    if found.classes_contradicted:
        yield (
            f"\nNothing would be left of {_classes(found.classes_contradicted)}, so rows were not released finest "
            "first, and what is inferred may be wrong. These classes count as not narrowed."
        )
    if found.checked is not None and not found.checked.fits:
        wrong = found.checked.wrong
        not_right = f"Not right: {_classes(wrong)}, without the rows of the original that the rounds would give. "
        yield (
            f"\n{not_right if wrong else ''}This is not the original of the release, or hierarchies, rounds or row "
            "filter are not those that it was made with: rows of no class need not be suppressed ones."
        )
    if found.not_judged:
        yield f"\nNo quasi-identifiers here: {', '.join(found.not_judged)}."


def _narrowed(of_class: ClassNarrowed, column: str) -> str:
    label = of_class.labels[column]
    text = "NULL" if label is None else label
    named, left = of_class.named[column], of_class.left[column]
    return text if left == named else f"{text}: {left:,} of {named:,} values"


def is_shown(found: RecodingJudgement, rows: int) -> bool:
    """Whether a number of rows is shown, and so may be what could be computed from it."""
    return rows == 0 or rows >= found.least_shown


def _original_rows(found: RecodingJudgement, rows: int) -> str:
    """A number of rows of the original, in words below the least that is shown."""
    return in_words(rows, max(found.least_shown, DEFAULT_LEAST_K)) if rows else "0"


def of_original(found: RecodingJudgement, rows: int) -> int | None:
    """A number of rows of the original as it is shown: None where they are few, and some."""
    return shown(rows, max(found.least_shown, DEFAULT_LEAST_K)) if rows else 0


def some(found: RecodingJudgement, rows: int) -> int | None:
    """A number of rows as it is shown: None where they are fewer than k, and some."""
    return rows if rows == 0 else shown(rows, found.least_shown)


def _cell(found: RecodingJudgement, rows: int) -> int | str:
    return rows if rows == 0 or rows >= found.least_shown else in_words(rows, found.least_shown)


def _rows(found: RecodingJudgement, rows: int) -> str:
    return "0" if rows == 0 else in_words(rows, found.least_shown)


def _classes(number: int) -> str:
    return f"{number:,} class" if number == 1 else f"{number:,} classes"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
