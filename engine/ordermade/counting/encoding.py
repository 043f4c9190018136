"""Grounding: a hierarchy and a column of an open dataset, and the tables that make them a countable attribute."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import duckdb
from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Dataset
from ordermade.counting.statements import Statement, carry_out
from ordermade.hierarchies.hierarchy import NOT_COVERED, Grounding, Hierarchy, Key
from ordermade.lattice.lattice import Node
from ordermade.lattice.observation import Sizes
from ordermade.loss.costs import AttributeCosts
from ordermade.sources.executor import Executor, Purpose
from ordermade.state.cache_contents import CountedColumn, counted_column

_COMPARED_AS_STORED = frozenset(
    [
        "TINYINT",
        "SMALLINT",
        "INTEGER",
        "BIGINT",
        "HUGEINT",
        "UTINYINT",
        "USMALLINT",
        "UINTEGER",
        "UBIGINT",
        "UHUGEINT",
        "FLOAT",
        "DOUBLE",
        "DATE",
        "TIME",
        "TIMESTAMP",
        "TIMESTAMP_S",
        "TIMESTAMP_MS",
        "TIMESTAMP_NS",
        "BOOLEAN",
        "VARCHAR",
    ]
)


def as_key(column: str, stored: str) -> tuple[exp.Expr, str]:
    """Return the expression and type that a hierarchy's listed values are compared with in a column of this type."""
    as_stored = stored in _COMPARED_AS_STORED or stored.startswith("DECIMAL")
    value: exp.Expr = sql.column(column, "dataset")
    return (value, stored) if as_stored else (as_type(value, "VARCHAR"), "VARCHAR")


def as_type(value: exp.Expr, kind: str) -> exp.Expr:
    """The value, which it takes, cast to a type, as DuckDB names it."""
    return exp.cast(value, kind, dialect=sql.DIALECT, copy=False)


def smallest_type(cells: int) -> str:
    """The smallest type that numbers so many cells from 0."""
    sizes = (("UTINYINT", 1 << 8), ("USMALLINT", 1 << 16), ("UINTEGER", 1 << 32))
    return next(name for name, limit in sizes if cells <= limit)


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a column is coded: what the statements of a grounded quasi-identifier go by, and nothing that was counted.

    `value`: its value, compared as `value_type`; `rule`: what a rule makes of it, None where a hierarchy lists values;
    `by_value`: values are coded one by one, by the codes of the rule. `joined_by_value`: the source does not evaluate
    rules, so its rows are joined on values whatever keys are made of. Tables and columns are called by its `position`.
    """

    position: int
    value: exp.Expr
    value_type: str
    rule: exp.Expr | None
    by_value: bool
    joined_by_value: bool = field(default=False, kw_only=True)

    @property
    def encoding(self) -> Encoding:
        """This alone: equal for all columns whose statements are the same."""
        return Encoding(
            self.position,
            self.value,
            self.value_type,
            self.rule,
            self.by_value,
            joined_by_value=self.joined_by_value,
        )

    @property
    def code(self) -> exp.Expr:
        """The expression that joins a row of the dataset with the table of keys."""
        return self.value if self.counted_by_value or self.rule is None else self.rule

    @property
    def keys(self) -> str:
        """The name of the table of keys."""
        return f"keys_{self.position}"

    @property
    def counted_values(self) -> str:
        """The name of the table that counts its values."""
        return f"marginal_{self.position}"

    @property
    def codes(self) -> str:
        """The name of the table of a rule's codes, where rows are joined on values."""
        return f"codes_{self.position}"

    @property
    def counted_by_value(self) -> bool:
        """Whether its values are counted, and not the codes of a rule over them."""
        return self.by_value or self.joined_by_value or self.rule is None

    @property
    def listed(self) -> str:
        """The name of the table of what a grounding lists: keys, or the codes of a rule that keys are looked up by."""
        return self.codes if self.by_value or self.joined_by_value else self.keys

    @property
    def relations(self) -> dict[str, exp.Expr]:
        """Its tables by the stand-in names of the templates."""
        return {
            "keys": exp.to_table(self.keys),
            "marginal": exp.to_table(self.counted_values),
            "code_classes": exp.to_table(self.codes),
        }

    @property
    def cell_column(self) -> str:
        """The attribute's column in a frequency set as it comes from the source."""
        return f"c{self.position}"

    def level_column(self, level: int) -> str:
        """The attribute's column of classes at a level, in its keys and in a widened frequency set."""
        return f"q{self.position}_l{level}"

    def label_column(self, level: int) -> str:
        """The column of its keys that labels are looked up by."""
        return f"q{self.position}_g{level}" if self.by_value else self.level_column(level)


@dataclass(frozen=True, slots=True)
class EncodedColumn(Encoding):
    """A grounded quasi-identifier: the table `keys` has one row a value, with its cell and its class at each level.

    A row of the dataset is joined on `code`: its value or what a rule makes of it. A class is called by the least of
    its cells, so classes of one level can be looked up as cells of a coarser one.

    `marginal[level]` is the whole histogram of the class sizes of this attribute alone, for every level below `*` that
    it can be counted at. `labels[level]` says what is released for each class, called as in the column
    `label_column(level)`. `cells`: how many cells there are (0 before anything is counted); `leaves[level]`: the leaves
    of the hierarchy under each class that holds rows, for the levels between 0 and `*` that it can be counted at.

    `missing_as_star`: missing values are released as `*` at every level. They are in one class with each other alone
    then, at every level below the top the class `star_cell` (None where no row has one), under which all leaves are.
    """

    column: str
    hierarchy: Hierarchy
    base: int
    marginal: Mapping[int, Sizes]
    labels: Mapping[int, Mapping[int, str | None]]
    costs: AttributeCosts
    cells: int = 0
    leaves: Mapping[int, Mapping[int, int]] = field(default_factory=dict)
    missing_as_star: bool = False
    star_cell: int | None = None

    def has_labels_at(self, level: int) -> bool:
        """Whether what is released at a level is a label of a class: neither the column's own value, nor all `*`."""
        return level < self.hierarchy.top and (level > 0 or self.missing_as_star)

    @property
    def class_counts(self) -> dict[int, int]:
        """Count the classes that hold rows, at every level that it can be counted at, `*` included."""
        counts = {level: sum(classes for _, classes in sizes) for level, sizes in self.marginal.items()}
        return {**counts, self.hierarchy.top: 1}

    @property
    def levels(self) -> range:
        """The levels it can be counted at, `*` excepted."""
        return range(self.base, self.hierarchy.top)


NEAR_ROWS, WORTH_ROWS = 0.5, 1_000_000
"""Combinations are near the rows from this share of them on. Of fewer rows, they take no room worth saving."""


def coarser_bases(attributes: Sequence[EncodedColumn], rows: int, ruled_out: Callable[[Sizes], bool]) -> Node | None:
    """The level of each attribute from which up its values need be counted; None where they are from their bases.

    Where combinations may be nearly as many as the rows, levels that its own marginal rules out are left out, as every
    node fails that has one of them. `ruled_out`: whether the class sizes of a column alone show that.
    """
    most = math.prod(each.class_counts[each.base] for each in attributes)
    if rows < WORTH_ROWS or most < NEAR_ROWS * rows:
        return None
    found = tuple(_finest_left(each, ruled_out) for each in attributes)
    return None if found == tuple(each.base for each in attributes) else found


def _finest_left(attribute: EncodedColumn, ruled_out: Callable[[Sizes], bool]) -> int:
    """The finest level that is not ruled out, and that every coarser level can be made from."""
    base, order = attribute.base, attribute.hierarchy.order
    for level in attribute.levels:
        if all(order.refines(level, each) for each in attribute.levels if each > level):
            base = level
        if not ruled_out(attribute.marginal[level]):
            break
    return base


def for_attribute(fragment: exp.Expr, attribute: Encoding, level: int | None = None) -> exp.Expr:
    """A copy of a fragment of a template with one attribute's names in it.

    `keys` becomes its table of keys, `keys.level` its column at `level`, `dataset.code` what it joins on,
    `frequency_set.qi` and the alias `qi` its column in frequency sets (at `level` if given), `level` likewise.
    """
    counted = attribute.cell_column if level is None else attribute.level_column(level)

    def fill(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Table) and node.name == "keys":
            return exp.to_table(attribute.keys)
        if not isinstance(node, exp.Column):
            return node
        if node.table == "dataset" and node.name == "code":
            return attribute.code.copy()
        if node.table == "frequency_set" and node.name == "qi":
            return exp.column(counted, table="frequency_set")
        if node.table == "keys":
            return exp.column(counted if node.name == "level" else node.name, table=attribute.keys)
        return node

    filled = fragment.copy().transform(fill, copy=False)
    if isinstance(filled, exp.Alias) and filled.alias in ("qi", "level"):
        filled.set("alias", exp.to_identifier(counted))
    return filled


def encode_column(
    dataset: Dataset, position: int, column: str, hierarchy: Hierarchy, base: int, *, missing_as_star: bool = False
) -> EncodedColumn:
    """The attribute `column` from level `base` up, before anything is counted: enough to write its statements."""
    base = min(base, hierarchy.top - 1)
    stored = dataset.type_of(column)
    value, key_type = as_key(column, stored)
    by_value = base == 0 and not hierarchy.enumerated
    rule = None if hierarchy.enumerated else hierarchy.code(sql.column(column, "dataset"), stored, base)
    return EncodedColumn(
        position=position,
        column=column,
        hierarchy=hierarchy,
        base=base,
        value=value,
        value_type=key_type,
        rule=rule,
        by_value=by_value,
        joined_by_value=rule is not None and not by_value and not dataset.backend.capabilities.evaluates_rules,
        marginal={},
        labels={},
        costs=AttributeCosts((), ()),
        missing_as_star=missing_as_star,
    )


def store_keys(dataset: Dataset, attribute: EncodedColumn, *, is_counted: bool = False) -> Grounding:
    """Counts the attribute's values in the source and stores its table of keys; returns the grounding it came from.

    The source has the table of keys, too. `is_counted`: the workspace has the counts already.
    """
    backend, workspace = dataset.backend, dataset.backend.workspace
    if not is_counted:
        carry_out(backend, Purpose.COVERAGE, [values_counted(dataset, attribute)])
    grounding = attribute.hierarchy.ground(attribute.base, _codes(workspace, attribute))
    listed = _leaf_keys.text(*_listing(attribute, grounding))
    workspace.store(Purpose.COVERAGE, attribute.listed, listed, _keys_bound(attribute, grounding))
    if attribute.by_value:
        coded = _coded_keys.text(attribute.encoding, attribute.hierarchy.top)
        workspace.store(Purpose.COVERAGE, attribute.keys, coded)
    elif attribute.joined_by_value:
        workspace.store(Purpose.COVERAGE, attribute.keys, value_keys_statement(attribute))
    backend.upload(attribute.keys)
    return grounding


def values_counted(dataset: Dataset, attribute: EncodedColumn) -> Statement:
    """The statement, for the source, that counts the attribute's values."""
    title, tree = f"coverage: how often each value of {attribute.column} occurs", marginal_statement(dataset, attribute)
    return Statement(title, True, attribute.counted_values, tree, part="counted")


def as_counted(attribute: EncodedColumn) -> CountedColumn:
    """The counts of the attribute's values, by all that determines them beside the rows of the dataset."""
    counted = counted_column(attribute.column, attribute.hierarchy, attribute.base)
    return CountedColumn(counted, _marginal_hash(attribute.encoding))


@lru_cache(maxsize=128)
def _marginal_hash(encoding: Encoding) -> str:
    parts = (
        duckdb.__version__,
        sql.script(_marginal_of(encoding)),
        sql.text(encoding.value),
        encoding.value_type,
        "" if encoding.rule is None else sql.text(encoding.rule),
    )
    return hashlib.sha256("\n".join(f"{len(part)}:{part}" for part in parts).encode()).hexdigest()


def _marginal_of(encoding: Encoding) -> str:
    """The name of the template that counts its values, or the codes of a rule over them."""
    return "coverage/marginal_values" if encoding.counted_by_value else "coverage/marginal_codes"


def marginal_statement(dataset: Dataset, attribute: EncodedColumn) -> exp.Select:
    """The statement that counts each value of a column, or each code of a rule over it.

    The source answers what is called `counted`. Of a column whose values are compared as they are stored that is a row
    a value; the workspace evaluates the rule.
    """
    return dataset.counted(_marginal(attribute.encoding))


@sql.BuiltOnce
def _marginal(encoding: Encoding) -> exp.Select:
    tree = sql.select(_marginal_of(encoding))
    code = encoding.value if encoding.rule is None else encoding.rule
    if isinstance(encoding.value, exp.Column):
        without_code(tree)
        key = exp.column("key", table="counted")
        code = code.copy().transform(lambda node: key.copy() if node == encoding.value else node)
        tree = sql.with_expressions(tree, {"counted.code": code})
    return sql.with_expressions(tree, {"dataset.qi": encoding.value, "dataset.code": code})


def without_code(tree: exp.Select) -> None:
    """Takes the column of codes out of what the source counts of an attribute."""
    counted = next(each.this for each in tree.find_all(exp.Subquery) if each.alias == "counted")
    for part in (counted, counted.args["group"]):
        kept = [each for each in part.expressions if all(column.name != "code" for column in each.find_all(exp.Column))]
        part.set("expressions", kept)


def keys_statement(attribute: EncodedColumn, grounding: Grounding) -> tuple[exp.Select, dict[str, Sequence[object]]]:
    """The statement that lists key, cell and classes of every key of a grounding, and what is bound in it.

    The listed values of an explicit hierarchy are read as the column's type; a rule's codes stay as they are.
    """
    return _leaf_keys(*_listing(attribute, grounding)), _keys_bound(attribute, grounding)


def _listing(attribute: EncodedColumn, grounding: Grounding) -> tuple[tuple[str, ...], str, str | None]:
    """The columns of classes that a grounding lists, the type of its cells, and that of its keys if they are values."""
    columns = tuple(attribute.level_column(level) for level in _levels_below(attribute, grounding))
    return columns, smallest_type(grounding.cells), attribute.value_type if attribute.rule is None else None


def _levels_below(attribute: EncodedColumn, grounding: Grounding) -> list[int]:
    return [level for level in sorted(grounding.classes) if level != attribute.hierarchy.top]


def _keys_bound(attribute: EncodedColumn, grounding: Grounding) -> dict[str, Sequence[object]]:
    bound: dict[str, Sequence[object]] = {"leaves": grounding.keys, "cells": grounding.cell_of_key}
    for level in _levels_below(attribute, grounding):
        classes = grounding.classes[level]
        bound[attribute.level_column(level)] = [classes[each] for each in grounding.cell_of_key]
    return bound


@sql.BuiltOnce
def _leaf_keys(columns: tuple[str, ...], kind: str, value_type: str | None) -> exp.Select:
    tree = sql.select("coverage/leaf_keys")
    key, cell, _ = tree.expressions
    listed = tree.args["from_"].this.this
    listed_key, listed_cell, _ = listed.expressions
    outer, inner = [key, sql.named(as_type(cell, kind), "cell")], [listed_key, listed_cell]
    for name in columns:
        inner.append(exp.alias_(exp.Unnest(expressions=[exp.Parameter(this=exp.var(name))]), name, copy=False))
        outer.append(exp.alias_(as_type(exp.column(name, table="leaf"), kind), name, copy=False))
    tree.set("expressions", outer)
    listed.set("expressions", inner)
    if value_type is None:
        key.set("this", exp.column("key", table="leaf"))
        tree.set("where", None)
        return tree
    for cast in tree.find_all(exp.TryCast):
        if cast.to.this is not exp.DType.DOUBLE:  # the check that no number was rounded
            cast.set("to", exp.DataType.build(value_type, dialect=sql.DIALECT))
    return tree


def coded_keys_statement(attribute: EncodedColumn) -> exp.Select:
    """The statement that lists key, cell and classes of every value that occurs, by the code that a rule gives it."""
    return _coded_keys(attribute.encoding, attribute.hierarchy.top)


@sql.BuiltOnce
def _coded_keys(encoding: Encoding, top: int) -> exp.Select:
    tree = sql.with_columns(sql.select("coverage/coded_keys"), {"code_classes.code": "key"})
    key, cell, level = tree.expressions
    columns = [key, cell, exp.alias_(exp.column("cell", table="numbered"), encoding.level_column(0), copy=False)]
    for number in range(1, top):
        name = encoding.level_column(number)
        columns.append(sql.named(sql.with_columns(level.copy(), {"code_classes.class": name}), name))
        of_labels = exp.column(name, table="code_classes")
        columns.append(exp.alias_(of_labels, encoding.label_column(number), copy=False))
    tree.set("expressions", columns)
    return sql.with_relations(tree, encoding.relations)


def value_keys_statement(attribute: EncodedColumn) -> exp.Select:
    """The statement that lists key, cell and classes of every value that occurs, with the cells of a rule's codes."""
    tree = sql.with_columns(sql.select("coverage/value_keys"), {"code_classes.code": "key"})
    key, cell, level = tree.expressions
    names = [attribute.level_column(number) for number in attribute.levels]
    classes = [sql.named(sql.with_columns(level.copy(), {"code_classes.class": name}), name) for name in names]
    tree.set("expressions", [key, cell, *classes])
    return sql.with_relations(tree, attribute.relations)


def rows_of(workspace: Executor, name: str, attribute: EncodedColumn) -> list[Any]:
    """The answer of a template over one attribute's tables."""
    return workspace.rows(Purpose.COVERAGE, _over_tables.text(name, attribute.encoding))


@sql.BuiltOnce
def _over_tables(name: str, encoding: Encoding) -> exp.Expr:
    return sql.with_relations(sql.template(name), encoding.relations)


def _codes(workspace: Executor, attribute: EncodedColumn) -> list[Key]:
    if attribute.rule is None:
        return []
    return [row[0] for row in rows_of(workspace, "coverage/codes", attribute) if row[0] != NOT_COVERED]
