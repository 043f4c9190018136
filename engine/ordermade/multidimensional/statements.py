"""The statements that pull the records to partition, and that select the released values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.measuring.attribute import for_attribute
from ordermade.measuring.entity import PERSONS, person
from ordermade.measuring.sensitive import for_values
from ordermade.multidimensional.columns import Form, Wanted
from ordermade.release.plan import PERSON, Plan, inner, without
from ordermade.slices.keys import keys_join, leaves_statement, of_keys
from ordermade.slices.numbers import Held, number_of
from ordermade.slices.tables import MICRODATA, carried_columns, measured_column

TARGET = "target"
TO_WRITE = "microdata_to_write"
"""The records whose values are to be written as texts: `place`, `record`."""


def held_columns(wanted: Sequence[Wanted]) -> tuple[Held, ...]:
    """The quasi-identifiers as the table of records has them."""
    return tuple(each.held(measured_column(place)) for place, each in enumerate(wanted))


def beside(plan: Plan, target: str | None) -> tuple[Held, ...]:
    """The other columns to pull: the sensitive values and the person as numbers, the value of the target."""
    found = [Held(each.cell_column, each.column, "code") for each in plan.sensitive]
    if plan.entity is not None:
        found.append(Held(PERSON, plan.entity, "code"))
    if target is not None:
        found.append(Held(TARGET, target, "value"))
    return tuple(found)


def pulled_statement(plan: Plan, wanted: Sequence[Wanted], *, ordered: bool, target: str | None) -> exp.Select:
    """The statement, for the source, that gives the records; with `ordered` in the order of their own values."""
    tree = sql.select("mondrian/pulled")
    cell, measured, kept, of_person = tree.expressions
    to_keys, to_persons = tree.args["joins"]
    columns, joins = [], []
    for place, each in enumerate(wanted):
        name = measured_column(place)
        if each.held(name).kind == "code" and each.grounded is not None:
            columns.append(of_keys(cell, each.grounded.keys, "cell", name))
            joins.append(for_attribute(to_keys, each.grounded))
        else:
            columns.append(_of_dataset(measured, each.column, name))
    for sensitive in plan.sensitive:
        columns.append(of_keys(cell, sensitive.values, "cell", sensitive.cell_column))
        joins.append(for_values(to_keys, sensitive))
    columns += [_of_dataset(kept, column, inner(place)) for place, column in carried_columns(plan)]
    if target is not None:
        columns.append(_of_dataset(kept, target, TARGET))
    key = []
    if plan.entity is not None:
        columns.append(sql.named(of_person, PERSON))
        joins.append(sql.with_expressions(to_persons, {"dataset.id": person(plan.dataset)}))
        key.append(tree.args["order"].expressions[-1])
    tree.set("expressions", columns)
    tree.set("joins", joins)
    # The numbers of persons are arbitrary, so persons are ordered by their identifier.
    by_values = [exp.Ordered(this=each.unalias().copy()) for each in columns[: len(columns) - len(key)]]
    tree.set("order", exp.Order(expressions=[*by_values, *key]) if ordered else None)
    return sql.with_relations(tree, {"dataset": plan.dataset.relation, "persons": exp.to_table(PERSONS)})


def rows_statement() -> exp.Select:
    """The statement that counts the records."""
    return sql.with_relations(sql.select("row_count"), {"dataset": exp.to_table(MICRODATA)})


def ancestors_statement(levels: str) -> exp.Select:
    """The statement that lists the classes of a sensitive attribute's values, from a table of its levels."""
    return sql.with_relations(sql.select("measure_ancestors"), {"value_level": exp.to_table(levels)})


def listed_statement(name: str) -> exp.Select:
    """The statement that lists the values of a column of the records as texts, in their order."""
    return sql.with_columns(sql.select("mondrian/listed"), {"microdata.value": name})


def values_statement(wanted: Wanted, columns: Sequence[str]) -> exp.Select:
    """The statement that lists the values of a hierarchy with some columns of its table of keys, in order.

    They are numbers, where the column holds numbers or dates, else texts.
    """
    if wanted.grounded is None:
        raise ValueError(f"{wanted.column} has no hierarchy")
    tree = leaves_statement(wanted.grounded, columns)
    counted = wanted.as_number("key")
    if counted is not None:
        value = number_of(exp.column("key", table="keys"), counted)
        tree.expressions[1].replace(sql.named(value, tree.expressions[1].alias))
    return tree


def written_statement(name: str) -> exp.Select:
    """The statement that selects a column's values, as texts, of the records in the table `TO_WRITE`."""
    tree = sql.with_columns(sql.select("mondrian/written"), {"microdata.measured": name})
    return sql.with_relations(tree, {"asked": exp.to_table(TO_WRITE)})


def by_record(plan: Plan) -> bool:
    """Whether the release has a value for every record that its group does not share, or a pseudonym."""
    return bool(carried_columns(plan) or plan.entity)


def decided_statement(plan: Plan, wanted: Sequence[Wanted], forms: Sequence[Form]) -> exp.Select:
    """The statement that selects the released values, by the contract of `release.plan`; `forms`: of each column."""
    tree = sql.select("slices/decided_with_kept" if by_record(plan) else "slices/decided")
    if plan.entity is None:
        without(tree, f"microdata.{PERSON}")
    label, value, measured, *rest = tree.expressions
    *joins, to_keys = tree.args["joins"]
    columns = []
    for place, (each, form) in enumerate(zip(wanted, forms, strict=True)):
        name = measured_column(place)
        if form == "values" and each.grounded is not None:
            columns.append(of_keys(value, each.grounded.keys, "key", inner(place)))
            joins.append(keys_join(to_keys, each.grounded.keys, name))
        elif form == "numbers":
            columns.append(sql.named(_released_number(measured, each, name), inner(place)))
        else:
            columns.append(sql.named(sql.with_columns(label.copy(), {"part.label": name}), inner(place)))
    tree.set("expressions", [*columns, *_carried(plan, rest)])
    tree.set("joins", joins)
    return tree


def _carried(plan: Plan, rest: Sequence[exp.Expr]) -> Iterator[exp.Expr]:
    """The columns after the quasi-identifiers: that of the kept ones once for each, if it is there."""
    for each in rest:
        if each.alias_or_name != "kept":
            yield each
            continue
        for place, _ in carried_columns(plan):
            yield sql.named(sql.with_columns(each.copy(), {"microdata.kept": inner(place)}), inner(place))


def _released_number(measured: exp.Expr, wanted: Wanted, name: str) -> exp.Expr:
    """A mean or a median: of dates a date, of numbers a DOUBLE."""
    filled = sql.with_columns(measured.copy(), {"part.measured": name})
    if wanted.ordered_as not in ("whole", "float"):
        filled.this.set("to", exp.DataType.build(wanted.column_type, dialect=sql.DIALECT))
    return filled


def _of_dataset(fragment: exp.Expr, column: str, name: str) -> exp.Expr:
    filled = sql.with_columns(fragment.copy(), {"dataset.measured": column, "dataset.kept": column})
    return sql.named(filled, name)
