"""Texts that a collation takes for equal: a view that shows one of them for all may show another one each time.

Each database says which columns it compares so; what views make of them follows from their texts, by names alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import sqlglot
from sqlglot import TokenType, exp
from sqlglot.errors import SqlglotError

from ordermade.errors import SourceFault
from ordermade.sources.unstable import of_spellings

_EXACT = re.compile(r"binary|c|posix|\w+_(nopad|0900)_bin", re.IGNORECASE)
"""The collations under which texts are equal that have the same bytes."""
_NO_TEXTS = (exp.Predicate, exp.Count, exp.CountIf, exp.ApproxDistinct, exp.Length, exp.Not, exp.And, exp.Or)
_COUNTING = frozenset(["octet_length", "bit_length", "strlen"])
"""What gives no text, whatever it is given; the names of functions that sqlglot does not know."""
_OF_VALUES = frozenset(["histogram", "histogram_exact", "combine_aggr", "variant_group_object"])
"""Aggregates that give back the values they are given, or one of them, and that sqlglot does not know."""


Name = TypeVar("Name", bound=Hashable)
"""What a database finds a table or view by."""


@dataclass(frozen=True, slots=True)
class View(Generic[Name]):
    """A view, or the query of one, and the tables and views that it reads."""

    name: str
    tree: exp.Expr
    reads: Sequence[Name]


@dataclass(frozen=True, slots=True)
class Collated:
    """How a database compares texts. `exact`: what its collation of bytes is called, as a query has it.

    `is_passed_on`: the text that a function makes is compared as the one that it is given; else one with a COLLATE
    alone is, through all that it is in. `has_rows`: it has whole rows, lists, structures and columns by a pattern.
    """

    exact: str
    is_passed_on: bool = True
    has_rows: bool = False

    def require_own_texts(
        self, first: Name, views: Mapping[Name, View[Name]], columns: Mapping[Name, Collection[str]]
    ) -> Collection[str]:
        """The columns of a view or table that are such texts.

        Raises SourceFault for a view that groups them, or takes the least, greatest or different ones.

        `views`: the first and those under it; `columns`: of the tables under them, those that compare texts so.
        """
        done: dict[Name, Collection[str]] = dict(columns)

        def looked_at(name: Name) -> Collection[str]:
            if name not in done:
                done[name] = ()
                view = views.get(name)
                if view is not None:
                    read = {column for each in view.reads for column in looked_at(each)}
                    done[name] = self.passed_on(view.name, view.tree, read)
            return done[name]

        return looked_at(first)

    def passed_on(self, view: str, tree: exp.Expr, columns: Collection[str]) -> frozenset[str]:
        """The columns of a view that are such texts, by those of what it reads. Raises SourceFault as above."""
        texts = _Texts(self, tree, columns)
        for node in tree.walk():
            found = texts.shown(node)
            if found:
                raise self.fault(view, found)
        query = tree.expression if isinstance(tree, exp.Create) else tree
        selected = [query]
        while any(isinstance(each, exp.SetOperation) for each in selected):
            selected = [one for each in selected for one in _sides(each)]
        values = [value for each in selected if isinstance(each, exp.Query) for value in each.selects]
        if any(each.is_star for each in values) or isinstance(tree.this, exp.Schema):
            return frozenset(texts.names)
        return frozenset(each.alias_or_name for each in values if texts.is_one(each.unalias()))

    def fault(self, view: str, what: str) -> SourceFault:
        """A view that shows one of these texts for all."""
        return of_spellings(view, what, f"COLLATE {self.exact}")

    def deciding(self, value: exp.Expr | None) -> exp.Expr | None:
        """What decides whether a value is such a text; None where it is none."""
        is_count = isinstance(value, exp.Anonymous) and value.name.lower() in _COUNTING
        return None if is_count or isinstance(value, _NO_TEXTS) else value

    def is_made(self, value: exp.Expr) -> bool:
        """Whether a value is such a text, whatever it is made of: none is."""
        del value
        return False

    def are_apart(self, values: Sequence[exp.Expr]) -> bool:
        """Whether of the literals that values may show no two may be equal and differ: they are compared by bytes."""
        del values
        return True


class _Texts:
    """The texts of one query that may be equal and differ.

    `names`: what it calls them, in lower case; `rows`: what its tables are called, each of which is a whole row, too.
    """

    def __init__(self, how: Collated, tree: exp.Expr, columns: Collection[str]) -> None:
        self.how = how
        self.names = {each.casefold() for each in columns}
        named = tree.find_all(exp.Table, exp.Subquery, exp.CTE) if how.has_rows else ()
        self.rows = {each.alias_or_name.casefold() for each in named if each.alias_or_name}
        while not self.names.issuperset(more := {each.casefold() for each in self._named(tree)}):
            self.names |= more

    def _named(self, tree: exp.Expr) -> Iterator[str]:
        """The names that a query gives such texts."""
        for column in tree.find_all(exp.JSONColumnDef):
            kind = column.args.get("kind")
            if isinstance(kind, exp.DataType) and is_text(kind):
                yield column.name
        for node in tree.find_all(exp.Alias, exp.PropertyEQ, exp.TableAlias, exp.Schema, exp.Values, exp.SetOperation):
            if isinstance(node, exp.SetOperation):
                for one, other in zip(node.left.selects, node.right.selects, strict=False):
                    if self.is_one(other.unalias()) or not self.how.are_apart([one, other]):
                        yield one.alias_or_name
                continue
            if isinstance(node, exp.Alias | exp.PropertyEQ):
                if self.is_one(node.this if isinstance(node, exp.Alias) else node.expression):
                    yield node.alias if isinstance(node, exp.Alias) else node.this.name
                continue
            if isinstance(node, exp.Values):
                for place in self._of_values(node):
                    yield from (f"column{place + 1}", f"col{place}", *_called(node)[place : place + 1])
                continue
            of = node.parent.args.get("expression" if isinstance(node, exp.Schema) else "this") if node.parent else None
            called = node.expressions if isinstance(node, exp.Schema) else node.args.get("columns") or []
            values = of.selects if isinstance(of, exp.Query) else []
            is_open = self.names and (isinstance(of, exp.Identifier) or any(each.is_star for each in values))
            for place, each in enumerate(called):
                if is_open or (place < len(values) and self.is_one(values[place].unalias())):
                    yield each.name

    def _of_values(self, values: exp.Values) -> set[int]:
        """The places of such texts in the rows that are written out."""
        rows = [each.expressions if isinstance(each, exp.Tuple) else [each] for each in values.expressions]
        places = enumerate(zip(*rows, strict=False))
        return {place for place, each in places if any(map(self.is_one, each)) or not self.how.are_apart(each)}

    def is_one(self, value: exp.Expr | None) -> bool:
        """Whether a value may be such a text."""
        value = self.how.deciding(value)
        if value is None:
            return False
        if isinstance(value, exp.Collate):
            return _is_loose(value)
        if self.how.is_made(value):
            return True
        if value.is_star or isinstance(value, exp.Columns | exp.PositionalColumn):
            return bool(self.names)
        if isinstance(value, exp.Column):
            return self._is_named(value)
        if isinstance(value, exp.Cast) and not is_text(value.to):
            return False
        if isinstance(value, exp.Query):
            return any(self.is_one(each.unalias()) for each in value.selects)
        if self.how.is_passed_on:
            return any(self.is_one(each) for each in value.iter_expressions())
        while isinstance(value, exp.Paren | exp.Cast):
            value = value.this
        return self._is_named(value) if isinstance(value, exp.Column) else _has_loose(value)

    def _is_named(self, column: exp.Column) -> bool:
        """Whether a name is one of theirs, a part of one, or a whole row that may have one."""
        if column.name.casefold() in self.names:
            return True
        is_whole = not column.table and column.name.casefold() in self.rows
        of = [each.name.casefold() for each in column.parts[:-1]] if self.how.has_rows else []
        is_part = any(each in self.names and each not in self.rows for each in of)
        return is_part or (is_whole and bool(self.names))

    def shown(self, node: exp.Expr) -> str:
        """How a node shows one text for several that are equal; empty where it does not."""
        if isinstance(node, exp.Min | exp.Max):
            given = (node.this, *node.expressions)
            return node.key.upper() if any(map(self.is_one, given)) else ""
        if isinstance(node, exp.Pivot) and self.how.has_rows:
            return f"{'UN' if node.args.get('unpivot') else ''}PIVOT" if self.names else ""
        if isinstance(node, exp.AggFunc) and not isinstance(node, _NO_TEXTS):
            sorted_by = [each.this for each in node.find_all(exp.Ordered)]
            chosen = [one for each in node.find_all(exp.Distinct) for one in each.expressions]
            given = (node.this,) if self.how.has_rows and not isinstance(node, exp.Sum | exp.Avg) else ()
            return "an aggregate" if any(map(self.is_one, (*given, *sorted_by, *chosen))) else ""
        if isinstance(node, exp.Anonymous) and node.name.lower() in _OF_VALUES:
            return f"{node.name.lower()}()" if any(map(self.is_one, node.expressions)) else ""
        if isinstance(node, exp.SetOperation):
            is_chosen = node.args.get("distinct") or not isinstance(node, exp.Union)
            values = [*node.left.selects, *node.right.selects] if is_chosen else []
            pairs = zip(node.left.selects, node.right.selects, strict=False) if is_chosen else ()
            is_one = any(self.is_one(each.unalias()) for each in values)
            return node.key.upper() if is_one or not all(map(self.how.are_apart, pairs)) else ""
        if not isinstance(node, exp.Select):
            return ""
        if node.args.get("distinct") and any(self.is_one(each.unalias()) for each in node.selects):
            return "DISTINCT"
        return "GROUP BY" if any(map(self.is_one, _keys(node))) else ""


def _is_loose(collate: exp.Collate) -> bool:
    return _EXACT.fullmatch(collate.expression.name) is None


def _has_loose(value: exp.Expr) -> bool:
    """Whether a value has a COLLATE in it that compares no bytes, and none around that does."""
    if isinstance(value, exp.Collate):
        return _is_loose(value)
    return any(map(_has_loose, value.iter_expressions()))


def _called(values: exp.Values) -> list[str]:
    """The names of the columns of rows that are written out, where there are any."""
    alias = values.args.get("alias")
    return [each.name for each in alias.columns] if isinstance(alias, exp.TableAlias) else []


def _sides(query: exp.Expr) -> tuple[exp.Expr, ...]:
    return (query.left, query.right) if isinstance(query, exp.SetOperation) else (query,)


def is_text(kind: exp.DataType) -> bool:
    """Whether a type is one of texts that have a collation."""
    is_binary = kind.this is exp.DType.CHARACTER_SET and kind.args["kind"].name.lower() == "binary"
    return not is_binary and (kind.this in exp.DataType.TEXT_TYPES or kind.this is exp.DType.CHARACTER_SET)


def _keys(select: exp.Select) -> Iterator[exp.Expr]:
    """The values that a query groups by, those named by their place or by an alias too."""
    group = select.args.get("group")
    if not isinstance(group, exp.Group):
        return
    if group.args.get("all"):
        yield from (each.unalias() for each in select.selects if not each.find(exp.AggFunc))
    several = (*group.args.get("rollup", ()), *group.args.get("cube", ()), *group.args.get("grouping_sets", ()))
    for each in (*group.expressions, *(one for sets in several for one in sets.find_all(exp.Column))):
        if not isinstance(each, exp.Literal) or each.is_string:
            yield each
        elif any(one.is_star or one.find(exp.Columns) for one in select.selects):
            yield from (one.unalias() for one in select.selects)
        elif 0 < int(each.name) <= len(select.selects):
            yield select.selects[int(each.name) - 1].unalias()


def collated_columns(text: str, dialect: str) -> frozenset[str]:
    """The columns of a table that are declared with a collation which compares no bytes, by the text that made it."""
    try:
        tokens = sqlglot.tokenize(text, dialect=dialect)
    except SqlglotError:
        return frozenset()
    found, depth, name = set[str](), 0, ""
    for token, before, after in zip(tokens, [None, *tokens], [*tokens[1:], None], strict=False):
        is_next = before is not None and before.token_type in (TokenType.L_PAREN, TokenType.COMMA)
        name = token.text if depth == 1 and is_next else name
        if token.token_type is TokenType.COLLATE and after is not None and not _EXACT.fullmatch(after.text):
            found.add(name)
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
    return frozenset(found)
