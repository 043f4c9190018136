"""Grounding: from a hierarchy and a column of an open dataset to an attribute that can be counted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.hierarchy import NOT_COVERED, Grounding, Hierarchy, Key
from ordermade.loss.costs import AttributeCosts, LevelClasses, attribute_costs, information
from ordermade.measuring.attribute import Attribute, label_column, level_column
from ordermade.measuring.dataset import Dataset
from ordermade.sources.door import Door, Purpose

_COMPARED_AS_STORED = frozenset(
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT FLOAT DOUBLE DATE TIME "
    "TIMESTAMP TIMESTAMP_S TIMESTAMP_MS TIMESTAMP_NS BOOLEAN VARCHAR".split()
)


def ground(dataset: Dataset, position: int, column: str, hierarchy: Hierarchy, base: int) -> Attribute:
    """The attribute `column` from level `base` up, made countable in the dataset's workspace.

    Reads how often each value (or each code of a rule) occurs, in one statement to the source. Raises HierarchyError,
    with counts only, where the hierarchy does not cover every value or lists one twice.
    """
    base = min(base, hierarchy.top - 1)
    stored = dataset.type_of(column)
    value, key_type = _as_key(column, stored)
    by_value = base == 0 and not hierarchy.enumerated
    code = value if hierarchy.enumerated else hierarchy.code(sql.column(column, "dataset"), stored, base)
    workspace, tables = dataset.backend.workspace, _Tables(position)
    statement = marginal_statement(dataset, value, code, by_value=by_value or hierarchy.enumerated)
    dataset.backend.door.store(Purpose.COVERAGE, tables.marginal, statement)
    grounding = hierarchy.ground(base, [] if hierarchy.enumerated else _codes(workspace, tables))
    if by_value:
        _store_coded_keys(workspace, tables, grounding, hierarchy)
    else:
        _store_keys(workspace, tables.keys, grounding, hierarchy, key_type if hierarchy.enumerated else None, position)
    _check_coverage(workspace, tables, column, hierarchy)
    classes = _classes(workspace, tables, grounding, hierarchy, base)
    counts = {level: len(found) for level, found in classes.items()}
    if base == 0:
        counts[0] = int(_rows(workspace, "marginal_sums", tables)[0][0])
    return Attribute(
        position=position,
        column=column,
        hierarchy=hierarchy,
        base=base,
        code=value if by_value else code,
        by_value=by_value,
        class_counts=counts,
        labels=_labels(grounding, hierarchy, base),
        costs=_costs(workspace, tables, grounding, hierarchy, classes),
    )


def marginal_statement(
    dataset: Dataset, value: exp.Expression, code: exp.Expression, *, by_value: bool
) -> exp.Select:
    """The statement that counts each value of a column, or each code of a rule over it."""
    tree = sql.select("marginal_values" if by_value else "marginal_codes")
    filled = sql.with_expressions(tree, {"dataset.qi": value, "dataset.code": code})
    return sql.with_relations(filled, {"dataset": dataset.relation})


def keys_of(dataset: Dataset, column: str) -> tuple[exp.Expression, str]:
    """What a hierarchy's listed values are compared with in this column, and as which type."""
    return _as_key(column, dataset.type_of(column))


class _Tables:
    """The names of one attribute's tables in the workspace."""

    def __init__(self, position: int) -> None:
        self.position = position
        self.marginal = f"marginal_{position}"
        self.keys = f"keys_{position}"
        self.codes = f"codes_{position}"

    @property
    def relations(self) -> dict[str, exp.Expression]:
        return {
            "marginal": exp.to_table(self.marginal),
            "keys": exp.to_table(self.keys),
            "code_classes": exp.to_table(self.codes),
        }


def _rows(workspace: Door, name: str, tables: _Tables) -> list[tuple[int, ...]]:
    return workspace.rows(Purpose.COVERAGE, sql.with_relations(sql.template(name), tables.relations))


def _as_key(column: str, stored: str) -> tuple[exp.Expression, str]:
    as_stored = stored in _COMPARED_AS_STORED or stored.startswith("DECIMAL")
    value: exp.Expression = sql.column(column, "dataset")
    return (value, stored) if as_stored else (exp.cast(value, "VARCHAR", dialect=sql.DIALECT), "VARCHAR")


def _codes(workspace: Door, tables: _Tables) -> list[Key]:
    return [row[0] for row in _rows(workspace, "codes", tables) if row[0] != NOT_COVERED]  # type: ignore[misc]


def _smallest_type(cells: int) -> str:
    return next(name for name, limit in (("UTINYINT", 1 << 8), ("USMALLINT", 1 << 16), ("UINTEGER", 1 << 32)) if cells <= limit)


def _store_keys(
    workspace: Door, table: str, grounding: Grounding, hierarchy: Hierarchy, key_type: str | None, position: int
) -> None:
    """Stores key, cell and classes of every key of a grounding; `key_type` None keeps the keys as they are."""
    tree = sql.select("leaf_keys")
    key, cell, level = tree.expressions
    listed = tree.args["from_"].this.this
    listed_key, listed_cell, listed_level = listed.expressions
    kind = _smallest_type(grounding.cells)
    parameters: dict[str, Sequence[object]] = {"leaves": grounding.keys, "cells": grounding.cell_of_key}
    outer, inner = [key, sql.named(exp.cast(cell, kind, dialect=sql.DIALECT), "cell")], [listed_key, listed_cell]
    for number in range(max(grounding.base, 0 if hierarchy.enumerated else 1), hierarchy.top):
        name = level_column(position, number)
        of_cell = grounding.classes[number]
        parameters[name] = [of_cell[each] for each in grounding.cell_of_key]
        inner.append(exp.alias_(exp.Unnest(expressions=[exp.Parameter(this=exp.var(name))]), name))
        outer.append(exp.alias_(exp.cast(exp.column(name, table="leaf"), kind, dialect=sql.DIALECT), name))
    tree.set("expressions", outer)
    listed.set("expressions", inner)
    if key_type is None:
        key.set("this", exp.column("key", table="leaf"))
        tree.set("where", None)
    else:
        for cast in tree.find_all(exp.TryCast):
            cast.set("to", exp.DataType.build(key_type, dialect=sql.DIALECT))
    workspace.store(Purpose.COVERAGE, table, tree, parameters)


def _store_coded_keys(workspace: Door, tables: _Tables, grounding: Grounding, hierarchy: Hierarchy) -> None:
    """Stores key, cell and classes of every value that occurs, by the code that a rule gives it."""
    position = tables.position
    _store_keys(workspace, tables.codes, grounding, hierarchy, None, position)
    tree = sql.with_columns(sql.select("coded_keys"), {"code_classes.code": "key"})
    key, cell, level = tree.expressions
    columns = [key, cell, exp.alias_(exp.column("cell", table="numbered"), level_column(position, 0))]
    for number in range(1, hierarchy.top):
        name = level_column(position, number)
        columns.append(sql.named(sql.with_columns(level.copy(), {"code_classes.class": name}), name))
        columns.append(exp.alias_(exp.column(name, table="code_classes"), label_column(position, number)))
    tree.set("expressions", columns)
    workspace.store(Purpose.COVERAGE, tables.keys, sql.with_relations(tree, tables.relations))


def _check_coverage(workspace: Door, tables: _Tables, column: str, hierarchy: Hierarchy) -> None:
    repeated = _rows(workspace, "repeated_keys", tables)[0][0]
    where = f"column {quoted(column)}, hierarchy {quoted(hierarchy.name)}"
    if repeated:
        raise HierarchyError(
            f"{repeated} listed value(s) are listed twice once read as the column's type",
            where=where,
            next_step="List each value once (1, 01 and 1.0 are one number).",
        )
    values, rows = _rows(workspace, "coverage", tables)[0]
    if values:
        raise HierarchyError(
            f"{values} value(s) of the column, in {rows} row(s), are not in the hierarchy",
            where=where,
            next_step=f"`ordermade hierarchy check {hierarchy.name}` with --show-values lists them to the provider; "
            "add them, or leave the rows out with `where`.",
        )


def _classes(
    workspace: Door, tables: _Tables, grounding: Grounding, hierarchy: Hierarchy, base: int
) -> dict[int, LevelClasses]:
    """(rows, leaves) of every class that holds rows, for the levels from max(base, 1) below `*`."""
    found: dict[int, LevelClasses] = {}
    for level in range(max(base, 1), hierarchy.top):
        tree = sql.with_columns(sql.select("level_classes"), {"keys.level": level_column(tables.position, level)})
        counted = workspace.rows(Purpose.COVERAGE, sql.with_relations(tree, tables.relations))
        if hierarchy.enumerated:
            leaves = _leaves_under(grounding, level)
            found[level] = [(int(n), leaves[number] or 1) for number, n, _ in counted]
        else:
            found[level] = [(int(n), int(under)) for _, n, under in counted]
    return found


def _leaves_under(grounding: Grounding, level: int) -> dict[int, int]:
    leaves: dict[int, int] = {}
    for number, count in zip(grounding.classes[level], grounding.leaves, strict=True):
        leaves[number] = leaves.get(number, 0) + count
    return leaves


def _labels(grounding: Grounding, hierarchy: Hierarchy, base: int) -> Mapping[int, Mapping[int, str | None]]:
    return {
        level: dict(zip(grounding.classes[level], grounding.labels[level], strict=True))
        for level in range(max(base, 1), hierarchy.top)
    }


def _costs(
    workspace: Door,
    tables: _Tables,
    grounding: Grounding,
    hierarchy: Hierarchy,
    classes: Mapping[int, LevelClasses],
) -> AttributeCosts:
    _, rows, leaves, n_log_n = _rows(workspace, "marginal_sums", tables)[0]
    if hierarchy.enumerated:
        counts = _rows(workspace, "marginal_counts", tables)
        listed = sum(grounding.leaves)
        null_unlisted = any(is_null for _, is_null in counts) and _null_is_unlisted(grounding)
        domain, leaf_information = listed + null_unlisted, information(n for n, _ in counts)
    else:
        domain, leaf_information = int(leaves), float(n_log_n) / math.log(2)
    known = {**classes, hierarchy.top: [(int(rows), domain)]}
    return attribute_costs(hierarchy.order, known, leaf_information=leaf_information, domain_leaves=domain)


def _null_is_unlisted(grounding: Grounding) -> bool:
    cell = grounding.cell_of_key[grounding.keys.index(None)]
    return grounding.leaves[cell] == 0
