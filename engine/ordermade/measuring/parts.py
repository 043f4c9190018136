"""The parts of a dataset: the rows of one value of a column each, or one file each, with a version of their own.

Rows and sums of hashes add up over parts, so the version of the whole is the one that it would have undivided. Where
the fingerprints of files vouch for it, nothing of a part that is known is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from ordermade import sql
from ordermade.errors import InputError, SourceChanged, SourceFault, quoted
from ordermade.hierarchies.column_types import plain, without_labels
from ordermade.measuring.dataset import EVALUATED, FINGERPRINT, Dataset, Evaluation, Version, columns_hash, relation
from ordermade.sources.backend import Column, row_count
from ordermade.sources.executor import Purpose
from ordermade.sources.files import FilePart, Files, footer_of

if TYPE_CHECKING:
    from ordermade.state.datasets import Division

PARTED_BY = frozenset(
    ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "DATE", "TIMESTAMP", "VARCHAR"]
)
"""The types of columns whose values part a dataset: those that every source compares exactly."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part: its number from 1, its rows as a query, and how messages call it.

    `content`: a hash of all that determines its rows, as far as versions tell; `rows`: their number. `file`: the file
    that it is read from, None of a part by a column.
    """

    number: int
    relation: exp.Query
    where: str
    content: str
    rows: int
    file: FilePart | None = None

    def require_unchanged(self) -> None:
        """Raises SourceChanged where its file is no longer the one that was opened."""
        if self.file is not None and self.file.changed():
            raise SourceChanged(
                "a part changed, or is gone, while the request ran",
                where=str(self.file.path),
                next_step="Run the request again when it is at rest: parts that did not change are not counted again.",
            )


@dataclass(frozen=True)
class Parts:
    """The parts of an open dataset, looked up when they are first needed.

    `whole`: the dataset undivided, its row filter applied; `identity`: its hash. `known`: the rows of parts that are
    known, by their content.
    """

    whole: Dataset
    division: Division
    condition: exp.Expr | None
    identity: str = ""
    known: Mapping[str, int] = field(default_factory=dict)

    def version(self) -> Version:
        """The version of the whole. Raises as `listed`."""
        rows = sum(each.rows for each, _ in self._found)
        vouched_by = None
        if self.division.fingerprint:
            contents = "\n".join(sorted(each.content for each, _ in self._found))
            hash_sum = int.from_bytes(hashlib.sha256(contents.encode()).digest()[:16], signed=True)
            vouched_by = FINGERPRINT
        else:
            hash_sum = sum(found for _, found in self._found)
        return Version(rows, hash_sum, columns_hash(self.whole.columns), vouched_by)

    @property
    def listed(self) -> tuple[Part, ...]:
        """The parts that have rows, by number, with their versions.

        Raises InputError for a part without a name, parts of other columns than the whole, or one file under two
        names; SourceChanged where a file is no longer there; SourceFault.
        """
        return tuple(each for each, _ in self._found if each.rows)

    def statements(self) -> Iterator[tuple[str, exp.Query]]:
        """The statements that give the versions of parts, with titles: of files, that of the first. None is run."""
        if self.division.column is not None:
            yield "dataset version, of each part", self.versions_statement(self.division.column)
        elif self.division.fingerprint:
            if self.condition is not None:
                every = relation(file_parts(self.whole.backend)[0].query, None)
                evaluated = self.whole.backend.version_statement(every, self.whole.columns)
                yield f"{EVALUATED}, of a part that is not known", evaluated
            tree = sql.with_relations(sql.select("row_count"), {"dataset": self.first})
            yield "dataset version: the rows of a part that is not known", tree
        else:
            yield "dataset version, of a part", self.whole.backend.version_statement(self.first, self.whole.columns)

    @property
    def first(self) -> exp.Query:
        """The rows of a part, before any is looked up: of the first file, or of a value of the column left open."""
        if self.division.column is None:
            return relation(file_parts(self.whole.backend)[0].query, self.condition)
        equal = exp.EQ(this=sql.column(self.division.column, "dataset"), expression=exp.Parameter(this=exp.var("part")))
        return relation(self.whole.relation, equal)

    def rows_by_content(self) -> dict[str, int]:
        """The rows of each part, by its content. Raises as `listed`."""
        return {each.content: each.rows for each, _ in self._found}

    @cached_property
    def number(self) -> int:
        """The number of parts, whatever rows they have. Raises as `listed`."""
        return len(self._found)

    @cached_property
    def _found(self) -> tuple[tuple[Part, int], ...]:
        return tuple(self._by_file() if self.division.column is None else self._by_value(self.division.column))

    def _by_file(self) -> Iterator[tuple[Part, int]]:
        files = file_parts(self.whole.backend)
        require_different(files)
        for number, each in enumerate(files, start=1):
            tree = relation(each.query, self.condition)
            part = Part(number, tree, str(each.path), "", 0, each)
            try:
                if self.division.fingerprint:
                    content = _hashed(
                        columns_hash(self.whole.columns), str(each.path), *map(str, each.seen), footer_of(each.path)
                    )
                    if content not in self.known:
                        self._require_columns(each)
                        self._evaluate(each)
                    rows = self.known[content] if content in self.known else row_count(self.whole.backend, tree)
                    hash_sum = 0
                else:
                    self._require_columns(each)
                    rows, hash_sum = self._hashed(tree)
                    content = _content(self.whole.columns, rows, hash_sum)
            except (OSError, SourceFault):
                part.require_unchanged()
                raise
            part.require_unchanged()
            yield replace(part, content=content, rows=rows), hash_sum

    def _require_columns(self, file: FilePart) -> None:
        """Raises InputError where a file has other columns than the whole, or of other types."""
        own = {each.name: each.type for each in self.whole.backend.columns(file.query)}
        whole = {each.name: each.type for each in self.whole.columns}
        for name in [*whole, *own]:
            if name not in own or name not in whole:
                what = f"a part has {'no' if name not in own else 'a'} column {quoted(name)}, unlike the others"
            elif own[name] != whole[name]:
                what = (
                    f"the column {quoted(name)} of a part has the type {without_labels(own[name])}, of all together "
                    f"{without_labels(whole[name])}"
                )
            else:
                continue
            raise InputError(what, where=str(file.path), next_step="Write every part with the same columns and types.")

    def _evaluate(self, file: FilePart) -> None:
        """Reads every column of a file without the row filter. Raises DatasetClosed."""
        if self.condition is not None:
            whole = self.whole
            Evaluation(whole.name, whole.backend, relation(file.query, None), whole.columns)()

    def _hashed(self, tree: exp.Query) -> tuple[int, int]:
        backend = self.whole.backend
        statement = backend.version_statement(tree, self.whole.columns)
        rows, hash_sum = backend.executor.rows(Purpose.VERSION, statement)[0]
        return int(rows), int(hash_sum)

    def _by_value(self, column: str) -> Iterator[tuple[Part, int]]:
        where = f"dataset {quoted(self.whole.name)}: parts by {quoted(column)}"
        found = self.whole.backend.executor.rows(Purpose.VERSION, self.versions_statement(column))
        if any(value is None for value, _, _ in found):
            raise InputError(
                "rows are in no part: the column is NULL there",
                where=where,
                next_step="Give each row its part, or leave such rows out in a dataset query.",
            )
        for number, (value, rows, hash_sum) in enumerate(sorted(found, key=lambda each: each[0]), start=1):
            equal = exp.EQ(this=sql.column(column, "dataset"), expression=_literal(value))
            content = _content(self.whole.columns, int(rows), int(hash_sum))
            called = f"{where}, part {number} of {len(found)}"
            yield Part(number, relation(self.whole.relation, equal), called, content, int(rows)), int(hash_sum)

    def versions_statement(self, column: str) -> exp.Select:
        """The statement that gives each value of the column with its rows and the sum of one hash a row."""
        tree = self.whole.backend.version_statement(self.whole.relation, self.whole.columns)
        value = sql.column(column, "dataset")
        tree.set("expressions", [sql.named(value, column), *tree.expressions])
        tree.set("group", exp.Group(expressions=[value.copy()]))
        return tree


def file_parts(backend: Any) -> tuple[FilePart, ...]:
    """The files of a source of Parquet files, each a part. Raises InputError for any other source."""
    if isinstance(backend, Files) and backend.parts:
        return backend.parts
    raise InputError(
        "the source is not made of Parquet files, of which each could be a part",
        where="--file-parts",
        next_step="Register the files with a glob such as 'data/*.parquet', or part the rows with --parts COLUMN.",
    )


def require_different(files: Sequence[FilePart]) -> None:
    """Raises InputError where two names are of one file, whose rows would count twice."""
    seen: dict[tuple[int, int], Path] = {}
    for each in files:
        same = seen.setdefault(each.inode, each.path)
        if same is not each.path:
            raise InputError(
                f"the same file is here as {quoted(same.name)}: its rows would count twice",
                where=str(each.path),
                next_step="Let the glob match each file once; links to the same file match, too.",
            )


def require_parting(column: str, columns: Sequence[Column]) -> None:
    """Raises InputError for a column of a type whose values part no dataset."""
    kind = next(each.type for each in columns if each.name == column)
    if plain(kind) not in PARTED_BY:
        raise InputError(
            f"the column {quoted(column)} is a {without_labels(kind)}, which parts no dataset",
            where="--parts",
            next_step="Name a column of whole numbers, texts, days or times; a dataset query may cast one to VARCHAR.",
        )


def _literal(value: object) -> exp.Expr:
    match value:
        case datetime():
            return exp.cast(exp.Literal.string(value.isoformat(sep=" ")), "TIMESTAMP", dialect=sql.DIALECT)
        case date():
            return exp.cast(exp.Literal.string(value.isoformat()), "DATE", dialect=sql.DIALECT)
    return exp.convert(value)


def _content(columns: Sequence[Column], rows: int, hash_sum: int) -> str:
    return _hashed(columns_hash(columns), str(rows), str(hash_sum))


def _hashed(*parts: str) -> str:
    text = "\n".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
