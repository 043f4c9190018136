"""Labels of a column that stand for different values at two levels, found in the values that occur.

They are known once the column is grounded, before anything else is counted: a text of the data may look like a label
(`12*`), and rules may write one label for two sets of values (`ordermade.hierarchies.coinciding_labels`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlglot import exp

from ordermade import sql
from ordermade.counting.encoding import EncodedColumn
from ordermade.errors import HierarchyError, quoted
from ordermade.hierarchies.coinciding_labels import INSTEAD, in_words, listed_coinciding
from ordermade.sources.executor import Executor, Purpose

LABELS = "label_cells"
Tree = TypeVar("Tree", bound=exp.Expr)


def require_distinct_labels(workspace: Executor, attribute: EncodedColumn, accepted: Sequence[int]) -> None:
    """Raises HierarchyError, with names of levels alone, where a label names different values at two of the levels.

    The attribute is grounded. Where its rows are at one level alone, there is nothing to require.
    """
    found = coinciding_levels(workspace, attribute, accepted)
    if found is not None:
        raise HierarchyError(
            f"{in_words(attribute.hierarchy, found)}, and a release of mixed levels cannot tell them apart",
            where=f"column {quoted(attribute.column)}",
            next_step=f"{INSTEAD[0].upper()}{INSTEAD[1:]}.",
        )


def labels_are_distinct(workspace: Executor, attribute: EncodedColumn, accepted: Sequence[int]) -> bool:
    """Whether a request that mixes these levels of a grounded column is not refused, be it by its hierarchy alone."""
    if listed_coinciding(attribute.hierarchy, accepted) is not None:
        return False
    return coinciding_levels(workspace, attribute, accepted) is None


def coinciding_levels(workspace: Executor, attribute: EncodedColumn, accepted: Sequence[int]) -> tuple[int, int] | None:
    """Two accepted levels at which one label names different values of a grounded column; None where none does."""
    top = attribute.hierarchy.top
    between = [level for level in accepted if 0 < level < top]
    if len(accepted) < 2:
        return None
    queries: list[exp.Query] = []
    parameters: dict[str, list[object]] = {}
    if 0 in accepted:
        queries.append(sql.select("coverage/value_labels"))
    if between:
        queries.append(shown_statement(attribute, between))
        parameters = labels_of_levels(attribute, between)
    if top in accepted:
        queries.append(sql.select("coverage/top_labels"))
        queries[-1].expressions[1].set("this", exp.Literal.number(top))
    relations = {"keys": exp.to_table(attribute.keys)}
    listed = sql.union_all([sql.with_relations(each, relations) for each in queries])
    workspace.store(Purpose.COVERAGE, LABELS, listed, parameters)
    found = workspace.rows(Purpose.COVERAGE, sql.template("coverage/coinciding_labels"))
    workspace.rows(Purpose.STORE, sql.dropped(LABELS))
    return (int(found[0][0]), int(found[0][1])) if found else None


def shown_statement(attribute: EncodedColumn, levels: Sequence[int]) -> exp.Query:
    """The statement that gives the label of each cell at each of these levels, none of them level 0 or the top."""
    queries = []
    for level in levels:
        tree = sql.with_columns(sql.select("local/shown"), {"keys.level": attribute.label_column(level)})
        tree.expressions[1].set("this", exp.Literal.number(level))
        for name in ("classes", "labels"):
            tree = renamed_parameter(tree, f"{name}_1", f"{name}_{level}")
        queries.append(sql.with_relations(tree, {"keys": exp.to_table(attribute.keys)}))
    return sql.union_all(queries)


def labels_of_levels(attribute: EncodedColumn, levels: Sequence[int]) -> dict[str, list[object]]:
    """The parameters of `shown_statement`: the classes of each level and their labels."""
    parameters: dict[str, list[object]] = {}
    for level in levels:
        parameters[f"classes_{level}"] = list(attribute.labels[level])
        parameters[f"labels_{level}"] = list(attribute.labels[level].values())
    return parameters


def renamed_parameter(tree: Tree, stand_in: str, name: str) -> Tree:
    """A copy of a tree with one parameter called otherwise."""
    filled = tree.copy()
    for parameter in filled.find_all(exp.Parameter, exp.Placeholder):
        if parameter.name == stand_in:
            parameter.set("this", exp.var(name) if isinstance(parameter, exp.Parameter) else name)
    return filled
