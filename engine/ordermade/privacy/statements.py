"""The statements that decide a model, and those that measure it: its template with its threshold, or without.

One more statement bounds the units of a class that finer nodes can keep. The parts of a class that a finer node keeps
satisfy the model, and so do they all as a whole, as every model is monotone while nothing is suppressed and rows are
counted. So no finer node keeps more of a class than the largest part of it that satisfies the model. Where the class
fails, the rest is suppressed there, however it is divided.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sqlglot import exp

from ordermade import sql
from ordermade.privacy.models import Model


@dataclass(frozen=True, slots=True)
class Counts:
    """The tables (of the workspace, or queries) that decide the models of one sensitive attribute. Numbers, no NULL.

    `class_value` (class, value, n): one row is one value that occurs in one class, with the rows (or distinct persons)
    that have it, n >= 1. `table_value` (value, n): the same of the whole dataset, suppressed rows included, with every
    value of `class_value` among them; values are numbered in their order, NULL last, wherever a distance is `ordered`.
    `value_level` (value, level, ancestor): one row is one value at one level of the hierarchy below `*`, level 0
    included, with the number of the class it belongs to there. `class_size` (class, size): the distinct persons of each
    class, where persons are counted; None where rows are, whose counts add up. `missing_value` (value): the number of
    NULL; no row where no row of the dataset has one.
    """

    class_value: exp.Expr
    table_value: exp.Expr | None = None
    value_level: exp.Expr | None = None
    class_size: exp.Expr | None = None
    missing_value: exp.Expr | None = None


def failing_statement(model: Model, counts: Counts) -> exp.Select:
    """The classes that fail `model`: one row is one class, by its number in the column `class`."""
    tree = _filled(model, counts)
    tree.set("expressions", [each for each in tree.expressions if each.output_name == "class"])
    return tree


def figures_statement(model: Model, counts: Counts) -> exp.Select:
    """The statement that measures `model`, whatever its threshold: one row is one class, with its `class` and `figure`.

    `model.definition` says what the figure is, and which one is the worst.
    """
    return _filled(model, counts, threshold=False)


def keepable_statement(model: Model, counts: Counts) -> exp.Select:
    """The most `units` of each class that finer nodes can keep under `model`: one row is one class, by its number.

    `class_value` is to hold the classes that fail a model of the request, and no others. Of a class that has no row
    nothing is known. Raises ValueError where persons are counted: those of the parts do not add up.
    """
    if counts.class_size is not None:
        raise ValueError("persons of the parts of a class do not add up")
    tree = sql.select(model.template_of_keepable)
    relations = {**_relations(model, counts), "figures": figures_statement(model, counts)}
    return sql.with_relations(_with_parameters(tree, model), relations)


def extremes_statement(model: Model, counts: Counts) -> exp.Select:
    """The `least` and the `greatest` figure of `model` over all classes: one row, of NULLs where there is no class."""
    return sql.with_relations(sql.select("privacy/extremes"), {"figures": figures_statement(model, counts)})


def _filled(model: Model, counts: Counts, *, threshold: bool = True) -> exp.Select:
    """The template with the parameters and the tables in it."""
    of_persons = model.template_of_persons if counts.class_size is not None else None
    tree = sql.select(of_persons or model.template)
    if not threshold:
        tree.set("where", None)
    relations = _relations(model, counts, *(("class_size",) if of_persons else ()))
    return sql.with_relations(_with_parameters(tree, model), relations)


def _relations(model: Model, counts: Counts, *besides: str) -> dict[str, exp.Expr]:
    """The tables that a model is decided by, by name. Raises ValueError where one is missing."""
    relations = {name: getattr(counts, name) for name in (*model.relations, *besides)}
    missing = [name for name, relation in relations.items() if relation is None]
    if missing:
        raise ValueError(f"{model.name} is decided by {', '.join(missing)} too")
    return relations


def _with_parameters(tree: exp.Select, model: Model) -> exp.Select:
    def replace(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Placeholder):
            return exp.Literal.number(model.parameters[node.name])
        return node

    return cast("exp.Select", tree.transform(replace, copy=False))
