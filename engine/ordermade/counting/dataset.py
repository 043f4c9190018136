"""A dataset that is open: a relation of a source, the row filter in it, and its version.

A version is made of one hash per row, in one pass over all columns; or of a provider's query that vouches for it.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.errors import DatasetClosed, InputError, SourceChanged, SourceFault, UnfitValue, quoted
from ordermade.hierarchies.column_types import is_floating, plain, without_labels
from ordermade.sources.backend import Backend, Column, SourceExecutor, row_count
from ordermade.sources.executor import Purpose
from ordermade.sources.file_parts import FilePart
from ordermade.sources.parquet_format import footer_of

if TYPE_CHECKING:
    from ordermade.state.datasets import Division
    from ordermade.state.versions import DatasetVersion

Tree = TypeVar("Tree", bound=exp.Expr)

FINGERPRINT = "fingerprint"
"""The word for versions that the size, time of change and footer of each file vouch for."""


Proof = Literal["rows", "snapshot", "query", "fingerprint"]
"""The proof that a dataset has the content of a version.

`rows`: every row was hashed. `snapshot`: every row was hashed in an earlier request, and the server's snapshot shows
that nothing was written since. `query`: a provider's query vouches for it. `fingerprint`: those of its files do.
"""


EVALUATED = "dataset version: every column, without the row filter"
"""The title of the pass over a dataset that comes before a filter."""


@dataclass(frozen=True, slots=True)
class Version:
    """The content that a dataset had: its rows, the sum of one 64-bit hash per row, and a hash of names and types.

    `vouched_by`: the SHA-256 of the provider's query that stands for the content, or `FINGERPRINT`; `hash_sum` is then
    made of its answer, or of the fingerprints of files. None where every row was hashed. `proof`: what shows that the
    dataset has this content.
    """

    rows: int
    hash_sum: int
    columns_hash: str
    vouched_by: str | None = None
    proof: Proof = field(default="rows", compare=False)

    def is_of(self, known: DatasetVersion) -> bool:
        """Whether it is the content of a version that the state knows, of the same dataset."""
        return (self.rows, self.hash_sum, self.columns_hash) == (known.rows, known.hash_sum, known.columns_hash)


@dataclass(frozen=True, slots=True)
class VersionQuery:
    """A provider's query whose one row stands for the content of a dataset: its text, its tree, what it answers.

    It speaks for the whole dataset, whatever the row filter. `where` is how messages call it, `without` what to do
    where it gives no version.
    """

    text: str
    tree: exp.Query
    columns: tuple[Column, ...]
    where: str
    without: str = "Mend what it reads, or register the dataset with a query that always gives one row without NULL."

    @property
    def sha256(self) -> str:
        """The SHA-256 of its text, by which manifests and the state name it."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def hash_sum(self, executor: SourceExecutor) -> int:
        """A signed number of 128 bits out of the SHA-256 of its text, the types and exact values of its answer.

        Raises SourceFault where the query fails, gives no row or several, or a NULL.
        """
        parts = [self.text]
        for column, value in zip(self.columns, self._row(executor), strict=True):
            if value is None:
                raise self._fault("the version query gives a NULL")
            parts += [column.type, _exact_text(value)]
        digest = hashlib.sha256("\n".join(f"{len(part)}:{part}" for part in parts).encode()).digest()
        return int.from_bytes(digest[:16], signed=True)

    def _row(self, executor: SourceExecutor) -> tuple[object, ...]:
        rows: list[tuple[object, ...]] = []
        try:
            # As Arrow: a query of many rows is refused at its first batch, and never in memory whole.
            for batch in executor.read(Purpose.VERSION, self.tree):
                rows += zip(*(column[:2].to_pylist() for column in batch.columns), strict=True)
                if len(rows) > 1:
                    break
        except SourceChanged:
            raise
        except SourceFault as fault:
            raise failing(fault, self.where) from None
        except (ValueError, OverflowError):
            raise self._fault("the version query gives a point in time beyond the years 1 to 9999") from None
        if len(rows) > 1:
            raise self._fault("the version query gives several rows")
        if not rows:
            raise self._fault("the version query gives no row")
        return rows[0]

    def _fault(self, what: str) -> SourceFault:
        return SourceFault(what, where=self.where, next_step=self.without)


def failing(fault: SourceFault, where: str) -> SourceFault:
    """The error of a version query that its source cannot answer."""
    step = f"Check the tables and columns that it names. {fault.next_step}".rstrip()
    return SourceFault(f"the version query fails: {fault.what}", where=where, next_step=step)


def _exact_text(value: object) -> str:
    """The value as a text that no other value of its type has."""
    match value:
        case datetime() if value.tzinfo is not None:
            return value.astimezone(UTC).isoformat()
        case date() | time():
            return value.isoformat()
        case Decimal():
            return f"{value:f}"
        case bytes():
            return value.hex()
    return str(value)


@dataclass(slots=True)
class Evaluation:
    """The pass over every column of a dataset before any statement has its row filter: `relation` has none.

    A database may push a filter below what a view or a query calculates, which then fails where the filter reaches the
    row and nowhere else: whether a request fails would tell of one person. `known`: what the query that vouches for its
    versions said when it was evaluated before.
    """

    name: str
    backend: Backend
    relation: exp.Query
    columns: tuple[Column, ...]
    known: Collection[int] = ()
    _is_done: bool = False

    @property
    def statement(self) -> exp.Select:
        """The statement that hashes every column of every row: nothing of it can be left out as of no use."""
        return self.backend.version_statement(self.relation, self.columns)

    def __call__(self, vouched: int | None = None) -> None:
        """Runs the statement in the source, once. `vouched`: the answer of the version query. Raises DatasetClosed."""
        if not self._is_done and vouched not in self.known:
            with closing(self.name):
                self.backend.executor.rows(Purpose.VERSION, self.statement)
        self._is_done = True


@contextlib.contextmanager
def closing(name: str) -> Iterator[None]:
    """Around a pass over a whole dataset: a value that cannot be calculated closes it to every request alike."""
    try:
        yield
    except UnfitValue as fault:
        raise DatasetClosed(name, fault) from None


class Guard(Protocol):
    """Refuses the row filter of a dataset by what its statements answer."""

    def __call__(self, dataset: Dataset) -> None:
        """Runs the statements in the source, once. Raises PolicyBroken."""

    def statements(self, dataset: Dataset) -> Iterator[tuple[str, exp.Query]]:
        """The statements, each with its title."""
        ...


@dataclass(frozen=True, slots=True)
class Dataset:
    """A relation of an open source, as a query, and its columns. `name` is how messages call it.

    `entity` is the column that identifies persons, where one may have several rows; None if a row is a person. No
    count below `least_k` is shown; 0 where all are. `vouched`: the query that gives its version, None where every row
    is hashed. `parts`: the parts that it is versioned and counted by, None where it is one. `weight`: the column that
    says how many rows a row of the relation stands for, None where each stands for itself. `evaluation`: reads every
    column without the row filter, before anything is counted with it; None where there is no filter, and every row is
    hashed. `guard`: refuses the row filter before anything else of it is counted; None where any will do.
    """

    name: str
    backend: Backend
    relation: exp.Query
    columns: tuple[Column, ...]
    entity: str | None = None
    least_k: int = 0
    vouched: VersionQuery | None = None
    parts: Parts | None = field(default=None, compare=False)
    weight: str | None = None
    evaluation: Evaluation | None = field(default=None, compare=False, repr=False)
    guard: Guard | None = field(default=None, compare=False, repr=False)

    @property
    def is_unread(self) -> bool:
        """Whether fingerprints of files vouch for the rows that have no filter: no version reads their columns."""
        return self.parts is not None and self.parts.division.fingerprint and self.parts.condition is None

    def type_of(self, column: str) -> str:
        """The SQL type of a column, as the catalog names it."""
        return next(each.type for each in self.columns if each.name == column)

    def counted(self, tree: Tree) -> Tree:
        """A statement that counts rows of the stand-in `dataset`, over this dataset: COUNT(*) adds the weights up."""
        if self.weight is not None:
            weights = sql.column(self.weight, "dataset")
            for select in tree.find_all(exp.Select):
                source = select.args.get("from_")
                if source is not None and isinstance(source.this, exp.Table) and source.this.name == "dataset":
                    for each in select.expressions:
                        _weigh(each, weights)
        return sql.with_relations(tree, {"dataset": self.relation})


def _weigh(expression: exp.Expr, weights: exp.Expr) -> None:
    """Puts the sum of the weights in the place of COUNT(*)."""
    for count in list(expression.find_all(exp.Count)):
        if isinstance(count.this, exp.Star):
            total = exp.func("COALESCE", exp.Sum(this=weights.copy()), exp.Literal.number(0))
            count.replace(exp.cast(total, "BIGINT", dialect=sql.DIALECT))


def relation(
    table_or_query: exp.Expr,
    condition: exp.Expr | None,
    exact: Sequence[Column] | None = None,
    binary: str = "binary",
    *,
    one_zero: Sequence[Column] = (),
    fenced: bool = False,
) -> exp.Query:
    """Every column of a table or query, with the row filter if there is one.

    With `exact` the columns are named and their texts compared by their bytes, whatever collation they were given, and
    in the filter too: `binary` is what the source calls that. With `one_zero` a zero of these columns has one sign:
    which of 0.0 and -0.0 GROUP BY shows for both would follow from the order of the rows. `fenced`: a filter is not
    pushed into what is filtered.
    """
    if fenced and condition is not None:
        table_or_query = sql.with_relations(sql.select("dataset/fenced"), {"dataset": table_or_query})
    tree = sql.select("dataset/filtered")
    texts = {each.name for each in exact or () if each.type == "VARCHAR"}
    if exact is not None:
        tree.set("expressions", [_by_bytes(each.name, texts, binary) for each in exact])
    elif floating := [each.name for each in one_zero if is_floating(each.type)]:
        tree.set("expressions", [exp.Star(replace=[_with_one_zero(each) for each in floating])])
    if condition is None:
        tree.set("where", None)
    else:
        where = tree.args["where"]
        where.set("this", condition.copy())
        for each in [found for found in where.find_all(exp.Column) if found.name in texts]:
            each.replace(exp.Collate(this=each.copy(), expression=sql.identifier(binary)))
    return sql.with_relations(tree, {"dataset": table_or_query})


def registered(table_or_query: exp.Expr, columns: Sequence[Column]) -> exp.Query:
    """The registered columns of a table or query that has others, too: nothing built on it sees those."""
    tree = sql.select("dataset/registered")
    tree.set("expressions", [sql.named(sql.column(each.name, "dataset"), each.name) for each in columns])
    return sql.with_relations(tree, {"dataset": table_or_query})


def filtered(
    backend: Backend,
    table_or_query: exp.Expr,
    condition: exp.Expr | None,
    columns: Sequence[Column],
    *,
    is_calculated: bool,
) -> exp.Query:
    """Every column of a table or query of a source under a row filter, compared and kept apart as its database can.

    `is_calculated`: it is a view or a query, which no filter is pushed into.
    """
    can = backend.capabilities
    exact, one_zero = columns if can.collates else None, columns if can.signs_zeros else ()
    fenced = is_calculated and can.fences
    return relation(table_or_query, condition, exact, can.binary, one_zero=one_zero, fenced=fenced)


def _by_bytes(name: str, texts: Collection[str], binary: str) -> exp.Expr:
    value: exp.Expr = sql.column(name, "dataset")
    if name in texts:
        value = exp.Collate(this=value, expression=sql.identifier(binary))
    return sql.named(value, name)


def _with_one_zero(name: str) -> exp.Expr:
    """A column of fractions to which 0 is added: -0.0 + 0 is 0.0."""
    return sql.named(exp.Add(this=sql.column(name, "dataset"), expression=exp.Literal.number(0)), name)


@dataclass(frozen=True, slots=True)
class Versioning:
    """The way to a dataset's version: a statement that gives its rows and the sum of one 64-bit hash a row.

    The statement gives the rows alone where a query is `vouched`.
    """

    statement: exp.Select
    vouched: VersionQuery | None = None

    def content(self, executor: SourceExecutor, vouched: int | None = None) -> tuple[int, int]:
        """The rows of the dataset and its sum of hashes, or what its query makes of that. Raises SourceFault.

        `vouched`: what the query made of its answer, if it has run already.
        """
        if vouched is None and self.vouched is not None:
            vouched = self.vouched.hash_sum(executor)
        found = executor.rows(Purpose.VERSION, self.statement)[0]
        return int(found[0]), int(found[1]) if vouched is None else vouched


def versioning(dataset: Dataset) -> Versioning:
    """The statements that give the dataset's version."""
    if dataset.vouched is not None:
        counted = sql.with_relations(sql.select("dataset/row_count"), {"dataset": dataset.relation})
        return Versioning(counted, dataset.vouched)
    return Versioning(dataset.backend.version_statement(dataset.relation, dataset.columns))


def version(dataset: Dataset) -> Version:
    """The dataset's version: in one pass of the source over all its columns, or by what is vouched for it.

    That of a dataset in parts is the same as if it were whole, unless the fingerprints of files vouch for it. It is
    counted first of all, so every column is evaluated here without the row filter, and the guard of the dataset is
    asked; raises what these raise.
    """
    executor, vouched = dataset.backend.executor, None
    if dataset.vouched is not None:
        vouched = dataset.vouched.hash_sum(executor)
        dataset.backend.vouched(f"{dataset.vouched.sha256} {vouched}")
    if dataset.evaluation is not None:
        dataset.evaluation(vouched)
    if dataset.guard is not None:
        dataset.guard(dataset)
    # Without an evaluation there is no filter, and this is one.
    with closing(dataset.name) if dataset.evaluation is None else contextlib.nullcontext():
        if dataset.parts is not None:
            seen = dataset.parts.version()
        else:
            rows, hash_sum = versioning(dataset).content(executor, vouched)
            vouched_by = None if dataset.vouched is None else dataset.vouched.sha256
            seen = Version(rows, hash_sum, columns_hash(dataset.columns), vouched_by)
    return replace(seen, proof=_proof(dataset, seen))


def _proof(dataset: Dataset, seen: Version) -> Proof:
    if seen.vouched_by is not None:
        return "fingerprint" if seen.vouched_by == FINGERPRINT else "query"
    return "snapshot" if dataset.backend.repeated(Purpose.VERSION) else "rows"


def columns_hash(columns: Sequence[Column]) -> str:
    """A hash of the names and types of the columns, in order."""
    described = "\n".join(f"{each.name}\t{each.type}" for each in columns)
    return hashlib.sha256(described.encode()).hexdigest()


PARTED_BY = frozenset(
    ["TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "DATE", "TIMESTAMP", "VARCHAR"]
)
"""The types of columns whose values part a dataset: those that every source compares exactly."""


@dataclass(frozen=True, slots=True)
class DatasetPart:
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
    known, by their content. `is_registered`: its columns are those that it was registered with, so that a part may have
    others, which are not read. `partitions`: those of its table, by their references, where they are the parts.
    """

    whole: Dataset
    division: Division
    condition: exp.Expr | None
    identity: str = ""
    known: Mapping[str, int] = field(default_factory=dict)
    is_registered: bool = False
    partitions: tuple[exp.Table, ...] = ()

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
    def listed(self) -> tuple[DatasetPart, ...]:
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
                every = relation(self._rows_of(file_parts(self.whole.backend)[0]), None)
                evaluated = self.whole.backend.version_statement(every, self.whole.columns)
                yield f"{EVALUATED}, of a part that is not known", evaluated
            tree = sql.with_relations(sql.select("dataset/row_count"), {"dataset": self.first})
            yield "dataset version: the rows of a part that is not known", tree
        else:
            yield "dataset version, of a part", self.whole.backend.version_statement(self.first, self.whole.columns)

    @property
    def first(self) -> exp.Query:
        """The rows of a part, before any is looked up: of the first file, or of a value of the column left open."""
        if self.partitions:
            return self._rows_in(self.partitions[0])
        if self.division.column is None:
            first = self._rows_of(file_parts(self.whole.backend)[0])
            return relation(first, self.condition, one_zero=self.whole.columns)
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
    def _found(self) -> tuple[tuple[DatasetPart, int], ...]:
        if self.partitions:
            return tuple(self._by_partition())
        return tuple(self._by_file() if self.division.column is None else self._by_value(self.division.column))

    def _by_partition(self) -> Iterator[tuple[DatasetPart, int]]:
        for number, each in enumerate(self.partitions, start=1):
            tree = self._rows_in(each)
            rows, hash_sum = self._hashed(tree)
            content = _content(self.whole.columns, rows, hash_sum)
            where = f"dataset {quoted(self.whole.name)}, partition {number} of {len(self.partitions)}"
            yield DatasetPart(number, tree, where, content, rows), hash_sum

    def _rows_in(self, partition: exp.Table) -> exp.Query:
        """The rows of a partition that pass the filter, by the columns of the whole."""
        own, columns = registered(partition, self.whole.columns), self.whole.columns
        return filtered(self.whole.backend, own, self.condition, columns, is_calculated=False)

    def _by_file(self) -> Iterator[tuple[DatasetPart, int]]:
        files = file_parts(self.whole.backend)
        require_different(files)
        for number, each in enumerate(files, start=1):
            tree = relation(self._rows_of(each), self.condition, one_zero=self.whole.columns)
            part = DatasetPart(number, tree, str(each.path), "", 0, each)
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

    def _rows_of(self, file: FilePart) -> exp.Query:
        """The rows of a file, by the columns of the whole where it may have others."""
        return registered(file.query, self.whole.columns) if self.is_registered else file.query

    def _require_columns(self, file: FilePart) -> None:
        """Raises InputError where a file lacks columns of the whole, has others that count, or other types."""
        own = {each.name: each.type for each in self.whole.backend.columns(file.query)}
        whole = {each.name: each.type for each in self.whole.columns}
        for name in whole if self.is_registered else [*whole, *own]:
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
            Evaluation(whole.name, whole.backend, relation(self._rows_of(file), None), whole.columns)()

    def _hashed(self, tree: exp.Query) -> tuple[int, int]:
        backend = self.whole.backend
        statement = backend.version_statement(tree, self.whole.columns)
        rows, hash_sum = backend.executor.rows(Purpose.VERSION, statement)[0]
        return int(rows), int(hash_sum)

    def _by_value(self, column: str) -> Iterator[tuple[DatasetPart, int]]:
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
            yield DatasetPart(number, relation(self.whole.relation, equal), called, content, int(rows)), int(hash_sum)

    def versions_statement(self, column: str) -> exp.Select:
        """The statement that gives each value of the column with its rows and the sum of one hash a row."""
        tree = self.whole.backend.version_statement(self.whole.relation, self.whole.columns)
        value = sql.column(column, "dataset")
        tree.set("expressions", [sql.named(value, column), *tree.expressions])
        tree.set("group", exp.Group(expressions=[value.copy()]))
        return tree


def file_parts(backend: Backend) -> tuple[FilePart, ...]:
    """The files of a source of Parquet files, each a part. Raises InputError for any other source."""
    if backend.parts:
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
