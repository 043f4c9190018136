"""A dataset whose source is open: its rows, with a row filter and its guard, without the persons who opted out.

Each statement of a guard answers yes or no for both sides of a filter at once. So a refusal tells neither a count, nor
whether too few persons pass or too few do not.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING

from sqlglot import exp

from ordermade import sql
from ordermade.catalogue.registered import DatasetRegistration
from ordermade.catalogue.sources import opened
from ordermade.catalogue.without_persons import list_hash, without_persons
from ordermade.counting.counts import person
from ordermade.counting.dataset import Dataset as OpenRelation
from ordermade.counting.dataset import (
    Evaluation,
    Parts,
    VersionQuery,
    closing,
    failing,
    filtered,
    registered,
    relation,
)
from ordermade.errors import (
    FilterError,
    InputError,
    PolicyBroken,
    ReleasedMeanwhile,
    SourceChanged,
    SourceFault,
    UnknownName,
    quoted,
)
from ordermade.hierarchies.column_types import without_labels
from ordermade.privacy.least_k import NO_TERMS, DatasetTerms
from ordermade.requests.columns import stored_column
from ordermade.requests.dataset_query import parse_dataset_query
from ordermade.requests.earlier_filters import carried_over
from ordermade.requests.query_rows import rows_proved, still_repeated
from ordermade.requests.query_tables import KnownTable, KnownTables
from ordermade.requests.row_filter import row_condition
from ordermade.sources.backend import Backend, CatalogTable, Column, columns_of, find_table, qualified, row_count
from ordermade.sources.change_log import OF_CHANGE_LOG, is_version_view
from ordermade.sources.executor import Listener, Purpose
from ordermade.sources.limits import Limits
from ordermade.sources.portable import KINDS
from ordermade.sources.unstable import of_fractions, of_part
from ordermade.state import policies

if TYPE_CHECKING:
    from ordermade.policies.policy import Filters
    from ordermade.state.connection import StateConnection
    from ordermade.state.datasets import Division
    from ordermade.state.sources import Source


@dataclass(frozen=True, slots=True)
class _FilterRule:
    """A statement of `rule` that answers whether a filter is refused, `what` is wrong then, and the `step` to take."""

    title: str
    rule: str
    tree: exp.Query
    what: str
    step: str


@dataclass(slots=True)
class FilterGuard:
    """Refuses the row filter of a dataset by the policy: asks the source once, however often it is called."""

    opened: OpenDataset
    filters: Filters
    condition: exp.Expr | None
    least_k: int
    _passed: bool = False

    def __call__(self, dataset: OpenRelation) -> None:
        """Raises PolicyBroken with the first answer that the policy does not allow."""
        if self._passed:
            return
        for each in self._questions(dataset):
            if dataset.backend.executor.rows(Purpose.COVERAGE, each.tree)[0][0]:
                where = f"dataset {quoted(self.opened.name)}"
                raise PolicyBroken(each.what, where=where, next_step=each.step, rules=[each.rule], problems=[each.what])
        self._passed = True

    def statements(self, dataset: OpenRelation) -> Iterator[tuple[str, exp.Query]]:
        """The statements in order, each with its title."""
        for each in self._questions(dataset):
            yield each.title, each.tree

    def _questions(self, dataset: OpenRelation) -> Iterator[_FilterRule]:
        if self.condition is not None and self.filters.persons is not None:
            yield self._enough(dataset, self.condition, self.filters.persons)
        if self.condition is not None:
            yield from self._values(dataset, self.condition, self.filters.values or self.least_k)
        if self.filters.apart is not None:
            yield from self._apart(dataset, self.filters.apart)

    def _enough(self, dataset: OpenRelation, condition: exp.Expr, fewest: int) -> _FilterRule:
        """Whether fewer persons than that pass the filter, or do not."""
        unit = _unit(dataset)
        return _FilterRule(
            f"policy, whether the filter lets fewer than {fewest:,} {unit} pass, or leaves fewer than that out",
            "filters.persons",
            _decided("few", dataset, fewest, self.opened.filtered(condition), self.opened.filtered(_unmet(condition))),
            f"the filter lets fewer than {fewest:,} {unit} pass, or leaves fewer than {fewest:,} out",
            "Write a filter that parts the dataset less unevenly, or leave it out.",
        )

    def _values(self, dataset: OpenRelation, condition: exp.Expr, fewest: int) -> Iterator[_FilterRule]:
        """Whether fewer persons than that have a value that the filter names: none at all is the same answer."""
        unit = _unit(dataset)
        for each in equalities(condition):
            named = self.opened.filtered(each)
            yield _FilterRule(
                f"policy, whether fewer than {fewest:,} {unit} have a value that the filter names",
                "filters.values",
                _decided("few", dataset, fewest, named, named),
                f"the filter names a value that fewer than {fewest:,} {unit} have",
                "Name values that more have, or part the column by a hierarchy.",
            )

    def _apart(self, dataset: OpenRelation, fewest: int) -> Iterator[_FilterRule]:
        """Whether the rows differ from those of an earlier release in some, but fewer persons."""
        unit = _unit(dataset)
        for earlier in _compared(self.opened, self.filters.confirmed):
            ours, theirs = _alone(self.condition, earlier), _alone(earlier, self.condition)
            yield _FilterRule(
                f"policy, whether the rows differ from those of an earlier release in fewer than {fewest:,} {unit}",
                "filters.apart",
                _decided("near", dataset, fewest, self.opened.filtered(ours), self.opened.filtered(theirs)),
                f"the rows differ from those of an earlier release in fewer than {fewest:,} {unit}",
                "Request the same rows as that release, or rows that differ more from every one so far.",
            )


def guard_of(opened: OpenDataset, filters: Filters, condition: exp.Expr | None) -> FilterGuard | None:
    """Refuses the row filter of a dataset by the policy; None where that demands nothing of it."""
    if condition is None and (filters.apart is None or not opened.released):
        return None
    return FilterGuard(opened, filters, condition, opened.terms.least_k)


def require_compared(connection: StateConnection, opened: OpenDataset, filter_text: str | None) -> None:
    """Raises ReleasedMeanwhile where rows were released since the dataset was opened: none compared a filter with them.

    In the transaction that records the release of the filter: of two requests at once, the later one finds the other.
    """
    policy = opened.terms.policy
    if policy is None or policy.filters.apart is None:
        return

    if set(policies.released_filters(connection, opened.name)) <= {*opened.released, filter_text}:
        return
    what = "rows of this dataset were released meanwhile, with which these were not compared"
    where = f"dataset {quoted(opened.name)}"
    raise ReleasedMeanwhile(what, where=where, next_step="Run it again.", rules=["filters.apart"], problems=[what])


def equalities(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions on single values among those that AND, OR and NOT join: one for each value, however it stands."""
    waiting = [condition]
    while waiting:
        each = waiting.pop()
        match each:
            case exp.And() | exp.Or():
                waiting += [each.args["this"], each.args["expression"]]
            case exp.Not() | exp.Paren():
                waiting.append(each.this)
            case exp.LT() | exp.LTE() | exp.GT() | exp.GTE() | exp.Between():
                continue
            case exp.NEQ():
                yield exp.EQ(this=each.this.copy(), expression=each.expression.copy())
            case exp.In():
                yield from (exp.EQ(this=each.this.copy(), expression=value.copy()) for value in each.expressions)
            case _:
                yield each


def _unit(dataset: OpenRelation) -> str:
    return "rows" if dataset.entity is None else "persons"


def _compared(opened: OpenDataset, confirmed: Collection[str]) -> list[exp.Expr | None]:
    """The filters of the releases so far, those of earlier versions rewritten; None for every row.

    Raises PolicyBroken with all that cannot be rewritten, or whose columns are no more as they were, and that the
    provider has not confirmed.
    """
    types = {each.name: each.type for each in opened.columns}
    found: dict[str | None, exp.Expr | None] = {}
    unread = []
    for text in opened.released:
        today = None if text is None else carried_over(text, types)
        if today is not None or text is None:
            found.setdefault(today, None if today is None else row_condition(today, types)[0])
        elif text not in confirmed:
            unread.append(text)
    if unread:
        what = "the rows of earlier releases cannot be compared with these: their filters calculate, or columns changed"
        confirming = f"filters: {{confirmed: {json.dumps(unread)}}}"
        step = f"The provider looks at these releases, and confirms them in the policy: {confirming}."
        where = f"dataset {quoted(opened.name)}"
        raise PolicyBroken(what, where=where, next_step=step, rules=["filters.apart"], problems=[what])
    return list(found.values())


def _met(condition: exp.Expr | None) -> exp.Expr:
    """Whether a filter lets a row pass: never NULL."""
    if condition is None:
        return exp.true()
    return exp.Coalesce(this=exp.Paren(this=condition.copy()), expressions=[exp.false()])


def _unmet(condition: exp.Expr | None) -> exp.Expr:
    return exp.Not(this=_met(condition))


def _alone(condition: exp.Expr | None, other: exp.Expr | None) -> exp.Expr:
    """The rows that one filter lets pass, and another does not."""
    return exp.And(this=_met(condition), expression=_unmet(other))


_STATEMENTS: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "few": ("policy/few_rows", "policy/few_persons"),
        "near": ("policy/near_rows", "policy/near_persons"),
    }
)
"""The statement of each question: of rows, and of persons."""


def _decided(
    open_request: str, dataset: OpenRelation, fewest: int, one: OpenRelation, other: OpenRelation
) -> exp.Query:
    """The statement about two sets of rows: it counts them in the source, and gives yes or no."""
    rows, persons = _STATEMENTS[open_request]
    if dataset.entity is None:
        tree = sql.select(rows)
    else:
        keys = {"dataset.id": person(dataset), "others.id": _of("others", person(dataset))}
        tree = sql.with_expressions(sql.select(persons), keys)
    for parameter in list(tree.find_all(exp.Parameter, exp.Placeholder)):
        parameter.replace(exp.Literal.number(fewest))
    return sql.with_relations(tree, {"dataset": one.relation, "others": other.relation})


def _of(table: str, key: exp.Expr) -> exp.Expr:
    """An expression over the columns of `dataset` as one over those of another table."""
    copied = key.copy()
    for column in copied.find_all(exp.Column):
        column.set("table", exp.to_identifier(table))
    return copied


@dataclass(frozen=True, slots=True)
class OpenDataset:
    """A dataset whose source is open.

    `identity` does not depend on its name: source, table or query, and the column that identifies the person of each
    row (`entity`, as stored; None where every row is another person's). `terms`: the limits on requests. `vouched`: the
    query that gives its version, None where every row is hashed. `division`: how it is parted, None where it is not.
    `released`: the filters of its releases so far (None: every row), where its policy compares requests with them.
    `opted_out`: a hash of the list of persons who opted out, whose rows `origin` leaves out; empty where there is none.
    `everybody`: the table or query with their rows. `is_calculated`: it is a query, or a view. `evaluated`: the answers
    of the query for versions by which its columns were evaluated before. `others`: the columns of the table or query
    that it was not registered with, which no statement reads; None where every column is its own, whatever comes.
    `partitions`: those of its table, where they are its parts.
    """

    name: str
    dataset_id: int | None
    source: Source
    backend: Backend
    origin: exp.Expr
    columns: tuple[Column, ...]
    entity: str | None = None
    terms: DatasetTerms = NO_TERMS
    vouched: VersionQuery | None = None
    division: Division | None = None
    released: tuple[str | None, ...] = ()
    opted_out: str = ""
    everybody: exp.Expr | None = None
    is_calculated: bool = True
    evaluated: frozenset[int] = frozenset()
    others: tuple[Column, ...] | None = None
    partitions: tuple[exp.Table, ...] = ()

    def filtered(
        self, condition: exp.Expr | None, identity: str = "", known: Mapping[str, int] | None = None
    ) -> OpenRelation:
        """The dataset with a row filter: a dataset of its own.

        `identity`: its hash, and `known` the rows of the parts that are known of it, where it is in parts.
        """
        origin = self._own_columns(self.origin)
        rows = filtered(self.backend, origin, condition, self.columns, is_calculated=self.is_calculated)
        least_k = self.terms.least_k
        whole = OpenRelation(self.name, self.backend, rows, self.columns, self.entity, least_k, self.vouched)
        by_file = self.division is not None and self.division.fingerprint  # evaluated file by file
        if (condition is not None or self.vouched is not None) and not by_file:
            whole = replace(whole, evaluation=self.evaluation())
        if self.terms.policy is not None:
            whole = replace(whole, guard=guard_of(self, self.terms.policy.filters, condition))
        if self.division is None:
            return whole

        is_registered = self.others is not None
        parts = Parts(whole, self.division, condition, identity, known or {}, is_registered, self.partitions)
        return replace(whole, parts=parts)

    def evaluation(self) -> Evaluation:
        """The pass over every column without a row filter: the rows of persons who opted out can fail, too."""
        everybody = self.origin if self.everybody is None else self.everybody
        every = relation(self._own_columns(everybody), None)
        return Evaluation(self.name, self.backend, every, self.columns, self.evaluated)

    def _own_columns(self, table_or_query: exp.Expr) -> exp.Expr:
        """A table or query without the columns that the dataset was not registered with."""
        return registered(table_or_query, self.columns) if self.others else table_or_query

    @property
    def read(self) -> tuple[CatalogTable, ...]:
        """The tables and views that it names, as the catalogue of its source has them."""
        return _read_by(self.backend, self.origin if self.everybody is None else self.everybody)

    def identity(self, filter_text: str | None) -> str:
        """A hash of source, table or query, row filter and entity: the identity of a dataset across its versions."""
        parts = [self.source.kind, self.source.location, sql.text(self.origin), filter_text or ""]
        if self.entity is not None:
            parts.append(self.entity)
        if self.opted_out:
            parts.append(self.opted_out)
        return hashlib.sha256("\n".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()

    @property
    def identity_of_everybody(self) -> str:
        """The identity of the dataset without a filter, with all who opted out: that by which the ledger knows it.

        A release from before an opt-out is one of the same dataset.
        """
        everybody = self.origin if self.everybody is None else self.everybody
        return replace(self, origin=everybody, opted_out="").identity(None)


def require_own_rows(backend: Backend, query: exp.Query, entity: str | None) -> None:
    """Raises FilterError where a row may be repeated and no `entity` column identifies persons, or it is computed.

    Joins are counted each time, for the data may have changed: each has to find one row at most.
    """
    for lookup in rows_proved(query, _known(backend, query), entity):
        if row_count(backend, lookup.joined) > row_count(backend, lookup.before):
            raise still_repeated(lookup)


def _known(backend: Backend, query: exp.Query) -> KnownTables:
    """The tables that a query reads."""
    tables = tuple(
        KnownTable(
            each.reference.catalog,
            each.reference.db,
            each.reference.name,
            {column.name: column.type for column in each.columns},
            each.is_view,
        )
        for each in _read_by(backend, query)
    )
    return KnownTables(tables, backend.capabilities.collates)


def _read_by(backend: Backend, query: exp.Expr) -> tuple[CatalogTable, ...]:
    """The tables of the source that a query names, as its catalogue has them."""
    read = {(each.db, each.name) for each in query.find_all(exp.Table)}
    return tuple(each for each in backend.tables() if (each.reference.db, each.reference.name) in read)


@contextlib.contextmanager
def opened_dataset(
    found: DatasetRegistration, limits: Limits, listener: Listener | None = None
) -> Iterator[OpenDataset]:
    """The dataset with its source open for reading, closed at the end. Raises SourceFault, UnknownName."""
    with contextlib.ExitStack() as held:
        with closing(found.name):  # some sources type the columns of a view by what it gives
            backend = held.enter_context(opened(found.source, limits, listener))
            origin = _described_origin(backend, found)
            every = columns_of(backend, relation(origin, None))
        columns, others = found.split(every)
        where = f"dataset {quoted(found.name)}: entity"
        entity = None if found.entity is None else column_of(found.entity, columns, where)
        vouched = _described_version(backend, found)
        division = found.division
        if division is not None and division.column is not None:
            where = f"dataset {quoted(found.name)}: parts"
            division = replace(division, column=column_of(division.column, columns, where))
        partitions: tuple[exp.Table, ...] = ()
        if found.is_partitioned and isinstance(origin, exp.Table):
            partitions = tuple(backend.partitions(origin))
            division = division if partitions else None
        terms, source = found.terms, found.source
        name, number, released, opted_out, everybody = found.name, found.dataset_id, found.released, "", origin
        if found.opted_out:
            origin = without_persons(backend, origin, columns, entity, found)
            opted_out = list_hash(found.opted_out)
        yield OpenDataset(
            name,
            number,
            source,
            backend,
            origin,
            columns,
            entity,
            terms,
            vouched,
            division,
            released,
            opted_out,
            everybody,
            found.table is None or find_table(backend, found.table).is_view,
            others=others,
            partitions=partitions,
        )


def column_of(name: str, columns: Iterable[Column], where: str) -> str:
    """The stored name of a column that an option names. Raises UnknownName, InputError."""
    names = [each.name for each in columns]
    try:
        return stored_column(name, names)
    except UnknownName:
        raise UnknownName("column", name, names, where=where) from None
    except InputError as error:
        raise InputError(error.what, where=where, next_step=error.next_step) from None


def _described_origin(backend: Backend, found: DatasetRegistration) -> exp.Expr:
    """The table or query of a dataset. Raises FilterError, with the dataset's name, for a query that is not allowed."""
    try:
        return origin_of(backend, found.table, found.query, found.entity)
    except FilterError as error:
        again = "" if found.dataset_id is None else " `ordermade dataset remove` takes the dataset out of use."
        where = f"dataset {quoted(found.name)}"
        raise FilterError(error.what, where=where, next_step=f"{error.next_step}{again}") from None


def origin_of(backend: Backend, table: str | None, query: str | None, entity: str | None) -> exp.Expr:
    """A table of the source, or a query over its tables. Raises FilterError, InputError, SourceFault."""
    if table is not None:
        return find_table(backend, table).reference

    tree = qualified(backend, parse_dataset_query(query or ""))
    require_own_rows(backend, tree, entity)
    _require_own_texts(backend, tree)
    _require_exact(backend, tree, "the dataset query")
    return tree


def _require_exact(backend: Backend, query: exp.Query, called: str, where: str = "") -> None:
    """Raises FilterError for a query that sums fractions, which may differ each time."""
    summed = backend.capabilities.summed
    found = "" if summed is None else summed(query)
    if found:
        fault = of_part(called, "", of_fractions("", f"{found}()"))
        raise FilterError(fault.what, where=where, next_step=fault.next_step)


def _require_own_texts(backend: Backend, query: exp.Query) -> None:
    """Raises FilterError for a query that shows one text for several that a collation takes for equal."""
    can = backend.capabilities
    if not can.collates or can.collated is None:
        return
    collated, columns_behind = can.collated
    read = {column for each in _known(backend, query).tables for column in columns_behind(each.schema, each.name)}
    try:
        collated.passed_on("", query, read)
    except SourceFault as fault:
        found = of_part("the dataset query", "", fault)
        raise FilterError(found.what, next_step=f"Make a view of it in the database. {found.next_step}") from None


def _described_version(backend: Backend, found: DatasetRegistration) -> VersionQuery | None:
    """The query that vouches for the versions of a dataset. Raises SourceFault where it cannot be run any more."""
    if found.version_query is None:
        return None
    where = f"dataset {quoted(found.name)}: version query"
    try:
        return version_query_of(backend, found.version_query, where)
    except InputError as error:
        again = f"{error.next_step} `ordermade dataset remove` takes the dataset out of use.".strip()
        raise SourceFault(error.what, where=where, next_step=again) from None


def version_query_of(backend: Backend, text: str, where: str) -> VersionQuery:
    """A provider's query for versions, in the names of the source; nothing is read. Raises InputError, SourceFault.

    `where` is how messages call it.
    """
    try:
        tree = parse_dataset_query(text, called="version query")
    except FilterError as error:
        raise FilterError(error.what, where=where, next_step=error.next_step) from None
    if tree.find(exp.Table) is None:
        raise InputError(
            "the version query reads no table of the source, so it would show no change",
            where=where,
            next_step="Select from the tables that the dataset is made of.",
        )
    tree = qualified(backend, tree, partial(is_version_view, backend))
    _require_exact(backend, tree, "the version query", where)
    try:
        columns = columns_of(backend, tree)
    except SourceChanged:
        raise
    except SourceFault as fault:
        raise failing(fault, where) from None
    for each in columns:
        if re.sub(r"\(.*\)$", "", each.type) not in KINDS:
            raise InputError(
                f"the version query gives a {without_labels(each.type)}, of which not every change would show",
                where=where,
                next_step="Give numbers, texts, days, times or truth values; CAST makes a text of most others.",
            )
    if all(is_version_view(backend, each) for each in _read_by(backend, tree)):
        return VersionQuery(text, tree, columns, where, OF_CHANGE_LOG)
    return VersionQuery(text, tree, columns, where)
