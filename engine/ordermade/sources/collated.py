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
_NO_TEXTS = (exp.Predicate, exp.Count, exp.CountIf, exp.Length, exp.Not, exp.And, exp.Or)
_COUNTING = frozenset(["octet_length", "bit_length"])
"""What gives no text, whatever it is given; the names of functions that sqlglot does not know."""


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

    `is_passed_on`: the text that a function makes is compared as the one that it is given.
    """

    exact: str
    is_passed_on: bool = True

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
        names = {each.casefold() for each in columns}
        while not names.issuperset(more := {each.casefold() for each in self._named(tree, names)}):
            names |= more
        for node in tree.walk():
            found = self._shown(node, names)
            if found:
                raise self.fault(view, found)
        query = tree.expression if isinstance(tree, exp.Create) else tree
        selected = [query]
        while any(isinstance(each, exp.SetOperation) for each in selected):
            selected = [one for each in selected for one in _sides(each)]
        values = [value for each in selected if isinstance(each, exp.Query) for value in each.selects]
        if any(each.is_star for each in values) or isinstance(tree.this, exp.Schema):
            return frozenset(names)
        return frozenset(each.alias_or_name for each in values if self.is_one(each.unalias(), names))

    def fault(self, view: str, what: str) -> SourceFault:
        """A view that shows one of these texts for all."""
        return of_spellings(view, what, f"COLLATE {self.exact}")

    def _named(self, tree: exp.Expr, names: Collection[str]) -> Iterator[str]:
        """The names that a query gives such texts."""
        for node in tree.find_all(exp.Alias, exp.TableAlias, exp.Schema):
            if isinstance(node, exp.Alias):
                if self.is_one(node.this, names):
                    yield node.alias
                continue
            of = node.parent.args.get("expression" if isinstance(node, exp.Schema) else "this") if node.parent else None
            called = node.expressions if isinstance(node, exp.Schema) else node.args.get("columns") or []
            values = of.selects if isinstance(of, exp.Query) else []
            is_open = isinstance(of, exp.Identifier) or any(each.is_star for each in values)
            for place, each in enumerate(called):
                if is_open or (place < len(values) and self.is_one(values[place].unalias(), names)):
                    yield each.name

    def is_one(self, value: exp.Expr | None, names: Collection[str]) -> bool:
        """Whether a value may be such a text."""
        is_count = isinstance(value, exp.Anonymous) and value.name.lower() in _COUNTING
        if value is None or is_count or isinstance(value, _NO_TEXTS):
            return False
        if isinstance(value, exp.Collate):
            return _EXACT.fullmatch(value.expression.name) is None
        if value.is_star:
            return bool(names)
        if isinstance(value, exp.Column):
            return value.name.casefold() in names
        if isinstance(value, exp.Cast) and not _is_text(value.to):
            return False
        if isinstance(value, exp.Query):
            return any(self.is_one(each.unalias(), names) for each in value.selects)
        if not (self.is_passed_on or isinstance(value, exp.Paren | exp.Cast)):
            return False
        return any(self.is_one(each, names) for each in value.iter_expressions())

    def _shown(self, node: exp.Expr, names: Collection[str]) -> str:
        """How a node shows one text for several that are equal; empty where it does not."""
        if isinstance(node, exp.Min | exp.Max):
            return node.key.upper() if self.is_one(node.this, names) else ""
        if isinstance(node, exp.AggFunc) and not isinstance(node, exp.Count):
            sorted_by = [each.this for each in node.find_all(exp.Ordered)]
            chosen = [one for each in node.find_all(exp.Distinct) for one in each.expressions]
            return "an aggregate" if any(self.is_one(each, names) for each in (*sorted_by, *chosen)) else ""
        if isinstance(node, exp.SetOperation):
            values = [*node.left.selects, *node.right.selects] if node.args.get("distinct") else []
            return node.key.upper() if any(self.is_one(each.unalias(), names) for each in values) else ""
        if not isinstance(node, exp.Select):
            return ""
        if node.args.get("distinct") and any(self.is_one(each.unalias(), names) for each in node.selects):
            return "DISTINCT"
        return "GROUP BY" if any(self.is_one(each, names) for each in _keys(node)) else ""


def _sides(query: exp.Expr) -> tuple[exp.Expr, ...]:
    return (query.left, query.right) if isinstance(query, exp.SetOperation) else (query,)


def _is_text(kind: exp.DataType) -> bool:
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
        is_place = isinstance(each, exp.Literal) and not each.is_string and 0 < int(each.name) <= len(select.selects)
        yield select.selects[int(each.name) - 1].unalias() if is_place else each


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
