"""Tables and columns of the workspace that records go through; keys of hierarchies."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.counting.encoding import EncodedColumn
from ordermade.release.plan import PERSON, Plan, expand_columns, inner, without

MICRODATA = "microdata"
"""The records: one row each, in the order of the rows' own numbers (`rowid`)."""
GROUPS = "microdata_groups"
"""The released values of each group of records."""
ASSIGNED = "microdata_assigned"
"""The number of the group of each record, by `rowid`."""
PLACED = "microdata_placed"
"""The number of the group of each combination of quasi-identifiers, by their columns in a frequency set."""
OWN = "microdata_own"
"""The values that rows of a group release for themselves, and how many rows have them."""


def measured_column(place: int) -> str:
    """The column of an attribute in the tables of records and of groups."""
    return f"a{place + 1}"


def carried_columns(plan: Plan) -> Sequence[tuple[int, str]]:
    """Place and name of every column that is released unchanged: sensitive and kept ones."""
    return list(enumerate(plan.carried))[len(plan.quasi_identifiers) :]


def decided_with_kept(plan: Plan, *, persons: bool) -> exp.Select:
    """The template of what is released for groups, with the kept columns of their records (and their `persons`).

    Records that have all of it alike are one row: the table is as long as the release has combinations.
    """
    tree = sql.select("slices/decided_with_kept")
    own = tree.args["from_"].this.this
    expand_columns(own, "microdata.kept", [inner(place) for place, _ in carried_columns(plan)])
    if not persons:
        without(own, f"microdata.{PERSON}")
        without(tree, f"own.{PERSON}")
    return tree


def leaves_statement(attribute: EncodedColumn, columns: Sequence[str]) -> exp.Select:
    """The statement that lists the values of a hierarchy, as texts, with some columns of its table of keys."""
    tree = expand_columns(sql.select("slices/leaves"), "keys.level", columns)
    return sql.with_relations(tree, {"keys": exp.to_table(attribute.keys)})


def of_keys(fragment: exp.Expr, table: str, column: str, name: str | None = None) -> exp.Expr:
    """A copy of a fragment with a column of a table of keys in it, called `name` if given."""
    filled = fragment.copy()
    for each in filled.find_all(exp.Column):
        if each.table == "keys":
            each.set("this", exp.to_identifier(column))
            each.set("table", exp.to_identifier(table))
    return filled if name is None else sql.named(filled, name)


def keys_join(join: exp.Expr, table: str, name: str) -> exp.Expr:
    """The join with the values of a table of keys, whose cells are in the column `name` of the joined table."""
    filled = of_keys(sql.with_columns(join.copy(), {"part.cell": name, "microdata.cell": name}), table, "cell")
    filled.set("this", exp.to_table(table))
    return filled
