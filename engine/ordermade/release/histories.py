"""The k of a release of histories: a class is the persons whose rows are the same, each as often."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql


def histories_statement(released: exp.Expr, columns: Sequence[str], person: str) -> exp.Select:
    """The statement that gives the sizes of the classes of persons with the same history, as (size, classes).

    `released`: a relation with a row a released record; `columns`: what a record has; `person`: the column that names
    its person. Records are compared by the MD5 of their texts, NULL as a value of its own.
    """
    tree = sql.select("measure_histories")
    content = tree.find(exp.ConcatWs)
    if content is None:
        raise ValueError("the template compares no contents")
    between, value = content.expressions
    values = [sql.with_columns(value.copy(), {"released.value": column}) for column in columns]
    content.set("expressions", [between, *values])
    return sql.with_relations(sql.with_columns(tree, {"released.person": person}), {"released": released})
