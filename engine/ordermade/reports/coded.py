"""The rows of a release, or of its original, counted by combination of values, each value by its number.

Whatever a report shows is added up from these tables of the embedded database; rows never come into Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from ordermade import sql
from ordermade.counting.any_table import (
    VALUES,
    NumberedColumn,
    counted_statement,
    facts_statement,
    numbered_statement,
    values_statement,
)
from ordermade.counting.dataset import Dataset
from ordermade.release.measure import histories_statement
from ordermade.release.plan import PERSON, expand_columns, inner, without
from ordermade.sources.executor import Executor, Purpose


@dataclass(frozen=True, slots=True)
class Coded:
    """The combinations of values of a relation, in a table of the workspace of `executor`.

    One row of `table` is one combination, of one person where `has_persons`: column `c1`, `c2`, … is the number of the
    value in each of `columns`, `n` its rows. The table of values of a column (`values`) has a row a value: `key`, its
    number `cell`, `n`.
    """

    executor: Executor
    prefix: str
    columns: tuple[str, ...]
    has_persons: bool = False

    @property
    def table(self) -> str:
        """The name of the table of combinations."""
        return f"{self.prefix}_coded"

    def code(self, column: str) -> str:
        """The column of the numbers of its values."""
        return f"c{self.columns.index(column) + 1}"

    def values(self, column: str) -> str:
        """The table of the values of a column."""
        return f"{self.prefix}_values_{self.columns.index(column) + 1}"

    def of_combinations(self, template: str, columns: Sequence[str], value: str | None = None) -> exp.Select:
        """A template over the combinations, `coded.cell` standing for the numbers of `columns`.

        `value`: the column whose numbers stand for `coded.value`.
        """
        tree = sql.select(template)
        for query in list(tree.find_all(exp.Select)):
            expand_columns(query, "coded.cell", [self.code(each) for each in columns])
        for equal in tree.find_all(exp.EQ):  # of a class with itself: by the same columns on both sides
            if isinstance(equal.this, exp.Column) and isinstance(equal.expression, exp.Column):
                equal.expression.set("this", equal.this.this.copy())
        if value is not None:
            sql.with_columns(tree, {"coded.value": self.code(value)})
        return sql.with_relations(tree, {"coded": exp.to_table(self.table)})


def coded_release(
    executor: Executor, released: exp.Expr, columns: Sequence[str], person: str | None, count: str | None
) -> Coded:
    """The released rows, without star rows, coded.

    `person`: the column of pseudonyms; `count`: that of a statistical table which counts its units.
    """
    coded = Coded(executor, "after", tuple(columns), person is not None)
    combined = f"{coded.prefix}_combined"
    executor.store(Purpose.MEASURE, combined, combined_statement(released, columns, person, count))
    names = [inner(number) for number in range(len(columns))]
    for column, name in zip(columns, names, strict=True):
        tree = sql.with_columns(sql.select("report/values"), {"released.value": name, "counted.value": name})
        tree = sql.with_relations(tree, {"released": exp.to_table(combined)})
        executor.store(Purpose.MEASURE, coded.values(column), tree)
    executor.store(Purpose.MEASURE, coded.table, coded_statement(coded, combined))
    executor.rows(Purpose.MEASURE, sql.dropped(combined))
    return coded


def combined_statement(released: exp.Expr, columns: Sequence[str], person: str | None, count: str | None) -> exp.Select:
    """The statement that counts the combinations of values of a release, in names of the workspace."""
    tree = sql.select("report/combinations")
    value, by_person, n = tree.expressions
    values = [
        sql.named(sql.with_columns(value.copy(), {"released.value": column}), inner(number))
        for number, column in enumerate(columns)
    ]
    persons = [] if person is None else [sql.named(sql.with_columns(by_person, {"released.person": person}), PERSON)]
    tree.set("expressions", [*values, *persons, n])
    expand_columns(tree, "released.value", columns)
    if person is None:
        without(tree, "released.person")
    else:
        sql.with_columns(tree, {"released.person": person})
    units: exp.Expr = exp.Literal.number(1) if count is None else sql.column(count, "released")
    return sql.with_relations(sql.with_expressions(tree, {"released.n": units}), {"released": released})


def coded_statement(coded: Coded, combined: str) -> exp.Select:
    """The statement that numbers the values of the counted combinations."""
    tree = sql.select("report/coded")
    cell, person, n = tree.expressions
    join = tree.args["joins"][0]
    joins, cells = [], []
    for number, column in enumerate(coded.columns):
        keys = coded.values(column)
        filled = sql.with_columns(join.copy(), {"released.value": inner(number)})
        filled.set("this", exp.to_table(keys))
        joins.append(sql.with_table(filled, "keys", keys))
        cells.append(exp.alias_(exp.column(cell.name, table=keys), coded.code(column)))
    tree.set("expressions", [*cells, *([person] if coded.has_persons else []), n])
    tree.set("joins", joins)
    return sql.with_relations(tree, {"released": exp.to_table(combined)})


def coded_original(dataset: Dataset, columns: Sequence[str], person: str | None) -> Coded:
    """The rows of the original, coded: two readings of each column in the source. Raises SourceFault.

    `person`: the column that identifies persons, where they are counted.
    """
    backend = dataset.backend
    coded = Coded(backend.workspace, "before", tuple(columns), person is not None)
    numbered = [_numbered(dataset, each, coded.values(each), coded.code(each)) for each in columns]
    if person is not None:
        numbered.append(_numbered(dataset, person, f"{coded.prefix}_persons", PERSON))
    backend.keep(Purpose.MEASURE, coded.table, counted_statement(dataset.relation, [], numbered, numbered))
    return coded


def _numbered(dataset: Dataset, column: str, keys: str, alias: str) -> NumberedColumn:
    backend = dataset.backend
    backend.keep(Purpose.MEASURE, VALUES, values_statement(dataset.relation, column))
    different = backend.workspace.rows(Purpose.MEASURE, facts_statement(VALUES))[0][0]
    backend.workspace.store(Purpose.MEASURE, keys, numbered_statement(VALUES))
    backend.upload(keys)
    return replace(NumberedColumn(column, int(different), keys), alias=alias)


def one_value_classes(coded: Coded, quasi_identifiers: Sequence[str], column: str) -> int:
    """The number of classes in which a column has one value alone."""
    tree = coded.of_combinations("report/one_value", quasi_identifiers, column)
    return int(coded.executor.rows(Purpose.MEASURE, tree)[0][0])


def fewest_values(coded: Coded, quasi_identifiers: Sequence[str], column: str) -> int:
    """The fewest different values of a column in a class."""
    tree = coded.of_combinations("report/fewest_values", quasi_identifiers, column)
    return int(coded.executor.rows(Purpose.MEASURE, tree)[0][0])


def histories(coded: Coded, columns: Sequence[str]) -> Mapping[int, int]:
    """The number of classes of each size, a class being the persons with the same rows, each as often."""
    tree = histories_statement(exp.to_table(coded.table), [*map(coded.code, columns), "n"], PERSON)
    return {int(size): int(classes) for size, classes in coded.executor.rows(Purpose.MEASURE, tree)}


def histogram(coded: Coded, columns: Sequence[str]) -> Mapping[int, int]:
    """The number of classes of each size, in persons where they are known, else in rows."""
    template = "report/classes_of_persons" if coded.has_persons else "report/classes"
    found = coded.executor.rows(Purpose.MEASURE, coded.of_combinations(template, columns))
    return {int(size): int(classes) for size, classes in found}


def units_by_size(coded: Coded, columns: Sequence[str], sizes: Mapping[int, int]) -> Mapping[int, int]:
    """The rows (or persons) by the size of their class, of persons the smallest that they are in."""
    if not coded.has_persons:
        return {size: size * classes for size, classes in sizes.items()}
    tree = coded.of_combinations("report/persons_of_sizes", columns)
    return {int(size): int(persons) for size, persons in coded.executor.rows(Purpose.MEASURE, tree)}
