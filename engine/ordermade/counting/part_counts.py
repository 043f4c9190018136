"""The counts of a dataset in parts: each part counted once, by one statement, kept, and merged with the others.

The combinations of the columns that a request counts are counted part after part, as values, before any hierarchy is
joined. Their sum stands in the place of the dataset for all that counts: marginals, persons, frequency sets. So a part
that did not change is never counted again, under whatever hierarchies it was counted, and no more than a part is on its
way at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Dataset, DatasetPart
from ordermade.counting.statements import Statement
from ordermade.errors import SourceChanged, SourceFault
from ordermade.files.private import new_private_file, own_folder
from ordermade.hierarchies.column_types import holds_huge, is_union, lost_in_parquet
from ordermade.release.plan import expand_columns
from ordermade.sources.backend import Backend, Overlaid, PlannedStatement, SourceQuery
from ordermade.sources.executor import Purpose
from ordermade.sources.limits import Twins
from ordermade.sources.parquet_format import parquet_query
from ordermade.state.parts import place_of_part, place_of_whole

if TYPE_CHECKING:
    import pyarrow as pa


MERGED = "part_counts"
"""The table of the workspace with the combinations of all parts."""
_ADDED = "part_counts_added"
_PART = "part_counts_{number}"
_STAND_IN = "part_combinations"
_RULE = "1"
"""Changes with whatever determines a kept file beside the rows of its part."""

Telling = Callable[[str], None]


def counts_of(dataset: Dataset, columns: Sequence[str], kept: Twins | None) -> Dataset:
    """The dataset for whatever counts rows by these columns: its parts merged, where it has some; else as it is.

    Nothing is counted before the first statement needs it. `kept`: where counts of parts are kept for later requests.
    """
    if dataset.parts is None or not columns:
        return dataset
    types = [dataset.type_of(each) for each in columns]
    if any(lost_in_parquet(each) or holds_huge(each) or is_union(each) for each in types):
        return dataset
    weight = "n"
    while weight in columns:
        weight += "_"
    counts = PartCounts(dataset, tuple(columns), weight, kept)
    return replace(dataset, backend=_Merged(dataset.backend, counts), relation=counts.of(MERGED), weight=weight)


def part_statements(dataset: Dataset) -> tuple[Statement, ...]:
    """The statement that counts a part, and the one that merges two, before anything runs; none of a whole dataset."""
    backend = dataset.backend
    if not isinstance(backend, _Merged) or dataset.parts is None:
        return ()
    counts, table = backend.counts, _PART.format(number=1)
    counted = counts.statement_over(dataset.parts.first)
    return (
        Statement("the combinations of a part", True, table, counted),
        Statement("the combinations of all parts", False, MERGED, counts.merged([counts.of(MERGED), counts.of(table)])),
    )


def tell_of_parts(dataset: Dataset, told: Telling) -> None:
    """Lets the counting of parts say, in words, what it counts."""
    if isinstance(dataset.backend, _Merged):
        dataset.backend.counts.told = told


def columns_of_counts(dataset: Dataset) -> tuple[str, ...]:
    """The hash of the columns that the parts of a dataset are counted by, as `counts_of` gave it; else none."""
    return (dataset.backend.counts.key,) if isinstance(dataset.backend, _Merged) else ()


@dataclass
class PartCounts:
    """The combinations of some columns in the parts of a dataset, each with the rows that have it (`weight`).

    `told` receives what is being counted, in words.
    """

    dataset: Dataset
    columns: tuple[str, ...]
    weight: str
    kept: Twins | None
    told: Telling = field(default=lambda _: None)
    _is_merged: bool = False

    @property
    def key(self) -> str:
        """A hash of all that determines the counts of a part beside its rows: columns and types.

        And the way it is parted: two datasets on one table, parted each in its own way, have counts of their own.
        """
        described = "\n".join(f"{each}\t{self.dataset.type_of(each)}" for each in self.columns)
        parted = "" if self.dataset.parts is None else repr(self.dataset.parts.division)
        return hashlib.sha256(f"{_RULE}\n{parted}\n{described}".encode()).hexdigest()

    def statement_over(self, rows: exp.Query) -> exp.Select:
        """The statement, for the source, that counts the rows of a part."""
        return _combinations("parts/counted", rows, self.columns, None, self.weight)

    def of(self, counted: str | exp.Expr, *, taken_off: bool = False) -> exp.Select:
        """The combinations in a table or query of counts; with negative counts where they are to be taken off."""
        name = "parts/taken_off" if taken_off else "parts/combinations"
        source = exp.to_table(counted) if isinstance(counted, str) else counted
        return _combinations(name, source, self.columns, self.weight, self.weight)

    def merged(self, queries: Sequence[exp.Select]) -> exp.Select:
        """The statement that adds combinations up: one set of them, two joined, or more in groups."""
        match queries:
            case [only]:
                return only
            case [one, more]:
                return self._joined(one, more)
        return _combinations("parts/merged", sql.union_all(queries), self.columns, self.weight, self.weight)

    def _joined(self, one: exp.Select, more: exp.Select) -> exp.Select:
        """The statement that adds up two sets of combinations."""
        tree = sql.with_columns(sql.select("parts/added"), {f"{each}.n": self.weight for each in (_STAND_IN, _ADDED)})
        value, count = tree.expressions
        (join,) = tree.args["joins"]
        count.set("alias", sql.identifier(self.weight))
        tree.set("expressions", [*(sql.named(_of(value, each), each) for each in self.columns), count])
        join.set("on", exp.and_(*(_of(join.args["on"], each) for each in self.columns), copy=False))
        return sql.with_relations(tree, {_STAND_IN: one, _ADDED: more})

    def merge(self) -> None:
        """Makes the table `MERGED`, once. Raises SourceChanged where a part changed meanwhile, SourceFault."""
        if self._is_merged:
            return
        with own_folder(self.dataset.backend.spill.path, "parts-") as folder:
            _Merging(self, folder).run()
        self._is_merged = True


@dataclass(frozen=True, slots=True)
class _Pending:
    """Combinations that are still to be merged: in a table of the workspace, or in a file that is read but once."""

    table: str = ""
    file: Path | None = None
    is_taken_off: bool = False

    @property
    def source(self) -> exp.Expr:
        """Where a statement reads them."""
        return exp.to_table(self.table) if self.file is None else parquet_query([self.file])


class _Merging:
    """The parts on their way into one table; `folder` is private."""

    def __init__(self, counts: PartCounts, folder: Path) -> None:
        self._counts = counts
        self._folder = folder
        self._workspace = counts.dataset.backend.workspace
        self._key = counts.key
        self._pending: list[_Pending] = []
        self._before: _Pending | None = None
        self._pending_length = self._length = 0
        self._names = 0

    def run(self) -> None:
        parts = self._counts.dataset.parts
        if parts is None:
            raise ValueError(f"{self._counts.dataset.name} is not in parts")
        listed = parts.listed
        contents = Counter(each.content for each in listed)
        before = self._whole(parts.identity)
        wanted = list(listed)
        if before is not None:
            wanted = self._from_before(before, contents, listed, parts.identity)
        started = time.perf_counter()
        for done, part in enumerate(wanted):
            self._counts.told(_progress(part, len(listed), done, len(wanted), time.perf_counter() - started))
            self._add(part, parts.identity)
        self._merge()
        if before is None or wanted or before != contents:
            self._keep(place_of_whole(parts.identity, self._key), MERGED, json.dumps(sorted(contents.elements())))
            for gone in (before or Counter()) - contents:
                if gone not in contents and self._counts.kept is not None:
                    self._counts.kept.forget_twin(place_of_part(parts.identity, self._key, gone))

    def _from_before(
        self, before: Counter[str], contents: Counter[str], listed: Sequence[DatasetPart], identity: str
    ) -> list[DatasetPart]:
        """Takes off the parts that the counts of the whole had and that are gone; the parts that are to be added."""
        added = contents - before
        for content in (before - contents).elements():
            found = self._loaded(place_of_part(identity, self._key, content))
            if found is None:  # then the whole is merged anew
                self._forget(*self._pending, *filter(None, [self._before]))
                self._length = 0
                return list(listed)
            self._pending.append(_Pending(file=found[0], is_taken_off=True))
        wanted = []
        for part in listed:
            if added[part.content]:
                added[part.content] -= 1
                wanted.append(part)
        return wanted

    def _whole(self, identity: str) -> Counter[str] | None:
        """The contents of the parts whose merged counts were kept, which are pending then; None where none are."""
        found = self._loaded(place_of_whole(identity, self._key))
        if found is None:
            return None
        file, note = found
        self._before = _Pending(file=file)
        self._length, _ = self._size(self._before.source)
        return Counter(json.loads(note))

    def _add(self, part: DatasetPart, identity: str) -> None:
        place = place_of_part(identity, self._key, part.content)
        found = self._loaded(place)
        if found is not None:
            self._pend(_Pending(file=found[0]))
        else:
            table = self._counted(part)
            self._keep(place, table, "")
            self._pend(_Pending(table))

    def _counted(self, part: DatasetPart) -> str:
        table = self._next()
        part.require_unchanged()
        try:
            self._counts.dataset.backend.keep(Purpose.FREQUENCY_SET, table, self._counts.statement_over(part.relation))
        except SourceFault:
            part.require_unchanged()
            raise
        part.require_unchanged()
        if self._size(exp.to_table(table))[1] != part.rows:
            raise SourceChanged(
                "a part does not have the rows of its version any more",
                where=part.where,
                next_step="Run the request again when it is at rest.",
            )
        return table

    def _pend(self, added: _Pending) -> None:
        """Some more to be merged: with those before, once they are as long as what is merged, or two parts."""
        self._pending.append(added)
        self._pending_length += self._size(added.source)[0]
        if self._pending_length >= self._length if self._before is not None else len(self._pending) > 1:
            self._merge()

    def _merge(self) -> None:
        """Merges what is pending, files as they are read: they become no tables first."""
        before = self._before
        if before is not None and before.file is None and not self._pending:
            return
        counts = self._counts
        queries = [] if before is None else [counts.of(before.source)]
        if self._pending:
            queries.append(
                counts.merged([counts.of(each.source, taken_off=each.is_taken_off) for each in self._pending])
            )
        if queries:
            self._workspace.store(Purpose.ROLL_UP, _ADDED, counts.merged(queries))
        else:  # no part has rows
            counted = counts.statement_over(counts.dataset.relation)
            counts.dataset.backend.keep(Purpose.FREQUENCY_SET, _ADDED, counted)
        self._forget(*self._pending, *filter(None, [before]))
        self._workspace.rows(Purpose.ROLL_UP, sql.template("parts/renamed"))
        self._before = _Pending(MERGED)
        self._length, _ = self._size(self._before.source)

    def _forget(self, *read: _Pending) -> None:
        for each in read:
            if each.file is None:
                self._drop(each.table)
            else:
                each.file.unlink()
        self._pending, self._pending_length, self._before = [], 0, None

    def _size(self, source: exp.Expr) -> tuple[int, int]:
        """The combinations of a table or file, and the rows that have them."""
        tree = sql.with_columns(sql.select("parts/size"), {f"{_STAND_IN}.n": self._counts.weight})
        tree = sql.with_relations(tree, {_STAND_IN: source})
        length, rows = self._workspace.rows(Purpose.ROLL_UP, tree)[0]
        return int(length), int(rows)

    def _loaded(self, place: str) -> tuple[Path, str] | None:
        """A private copy of what is kept at a place, and its note; None where nothing is."""
        if self._counts.kept is None:
            return None
        file = self._folder / f"{self._next()}.parquet"
        os.close(new_private_file(file))
        note = self._counts.kept.twin(place, self._key, file)
        if note is not None:
            return file, note
        file.unlink()
        return None

    def _keep(self, place: str, table: str, note: str) -> None:
        if self._counts.kept is None:
            return
        file = self._folder / "kept.parquet"
        os.close(new_private_file(file))
        try:
            tree = sql.template("parts/kept")
            tree.this.set("this", self._counts.of(table))
            tree.set("files", [exp.Literal.string(str(file))])
            self._workspace.rows(Purpose.STORE, tree)
            self._counts.kept.keep_twin(place, self._key, note, file)
        finally:
            file.unlink()

    def _next(self) -> str:
        self._names += 1
        return _PART.format(number=self._names)

    def _drop(self, table: str) -> None:
        self._workspace.rows(Purpose.STORE, sql.dropped(table))


def _progress(part: DatasetPart, of: int, done: int, wanted: int, seconds: float) -> str:
    """What is being counted, in words, with the time that is left where some parts are done."""
    left = f", about {seconds / done * (wanted - done):.0f} s left" if done else ""
    return f"part {part.number} of {of}{left}"


def _of(expression: exp.Expr, column: str) -> exp.Expr:
    """What `parts/added` has of a value, of a column."""
    return sql.with_columns(expression.copy(), {f"{each}.qi": column for each in (_STAND_IN, _ADDED)})


def _combinations(
    name: str, source: exp.Expr, columns: Sequence[str], weight_of: str | None, weight: str
) -> exp.Select:
    """A template of combinations, over a relation whose counts are in the column `weight_of`, if it has counts."""
    stand_in = "dataset" if weight_of is None else _STAND_IN
    tree = expand_columns(sql.select(name), f"{stand_in}.qi", columns)
    if weight_of is not None:
        tree = sql.with_columns(tree, {f"{stand_in}.n": weight_of})
    tree.expressions[-1].set("alias", sql.identifier(weight))
    return sql.with_relations(tree, {stand_in: source})


class _Merged(Overlaid):
    """A source whose statements count the merged combinations in the workspace; all else is the source's own."""

    def __init__(self, backend: Backend, counts: PartCounts) -> None:
        super().__init__(backend)
        self.counts = counts

    def read_query(self, purpose: Purpose, query: SourceQuery) -> pa.RecordBatchReader:
        """The answer of the workspace, from the merged parts."""
        self.counts.merge()
        return self.workspace.read(purpose, query.tree, query.parameters)

    def keep_query(self, purpose: Purpose, table: str, query: SourceQuery) -> None:
        """Keeps the answer of the workspace, from the merged parts."""
        self.counts.merge()
        self.workspace.store(purpose, table, query.tree, query.parameters)

    def plan_query(self, query: SourceQuery, table: str | None) -> Sequence[PlannedStatement]:
        """The one statement of the workspace."""
        tree: exp.Expr = query.tree if table is None else sql.stored(table, query.tree)
        return (PlannedStatement(False, sql.text(tree, pretty=True)),)
