"""The rows of a dataset query: proof that none is repeated, or that each belongs to the person in the entity column.

k counts rows where a dataset has no entity column. A query that gives a row of a table twice would make a class of two
out of one person, so it is refused unless it is proved to give every row of a table at most once:

* a SELECT has the rows of the relation after FROM, as they are, filtered or grouped; every relation joined to it has at
  most one row that fits, for the columns joined on are unique in it (which the source counts: a `Lookup`), or all of
  it is grouped by columns of the relation after FROM;
* UNION joins queries of different tables.

With an entity column a row may be repeated, for k counts persons: the column is that of a table, as it is, and the same
of each table; any relation joined to it belongs to the same person, is looked up, or is not shown at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from ordermade.errors import FilterError, quoted
from ordermade.requests.query_tables import (
    Defined,
    Known,
    Leaf,
    equalities,
    followed,
    inner_query,
    is_table,
    join_equalities,
    key,
    leaves,
    leaves_of_query,
    plain_column,
    relation_called,
    relations_of,
    sides_of,
    tables_behind,
)

_NAME_ENTITY = "Name the column that identifies a person as the dataset's entity (--entity)"
_WHOLE = "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT"
_WHOLE_NUMBERS = frozenset(_WHOLE.split())


@dataclass(frozen=True, slots=True)
class Lookup:
    """A joined relation that has to have one row at most for each combination of `keys`; `called` names it."""

    relation: exp.Select
    keys: tuple[str, ...]
    called: str


def rows_proved(query: exp.Expr, known: Known, entity: str | None) -> tuple[Lookup, ...]:
    """The lookups that the source has to count to prove that rows are persons'; the query has its tables' names.

    Raises FilterError where a row may be repeated and no entity column is named, or that column is computed.
    """
    tree = followed(query, known)
    for each in tree.find_all(exp.With):
        if each.args.get("recursive"):
            raise FilterError("the dataset query is recursive", next_step="Write it without WITH RECURSIVE.")
    return _Rows(known).kept(tree, Defined()) if entity is None else _Owner(known).proved(tree, entity)


def still_repeated(lookup: Lookup) -> FilterError:
    """The error where the source has counted several rows for a combination of a lookup's keys."""
    listed = ", ".join(quoted(each) for each in lookup.keys)
    what = f"the join with {quoted(lookup.called)} finds several rows for one value of {listed}"
    return _repeats(what, "join a relation in which it is unique, such as one that is grouped by it")


def _repeats(reason: str, instead: str) -> FilterError:
    what = f"the dataset query can give a row more than once: {reason}"
    return FilterError(what, next_step=f"{_NAME_ENTITY}, or {instead}.")


@dataclass(frozen=True, slots=True)
class _Rows:
    """Proof that every row of a table is given once at most."""

    known: Known

    def kept(self, query: exp.Expr, defined: Defined) -> tuple[Lookup, ...]:
        defined = defined.within(query)
        if isinstance(query, exp.Subquery):
            return self.relation(query, defined)
        if isinstance(query, (exp.Except, exp.Intersect)):
            return self.kept(query.left, defined)
        if isinstance(query, exp.SetOperation):
            self._require_different((query.left, query.right), defined, "UNION", views=True)
            return self.kept(query.left, defined) + self.kept(query.right, defined)
        if isinstance(query, exp.Select):
            return self._of_select(query, defined)
        raise _repeats("it cannot be followed", "write one SELECT over tables")

    def relation(self, relation: exp.Expr, defined: Defined) -> tuple[Lookup, ...]:
        if is_table(relation) or (isinstance(relation, exp.Table) and _is_renamed_table(relation)):
            return ()
        query = inner_query(relation, defined)
        if query is None:
            raise _repeats(f"{_kind(relation)} is no table", "select from tables")
        return self.kept(*query)

    def _of_select(self, select: exp.Select, defined: Defined) -> tuple[Lookup, ...]:
        group = select.args.get("group")
        if group is not None and group.find(exp.GroupingSets, exp.Cube, exp.Rollup):
            raise _repeats("GROUPING SETS, ROLLUP and CUBE count a row in several groups", "write GROUP BY columns")
        if any(each.find(exp.Unnest, exp.Explode) for each in select.expressions):
            raise _repeats("UNNEST gives a row for each element", "leave it out")
        relations = list(relations_of(select))
        if not relations:
            raise _repeats("a SELECT reads no table", "select from tables")
        if select.args.get("laterals"):
            raise _repeats("LATERAL gives several rows for one", "leave it out")
        found = self.relation(relations[0], defined)
        joins = [each for each in select.args.get("joins") or [] if each.kind not in ("SEMI", "ANTI")]
        if not joins:
            return found
        self._require_different([relations[0], *(each.this for each in joins)], defined, "a join")
        for join in joins:
            _require_plain_join(join)
        if _grouped_by(select, relations[0]):
            return found
        earlier = {relations[0].alias_or_name.lower()}
        for join in joins:
            lookup = lookup_of(select, join, earlier, defined, self.known)
            if lookup is None:
                reason = f"the join with {quoted(join.this.alias_or_name)} is not ON columns of one type that are equal"
                raise _repeats(reason, "join ON columns that are unique in what is joined")
            found += (lookup,)
            earlier.add(join.this.alias_or_name.lower())
        return found

    def _require_different(
        self, parts: Sequence[exp.Expr], defined: Defined, called: str, *, views: bool = False
    ) -> None:
        seen: set[tuple[str, str, str]] = set()
        for part in parts:
            tables = set(tables_behind(part, defined))
            if seen & tables:
                raise _repeats(f"{called} reads one table twice", "read each table once")
            seen |= tables
        found = [self.known.find(each) for each in seen]
        if views and len(seen) > 1 and any(each is not None and each.is_view for each in found):
            raise _repeats(f"{called} reads a view, which may have the rows of another table", "read tables")


@dataclass(frozen=True, slots=True)
class _Owner:
    """Proof that an output column names the person of every row: a column of a table, the same of each table."""

    known: Known

    def proved(self, query: exp.Expr, entity: str) -> tuple[Lookup, ...]:
        names = query.named_selects if isinstance(query, exp.Query) else []
        if "*" not in names and entity.lower() not in {each.lower() for each in names}:
            return ()  # there is no such column: the catalogue refuses it and lists the columns
        behind = leaves_of_query(query, entity, Defined())
        if behind is None:
            what = f"the entity column {quoted(entity)} is made up by the dataset query, and is not a column of a table"
            step = "Select a column of a table as it is (qualified by its table where there are several)."
            raise FilterError(what, next_step=step)
        _require_one_a_table(behind, entity)
        return self._owned(query, entity, Defined())

    def _owned(self, query: exp.Expr, entity: str, defined: Defined) -> tuple[Lookup, ...]:
        defined = defined.within(query)
        if isinstance(query, exp.Subquery):
            return self._owned(query.this, entity, defined)
        if isinstance(query, exp.SetOperation):
            found: tuple[Lookup, ...] = ()
            for side, name in sides_of(query, entity):
                found += self._owned(side, name or entity, defined)
            return found
        plain = plain_column(query, entity) if isinstance(query, exp.Select) else None
        own = None if plain is None or not isinstance(query, exp.Select) else relation_called(query, plain.table)
        if plain is None or own is None or not isinstance(query, exp.Select):
            raise FilterError(f"the entity column {quoted(entity)} cannot be followed", next_step=_NAME_ENTITY + ".")
        return self._joined(query, plain, own, defined)

    def _joined(self, select: exp.Select, plain: exp.Column, own: exp.Expr, defined: Defined) -> tuple[Lookup, ...]:
        found = self._inner(own, plain.name, defined)
        same = _same_as(plain, select, defined, self.known)
        shown = _shown(select)
        joins = {id(each.this): each for each in select.args.get("joins") or []}
        for join in joins.values():
            _require_plain_join(join)
        earlier: set[str] = set()
        for relation in relations_of(select):
            alias, join = relation.alias_or_name.lower(), joins.get(id(relation))
            is_filter = join is not None and join.kind in ("SEMI", "ANTI")
            reveals_nothing = not {alias, ""} & shown or not set(tables_behind(relation, defined))
            if relation is own or is_filter or reveals_nothing:
                pass
            elif alias in same:
                found += self._inner(relation, same[alias], defined)
            else:
                lookup = None if join is None else lookup_of(select, join, earlier, defined, self.known)
                if lookup is None:
                    what = f"rows of {quoted(alias)} are given with those of several persons"
                    step = "Join it ON the entity column, or ON columns that are unique in it."
                    raise FilterError(what, next_step=step)
                found += (lookup,)
            earlier.add(alias)
        return found

    def _inner(self, relation: exp.Expr, column: str, defined: Defined) -> tuple[Lookup, ...]:
        query = inner_query(relation, defined)
        return () if query is None else self._owned(query[0], column, query[1])


def lookup_of(
    select: exp.Select, join: exp.Join, earlier: Iterable[str], defined: Defined, known: Known
) -> Lookup | None:
    """The columns by which a join finds rows, each equal to one of an earlier relation; None where there are none."""
    alias, before, keys = join.this.alias_or_name.lower(), set(earlier), list[str]()
    for one, other in join_equalities(join):
        for mine, theirs in ((one, other), (other, one)):
            joined = mine.table.lower() == alias and theirs.table.lower() in before
            if joined and _compare_exactly(select, mine, theirs, defined, known):
                keys.append(mine.name)
    if not keys:
        return None
    columns = [exp.column(exp.to_identifier(each, quoted=True), table=join.this.alias_or_name) for each in keys]
    relation = exp.Select(expressions=columns, from_=exp.From(this=join.this.copy()))
    if defined.ctes:
        relation.set("with_", exp.With(expressions=[each.copy() for each in defined.ctes]))
    return Lookup(relation, tuple(keys), join.this.alias_or_name)


def _shown(select: exp.Select) -> set[str]:
    """The aliases of the relations whose columns a SELECT gives, also by way of a relation made of them."""
    shown = {column.table.lower() for each in select.expressions for column in each.find_all(exp.Column)}
    relations = list(relations_of(select))
    for _ in relations:
        for relation in relations:
            if relation.alias_or_name.lower() in shown:
                shown |= {column.table.lower() for column in relation.find_all(exp.Column)}
    return shown


def _same_as(plain: exp.Column, select: exp.Select, defined: Defined, known: Known) -> dict[str, str]:
    """The columns that the joins make equal to the entity column, by the alias of their relation."""
    same = {plain.table.lower(): plain.name.lower()}
    pairs = [pair for pair in equalities(select) if _compare_exactly(select, *pair, defined, known)]
    for _ in pairs:
        for one, other in pairs:
            for mine, theirs in ((one, other), (other, one)):
                if same.get(mine.table.lower()) == mine.name.lower():
                    same.setdefault(*key(theirs))
    return same


def _compare_exactly(select: exp.Select, one: exp.Column, other: exp.Column, defined: Defined, known: Known) -> bool:
    """Whether two columns are of one type, so that a value of one is equal to one value of the other alone."""
    kinds: set[str | None] = set()
    for column in (one, other):
        relation = relation_called(select, column.table)
        behind = None if relation is None else leaves(relation, column.name, defined)
        kinds |= {None} if behind is None else {known.type_of(each) for each in behind}
    if None in kinds or (known.collates and any("VARCHAR" in str(each) for each in kinds)):
        return False
    return len(kinds) == 1 or kinds <= _WHOLE_NUMBERS


def _require_plain_join(join: exp.Join) -> None:
    """Raises FilterError for a join whose rows are not those of its left side."""
    odd = str(join.side or join.method or "").upper()
    if odd in ("RIGHT", "FULL", "POSITIONAL", "ASOF", "NATURAL"):
        step = "Write JOIN … ON or LEFT JOIN … ON."
        raise FilterError(f"a {odd} JOIN is not allowed in a dataset query", next_step=step)


def _grouped_by(select: exp.Select, anchor: exp.Expr) -> bool:
    """Whether all of a SELECT is grouped by columns of one relation alone: each row of it is in one group."""
    group = select.args.get("group")
    columns = [] if group is None else [each for part in group.expressions for each in part.find_all(exp.Column)]
    return bool(columns) and all(each.table.lower() == anchor.alias_or_name.lower() for each in columns)


def _require_one_a_table(behind: Iterable[Leaf], entity: str) -> None:
    tables = [table for table, _ in behind]
    if len(set(tables)) < len(tables):
        what = f"the entity column {quoted(entity)} is one column of a table here and another there"
        raise FilterError(what, next_step="Select the same column of the table in every branch.")


def _is_renamed_table(relation: exp.Table) -> bool:
    return bool(relation.args.get("db")) and not any(relation.args.get(name) for name in ("pivots", "joins"))


def _kind(relation: exp.Expr) -> str:
    if isinstance(relation, exp.Table) and relation.args.get("pivots"):
        return "PIVOT or UNPIVOT"
    kinds: dict[type[exp.Expr], str] = {exp.Values: "VALUES", exp.Unnest: "UNNEST", exp.Lateral: "LATERAL"}
    return kinds.get(type(relation), "the relation")
