"""The rows of a dataset query: proof that none is repeated, or that each belongs to the person in the entity column.

k counts rows where a dataset has no entity column, and persons where it has. A SELECT has *owners*: without an entity
column the relation after FROM; with one, the relation that the column is of, and those that are joined ON it. Any other
relation is a *lookup*: the source counts that a row of those before it finds one row of it at most. So rows of the
relation after FROM are given once at most, and what a row shows belongs to one person, or is looked up for that person.

* No lookup reads a table of an owner, and a table has one column of the person; an owner that is a query is proved
  likewise.
* UNION joins queries; without an entity column, of different tables.
* GROUP BY columns of the relation after FROM alone gives each of its rows to one group: no join is counted.
* What is not written here is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sqlglot import exp
from sqlglot.optimizer.scope import Scope

from ordermade.errors import FilterError, UnknownName, quoted
from ordermade.requests.query_tables import (
    KnownTables,
    Source,
    TableName,
    equal_columns,
    leaves,
    plain_column,
    scope_of,
    sides_of,
    tables_behind,
)

_NAME_ENTITY = "Name the column that identifies a person as the dataset's entity (--entity)"
_WHOLE = "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT"
_WHOLE_NUMBERS = frozenset(_WHOLE.split())
_PLACE = "place in the query"
"""The name under which a copied SELECT notes which one of the query it is."""


@dataclass(frozen=True, slots=True)
class RowLookup:
    """A join that is to find one row at most: then `joined` has as many rows as `before`; `called` is what it joins."""

    before: exp.Select
    joined: exp.Select
    called: str


def rows_proved(query: exp.Query, known: KnownTables, entity: str | None) -> tuple[RowLookup, ...]:
    """The lookups that the source has to count to prove that rows are persons'; the query has its tables' names.

    Raises FilterError where a row may be repeated and no entity column is named, or that column is computed, and for a
    query that cannot be followed; UnknownName for an entity column that it does not give.
    """
    _require_different_names(query)
    written = tuple(query.find_all(exp.Select))
    copied = query.copy()
    for place, select in enumerate(copied.find_all(exp.Select)):
        select.meta[_PLACE] = place
    scope = scope_of(copied.unnest(), known)
    proof = _Proof(known, written)
    if entity is None:
        return proof.of(scope, None)
    names = scope.expression.named_selects if isinstance(scope.expression, exp.Query) else []
    column = next((each for each in names if each == entity.lower()), None)
    if column is None:
        raise UnknownName("column", entity, names, where="--entity")
    if leaves(scope, column) is None:
        what = f"the entity column {quoted(entity)} is made up by the dataset query, and is not a column of a table"
        step = "Select a column of a table as it is (qualified by its table where there are several)."
        raise FilterError(what, next_step=step)
    return proof.of(scope, column)


def still_repeated(lookup: RowLookup) -> FilterError:
    """The error where the source has counted that a join finds several rows."""
    what = f"the join with {quoted(lookup.called)} finds several rows for one"
    return _repeats(what, "join ON columns that are unique in it, such as those that it is grouped by")


def _repeats(reason: str, instead: str) -> FilterError:
    what = f"the dataset query can give a row more than once: {reason}"
    return FilterError(what, next_step=f"{_NAME_ENTITY}, or {instead}.")


def _refused(name: str, step: str) -> FilterError:
    return FilterError(f"{name} is not allowed in a dataset query", next_step=step)


@dataclass(frozen=True, slots=True)
class _Proof:
    """The proof of a query: `written` has its SELECT statements as the provider wrote them.

    It notes the columns by which rows of tables are persons', and the joins that look rows of tables up.
    """

    known: KnownTables
    written: tuple[exp.Select, ...]
    owned: dict[TableName, set[str | None]] = field(default_factory=dict)
    looked_up: dict[TableName, str] = field(default_factory=dict)

    def of(self, scope: Scope, entity: str | None) -> tuple[RowLookup, ...]:
        """The lookups of the whole query. Raises FilterError also where it uses a table in two ways."""
        found = tuple(self.lookups(scope, entity))
        for table, columns in self.owned.items():
            if table in self.looked_up:
                name = self.looked_up[table]
                raise _repeats(f"the join with {quoted(name)} reads one table twice", "read each table once")
            if len(columns) > 1:
                what = f"the person in rows of {quoted(table[2])} is one column of it here and another there"
                raise FilterError(what, next_step="Select and join the same column of the table everywhere.")
        return found

    def lookups(self, source: Source, entity: str | None) -> Iterator[RowLookup]:
        """Those of a relation whose rows are persons' by the entity column, or each another person's."""
        if isinstance(source, exp.Table):
            for table in tables_behind(source):
                self.owned.setdefault(table, set()).add(entity)
            return
        query = source.expression
        if isinstance(query, exp.Select):
            yield from self._of_select(source, query, entity)
        elif isinstance(query, exp.SetOperation):
            yield from self._of_union(source, query, entity)
        else:
            raise _repeats("rows are of no table", "select from tables")

    def _of_union(self, scope: Scope, query: exp.SetOperation, entity: str | None) -> Iterator[RowLookup]:
        if not isinstance(query, exp.Union) or query.args.get("by_name"):
            name = "UNION BY NAME" if isinstance(query, exp.Union) else type(query).__name__.upper()
            raise _refused(name, "Write UNION ALL with columns in one order; WHERE EXISTS or NOT EXISTS (SELECT …).")
        if entity is not None:
            for side, column in sides_of(scope, entity):
                yield from self.lookups(side, column)
            return
        left, right = (set(tables_behind(each)) for each in scope.set_operation_scopes)
        if left & right:
            raise _repeats("UNION reads one table twice", "read each table once")
        found = [self.known.find(each) for each in left | right]
        if any(each is None or each.is_view for each in found):
            raise _repeats("UNION reads a view, which may have the rows of another table", "read tables")
        for side in scope.set_operation_scopes:
            yield from self.lookups(side, None)

    def _of_select(self, scope: Scope, select: exp.Select, entity: str | None) -> Iterator[RowLookup]:
        start, joins = select.args.get("from_"), select.args.get("joins") or []
        if start is None:
            raise _repeats("a SELECT reads no table", "select from tables")
        written = self.written[select.meta[_PLACE]]
        for join in written.args.get("joins") or []:
            _require_plain_join(join)
        if entity is None and scope.find(exp.Unnest, exp.Explode):
            raise _repeats("UNNEST gives a row for each element", "leave it out")
        first, names = start.this.alias_or_name, [each.this.alias_or_name for each in joins]
        if {first, *names} != set(scope.selected_sources) or len({first, *names}) != len(names) + 1:
            raise _refused(
                "a relation in brackets after FROM", "Write JOIN … ON after one another, each with its name."
            )
        owners = {first: ""} if entity is None else self._owners(scope, first, joins, entity)
        is_grouped = entity is None and _is_grouped_by(select, first)
        for place, name in enumerate(names):
            if name in owners:
                continue
            self.looked_up.update(dict.fromkeys(tables_behind(scope.selected_sources[name][1]), name))
            if not is_grouped:
                yield RowLookup(_relations(written, place), _relations(written, place + 1), name)
        for each, column in owners.items():
            yield from self.lookups(scope.selected_sources[each][1], column or None)

    def _owners(self, scope: Scope, first: str, joins: list[exp.Join], entity: str) -> dict[str, str]:
        """The relation of the entity column, and those joined ON it, each with its column of the person."""
        plain = plain_column(scope, entity)
        owners = {} if plain is None else {plain.table: plain.name}
        before = {first}
        for join in joins:
            joined = join.this.alias_or_name
            for mine, other in equal_columns(join):
                is_of_entity = plain is not None and (mine.table, mine.name) == (plain.table, plain.name)
                is_of_join = joined in (mine.table, other.table) and {mine.table, other.table} <= before | {joined}
                if is_of_entity and is_of_join and self._compare_exactly(scope, mine, other):
                    owners.setdefault(other.table, other.name)
            before.add(joined)
        if first not in owners:
            what = f"rows of {quoted(first)} are given with those of several persons"
            step = f"Begin FROM with the table of {quoted(entity)}, or with one that is joined ON that column."
            raise FilterError(what, next_step=step)
        return owners

    def _compare_exactly(self, scope: Scope, one: exp.Column, other: exp.Column) -> bool:
        """Whether two columns are of one type, so that a value of one is equal to one value of the other alone."""
        behind = [leaves(scope.selected_sources[each.table][1], each.name) for each in (one, other)]
        kinds = {self.known.type_of(leaf) for found in behind for leaf in found or ()}
        if None in behind or None in kinds or (self.known.collates and any("VARCHAR" in str(each) for each in kinds)):
            return False
        return len(kinds) == 1 or kinds <= _WHOLE_NUMBERS


def _relations(select: exp.Select, joined: int) -> exp.Select:
    """The rows of the relations of a SELECT up to so many joins, each a LEFT JOIN: none of a row before it is lost."""
    joins = [each.copy() for each in select.args["joins"][:joined]]
    for each in joins:
        each.set("side", "LEFT")
        each.set("kind", None)
    one = exp.alias_(exp.Literal.number(1), "one")
    relations = exp.Select(expressions=[one], from_=select.args["from_"].copy(), joins=joins)
    if names := _names_around(select):
        relations.set("with_", exp.With(expressions=[each.copy() for each in names]))
    return relations


def _names_around(select: exp.Select) -> list[exp.CTE]:
    """The queries that WITH has named where a SELECT stands, in order."""
    found: list[exp.CTE] = []
    inside: exp.Expr | None = None
    around: exp.Expr | None = select
    while around is not None:
        names = around.args.get("with_")
        defined = [] if names is None else names.expressions
        found[:0] = defined[: defined.index(inside)] if inside in defined else defined
        inside = around if isinstance(around, exp.CTE) else inside
        around = around.parent
    return found


def _require_different_names(query: exp.Query) -> None:
    """Raises FilterError where WITH gives one name to two queries."""
    names = [each.alias.casefold() for each in query.find_all(exp.CTE)]
    if twice := next((each for each in names if names.count(each) > 1), None):
        raise _refused(f"the name {quoted(twice)} twice after WITH", "Give each query a name of its own.")


def _require_plain_join(join: exp.Join) -> None:
    """Raises FilterError for a join other than JOIN … ON and LEFT JOIN … ON."""
    name = " ".join(str(join.args[each]).upper() for each in ("method", "side", "kind") if join.args.get(each))
    has_condition = bool(join.args.get("on") or join.args.get("using"))
    if name not in ("", "INNER", "LEFT", "LEFT OUTER") or not has_condition:
        step = "Write JOIN … ON or LEFT JOIN … ON; rows are chosen by WHERE EXISTS or NOT EXISTS (SELECT …)."
        raise _refused(f"a {name or 'CROSS'} JOIN", step)


def _is_grouped_by(select: exp.Select, first: str) -> bool:
    """Whether all of a SELECT is grouped by columns of one relation alone: each row of it is in one group."""
    group = select.args.get("group")
    columns = [] if group is None else [each for part in group.expressions for each in part.find_all(exp.Column)]
    return bool(columns) and all(each.table == first for each in columns)
