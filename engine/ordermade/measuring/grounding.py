"""Grounding: a hierarchy and a column of an open dataset become a countable attribute."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sqlglot import exp

from ordermade import sql
from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.hierarchy import NOT_COVERED, Grounding, Hierarchy, Key
from ordermade.lattice.observation import Sizes
from ordermade.least_k import in_words
from ordermade.loss.metrics import AttributeCosts, LevelClasses, attribute_costs, information
from ordermade.measuring.dataset import Dataset
from ordermade.sources.door import Door, Purpose

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
    """The value cast to a type, as DuckDB names it."""
    return exp.cast(value, kind, dialect=sql.DIALECT)


def smallest_type(cells: int) -> str:
    """The smallest type that numbers so many cells from 0."""
    sizes = (("UTINYINT", 1 << 8), ("USMALLINT", 1 << 16), ("UINTEGER", 1 << 32))
    return next(name for name, limit in sizes if cells <= limit)


@dataclass(frozen=True, slots=True)
class Attribute:
    """A grounded quasi-identifier: the table `keys` has one row a value, with its cell and its class at each level.

    A row of the dataset is joined on `code`: its value (`value`, compared as `value_type`) or what a rule makes of it.
    A class is called by the least of its cells, so classes of one level can be looked up as cells of a coarser one.
    `joined_by_value`: the source does not evaluate rules, so its rows are joined on values whatever keys are made of.
    `marginal[level]` is the whole histogram of the class sizes of this attribute alone, for every level below `*` that
    it can be counted at. `labels[level]` says what is released for each class, called as in the column
    `label_column(level)`. `cells`: how many cells there are (0 before anything is counted); `leaves[level]`: the leaves
    of the hierarchy under each class that holds rows, for the levels between 0 and `*` that it can be counted at.
    """

    position: int
    column: str
    hierarchy: Hierarchy
    base: int
    value: exp.Expr
    value_type: str
    rule: exp.Expr | None
    by_value: bool
    marginal: Mapping[int, Sizes]
    labels: Mapping[int, Mapping[int, str | None]]
    costs: AttributeCosts
    joined_by_value: bool = False
    cells: int = 0
    leaves: Mapping[int, Mapping[int, int]] = field(default_factory=dict)

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
    def class_counts(self) -> dict[int, int]:
        """Count the classes that hold rows, at every level that it can be counted at, `*` included."""
        counts = {level: sum(classes for _, classes in sizes) for level, sizes in self.marginal.items()}
        return {**counts, self.hierarchy.top: 1}

    @property
    def levels(self) -> range:
        """The levels it can be counted at, `*` excepted."""
        return range(self.base, self.hierarchy.top)

    @property
    def cell_column(self) -> str:
        """The attribute's column in a frequency set as it comes from the source."""
        return f"c{self.position}"

    def level_column(self, level: int) -> str:
        """The attribute's column of classes at a level, in its keys and in a widened frequency set."""
        return f"q{self.position}_l{level}"

    def label_column(self, level: int) -> str:
        """The column of its keys that `labels[level]` is looked up by."""
        return f"q{self.position}_g{level}" if self.by_value else self.level_column(level)


def for_attribute(fragment: exp.Expr, attribute: Attribute, level: int | None = None) -> exp.Expr:
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


def outline(dataset: Dataset, position: int, column: str, hierarchy: Hierarchy, base: int) -> Attribute:
    """The attribute `column` from level `base` up, before anything is counted: enough to write its statements."""
    base = min(base, hierarchy.top - 1)
    stored = dataset.type_of(column)
    value, key_type = as_key(column, stored)
    by_value = base == 0 and not hierarchy.enumerated
    rule = None if hierarchy.enumerated else hierarchy.code(sql.column(column, "dataset"), stored, base)
    return Attribute(
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
    )


def ground(dataset: Dataset, position: int, column: str, hierarchy: Hierarchy, base: int) -> Attribute:
    """The attribute `column` from level `base` up, made countable in the dataset's workspace.

    Reads how often each value (or each code of a rule) occurs, in one statement to the source. Raises HierarchyError,
    with counts only, where the hierarchy does not cover every value or lists one twice.
    """
    attribute = outline(dataset, position, column, hierarchy, base)
    workspace = dataset.backend.workspace
    grounding = store_keys(dataset, attribute)
    found = figures(workspace, attribute)
    require_coverage(found, attribute, dataset.least_k)
    numbered = _classes(workspace, attribute, grounding)
    classes = {level: [(n, leaves) for n, leaves in each.values()] for level, each in numbered.items()}
    marginal = {level: _histogram(n for n, _ in each) for level, each in classes.items()}
    costs = _costs(workspace, attribute, grounding, classes, found)
    if attribute.base == 0:
        marginal[0] = tuple((int(size), int(n)) for size, n in rows_of(workspace, "marginal_sizes", attribute))
    return replace(
        attribute,
        marginal=marginal,
        labels=_labels(grounding, attribute),
        costs=costs,
        cells=found.values if attribute.by_value else grounding.cells,
        leaves={level: {number: under for number, (_, under) in each.items()} for level, each in numbered.items()},
    )


def store_keys(dataset: Dataset, attribute: Attribute) -> Grounding:
    """Counts the attribute's values in the source and stores its table of keys; returns the grounding it came from.

    The source has the table of keys, too.
    """
    backend, workspace = dataset.backend, dataset.backend.workspace
    backend.keep(Purpose.COVERAGE, attribute.counted_values, marginal_statement(dataset, attribute), part="counted")
    grounding = attribute.hierarchy.ground(attribute.base, _codes(workspace, attribute))
    statement, parameters = keys_statement(attribute, grounding)
    workspace.store(Purpose.COVERAGE, attribute.listed, statement, parameters)
    if attribute.by_value:
        workspace.store(Purpose.COVERAGE, attribute.keys, coded_keys_statement(attribute))
    elif attribute.joined_by_value:
        workspace.store(Purpose.COVERAGE, attribute.keys, value_keys_statement(attribute))
    backend.upload(attribute.keys)
    return grounding


def marginal_statement(dataset: Dataset, attribute: Attribute) -> exp.Select:
    """The statement that counts each value of a column, or each code of a rule over it.

    The source answers what is called `counted`. Of a column whose values are compared as they are stored that is a row
    a value; the workspace evaluates the rule.
    """
    tree = sql.select("marginal_values" if attribute.counted_by_value else "marginal_codes")
    code = attribute.value if attribute.rule is None else attribute.rule
    if isinstance(attribute.value, exp.Column):
        without_code(tree)
        key = exp.column("key", table="counted")
        code = code.copy().transform(lambda node: key.copy() if node == attribute.value else node)
        tree = sql.with_expressions(tree, {"counted.code": code})
    filled = sql.with_expressions(tree, {"dataset.qi": attribute.value, "dataset.code": code})
    return sql.with_relations(filled, {"dataset": dataset.relation})


def without_code(tree: exp.Select) -> None:
    """Takes the column of codes out of what the source counts of an attribute."""
    counted = next(each.this for each in tree.find_all(exp.Subquery) if each.alias == "counted")
    for part in (counted, counted.args["group"]):
        kept = [each for each in part.expressions if all(column.name != "code" for column in each.find_all(exp.Column))]
        part.set("expressions", kept)


def keys_statement(attribute: Attribute, grounding: Grounding) -> tuple[exp.Select, dict[str, Sequence[object]]]:
    """The statement that lists key, cell and classes of every key of a grounding, and what is bound in it.

    The listed values of an explicit hierarchy are read as the column's type; a rule's codes stay as they are.
    """
    tree = sql.select("leaf_keys")
    key, cell, _ = tree.expressions
    listed = tree.args["from_"].this.this
    listed_key, listed_cell, _ = listed.expressions
    kind = smallest_type(grounding.cells)
    parameters: dict[str, Sequence[object]] = {"leaves": grounding.keys, "cells": grounding.cell_of_key}
    outer, inner = [key, sql.named(as_type(cell, kind), "cell")], [listed_key, listed_cell]
    for level in sorted(grounding.classes):
        if level == attribute.hierarchy.top:
            continue
        name = attribute.level_column(level)
        parameters[name] = [grounding.classes[level][each] for each in grounding.cell_of_key]
        inner.append(exp.alias_(exp.Unnest(expressions=[exp.Parameter(this=exp.var(name))]), name))
        outer.append(exp.alias_(as_type(exp.column(name, table="leaf"), kind), name))
    tree.set("expressions", outer)
    listed.set("expressions", inner)
    if attribute.rule is not None:
        key.set("this", exp.column("key", table="leaf"))
        tree.set("where", None)
    for cast in tree.find_all(exp.TryCast):
        if cast.to.this is not exp.DType.DOUBLE:  # the check that no number was rounded
            cast.set("to", exp.DataType.build(attribute.value_type, dialect=sql.DIALECT))
    return tree, parameters


def coded_keys_statement(attribute: Attribute) -> exp.Select:
    """The statement that lists key, cell and classes of every value that occurs, by the code that a rule gives it."""
    tree = sql.with_columns(sql.select("coded_keys"), {"code_classes.code": "key"})
    key, cell, level = tree.expressions
    columns = [key, cell, exp.alias_(exp.column("cell", table="numbered"), attribute.level_column(0))]
    for number in range(1, attribute.hierarchy.top):
        name = attribute.level_column(number)
        columns.append(sql.named(sql.with_columns(level.copy(), {"code_classes.class": name}), name))
        columns.append(exp.alias_(exp.column(name, table="code_classes"), attribute.label_column(number)))
    tree.set("expressions", columns)
    return sql.with_relations(tree, attribute.relations)


def value_keys_statement(attribute: Attribute) -> exp.Select:
    """The statement that lists key, cell and classes of every value that occurs, with the cells of a rule's codes."""
    tree = sql.with_columns(sql.select("value_keys"), {"code_classes.code": "key"})
    key, cell, level = tree.expressions
    names = [attribute.level_column(number) for number in attribute.levels]
    classes = [sql.named(sql.with_columns(level.copy(), {"code_classes.class": name}), name) for name in names]
    tree.set("expressions", [key, cell, *classes])
    return sql.with_relations(tree, attribute.relations)


@dataclass(frozen=True, slots=True)
class Figures:
    """The fit of a hierarchy and a column: values left out, values listed twice; and the size of the column."""

    missing_values: int
    missing_rows: int
    repeated: int
    rows: int
    values: int
    sum_of_n_ln_n: float


def figures(workspace: Door, attribute: Attribute) -> Figures:
    """The figures of the attribute's stored keys and marginal, counted in the workspace."""
    missing, missing_rows, repeated, rows, values, n_ln_n = rows_of(workspace, "attribute_figures", attribute)[0]
    return Figures(int(missing), int(missing_rows), int(repeated), int(rows), int(values), float(n_ln_n))


def rows_of(workspace: Door, name: str, attribute: Attribute) -> list[Any]:
    """The answer of a template over one attribute's tables."""
    return workspace.rows(Purpose.COVERAGE, sql.with_relations(sql.template(name), attribute.relations))


def _codes(workspace: Door, attribute: Attribute) -> list[Key]:
    if attribute.rule is None:
        return []
    return [row[0] for row in rows_of(workspace, "codes", attribute) if row[0] != NOT_COVERED]


def require_coverage(found: Figures, attribute: Attribute, least_k: int) -> None:
    """Raises HierarchyError where the hierarchy does not cover every value, or lists one twice.

    No count below `least_k` is shown.
    """
    name = attribute.hierarchy.name
    where = f"column {quoted(attribute.column)}, hierarchy {quoted(name)}"
    if found.repeated:
        raise HierarchyError(
            f"{found.repeated} listed value(s) are listed twice once read as the column's type",
            where=where,
            next_step="List each value once (1, 01 and 1.0 are one number).",
        )
    if found.missing_values:
        raise HierarchyError(
            f"{in_words(found.missing_values, least_k)} value(s) of the column, in "
            f"{in_words(found.missing_rows, least_k)} row(s), are not in the hierarchy",
            where=where,
            next_step="Add them (`ordermade hierarchy check … --show-values` lists them to the provider), "
            "or leave the rows out with `where`.",
        )


def _classes(
    workspace: Door, attribute: Attribute, grounding: Grounding
) -> Mapping[int, Mapping[int, tuple[int, int]]]:
    """(rows, leaves) of every class that holds rows, by its number, for the levels from max(base, 1) below `*`."""
    levels = range(max(attribute.base, 1), attribute.hierarchy.top)
    if not levels:
        return {}
    statement = sql.union_all(_level_classes_statement(attribute, level) for level in levels)
    leaves = {level: _leaves_under(grounding, level) for level in levels} if attribute.rule is None else {}
    found: dict[int, dict[int, tuple[int, int]]] = {level: {} for level in levels}
    for level, number, n, under in workspace.rows(Purpose.COVERAGE, statement):
        found[level][int(number)] = (int(n), leaves[level][number] or 1 if leaves else int(under))
    return found


def _histogram(sizes: Iterable[int]) -> Sizes:
    return tuple(sorted(Counter(sizes).items()))


def _level_classes_statement(attribute: Attribute, level: int) -> exp.Query:
    tree = sql.with_columns(sql.select("level_classes"), {"keys.level": attribute.level_column(level)})
    tree.expressions[0].set("this", exp.Literal.number(level))
    return sql.with_relations(tree, attribute.relations)


def _leaves_under(grounding: Grounding, level: int) -> dict[int, int]:
    leaves: dict[int, int] = {}
    for number, count in zip(grounding.classes[level], grounding.leaves, strict=True):
        leaves[number] = leaves.get(number, 0) + count
    return leaves


def _labels(grounding: Grounding, attribute: Attribute) -> Mapping[int, Mapping[int, str | None]]:
    return {
        level: dict(zip(grounding.classes[level], grounding.labels[level], strict=True))
        for level in range(max(attribute.base, 1), attribute.hierarchy.top)
    }


def _costs(
    workspace: Door,
    attribute: Attribute,
    grounding: Grounding,
    classes: Mapping[int, LevelClasses],
    found: Figures,
) -> AttributeCosts:
    if attribute.rule is None:
        counts = rows_of(workspace, "marginal_counts", attribute)
        null_unlisted = any(is_null for _, is_null in counts) and _null_is_unlisted(grounding)
        domain, leaf_information = sum(grounding.leaves) + null_unlisted, information(int(n) for n, _ in counts)
    else:
        domain, leaf_information = found.values, found.sum_of_n_ln_n / math.log(2)
    order = attribute.hierarchy.order
    known = {**classes, order.top: [(found.rows, domain)]}
    return attribute_costs(order, known, leaf_information=leaf_information, domain_leaves=domain)


def _null_is_unlisted(grounding: Grounding) -> bool:
    return grounding.leaves[grounding.cell_of_key[grounding.keys.index(None)]] == 0
