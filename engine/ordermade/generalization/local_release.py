"""Local recoding, its release: every combination with the values of the round that released it, as `DECIDED`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.generalization.local_counting import carries_values
from ordermade.hierarchies.hierarchy import STAR
from ordermade.lattice.node import Node
from ordermade.measuring.attribute import Attribute
from ordermade.release.plan import DECIDED, PERSON, Plan, inner, without
from ordermade.sources.door import Purpose

LEVELS = "local_levels"
Tree = TypeVar("Tree", bound=exp.Expr)


def shown_table(attribute: Attribute) -> str:
    """The table of what is released for each cell of an attribute."""
    return f"local_shown_{attribute.position}"


def level_column(attribute: Attribute) -> str:
    """The column of an attribute's level in the table of rounds."""
    return f"l{attribute.position}"


def decide_by_rounds(plan: Plan, nodes: Sequence[Node]) -> None:
    """Keeps every counted combination with its round's released values, or as suppressed, in `DECIDED`.

    `nodes`: the node of each round, the first being round 1. The contract of `release.plan` is kept.
    """
    workspace = plan.dataset.backend.workspace
    levels: dict[str, list[int]] = {
        level_column(each): [node[place] for node in nodes] for place, each in enumerate(plan.attributes)
    }
    numbers = list(range(1, len(nodes) + 1))
    workspace.store(Purpose.STORE, LEVELS, levels_statement(plan.attributes), {"rounds": numbers, **levels})
    for attribute in plan.attributes:
        labelled = _labelled(attribute, levels[level_column(attribute)])
        if labelled:
            parameters: dict[str, list[object]] = {}
            for level in labelled:
                parameters[f"classes_{level}"] = list(attribute.labels[level])
                parameters[f"labels_{level}"] = list(attribute.labels[level].values())
            workspace.store(Purpose.STORE, shown_table(attribute), shown_statement(attribute, labelled), parameters)
    workspace.store(Purpose.RELEASE, DECIDED, decided_statement(plan, nodes))


def _labelled(attribute: Attribute, levels: Sequence[int]) -> list[int]:
    """The levels between the values and `*` that some round releases."""
    return sorted({level for level in levels if 0 < level < attribute.hierarchy.top})


def levels_statement(attributes: Sequence[Attribute]) -> exp.Select:
    """The statement that lists the levels of each round."""
    tree = sql.select("local/levels")
    number, level = tree.expressions
    tree.set("expressions", [number, *(_parameter(level, "level", level_column(each)) for each in attributes)])
    for column, each in zip(tree.expressions[1:], attributes, strict=True):
        column.set("alias", exp.to_identifier(level_column(each)))
    return tree


def shown_statement(attribute: Attribute, levels: Sequence[int]) -> exp.Query:
    """The statement that says what is released for each cell of an attribute at each of the levels."""
    queries = []
    for level in levels:
        tree = sql.with_columns(sql.select("local/shown"), {"keys.level": attribute.label_column(level)})
        tree.expressions[1].set("this", exp.Literal.number(level))
        for name in ("classes", "labels"):
            tree = _parameter(tree, f"{name}_1", f"{name}_{level}")
        queries.append(sql.with_relations(tree, {"keys": exp.to_table(attribute.keys)}))
    return sql.union_all(queries)


def decided_statement(plan: Plan, nodes: Sequence[Node]) -> exp.Select:
    """The statement that gives every combination with what its round releases of it."""
    tree = sql.select("local/decided")
    value, kept, *rest = tree.expressions
    to_combos, to_placed, to_levels, to_shown = tree.args["joins"]
    columns, joins = [], []
    for place, attribute in enumerate(plan.attributes):
        used = sorted({node[place] for node in nodes})
        columns.append(sql.named(_value(value, attribute, place, used), inner(place)))
        if _labelled(attribute, used):
            joins.append(_shown_join(to_shown, attribute))
    columns.extend(
        sql.named(sql.with_columns(kept.copy(), {"counted.kept": inner(place)}), inner(place))
        for place in range(len(plan.attributes), len(plan.carried))
    )
    same = [
        sql.with_columns(to_combos.args["on"].copy(), {"counted.cell": name, "combos.cell": name})
        for name in (each.cell_column for each in plan.attributes)
    ]
    to_combos.set("on", exp.and_(*same, copy=False))
    tree.set("expressions", [*columns, *rest])
    tree.set("joins", [to_combos, to_placed, to_levels, *joins])
    return tree if plan.entity is not None else without(tree, f"counted.{PERSON}")


def _value(value: exp.Expr, attribute: Attribute, place: int, used: Sequence[int]) -> exp.Expr:
    """Return the released value of an attribute: of its own type where no round generalises it, else a text."""
    own = exp.column(sql.identifier(inner(place)), table="counted")
    if used == [0]:
        return own
    filled = value.copy().unalias()
    of_values, of_top = filled.args["ifs"]
    level = exp.column(level_column(attribute), table="levels")
    table = shown_table(attribute)
    if carries_values(attribute) and 0 in used:
        of_values.this.set("this", level.copy())
        of_values.args["true"].set("this", own)
    else:
        of_values = None
    of_top.this.set("this", level.copy())
    of_top.this.set("expression", exp.Literal.number(attribute.hierarchy.top))
    of_top.set("true", exp.Literal.string(STAR))
    filled.set("ifs", [each for each in (of_values, of_top) if each is not None])
    labelled = _labelled(attribute, used)
    filled.set("default", exp.column("label", table=table) if labelled else None)
    return filled


def _shown_join(join: exp.Expr, attribute: Attribute) -> exp.Expr:
    table = shown_table(attribute)
    filled = join.copy()
    for column in filled.find_all(exp.Column):
        if column.table == "shown":
            column.set("table", exp.to_identifier(table))
        elif column.table == "counted":
            column.set("this", exp.to_identifier(attribute.cell_column))
        else:
            column.set("this", exp.to_identifier(level_column(attribute)))
    filled.set("this", exp.to_table(table))
    return filled


def _parameter(tree: Tree, stand_in: str, name: str) -> Tree:
    """A copy of a tree with one parameter called otherwise."""
    filled = tree.copy()
    for parameter in filled.find_all(exp.Parameter, exp.Placeholder):
        if parameter.name == stand_in:
            parameter.set("this", exp.var(name) if isinstance(parameter, exp.Parameter) else name)
    return filled
