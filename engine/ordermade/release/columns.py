"""The columns of a release, counted and sorted in the source; cells that a spreadsheet would run as formulas.

A text is escaped by an apostrophe before it. So is a text that begins with apostrophes and then like a formula:
otherwise `=1` and `'=1` would be one text, and two classes one. Numbers (`-5`, `+1e3`) are none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.hierarchies.hierarchy import STAR
from ordermade.measuring.counting import person
from ordermade.measuring.grounding import Attribute
from ordermade.release.plan import COUNT, COUNTED, PERSON, SORTED, Plan, for_each, inner, spread
from ordermade.sources.door import Door, Purpose

_FORMULA = re.compile(r"[=+\-@\t\r]")
_TAKEN_FOR_ONE = re.compile(r"'*[=+\-@\t\r]")
_ESCAPED = re.compile(r"'+[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def escaped(name: str) -> str:
    """The name of a column as `formulas: escape` writes it."""
    return f"'{name}" if _TAKEN_FOR_ONE.match(name) and not _NUMBER.fullmatch(name) else name


def unescaped(name: str) -> str:
    """The name of a column that `formulas: escape` has written: the inverse of `escaped`."""
    return name[1:] if _ESCAPED.match(name) else name


def escaped_statement(written: exp.Query, columns: Sequence[str]) -> exp.Select:
    """The statement that gives the release as `formulas: escape` writes it; `columns` are all those of `written`."""
    tree = sql.select("released_escaped")
    (cell,) = tree.expressions
    cells = [sql.with_columns(cell.unalias().copy(), {"released.value": column}) for column in columns]
    tree.set("expressions", [sql.named(each, escaped(column)) for each, column in zip(cells, columns, strict=True)])
    return sql.with_relations(tree, {"released": written})


def unescaped_statement(read: exp.Query, columns: Sequence[str]) -> exp.Select:
    """The statement that gives a release as it was before it was escaped; `columns` are all those of `read`."""
    tree = spread(sql.select("released_unescaped"), "released.value", columns)
    return sql.with_relations(tree, {"released": read})


def formulas(door: Door, written: exp.Query, columns: Sequence[str]) -> int:
    """Count the cells of a release, names of columns included, that a spreadsheet would run as formulas."""
    tree = spread(sql.select("released_formulas"), "released.value", columns)
    (counts,) = door.rows(Purpose.STORE, sql.with_relations(tree, {"released": written}))
    cells = sum(int(each) for each in counts)
    return cells + sum(bool(_FORMULA.match(each)) and not _NUMBER.fullmatch(each) for each in columns)


def warning(cells: int, least: int) -> str:
    """The warning of so many formulas; a count below `least` is not given."""
    many = f"{cells:,}" if cells >= least else "some"
    return (
        f"{many} texts of the release begin with =, +, -, @, a tab or a carriage return: a spreadsheet that opens the "
        "file runs them as formulas. `release: {csv: {formulas: escape}}` writes an apostrophe before them."
    )


def count_classes(plan: Plan) -> None:
    """Counts every combination of released values in the source and keeps them in the workspace, as `COUNTED`."""
    for attribute, level in zip(plan.attributes, plan.node, strict=True):
        if 0 < level < attribute.hierarchy.top:
            _store_labels(plan, attribute, level)
            plan.dataset.backend.upload(labels_table(attribute))
    plan.dataset.backend.keep(Purpose.RELEASE, COUNTED, counted_statement(plan))


def sort_classes(plan: Plan) -> None:
    """Keeps the counted combinations as they are written, in `SORTED`: nothing is suppressed."""
    plan.dataset.backend.workspace.store(Purpose.STORE, SORTED, sorted_statement(plan))


def counted_statement(plan: Plan) -> exp.Select:
    """The statement, for the source, that counts every combination of released values (of each person)."""
    tree = sql.select("released_classes")
    _, kept, count = tree.expressions
    join = tree.args["joins"][0]
    values = [_value(each, level) for each, level in zip(plan.attributes, plan.node, strict=True)]
    values += [each.unalias() for each in for_each(kept, "dataset.kept", plan.carried[len(values) :])]
    names = list(plan.values)
    if plan.entity is not None:
        values.append(person(plan.dataset))
        names.append(PERSON)
    tree.set("expressions", [*(sql.named(value, name) for value, name in zip(values, names, strict=True)), count])
    tree.set(
        "joins",
        [
            _label_join(join, each)
            for each, level in zip(plan.attributes, plan.node, strict=True)
            if 0 < level < each.hierarchy.top
        ],
    )
    grouped = [value.copy() for value in values if not isinstance(value, exp.Literal)]
    tree.set("group", exp.Group(expressions=grouped) if grouped else None)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


def sorted_statement(plan: Plan, shown: exp.Expr | None = None) -> exp.Select:
    """The statement that puts combinations in the order of their own values: the counted ones, or a relation's."""
    names = tuple(inner(number) for number in range(len(plan.columns)))
    tree = spread(sql.select("released_sorted_stars" if plan.stars else "released_sorted"), "released.value", names)
    return tree if shown is None else sql.with_relations(tree, {COUNTED: shown})


def written_statement(plan: Plan) -> exp.Select:
    """The statement that gives the release itself, from the sorted combinations."""
    tree = sql.select("released_rows" if plan.shape == "rows" else "released_table")
    value = tree.expressions[0]
    count = tree.expressions[1:]
    columns = [
        sql.named(sql.with_columns(value.copy(), {"released.value": inner(number)}), name)
        for number, name in enumerate(plan.columns)
    ]
    tree.set("expressions", [*columns, *count])
    for repeated in tree.find_all(exp.Subquery):
        if isinstance(repeated.this, exp.Select):
            spread(repeated.this, "released.value", [inner(number) for number in range(len(plan.columns))])
    return sql.with_relations(tree, {COUNTED: exp.to_table(SORTED)})


def written_columns(plan: Plan) -> tuple[str, ...]:
    """The columns of the release itself, in order."""
    return plan.columns if plan.shape == "rows" else (*plan.columns, COUNT)


def file_statement(plan: Plan, *, escaped: bool) -> exp.Select:
    """The statement that gives the release as its file has it; `escaped`: with apostrophes before formulas."""
    written = written_statement(plan)
    return escaped_statement(written, written_columns(plan)) if escaped else written


def labels_statement(attribute: Attribute, level: int) -> exp.Select:
    """The statement that says what is released for each value of an attribute at a level."""
    tree = sql.with_columns(sql.select("labels"), {"keys.level": attribute.label_column(level)})
    return sql.with_relations(tree, {"keys": exp.to_table(attribute.keys)})


def _store_labels(plan: Plan, attribute: Attribute, level: int) -> None:
    labels = attribute.labels[level]
    parameters = {"classes": list(labels), "labels": list(labels.values())}
    workspace = plan.dataset.backend.workspace
    workspace.store(Purpose.STORE, labels_table(attribute), labels_statement(attribute, level), parameters)


def _value(attribute: Attribute, level: int) -> exp.Expr:
    if level == attribute.hierarchy.top:
        return exp.Literal.string(STAR)
    if level == 0:
        return sql.column(attribute.column, "dataset")
    return exp.column("label", table=labels_table(attribute))


def _label_join(join: exp.Expr, attribute: Attribute) -> exp.Expr:
    filled = sql.with_expressions(
        join.copy(),
        {"dataset.code": attribute.code, "labels.key": exp.column("key", table=labels_table(attribute))},
    )
    filled.set("this", exp.to_table(labels_table(attribute)))
    return filled


def labels_table(attribute: Attribute) -> str:
    """The name of the table of an attribute's labels."""
    return f"labels_{attribute.position}"
