"""The frequency set of persons, widened: distinct persons counted by adding up, without looking for any.

Distinct persons of classes do not add up, as one may be in several. So each combination of a person with several knows,
by attribute and level, which earlier combinations of that person share its class there: one bit each. At a node, bits
that all attributes have in common tell that the person is in that class already; what is left adds up like rows do.
Persons with more than sixteen combinations would need too many pairs: they are counted one by one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from ordermade import sql
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.counting import Counting
from ordermade.measuring.widening import NARROW, WIDE, StoredSet, dropped, length, widen_statement
from ordermade.sources.door import Door, Purpose

COMBINATIONS = "combinations"
"""The widened set before its combinations are compared with their earlier ones."""
REPEATED = "repeated"
"""The bits of earlier combinations."""
ADDED_UP = ("n", "rows")
TOLD_APART = ("n", "rows", "owner", "person", "place", "number", "bit")
_KEPT = ("n", "rows", "owner", "person", "place")

Levels = Mapping[int, Sequence[int]]


def widen_persons(workspace: Door, attributes: Sequence[Attribute], levels: Levels, counting: Counting) -> StoredSet:
    """The table `NARROW` of persons with a column for every level beside it, and the bits of earlier combinations."""
    held = tuple(frozenset(levels[each.position]) for each in attributes)
    several, many = workspace.rows(Purpose.ROLL_UP, several_statement())[0]
    if not several:
        workspace.store(Purpose.ROLL_UP, WIDE, widened_statement(attributes, levels, counting, ADDED_UP))
        return StoredSet(WIDE, length(workspace, WIDE), held)
    workspace.store(Purpose.ROLL_UP, COMBINATIONS, widened_statement(attributes, levels, counting, TOLD_APART))
    workspace.store(Purpose.ROLL_UP, REPEATED, repeated_statement(attributes, levels, counting))
    workspace.store(Purpose.ROLL_UP, WIDE, with_repeated_statement(attributes, levels, counting))
    for table in (COMBINATIONS, REPEATED):
        workspace.rows(Purpose.ROLL_UP, dropped(table))
    return StoredSet(WIDE, length(workspace, WIDE), held, int(several), bool(many))


def several_statement() -> exp.Select:
    """The statement that tells how many combinations are of persons with several."""
    return sql.with_relations(sql.select("combinations_several"), {COMBINATIONS: exp.to_table(NARROW)})


def widened_statement(
    attributes: Sequence[Attribute], levels: Levels, counting: Counting, columns: Sequence[str]
) -> exp.Select:
    """The statement that widens the set, with these columns of the persons."""
    told = {each.output_name: each for each in sql.select("widen_persons").expressions}
    counts = [told[name] for name in columns]
    return widen_statement(NARROW, attributes, levels, sensitive=counting.sensitive, counts=counts)


def repeated_statement(attributes: Sequence[Attribute], levels: Levels, counting: Counting) -> exp.Select:
    """The statement that compares every combination with the earlier ones of its person."""
    tree = sql.select("repeated")
    number, bits = tree.expressions
    compared = [
        exp.alias_(sql.with_columns(bits.copy(), {"earlier.qi": held, "later.qi": held}).unalias(), name)
        for held, name in _compared(attributes, levels, counting)
    ]
    tree.set("expressions", [number, *compared])
    return tree


def with_repeated_statement(attributes: Sequence[Attribute], levels: Levels, counting: Counting) -> exp.Select:
    """The statement that puts the bits beside the combinations."""
    tree = sql.select("widen_repeated")
    kept, bits = tree.expressions
    pairs = list(_compared(attributes, levels, counting))
    columns = [exp.column(name, table=kept.table) for name in (*_KEPT, *(held for held, _ in pairs))]
    compared = [
        exp.alias_(sql.with_columns(bits.copy(), {"repeated.repeated": name}).unalias(), name) for _, name in pairs
    ]
    tree.set("expressions", [*columns, *compared])
    return tree


def _compared(attributes: Sequence[Attribute], levels: Levels, counting: Counting) -> list[tuple[str, str]]:
    """The columns in which combinations are compared, each with its column of bits."""
    pairs = [
        (each.level_column(level), each.repeated_column(level))
        for each in attributes
        for level in levels[each.position]
    ]
    return pairs + [(each.cell_column, each.repeated_column) for each in counting.sensitive]
