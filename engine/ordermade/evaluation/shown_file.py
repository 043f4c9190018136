"""What a file shows that was released elsewhere, as the ledger has it: microdata at levels of hierarchies, or counts.

Every column of the file is one of the dataset. One with a hierarchy is at a level, which its labels say; the others
have values as they are. A table of counts may have totals and subtotals: then each combination of levels is a partition
of its own, and the sums have to hold.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from ordermade.catalogue.any_table import AnyTable, column_named
from ordermade.catalogue.hierarchies import Hierarchies
from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.counting.joint_cells import AS_THEY_ARE
from ordermade.errors import HierarchyError, InputError, Refused, UnknownName, UnverifiedHeader, quoted
from ordermade.evaluation.judged_tables import TableOptions, WrittenTables, written_tables
from ordermade.evaluation.recoding_options import hierarchy_of, noted_hierarchy
from ordermade.evaluation.tables import label_classes
from ordermade.files.private import sha256_of
from ordermade.hierarchies.hierarchy import STAR, Hierarchy
from ordermade.ledger.entries import ShownClasses, ShownColumn, ShownRelease, known_of_suppressed
from ordermade.ledger.figures import UNBOUNDED
from ordermade.methods.generalization.shown import MOST_VALUES
from ordermade.methods.shared.beside import NO_LEVELS
from ordermade.methods.tables.records import MISSING
from ordermade.privacy.least_k import DEFAULT_LEAST_K, in_words
from ordermade.privacy.released_labels import Label, ReleasedColumn, numbered
from ordermade.release.files import manifest_of, read_manifest
from ordermade.requests.columns import stored_column
from ordermade.sources.limits import Limits
from ordermade.state.database import StateFile
from ordermade.tables.codes import TOTALS, folded

PERSONS = "counts persons, who may have several rows"
"""Why the classes of a dataset of persons are not judged."""


@dataclass(frozen=True, slots=True)
class ImportOptions:
    """How a file is read that was released elsewhere; what is left out is as its manifest says, where it has one.

    `hierarchies`: by column, a file or a registered name. `levels`: by column, the level of its labels, by number or
    name; left out: the one that has all of them. `k`: what the release promises; None: the least k of the dataset.
    `where`: its row filter. `dropped`: it leaves classes of fewer than k rows out; None: where that alone agrees with
    the data of today. `count`: the column of counts, of a table of a row a cell; `across`: the dimensions in the heads
    of a cross-tabulated one; `marks` of suppressed cells and `totals`: names of totals; None: the usual ones.
    """

    hierarchies: Mapping[str, str | Path] = field(default_factory=dict)
    levels: Mapping[str, int | str] = field(default_factory=dict)
    k: int | None = None
    where: str | None = None
    dropped: bool | None = None
    count: str | None = None
    across: Sequence[str] | None = None
    marks: Sequence[str] | None = None
    totals: Sequence[str] | None = None


@dataclass(frozen=True, slots=True)
class ShownFile:
    """What a file shows, by hierarchies; the k that it promises; its row filter, in the words of whoever named it.

    `rows`: those that it counts, of cells that are no totals; `classes`: its classes, or published cells; `small`: of
    these those of 1 to k - 1 rows. `may_drop`: it may leave classes of fewer than k rows out, for all that it says.
    """

    shown: ShownRelease
    hierarchies: tuple[Hierarchy, ...]
    k: int
    filter: str | None
    rows: int
    classes: int
    small: int
    may_drop: bool

    @property
    def dropping(self) -> ShownRelease:
        """The same, where classes of fewer than k rows are left out."""
        return replace(self.shown, classes=tuple(replace(each, others_most=self.k - 1) for each in self.shown.classes))


def shown_file(
    file: AnyTable, wanted: ImportOptions, opened: OpenDataset, state: StateFile, limits: Limits
) -> ShownFile:
    """What a file shows of an open dataset.

    Raises InputError (UnknownName, HierarchyError) with names of columns and levels and with counts of k or more only;
    Refused where the file is not that of its manifest, or its sums do not hold; SourceFault, ReleaseFault, StateFault.
    """
    noted = ManifestFile.of(file.named)
    k = wanted.k or noted.k or opened.terms.least_k or DEFAULT_LEAST_K
    if k < 2:
        raise InputError("k is at least 2", where="--k", next_step="Give the k that the release promises.")
    reading = _Reading(file, wanted, noted, opened, Hierarchies(state, limits), k)
    is_table = noted.is_table or wanted.count is not None or wanted.across is not None
    if noted.unjudged:
        return reading.unjudged(noted.unjudged)
    found = reading.of_counts(state, limits) if is_table else reading.of_rows(state, limits)
    if opened.entity is None:
        return found
    return replace(found, shown=replace(found.shown, classes=(), unjudged=PERSONS), may_drop=False)


@dataclass(frozen=True, slots=True)
class ManifestColumn:
    """A column by a manifest: its hierarchy by name, its level with the hash of its content, where it is at one."""

    hierarchy: str
    hierarchy_hash: str | None
    level: int | None
    level_hash: str | None
    missing_as_star: bool


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """What the manifest beside a file says of it; nothing where there is none.

    `count`: the column of counts of a release of classes. `suppressed`: the rows that it left out; None: not known.
    `unjudged`: why its classes are of no one level; empty where they are.
    """

    columns: Mapping[str, ManifestColumn] = field(default_factory=dict)
    k: int | None = None
    where: str | None = None
    is_table: bool = False
    count: str | None = None
    suppressed: int | None = None
    has_stars: bool = False
    values: tuple[str, ...] = ()
    pseudonym: str | None = None
    required: tuple[tuple[str, int], ...] = ()
    unjudged: str = ""

    @classmethod
    def of(cls, named: str) -> ManifestFile:
        """The manifest beside a file. Raises ReleaseFault where it is damaged, Refused where it is of another file."""
        path = Path(named).expanduser()
        if not path.is_file() or not manifest_of(path).is_file():
            return cls()
        said = read_manifest(path)
        if said.get("sha256") != sha256_of(path):
            raise Refused(
                "the file is not the one that its manifest is of: its SHA-256 is another",
                where=named,
                next_step="Take in the file as it was released, or what its recipients have, without the manifest.",
            )
        request = _mapping(said.get("request"))
        placed = _mapping(request.get("release"))
        is_classes = said.get("method") == "generalization" and said.get("shape") == "table"
        is_table = said.get("method") == "table" or is_classes
        suppressed, stars = said.get("suppressed_rows"), said.get("star_rows")
        sensitive = [each for each in said.get("sensitive", ()) if isinstance(each, dict)]
        return cls(
            {each["column"]: _manifest_column(each) for each in said.get("quasi_identifiers", ()) if "column" in each},
            request.get("k") or said.get("k"),
            request.get("where"),
            is_table,
            placed.get("count", "count") if is_classes else None,
            suppressed if isinstance(suppressed, int) and (is_classes or not is_table) else None,
            bool(stars),
            (*(str(each["column"]) for each in sensitive), *map(str, said.get("kept", ()))),
            said.get("pseudonym"),
            tuple(_required(sensitive)),
            _unjudged(said),
        )


def _mapping(said: object) -> Mapping[str, Any]:
    return said if isinstance(said, dict) else {}


def _manifest_column(said: Mapping[str, Any]) -> ManifestColumn:
    return ManifestColumn(
        said.get("hierarchy") or "",
        said.get("hierarchy_hash"),
        said.get("level"),
        said.get("level_hash"),
        said.get("missing") == "suppressed",
    )


def _required(sensitive: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, int]]:
    """How many values of each sensitive column every class has, by its models: l of those that have one, else 2."""
    for each in sensitive:
        models = [model for model in each.get("models", ()) if isinstance(model, dict)]
        if models:
            yield each["column"], max(math.ceil(_l(model)) for model in models)


def _l(model: Mapping[str, Any]) -> float:
    return float(_mapping(model.get("parameters")).get("l", 2))


def _unjudged(said: Mapping[str, Any]) -> str:
    if said.get("method") not in ("generalization", "table"):
        return NO_LEVELS
    if said.get("recoding") not in (None, "full-domain"):
        return f"is of {said['recoding']} recoding, whose classes are of no one level"
    return PERSONS if said.get("counts") == "persons" else ""


@dataclass(frozen=True, slots=True)
class _Column:
    """A column of a file that has a hierarchy: its own name, that in the dataset, and the level where one is given."""

    named: str
    stored: str
    hierarchy: Hierarchy
    level: int | None
    missing_as_star: bool

    def at(self, level: int) -> ShownColumn:
        """The column at a level."""
        return ShownColumn(self.stored, self.hierarchy.content_hash, level, self.missing_as_star)

    def in_words(self, levels: Collection[int]) -> str:
        """The column with levels, as an entry of the ledger names them."""
        return f"{self.stored}: {', '.join(self.hierarchy.levels[each].name for each in sorted(levels))}"

    def called(self, levels: Collection[int]) -> str:
        """Levels by their names."""
        return ", ".join(quoted(self.hierarchy.levels[each].name) for each in sorted(levels))


@dataclass(frozen=True, slots=True)
class _Cells:
    """Classes by the labels of some columns: `rows` of each, None of a suppressed one."""

    columns: tuple[_Column, ...]
    labels: Sequence[tuple[Label, ...]]
    rows: Sequence[int | None]

    @property
    def stars(self) -> int:
        """The rows of the class that is `*` in every column, where there are others."""
        stars = [n or 0 for labels, n in zip(self.labels, self.rows, strict=True) if _is_star(labels)]
        return sum(stars) if len(self.labels) > 1 else 0

    def without_stars(self) -> _Cells:
        """The other classes."""
        if len(self.labels) < 2:
            return self
        kept = [each for each, labels in enumerate(self.labels) if not _is_star(labels)]
        return _Cells(self.columns, [self.labels[each] for each in kept], [self.rows[each] for each in kept])

    def levels(self, k: int, *, with_totals: bool) -> list[dict[Label, frozenset[int]]]:
        """The levels of the labels of each column; without totals a column has one."""
        released, _ = numbered(
            [each.named for each in self.columns], {each.named: each.hierarchy for each in self.columns}, self.labels
        )
        return [
            self._of_column(place, column, own, k, with_totals=with_totals)
            for place, (column, own) in enumerate(zip(self.columns, released, strict=True))
        ]

    def _of_column(
        self, place: int, column: _Column, released: ReleasedColumn, k: int, *, with_totals: bool
    ) -> dict[Label, frozenset[int]]:
        top, where = column.hierarchy.top, f"column {quoted(column.named)}"
        found = dict(zip(released.labels, released.levels, strict=True))
        if column.missing_as_star and STAR in found:
            found[STAR] = frozenset(range(top + 1))
        unknown = {label for label, levels in found.items() if not levels}
        if unknown:
            rows = sum(n or 0 for each, n in zip(self.labels, self.rows, strict=True) if each[place] in unknown)
            raise HierarchyError(
                f"labels of {in_words(rows, k)} rows are in no level of the hierarchy",
                where=where,
                next_step="Name the hierarchy that the release was made with: --hierarchy COLUMN=FILE.",
            )
        below = [levels for label, levels in found.items() if not (with_totals and label == STAR)]
        common = frozenset(range(top + 1)).intersection(*below)
        if column.level is not None:
            if column.level not in common:
                raise HierarchyError(
                    f"not all of its labels are of the level {column.called([column.level])}",
                    where=where,
                    next_step="Leave the level out to find it, or name the hierarchy that the release was made with.",
                )
            common = frozenset([column.level])
        if len(common) > 1 and below:
            raise InputError(
                f"its labels are of the levels {column.called(common)} alike",
                where=where,
                next_step=f"Say which: --level {column.named}=LEVEL.",
            )
        if common and below:
            return {label: frozenset([top]) if with_totals and label == STAR else common for label in found}
        surely = {next(iter(levels)) for levels in below if len(levels) == 1}
        own = {label: levels & {*surely, top} if len(levels) > 1 else levels for label, levels in found.items()}
        if with_totals and all(own.values()):
            return own
        mixed = {level for levels in below for level in levels}
        raise HierarchyError(
            f"its labels are of several levels: {column.called(mixed)}",
            where=where,
            next_step="A release has each column at one level; a table of counts with totals names its --count.",
        )

    def nodes(self, levels: Sequence[Mapping[Label, frozenset[int]]]) -> dict[tuple[int, ...], list[int]]:
        """The places of the classes at each combination of levels."""
        found: dict[tuple[int, ...], list[int]] = {}
        for place, labels in enumerate(self.labels):
            for node in product(*(sorted(own[label]) for own, label in zip(levels, labels, strict=True))):
                found.setdefault(node, []).append(place)
        return found

    def classes(self, node: Sequence[int], places: Sequence[int], others_most: int, hidden_least: int) -> ShownClasses:
        """The classes at one level of each column. Raises InputError where one is there more than once."""
        below = [at for at, each in enumerate(self.columns) if node[at] < each.hierarchy.top]
        labels = [tuple(self.labels[place][at] for at in below) for place in places]
        if len(set(labels)) < len(labels):
            raise InputError(
                "some classes are there more than once",
                where=", ".join(quoted(self.columns[at].named) for at in below) or "the total",
                next_step="A table has a row for each combination of its columns.",
            )
        order = sorted(range(len(labels)), key=lambda each: [(label is None, label or "") for label in labels[each]])
        rows = [self.rows[places[each]] for each in order]
        shown = ShownClasses.of(
            [self.columns[at].at(node[at]) for at in below],
            [labels[each] for each in order],
            [n or 0 for n in rows],
            others_most,
        )
        hidden = np.array([n is None for n in rows], dtype=np.bool_)
        least, most = shown.least.copy(), shown.most.copy()
        least[hidden], most[hidden] = hidden_least, UNBOUNDED
        return replace(shown, least=least, most=most, hidden=hidden)


@dataclass(frozen=True, slots=True)
class _Reading:
    """A file as it is read, by options and its manifest, into what it shows of a dataset."""

    file: AnyTable
    wanted: ImportOptions
    noted: ManifestFile
    opened: OpenDataset
    registered: Hierarchies
    k: int

    @property
    def filter(self) -> str | None:
        return self.noted.where if self.wanted.where is None else self.wanted.where

    def unjudged(self, why: str) -> ShownFile:
        """A release whose classes are of no one level: later ones are undecided beside it."""
        values = tuple(self._stored(each) for each in self.noted.values)
        return ShownFile(ShownRelease((), why, values), (), self.k, self.filter, 0, 0, 0, may_drop=False)

    def of_rows(self, state: StateFile, limits: Limits) -> ShownFile:
        """The classes of microdata, with the values that their rows have."""
        with self.file.released(state, limits) as dataset:
            names = [each.name for each in dataset.columns if each.name != self.noted.pseudonym]
            by_column = self._columns(names)
            valued = {each: self._stored(each) for each in names if each not in by_column}
            if not by_column:
                raise InputError(
                    "no hierarchy says of which levels its labels are",
                    where=self.file.named,
                    next_step="Name that of each generalised column: --hierarchy COLUMN=NAME.",
                )
            _require_once([*(each.stored for each in by_column.values()), *valued.values()], self.file.named)
            labels, sizes = label_classes(dataset, list(by_column))
            joined = ([], []) if not valued else label_classes(dataset, [*by_column, *valued], MOST_VALUES + 1)
        columns = tuple(by_column.values())
        counted = _Cells(columns, labels, sizes.tolist())
        cells, gone = counted.without_stars(), counted.stars
        levels = cells.levels(self.k, with_totals=False)
        ((node, places),) = cells.nodes(levels).items()
        others_most, rest, may_drop = self._suppressed(gone)
        classes = replace(cells.classes(node, places, others_most, 0), rest=rest)
        every = [classes]
        if valued and len(joined[0]) <= MOST_VALUES:
            every.append(_with_values(columns, node, tuple(valued.values()), joined, others_most))
        shown = ShownRelease(
            tuple(every),
            "",
            tuple(valued.values()),
            tuple(_names(columns, node)),
            tuple((self._stored(column), least) for column, least in self.noted.required),
        )
        small = sum(n < self.k for n in classes.least.tolist())
        own = tuple(each.hierarchy for each in columns)
        rows = int(classes.least.sum()) + gone
        return ShownFile(shown, own, self.k, self.filter, rows, len(places), small, may_drop)

    def of_counts(self, state: StateFile, limits: Limits) -> ShownFile:
        """The cells of tables of counts, a partition for each combination of levels."""
        wanted, count = self.wanted, self.wanted.count or self.noted.count
        tables = written_tables(
            [self.file],
            TableOptions(
                counts=None if count is None else [count],
                across=None if wanted.across is None else list(wanted.across),
                marks=wanted.marks,
                totals=wanted.totals,
            ),
            state,
            limits,
        )
        totals = {folded(each) for each in (*(wanted.totals or TOTALS), STAR)}
        every = [self._cells(each.columns, each.rows, each.values, totals) for each in tables.written]
        gone, with_totals = 0, self.noted.count is None
        if not with_totals:  # a row a class, of which one may be that of all suppressed ones
            every, gone = [each.without_stars() for each in every], sum(each.stars for each in every)
        columns = {each.stored: each for cells in every for each in cells.columns}
        values = [n for cells in every for n in cells.rows]
        others_most, rest, may_drop = self._suppressed(gone)
        hidden_least = int(0 in values)
        partitions: list[ShownClasses] = []
        rows = 0
        for cells in every:
            nodes = cells.nodes(cells.levels(self.k, with_totals=with_totals))
            partitions += [cells.classes(node, own, others_most, hidden_least) for node, own in nodes.items()]
            rows = max(rows, max(sum(cells.rows[each] or 0 for each in own) for own in nodes.values()))
        if len(partitions) > 1:
            _require_sums(tables, wanted.totals, self._of_several_levels(every), self.file.named)
        if not with_totals:
            partitions = [replace(each, rest=rest) for each in partitions]
        finest = [each.in_words(self._shown_levels(each, partitions)) for each in columns.values()]
        shown = ShownRelease(tuple(partitions), "", (), tuple(finest))
        own = tuple(each.hierarchy for each in columns.values())
        small = sum(0 < n < self.k for n in values if n is not None)
        published = sum(n is not None for n in values)
        return ShownFile(shown, own, self.k, self.filter, rows + gone, published, small, may_drop)

    def _shown_levels(self, column: _Column, partitions: Sequence[ShownClasses]) -> set[int]:
        levels = {own.level for each in partitions for own in each.columns if own.column == column.stored}
        return levels or {column.hierarchy.top}

    def _of_several_levels(self, every: Sequence[_Cells]) -> dict[str, Hierarchy]:
        """The hierarchies of the dimensions that have subtotals: of one level and a total the sums say all."""
        found = {}
        for cells in every:
            for column, own in zip(cells.columns, cells.levels(self.k, with_totals=True), strict=True):
                if len({level for levels in own.values() for level in levels} - {column.hierarchy.top}) > 1:
                    found[column.named] = column.hierarchy
        return found

    def _cells(
        self,
        names: Sequence[str],
        rows: Sequence[tuple[str | None, ...]],
        values: Sequence[int | None],
        totals: Collection[str],
    ) -> _Cells:
        by_column = self._columns(names)
        lacking = [each for each in names if each not in by_column]
        if lacking:
            self._stored(lacking[0])
            raise InputError(
                "no hierarchy says of which level its labels are",
                where=f"column {quoted(lacking[0])}",
                next_step="Name that of each dimension: --hierarchy COLUMN=NAME.",
            )
        columns = tuple(by_column[each] for each in names)
        _require_once([each.stored for each in columns], self.file.named)
        known = [
            dict(zip(each.labels, each.levels, strict=True))
            for each in numbered(names, {each.named: each.hierarchy for each in columns}, rows)[0]
        ]
        return _Cells(
            columns,
            [tuple(_as_released(label, own, totals) for label, own in zip(row, known, strict=True)) for row in rows],
            values,
        )

    def _suppressed(self, stars: int) -> tuple[int, tuple[int, int] | None, bool]:
        """The most rows of a class that is not listed, the rows of all of those, and whether that is not known."""
        if stars:
            return *known_of_suppressed(stars, self.k, stay=True), False
        if self.noted.suppressed is not None:
            return *known_of_suppressed(self.noted.suppressed, self.k), False
        if self.wanted.dropped:
            return self.k - 1, None, False
        return 0, None, self.wanted.dropped is None

    def _columns(self, names: Sequence[str]) -> dict[str, _Column]:
        """The columns of a file that have a hierarchy, by their name there. Raises UnknownName, HierarchyError."""
        given = {column_named("--hierarchy", each, names): str(own) for each, own in self.wanted.hierarchies.items()}
        levels = {column_named("--level", each, names): level for each, level in self.wanted.levels.items()}
        found: dict[str, _Column] = {}
        for name in names:
            noted = self.noted.columns.get(name)
            if name in given:
                hierarchy = hierarchy_of(name, given[name], self.registered)
            elif noted is not None and noted.hierarchy:
                hierarchy = noted_hierarchy(name, noted.hierarchy, noted.hierarchy_hash, self.registered)
            else:
                continue
            level = None if name not in levels else _level(name, hierarchy, levels[name])
            if noted is not None and noted.level is not None and not self.noted.is_table:
                _require_level(name, hierarchy, noted)
                level = noted.level if level is None else level
            starred = noted is not None and noted.missing_as_star
            found[name] = _Column(name, self._stored(name), hierarchy, level, starred)
        strange = [each for each in levels if each not in found]
        if strange:
            raise InputError(
                f"{quoted(strange[0])} has no hierarchy", where="--level", next_step="Name it with --hierarchy."
            )
        return found

    def _stored(self, name: str) -> str:
        """The column of the dataset that a column of the file is. Raises UnknownName."""
        stored = [each.name for each in self.opened.columns]
        try:
            return stored_column(name, stored)
        except UnknownName:
            if isinstance(name, UnverifiedHeader):
                raise InputError(
                    "a column is called as none of the dataset; its first line may be data, so it is not listed",
                    where=self.file.named,
                    next_step="Write the names of the dataset's columns above it, or say --header where it has names.",
                ) from None
            raise UnknownName(
                "column of the dataset",
                name,
                stored,
                where=self.file.named,
                next_step="Call each column as the dataset does; a column of counts is named with --count.",
            ) from None


def _is_star(labels: Sequence[Label]) -> bool:
    return all(label == STAR for label in labels)


def _as_released(label: str | None, known: Mapping[Label, frozenset[int]], totals: Collection[str]) -> Label:
    """A code of a table as a label: its totals as `*`, its missing values as none."""
    if known[label]:
        return label
    if folded(label) in totals:
        return STAR
    return None if label in MISSING.values() else label


def _level(name: str, hierarchy: Hierarchy, written: int | str) -> int:
    names = [each.name for each in hierarchy.levels]
    if isinstance(written, int) and 0 <= written <= hierarchy.top:
        return written
    if isinstance(written, str) and written in names:
        return names.index(written)
    raise UnknownName("level", str(written), names, where=f"--level of {quoted(name)}")


def _require_level(name: str, hierarchy: Hierarchy, noted: ManifestColumn) -> None:
    """Raises HierarchyError where a level is not the one that the manifest is of."""
    level = noted.level
    if level is None or noted.level_hash is None:
        return
    if not 0 <= level <= hierarchy.top or hierarchy.levels[level].content_hash != noted.level_hash:
        raise HierarchyError(
            f"the hierarchy {quoted(hierarchy.name)} is another version than that of the release",
            where=f"manifest, column {quoted(name)}",
            next_step=f"Give the hierarchy that the release was made with: --hierarchy {name}=FILE.",
        )


def _require_once(stored: Sequence[str], where: str) -> None:
    twice = sorted({each for each in stored if stored.count(each) > 1})
    if twice:
        raise InputError(
            f"two of its columns are {quoted(twice[0])} of the dataset", where=where, next_step="Name each once."
        )


def _require_sums(
    tables: WrittenTables, totals: Sequence[str] | None, hierarchies: Mapping[str, Hierarchy], where: str
) -> None:
    """Raises Refused where cells do not add up to their totals, or tables have one cell with different values."""
    from ordermade.tables.intervals import contradictions  # takes scipy
    from ordermade.tables.published import linked

    found = linked(tables.written, TOTALS if totals is None else tuple(totals), hierarchies, "empty")
    unknown = (*found.suppressed, *found.unpublished)
    wrong = contradictions(found.relations, found.values, unknown, np.zeros(len(found.cells), dtype=np.int64))
    names = [tree.dimension.name for tree in found.trees]
    over = set[str]()
    for number in wrong:
        relation = found.relations[number]
        total, part = found.cells[relation.total], found.cells[relation.parts[0]]
        over |= {name for name, one, other in zip(names, total, part, strict=True) if one != other}
    if wrong:
        sums = "1 sum does" if len(wrong) == 1 else f"{len(wrong):,} sums do"
        raise Refused(
            f"{sums} not add up, over {', '.join(map(quoted, sorted(over)))}",
            where=where,
            next_step="Take in figures as they were counted: rounded ones, and those of several counts, do not fit.",
        )
    if found.conflicts:
        raise Refused(
            f"its tables have different values of {len(found.conflicts):,} of their cells",
            where=where,
            next_step="Take in tables of one count.",
        )


def _with_values(
    columns: Sequence[_Column],
    node: Sequence[int],
    valued: Sequence[str],
    joined: tuple[Sequence[tuple[Label, ...]], Any],
    others_most: int,
) -> ShownClasses:
    """The classes by the values that their rows have."""
    below = [at for at, each in enumerate(columns) if node[at] < each.hierarchy.top]
    kept: dict[tuple[Label, ...], int] = {}
    for labels, n in zip(*joined, strict=True):
        own = labels[: len(columns)]
        if below and _is_star(own):
            continue
        key = (*(own[at] for at in below), *labels[len(columns) :])
        kept[key] = kept.get(key, 0) + int(n)
    shown = [*(columns[at].at(node[at]) for at in below), *(ShownColumn(each, AS_THEY_ARE, 0) for each in valued)]
    return ShownClasses.of(shown, list(kept), list(kept.values()), others_most)


def _names(columns: Sequence[_Column], node: Sequence[int]) -> Iterator[str]:
    for column, level in zip(columns, node, strict=True):
        if level < column.hierarchy.top:
            yield f"{column.stored}: {column.hierarchy.levels[level].name}"
