"""The values that rows of a group release for themselves: sensitive and kept ones, their persons.

They come from the combinations, or from the rows of the source, each put into the group of its combination.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.counting.counts import NARROW, PERSONS, for_values, person
from ordermade.counting.encoding import for_attribute
from ordermade.counting.record_tables import ASSIGNED, OWN, PLACED, carried_columns, of_keys
from ordermade.counting.statements import Statement
from ordermade.methods.mondrian.combination import Combination
from ordermade.methods.mondrian.open_request import PlannedColumn
from ordermade.release.plan import PERSON, Plan, expand_columns, inner, without


def from_combinations(plan: Plan) -> bool:
    """Whether the combinations have all that is released beside the labels: sensitive values, as they are stored."""
    return not plan.kept and all(isinstance(each.value, exp.Column) for each in plan.sensitive)


def of_combinations_statement(plan: Plan) -> exp.Select:
    """The statement that gives what each group's rows release for themselves, from the frequency set."""
    tree = sql.select("mondrian/own_of_combinations")
    number, kept, of_person, count = tree.expressions
    assigned, to_keys = tree.args["joins"]
    *_, by_number, by_kept, by_person = tree.args["group"].expressions
    columns, joins, group = [number], [assigned], [by_number]
    names = dict(zip((each.column for each in plan.sensitive), carried_columns(plan), strict=False))
    for each in plan.sensitive:
        columns.append(of_keys(kept, each.values, "key", inner(names[each.column][0])))
        group.append(of_keys(by_kept, each.values, "key"))
        joins.append(_cells_join(to_keys, each.values, each.cell_column))
    if plan.entity is not None:
        columns.append(of_person)
        group.append(by_person)
    tree.set("expressions", [*columns, count])
    tree.set("joins", joins)
    tree.set("group", exp.Group(expressions=group))
    return tree


def _cells_join(join: exp.Expr, table: str, cells: str) -> exp.Expr:
    filled = of_keys(sql.with_columns(join.copy(), {f"{NARROW}.cell": cells}), table, "cell")
    filled.set("this", exp.to_table(table))
    return filled


def placed_statement(combination: Combination, wanted: Sequence[PlannedColumn]) -> exp.Select:
    """The statement that gives the group of every combination of the quasi-identifiers."""
    return expand_columns(sql.select("mondrian/placed"), f"{NARROW}.cell", [combination.cells(each) for each in wanted])


def of_rows_statement(plan: Plan, combination: Combination, wanted: Sequence[PlannedColumn]) -> exp.Select:
    """The statement that gives what each group's rows release for themselves, from the rows; its part is `pulled`."""
    tree = sql.select("mondrian/own_of_rows")
    carried = [(inner(place), column) for place, column in carried_columns(plan)]
    around, inside = tree, next(each.this for each in tree.find_all(exp.Subquery) if each.alias == "pulled")
    cell, kept, of_person = inside.expressions
    to_keys, to_persons = inside.args["joins"]
    columns, joins = [], []
    for each in combination.attributes:
        columns.append(sql.named(for_attribute(cell.this, each), each.cell_column))
        joins.append(for_attribute(to_keys, each))
    names = {combination.cells(each) for each in wanted}
    for one in combination.numbers.values():
        if one.cell_column in names:
            columns.append(sql.named(for_values(cell.this, one), one.cell_column))
            joins.append(for_values(to_keys, one))
    for name, column in carried:
        columns.append(sql.named(sql.with_columns(kept.this.copy(), {"dataset.kept": column}), name))
    if plan.entity is not None:
        columns.append(of_person)
        joins.append(sql.with_expressions(to_persons, {"dataset.id": person(plan.dataset)}))
    else:
        without(around, f"pulled.{PERSON}")
    inside.set("expressions", columns)
    inside.set("joins", joins)
    expand_columns(around, "pulled.kept", [name for name, _ in carried])
    join = around.args["joins"][0]
    same = [
        sql.with_columns(join.args["on"].copy(), {"pulled.cell": name, "placed.cell": name}) for name in sorted(names)
    ]
    join.set("on", exp.and_(*same, copy=False))
    return sql.with_relations(tree, {"dataset": plan.dataset.relation, "persons": exp.to_table(PERSONS)})


def own_values(plan: Plan, combination: Combination, wanted: Sequence[PlannedColumn]) -> Iterator[Statement]:
    """The statements that become `OWN`: what the rows of each group release for themselves, once groups are stored."""
    title = f"release, the rows of each class ({ASSIGNED} holds the class of each combination)"
    if from_combinations(plan):
        yield Statement(title, False, OWN, of_combinations_statement(plan))
        return
    yield Statement(title, False, PLACED, placed_statement(combination, wanted))
    own = of_rows_statement(plan, combination, wanted)
    yield Statement("release, the rows of the source by class", True, OWN, own, part="pulled")
