"""Counts of local recoding: the dataset once in the source, the remaining rows of each round, the release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from sqlglot import exp

from ordermade import sql
from ordermade.counting.coinciding_labels import labels_of_levels, renamed_parameter, shown_statement
from ordermade.counting.counts import Sensitive
from ordermade.counting.counts import person as person_of
from ordermade.counting.encoding import EncodedColumn, for_attribute
from ordermade.hierarchies.hierarchy import STAR
from ordermade.lattice.lattice import Lattice, Node
from ordermade.methods.generalization.local_rounds import CellClasses, Classes, Round, RowsByCell
from ordermade.privacy.models import Model
from ordermade.privacy.statements import Counts, failing_statement
from ordermade.release.plan import DECISIONS, PERSON, Plan, expand_columns, inner, units, without
from ordermade.release.rows import ROWS
from ordermade.sources.executor import Purpose, arrow

Integers: TypeAlias = npt.NDArray[np.int64]

COUNTED = "local_counted"
COMBOS = "local_combos"
REMAINING = "local_remaining"
ROUND = "local_round"
PLACED = "local_placed"
FAILING = "local_failing"


def code_column(number: int) -> str:
    """The column of the number of a value of a sensitive attribute, in what remains."""
    return f"s{number + 1}"


def carries_values(attribute: EncodedColumn) -> bool:
    """True if original values of an attribute may be released, so that they are carried along."""
    return attribute.base == 0


def count(plan: Plan) -> None:
    """Counts the dataset in the source, once: combinations of cells and of whatever is released as it is."""
    plan.dataset.backend.keep(Purpose.RELEASE, COUNTED, counted_statement(plan), share=ROWS)
    plan.dataset.backend.workspace.store(Purpose.ROLL_UP, COMBOS, combos_statement(plan.attributes))


def counted_statement(plan: Plan) -> exp.Select:
    """The statement, for the source, that counts every combination."""
    tree = sql.select("local/counted")
    cell, kept, person, n = tree.expressions
    join, group = tree.args["joins"][0], tree.args["group"].expressions[0]
    own = len(plan.attributes)
    names = {place: each.column for place, each in enumerate(plan.attributes) if carries_values(each)}
    names.update({place: column for place, column in enumerate(plan.carried) if place >= own})
    values = {inner(place): sql.column(column, "dataset") for place, column in sorted(names.items())}
    columns = [for_attribute(cell, each) for each in plan.attributes]
    groups = [for_attribute(group, each) for each in plan.attributes]
    for name, value in values.items():
        columns.append(sql.named(sql.with_expressions(kept.copy(), {"dataset.kept": value}), name))
        groups.append(value.copy())
    if plan.entity is not None:
        whose = person_of(plan.dataset)
        columns.append(sql.named(sql.with_expressions(person.copy(), {"dataset.id": whose}), PERSON))
        groups.append(whose.copy())
    tree.set("expressions", [*columns, n])
    tree.set("joins", [for_attribute(join, each) for each in plan.attributes])
    tree.set("group", exp.Group(expressions=groups))
    return sql.with_relations(tree, {"dataset": plan.dataset.relation})


def combos_statement(attributes: Sequence[EncodedColumn]) -> exp.Select:
    """The statement that numbers the combinations of cells and gives the classes of each cell at every level."""
    tree = sql.select("local/combos")
    number, cell, n, level = tree.expressions
    join = tree.args["joins"][0]
    expand_columns(tree.args["from_"].this.this, "local_counted.cell", [each.cell_column for each in attributes])
    cells = (sql.with_columns(cell.copy(), {"combination.cell": each.cell_column}) for each in attributes)
    columns, joins = [number, *cells, n], []
    for each in attributes:
        columns.extend(for_attribute(level, each, at) for at in each.levels)
        joins.append(_classes_join(join, each))
    tree.set("expressions", columns)
    tree.set("joins", joins)
    return tree


def _classes_join(join: exp.Expr, attribute: EncodedColumn) -> exp.Expr:
    """The join of one attribute's cells with their classes at every level."""
    filled = join.copy()
    inside = filled.this.this
    cell, level = inside.expressions
    inside.set("expressions", [cell, *(_level_of_keys(level, attribute, at) for at in attribute.levels)])
    sql.with_relations(inside, {"keys": exp.to_table(attribute.keys)})
    filled.this.set("alias", exp.TableAlias(this=exp.to_identifier(attribute.keys)))
    filled.args["on"].set("this", exp.column(attribute.cell_column, table="combination"))
    filled.args["on"].set("expression", exp.column("cell", table=attribute.keys))
    return filled


def _level_of_keys(level: exp.Expr, attribute: EncodedColumn, at: int) -> exp.Expr:
    name = attribute.level_column(at)
    return exp.alias_(sql.with_columns(level.copy(), {"keys.level": name}), name)


def remaining_statement(plan: Plan) -> exp.Select:
    """The statement that gives all that is to be released, before the first round."""
    tree = sql.select("local/remaining")
    to_combos, to_values = tree.args["joins"]
    code, code_group = tree.expressions[3], tree.args["group"].expressions[3]
    codes: list[exp.Expr] = []
    code_groups: list[exp.Expr] = []
    joins: list[exp.Expr] = []
    for number, each in enumerate(plan.sensitive):
        table = f"values_{number + 1}"
        codes.append(_in_table(code, "sensitive", table, as_name=code_column(number)))
        code_groups.append(_in_table(code_group, "sensitive", table))
        joins.append(_values_join(to_values, plan, number, each, table))
    tree.set("expressions", [*tree.expressions[:3], *codes, tree.expressions[4]])
    tree.args["group"].set("expressions", [*tree.args["group"].expressions[:3], *code_groups])
    cells = [each.cell_column for each in plan.attributes]
    same = to_combos.args["on"]
    to_combos.set(
        "on",
        exp.and_(
            *(sql.with_columns(same.copy(), {"counted.cell": name, "combos.cell": name}) for name in cells), copy=False
        ),
    )
    tree.set("joins", [to_combos, *joins])
    if plan.entity is None:
        without(tree, "counted.person")
    columns = [each.level_column(at) for each in plan.attributes for at in each.levels]
    return expand_columns(tree, "combos.level", columns)


def _values_join(join: exp.Expr, plan: Plan, number: int, sensitive: Sensitive, table: str) -> exp.Expr:
    column = exp.column(inner(len(plan.attributes) + number), table="counted")
    filled = sql.with_expressions(join.copy(), {"counted.kept": sensitive.compared(column)})
    filled = _in_table(filled, "sensitive", table)
    filled.set("this", exp.to_table(sensitive.values))
    filled.this.set("alias", exp.TableAlias(this=exp.to_identifier(table)))
    return filled


def _in_table(fragment: exp.Expr, stand_in: str, table: str, *, as_name: str | None = None) -> exp.Expr:
    """Copy the fragment, point the columns of a stand-in table at another table, and change its alias."""
    filled = sql.with_table(fragment.copy(), stand_in, table)
    if as_name is not None:
        filled.set("alias", exp.to_identifier(as_name))
    return filled


@dataclass
class RemainingRows:
    """The rows still to be released, in the workspace; keeps the rounds that released something."""

    plan: Plan
    lattice: Lattice
    k: int
    rounds: list[Round]
    rows: int = 0

    @classmethod
    def of(cls, plan: Plan, lattice: Lattice, k: int) -> RemainingRows:
        """Everything, before the first round. The dataset must have been counted (`count`)."""
        workspace = plan.dataset.backend.workspace
        workspace.store(Purpose.ROLL_UP, REMAINING, remaining_statement(plan))
        workspace.store(Purpose.ROLL_UP, PLACED, sql.select("local/nothing_placed"))
        return cls(plan, lattice, k, [], rows_and_persons(plan)[0])

    @property
    def units(self) -> int:
        """The number of remaining rows; of remaining persons where there is an entity column."""
        if self.plan.entity is None:
            return self.rows
        return rows_and_persons(self.plan, REMAINING)[1] or 0

    def classes(self, nodes: Sequence[Node]) -> list[Classes]:
        """The classes of the remaining rows at each node."""
        queries = [self._check(node, number) for number, node in enumerate(nodes)]
        found = self.plan.dataset.backend.workspace.rows(Purpose.K_CHECK, sql.union_all(queries))
        by_node = {int(number): Classes(int(large), int(small)) for number, large, small in found}
        return [by_node[number] for number in range(len(nodes))]

    def release(self, node: Node) -> Round | None:
        """Releases the classes of a node that pass, of the remaining rows; None where none does."""
        workspace = self.plan.dataset.backend.workspace
        self._store_round(node)
        classes, rows = workspace.rows(Purpose.K_CHECK, sql.select("local/round_figures"))[0]
        if not classes:
            return None
        found = Round(node, int(classes), int(rows))
        self.rounds.append(found)
        workspace.rows(Purpose.ROLL_UP, sql.template("local/place"), {"round": len(self.rounds)})
        workspace.store(Purpose.ROLL_UP, REMAINING, sql.select("local/rest"))
        self.rows -= found.rows
        return found

    def take_back(self, kept: int) -> None:
        """Takes back all rounds but the first `kept`."""
        workspace = self.plan.dataset.backend.workspace
        self.rows += sum(each.rows for each in self.rounds[kept:])
        del self.rounds[kept:]
        workspace.store(Purpose.ROLL_UP, PLACED, sql.select("local/placed_until"), {"round": kept})
        workspace.store(Purpose.ROLL_UP, REMAINING, remaining_statement(self.plan))
        workspace.store(Purpose.ROLL_UP, REMAINING, sql.select("local/unplaced"))

    def units_of_combinations(self) -> CombinationUnits:
        """What is to be released, as numbers."""
        tree = sql.select("local/combination_units")
        expand_columns(tree, "remaining.code", [code_column(number) for number in range(len(self.plan.sensitive))])
        if self.plan.entity is None:
            without(tree, "remaining.person")
        found = self.plan.dataset.backend.workspace.read(Purpose.ROLL_UP, tree).read_all()
        combinations, *columns, rows = (np.asarray(each.to_numpy(), dtype=np.int64) for each in found.columns)
        persons = None if self.plan.entity is None else columns.pop(0)
        return CombinationUnits(combinations, persons, tuple(columns), rows)

    def _store_round(self, node: Node) -> None:
        """Keeps the combinations of the classes of a node that pass, of the remaining rows."""
        workspace = self.plan.dataset.backend.workspace
        workspace.store(Purpose.ROLL_UP, ROUND, self._round(node))
        failing = [failing_statement(model, counts) for model, counts in self._models()]
        if failing:
            workspace.store(Purpose.K_CHECK, FAILING, sql.union_all(failing))
            passing = sql.with_relations(sql.select("local/passing"), {"suppressed": exp.to_table(FAILING)})
            workspace.store(Purpose.ROLL_UP, ROUND, passing)

    def _check(self, node: Node, number: int) -> exp.Select:
        tree = sql.select("local/check")
        tree.expressions[0].set("this", exp.Literal.number(number))
        for compared in tree.find_all(exp.GTE, exp.LT):
            compared.set("expression", exp.Literal.number(self.k))
        inside = units(tree.args["from_"].this.this, "size", persons=self.plan.entity is not None)
        columns = [exp.column(name, table="remaining") for name in self._below_top(node)]
        inside.set("group", exp.Group(expressions=columns) if columns else None)
        return tree

    def _round(self, node: Node) -> exp.Select:
        tree = sql.select("local/round")
        tree.args["where"].this.set("expression", exp.Literal.number(self.k))
        join = tree.args["joins"][0]
        inside, names = join.this.this, self._below_top(node)
        units(inside, "size", persons=self.plan.entity is not None)
        expand_columns(inside, "remaining.level", names)
        same = [
            sql.with_columns(join.args["on"].copy(), {"remaining.level": name, "class.level": name}) for name in names
        ]
        join.set("on", exp.and_(*same, copy=False) if same else exp.true())
        return tree

    def _below_top(self, node: Node) -> list[str]:
        return [
            each.level_column(level)
            for each, level, top in zip(self.plan.attributes, node, self.lattice.top, strict=True)
            if level != top
        ]

    def _models(self) -> list[tuple[Model, Counts]]:
        """Each model with what decides it of the classes of the round."""
        persons = self.plan.entity is not None
        sizes = sql.select("local/class_sizes") if persons else None
        found: list[tuple[Model, Counts]] = []
        for number, each in enumerate(self.plan.sensitive):
            values = units(sql.select("local/class_values"), "n", persons=persons)
            values = sql.with_columns(values, {"remaining.code": code_column(number)})
            found.extend((model, each.counts(model, values, sizes)) for model in each.models)
        return found


@dataclass(frozen=True, slots=True)
class CombinationUnits:
    """The keyed set that decides on regions: each combination with each value of the sensitive attributes in it.

    By number: the combinations, the persons (from 0, where they are counted), and the values of each attribute; and the
    rows.
    """

    combinations: Integers
    persons: Integers | None
    values: tuple[Integers, ...]
    rows: Integers


@dataclass(frozen=True, slots=True)
class LocalCombinations:
    """The counted combinations in memory: the number of each, the cells of each attribute, and its rows."""

    numbers: Integers
    cells: tuple[Integers, ...]
    rows: Integers

    @classmethod
    def of(cls, plan: Plan) -> LocalCombinations:
        """Those of a dataset that was counted (`count`)."""
        tree = sql.select("local/cells")
        expand_columns(tree, "combos.cell", [each.cell_column for each in plan.attributes])
        found = plan.dataset.backend.workspace.read(Purpose.ROLL_UP, tree).read_all()
        numbers, *cells, rows = (np.asarray(column.to_numpy(), dtype=np.int64) for column in found.columns)
        return cls(numbers, tuple(cells), rows)

    def classes_of_cells(self, place: int, attribute: CellClasses, level: int) -> Integers:
        """The class of each cell of an attribute at a level, by the number of the cell; 0 for all at `*`."""
        found = np.zeros(int(self.cells[place].max(initial=0)) + 1, dtype=np.int64)
        classes = attribute.classes.get(level, {})
        for cell in range(len(found)):
            found[cell] = classes.get(cell, 0)
        return found


def place(plan: Plan, combinations: LocalCombinations, round_of: Integers) -> None:
    """Notes the number of the round of each combination; 0 of one that no round releases."""
    released = round_of > 0
    table = arrow().table({"combo": combinations.numbers[released], "round": round_of[released]})
    plan.dataset.backend.workspace.take(Purpose.ROLL_UP, PLACED, table)


def rows_and_persons(plan: Plan, table: str = COUNTED) -> tuple[int, int | None]:
    """Count the rows of the dataset, or of another table; and the persons, where there is an entity column."""
    tree = sql.with_relations(sql.select("local/units"), {"local_counted": exp.to_table(table)})
    if plan.entity is None:
        without(tree, f"counted.{PERSON}")
    rows, *persons = plan.dataset.backend.workspace.rows(Purpose.ROLL_UP, tree)[0]
    return int(rows), int(persons[0]) if persons else None


def rows_by_cell(plan: Plan) -> list[RowsByCell]:
    """Count for each attribute the rows of each cell that each round released, and (None) the suppressed ones."""
    queries = []
    for number, each in enumerate(plan.attributes):
        tree = sql.with_columns(sql.select("local/cell_rows"), {"combos.cell": each.cell_column})
        tree.expressions[0].set("this", exp.Literal.number(number))
        queries.append(tree)
    found: list[dict[int | None, dict[int, int]]] = [{} for _ in plan.attributes]
    for attribute, number, cell, n in plan.dataset.backend.workspace.rows(Purpose.ROLL_UP, sql.union_all(queries)):
        found[attribute].setdefault(None if number is None else int(number), {})[int(cell)] = int(n)
    return [dict(each) for each in found]


def classes_of_cells(plan: Plan) -> list[CellClasses]:
    """Return for each attribute the classes that its loss is computed from."""
    return [_classes_of(plan, each) for each in plan.attributes]


def _classes_of(plan: Plan, attribute: EncodedColumn) -> CellClasses:
    workspace = plan.dataset.backend.workspace
    tree = sql.with_relations(sql.select("local/classes_of_cells"), {"keys": exp.to_table(attribute.keys)})
    cell, level = tree.expressions
    levels = list(attribute.levels)
    tree.set(
        "expressions",
        [cell, *(sql.with_columns(level.copy(), {"keys.level": attribute.level_column(each)}) for each in levels)],
    )
    listed = workspace.rows(Purpose.ROLL_UP, tree)
    classes = {each: {int(row[0]): int(row[place]) for row in listed} for place, each in enumerate(levels, start=1)}
    return CellClasses(attribute.base, attribute.hierarchy.top, classes, attribute.leaves, attribute.costs)


LEVELS = "local_levels"


def shown_table(attribute: EncodedColumn) -> str:
    """The table of what is released for each cell of an attribute."""
    return f"local_shown_{attribute.position}"


def level_column(attribute: EncodedColumn) -> str:
    """The column of an attribute's level in the table of rounds."""
    return f"l{attribute.position}"


def decide_by_rounds(plan: Plan, nodes: Sequence[Node]) -> None:
    """Keeps every counted combination with its round's released values, or as suppressed, in `DECISIONS`.

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
            shown = shown_statement(attribute, labelled)
            workspace.store(Purpose.STORE, shown_table(attribute), shown, labels_of_levels(attribute, labelled))
    workspace.store(Purpose.RELEASE, DECISIONS, decided_statement(plan, nodes))


def _labelled(attribute: EncodedColumn, levels: Sequence[int]) -> list[int]:
    """The levels between the values and `*` that some round releases."""
    return sorted({level for level in levels if 0 < level < attribute.hierarchy.top})


def levels_statement(attributes: Sequence[EncodedColumn]) -> exp.Select:
    """The statement that lists the levels of each round."""
    tree = sql.select("local/levels")
    number, level = tree.expressions
    tree.set("expressions", [number, *(renamed_parameter(level, "level", level_column(each)) for each in attributes)])
    for column, each in zip(tree.expressions[1:], attributes, strict=True):
        column.set("alias", exp.to_identifier(level_column(each)))
    return tree


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


def _value(value: exp.Expr, attribute: EncodedColumn, place: int, used: Sequence[int]) -> exp.Expr:
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


def _shown_join(join: exp.Expr, attribute: EncodedColumn) -> exp.Expr:
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
