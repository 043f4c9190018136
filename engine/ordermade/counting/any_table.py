"""Measure any table. The source reads its columns twice; the workspace calculates all figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from sqlglot import exp

from ordermade import sql
from ordermade.counting.dataset import Dataset
from ordermade.counting.table_figures import ColumnFacts, MeasuredTable, SensitiveFigures
from ordermade.errors import InputError, SourceChanged, quoted
from ordermade.hierarchies.column_types import is_date, is_number, plain, without_labels
from ordermade.lattice.observation import Observation, PersonSizes
from ordermade.privacy.least_k import in_words, shown
from ordermade.privacy.models import AlphaK, DistinctL, EntropyL, Model, TCloseness
from ordermade.privacy.statements import Counts, extremes_statement, figures_statement
from ordermade.sources.executor import Purpose

COUNTED = "counted_table"
LARGEST_CLASS_NUMBER = 2**62
"""The bound of numbers that pack several columns; they fit into a signed integer of 64 bits."""
MOST_JOINED = 32
"""Up to so many columns are joined to the numbers of their values; of more, classes are grouped by their values.

A join costs DuckDB some 5 MB, and a SELECT of SQLite or MariaDB takes about 60 tables.
"""


@dataclass(frozen=True, slots=True)
class NumberedColumn:
    """A column whose values are numbered in the table `keys` of the workspace: from 0 below `values`, NULL last."""

    name: str
    values: int
    keys: str
    alias: str = ""

    @property
    def number(self) -> exp.Expr:
        """The expression for the number of a row's value."""
        return exp.column("cell", table=self.keys)


def values_statement(relation: exp.Expr, column: str) -> exp.Select:
    """The statement, for the source, that counts the values of a column."""
    tree = sql.with_relations(sql.select("measure/values"), {"dataset": relation})
    return sql.with_columns(tree, {"dataset.qi": column})


def numbered_statement(counted: str) -> exp.Select:
    """The statement that numbers the values in the table `counted`, the result of `values_statement`."""
    return sql.with_relations(sql.select("measure/numbered"), {"counted": exp.to_table(counted)})


def facts_statement(counted: str) -> exp.Select:
    """The statement for the facts of a column, its values counted: different values, rows, rows with NULL."""
    return sql.with_relations(sql.select("measure/column_facts"), {"counted": exp.to_table(counted)})


def class_number_parts(columns: Sequence[NumberedColumn], largest: int) -> list[exp.Expr]:
    """Expressions for numbers below `largest`, as few as fit: two rows agree in them if they agree in all `columns`."""
    parts: list[tuple[exp.Expr, int]] = []
    for column in columns:
        if parts and parts[-1][1] * column.values < largest:
            held, values = parts.pop()
            shifted = exp.Mul(this=exp.paren(held), expression=exp.Literal.number(column.values))
            parts.append((exp.Add(this=shifted, expression=column.number), values * column.values))
        else:
            parts.append((column.number, column.values))
    return [each for each, _ in parts]


def counted_statement(
    relation: exp.Expr, classes: Sequence[exp.Expr], joined: Sequence[NumberedColumn], others: Sequence[NumberedColumn]
) -> exp.Select:
    """The statement, for the source, that counts the rows of each class with each value of `others`.

    `classes`: the parts of the number of the class, or its values, in the columns `part_columns`. `joined`: all columns
    whose numbers the statement needs. The columns of `others` are called by their aliases.
    """
    tree = sql.select("measure/counted")
    inner = tree.args["from_"].this.this
    join = inner.args["joins"][0]
    named = dict(zip(part_columns(len(classes)), classes, strict=True)) | {each.alias: each.number for each in others}
    inner.set("expressions", [exp.alias_(number.copy(), name) for name, number in named.items()])
    inner.set("joins", [_joined(join, each) for each in joined])
    outer = [exp.column(name, table="coded") for name in named]
    tree.set("expressions", [*outer, tree.expressions[-1]])
    tree.set("group", exp.Group(expressions=[each.copy() for each in outer]))
    return sql.with_relations(tree, {"dataset": relation})


def part_columns(parts: int) -> list[str]:
    """The names of the columns for a class number of so many parts: `class`, or `class_1`, `class_2` and so on."""
    return ["class"] if parts == 1 else [f"class_{place}" for place in range(1, parts + 1)]


def _joined(join: exp.Expr, column: NumberedColumn) -> exp.Expr:
    filled = join.copy()
    filled.set("this", exp.to_table(column.keys))
    return sql.with_table(sql.with_columns(filled, {"dataset.qi": column.name}), "keys", column.keys)


def renumbered_statement(counted: str, parts: int, others: Sequence[NumberedColumn]) -> exp.Select:
    """The statement that gives each class of the table `counted` one number, `class`, in place of its several parts."""
    tree = sql.select("measure/renumbered")
    rank, _, n = tree.expressions
    order = rank.find(exp.Order)
    order.set("expressions", [exp.Ordered(this=exp.column(each, table="counted")) for each in part_columns(parts)])
    tree.set("expressions", [rank, *(exp.column(each.alias, table="counted") for each in others), n])
    return sql.with_relations(tree, {"counted": exp.to_table(counted)})


def of_counted(template: str, value: str = "value", class_size: exp.Expr | None = None) -> exp.Select:
    """A template over the table `COUNTED`; `value`: the column of the values there."""
    tree = sql.select(template)
    for node in list(tree.find_all(exp.Column)):
        if node.table == "numbered" and node.name == "value":
            named = isinstance(node.parent, exp.Select) and node.arg_key == "expressions"
            node.set("this", exp.to_identifier(value))
            if named:
                node.replace(exp.alias_(node.copy(), "value"))
    relations = {"numbered": exp.to_table(COUNTED)}
    return sql.with_relations(tree, relations | ({} if class_size is None else {"class_size": class_size}))


PARTS, VALUES, CLASS_VALUE, TABLE_VALUE, CLASS_SIZE, DISTINCT, UNLIKE = (
    "counted_parts",
    "counted_values",
    "measured_class_value",
    "measured_table_value",
    "measured_class_size",
    "measured_distinct_values",
    "measured_unlike_classes",
)
HALF = Fraction(1, 2)
"""The threshold of every model here: it changes no figure, as models are measured and not checked."""

_TIMES = frozenset({"TIME", "TIME WITH TIME ZONE", "TIMESTAMP WITH TIME ZONE", "TIME_NS", "INTERVAL"})


@dataclass(frozen=True, slots=True)
class TableRoles:
    """The roles of a table's columns, by their stored names; a column has one role at most."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...] = ()
    entity: str | None = None


def measured_table(dataset: Dataset, roles: TableRoles, filter_text: str | None = None) -> MeasuredTable:
    """The figures of an open table; `filter_text`: its row filter.

    Raises InputError if it has no rows, or rows without a person; SourceFault, SourceChanged.
    """
    return _Measuring(dataset, roles).all(filter_text)


@dataclass(frozen=True, slots=True)
class _Measuring:
    """The measurement of one table, step by step."""

    dataset: Dataset
    roles: TableRoles

    def all(self, filter_text: str | None) -> MeasuredTable:
        names = [*self.roles.quasi_identifiers, *self.roles.sensitive]
        if self.roles.entity is not None:
            names.append(self.roles.entity)
        few = len(names) <= MOST_JOINED
        facts: dict[str, ColumnFacts] = {}
        columns: dict[str, NumberedColumn] = {}
        rows = 0
        for place, name in enumerate(names, start=1):
            facts[name], rows = self.counted(name)
            if rows == 0:
                raise _no_rows(self.dataset.name, filter_text)
            if few or name not in self.roles.quasi_identifiers:
                columns[name] = self.numbered(facts[name], f"measured_values_{place}")
        self.require_persons(facts)
        self.count(columns, rows)
        return MeasuredTable(
            name=self.dataset.name,
            filter=filter_text,
            rows=rows,
            entity=self.roles.entity,
            quasi_identifiers=tuple(facts[each] for each in self.roles.quasi_identifiers),
            classes=self.classes(None if self.roles.entity is None else facts[self.roles.entity].values),
            sensitive=tuple(self.sensitive(facts[each], columns[each]) for each in self.roles.sensitive),
            least_k=self.dataset.least_k,
        )

    def counted(self, name: str) -> tuple[ColumnFacts, int]:
        """Count the values of a column into `VALUES`. Returns the column's facts, and the number of rows."""
        values = values_statement(self.dataset.relation, name)
        self.dataset.backend.keep(Purpose.MEASURE, VALUES, values)
        different, rows, nulls = self.row(facts_statement(VALUES))
        return ColumnFacts(name, without_labels(self.dataset.type_of(name)), int(different), int(nulls)), int(rows)

    def numbered(self, facts: ColumnFacts, keys: str) -> NumberedColumn:
        """The column of `VALUES`, numbered in the table `keys`, of which the source knows."""
        self.keep(keys, numbered_statement(VALUES))
        self.dataset.backend.upload(keys)
        return NumberedColumn(facts.name, facts.values, keys)

    def require_persons(self, facts: dict[str, ColumnFacts]) -> None:
        entity = self.roles.entity
        if entity is not None and facts[entity].nulls:
            number = facts[entity].nulls
            have = "row has" if shown(number, self.dataset.least_k) == 1 else "rows have"
            raise InputError(
                f"{in_words(number, self.dataset.least_k)} {have} no person: {quoted(entity)} is NULL there",
                where="--entity",
                next_step=f"Measure the others with --where '\"{entity}\" IS NOT NULL', or count rows.",
            )

    def count(self, columns: dict[str, NumberedColumn], rows: int) -> None:
        """Count every class with its values into `COUNTED`. Raises SourceChanged if the number of rows changed."""
        qis = self.roles.quasi_identifiers
        packed = all(each in columns for each in qis)
        if packed:
            classes = class_number_parts([columns[each] for each in qis], LARGEST_CLASS_NUMBER)
        else:
            classes = [sql.column(each, "dataset") for each in qis]
        others = [replace(columns[each], alias=self.alias(each)) for each in self.roles.sensitive]
        if self.roles.entity is not None:
            others.append(replace(columns[self.roles.entity], alias="person"))
        statement = counted_statement(self.dataset.relation, classes, list(columns.values()), others)
        whole = packed and len(classes) == 1
        self.dataset.backend.keep(Purpose.MEASURE, COUNTED if whole else PARTS, statement)
        if not whole:
            self.keep(COUNTED, renumbered_statement(PARTS, len(classes), others))
        self.check_rows(rows)

    def check_rows(self, rows: int) -> None:
        counted = sql.with_relations(sql.template("measure/rows"), {"numbered": exp.to_table(COUNTED)})
        if self.row(counted)[0] != rows or self.dataset.backend.changed():
            raise SourceChanged(
                "the table changed while it was measured",
                where=self.dataset.name,
                next_step="Run it again once nothing writes to it.",
            )

    def classes(self, persons: int | None) -> Observation:
        """The histogram of class sizes; `persons`: the number of persons, None if rows are counted."""
        sized = "measure/rows_of_classes" if persons is None else "measure/persons_of_classes"
        self.keep(CLASS_SIZE, of_counted(sized))
        sizes = exp.to_table(CLASS_SIZE)
        histogram = self.pairs(of_counted("measure/class_sizes", class_size=sizes))
        observation = Observation.from_histogram(histogram, units=persons)
        if persons is None:
            return observation
        alone = tuple(sorted(self.pairs(of_counted("measure/least_sizes", class_size=sizes))))
        return replace(observation, persons=PersonSizes(alone))

    def sensitive(self, column: ColumnFacts, numbered: NumberedColumn) -> SensitiveFigures:
        counts, distinct = self.counts(column.name, numbered)
        beta, delta, beyond = self.row(_filled("measure/likeness", counts))
        one_value = distinct == 1  # in some class: its entropy is 0, and the value's share 1
        return SensitiveFigures(
            column=column,
            distinct_l=distinct,
            entropy_l=1.0 if one_value else math.exp(self.worst(EntropyL(Fraction(2)), counts)),
            recursive_c=() if one_value else self.recursive(distinct, counts),
            t_equal=self.worst(TCloseness(HALF), counts),
            t_ordered=self.worst(TCloseness(HALF, "ordered"), counts) if _has_order(column.type) else None,
            alpha=1.0 if one_value else self.worst(AlphaK(HALF), counts),
            beta_basic=float(beta),
            beta_enhanced=None if beyond else float(beta),
            delta=float(delta),
        )

    def counts(self, column: str, numbered: NumberedColumn) -> tuple[Counts, int]:
        """The counts from which all models of a sensitive column are measured; and its distinct l."""
        alias, persons = self.alias(column), self.roles.entity is not None
        counted = "measure/persons_of_values" if persons else "measure/rows_of_values"
        self.keep(CLASS_VALUE, of_counted(counted, alias))
        if persons:
            table_value = of_counted("measure/table_persons", alias)
        else:
            table_value = sql.with_relations(
                sql.select("counting/table_values"), {"sensitive": exp.to_table(numbered.keys)}
            )
        self.keep(TABLE_VALUE, table_value)
        counts = Counts(
            class_value=exp.to_table(CLASS_VALUE),
            table_value=exp.to_table(TABLE_VALUE),
            class_size=exp.to_table(CLASS_SIZE) if persons else None,
        )
        self.keep(DISTINCT, figures_statement(DistinctL(2), counts))
        figures = {"figures": exp.to_table(DISTINCT)}
        distinct = int(self.row(sql.with_relations(sql.select("privacy/extremes"), figures))[0])
        if distinct > 1:
            return counts, distinct
        unlike = cast("exp.Query", sql.template("measure/unlike_classes"))
        self.keep(UNLIKE, sql.with_relations(unlike, {**figures, **_tables(counts)}))
        return replace(counts, class_value=exp.to_table(UNLIKE)), distinct

    def recursive(self, distinct: int, counts: Counts) -> tuple[tuple[int, float], ...]:
        """For each l from 2 to distinct l: l, and the c that must be exceeded."""
        tree = _filled("measure/recursive_c", counts)
        found = self.dataset.backend.workspace.rows(Purpose.MEASURE, tree, {"most": distinct})
        return tuple((int(length), float(c)) for length, c in found)

    def worst(self, model: Model, counts: Counts) -> float:
        """The figure of the least protected class."""
        least, greatest = self.row(extremes_statement(model, counts))
        return float(least if model.definition.worst == "least" else greatest)

    def alias(self, sensitive: str) -> str:
        return f"value_{self.roles.sensitive.index(sensitive) + 1}"

    def keep(self, table: str, query: exp.Query) -> None:
        self.dataset.backend.workspace.store(Purpose.MEASURE, table, query)

    def row(self, tree: exp.Expr) -> Sequence[float]:
        found: Sequence[float] = self.dataset.backend.workspace.rows(Purpose.MEASURE, tree)[0]
        return found

    def pairs(self, tree: exp.Expr) -> list[tuple[int, int]]:
        return [(int(one), int(other)) for one, other in self.dataset.backend.workspace.rows(Purpose.MEASURE, tree)]


def _filled(template: str, counts: Counts) -> exp.Select:
    return sql.with_relations(sql.select(template), _tables(counts))


def _tables(counts: Counts) -> dict[str, exp.Expr]:
    tables = {"class_value": counts.class_value, "table_value": counts.table_value}
    return {name: each for name, each in tables.items() if each is not None}


def _has_order(column_type: str) -> bool:
    """Whether the values of a column of this SQL type have an order: numbers, dates, times."""
    return is_number(column_type) or is_date(column_type) or plain(column_type) in _TIMES


def _no_rows(name: str, filter_text: str | None) -> InputError:
    if filter_text is None:
        return InputError("there are no rows to measure", where=name, next_step="Give a table that has some.")
    return InputError("no row passes the filter", where="--where", next_step="Loosen it, or leave it out.")
