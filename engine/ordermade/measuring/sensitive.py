"""A sensitive attribute made countable: its values as a small table of the workspace, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from ordermade import sql
from ordermade.measuring.attribute import Attribute
from ordermade.measuring.dataset import Dataset
from ordermade.measuring.entity import person
from ordermade.measuring.grounding import figures, outline, require_coverage, store_keys
from ordermade.measuring.keys import as_key, as_type, smallest_type
from ordermade.privacy.models import Model, TCloseness
from ordermade.privacy.statements import Counts
from ordermade.sources.door import Purpose


@dataclass(frozen=True, slots=True)
class Sensitive:
    """A sensitive column with its models, known by number.

    `position` goes on from those of the quasi-identifiers. The table `values` has a row a value of the whole dataset:
    `key` (compared as `value_type`), `cell` (its place in the order of the values, NULL last) and `n` (the rows that
    have it or, where there is an entity column, the persons); `different` is how many rows it has. `levels` names,
    for each model that goes by a hierarchy (by its identity), a table with a row a value and level below `*`: `value`,
    `level`, `ancestor`.
    """

    position: int
    column: str
    models: tuple[Model, ...]
    value: exp.Expr
    value_type: str
    levels: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    different: int = 0

    @property
    def values(self) -> str:
        """The name of its table of values."""
        return f"keys_{self.position}"

    @property
    def counted_values(self) -> str:
        """The name of the table that counts its values, before they are numbered."""
        return f"marginal_{self.position}"

    @property
    def cell_column(self) -> str:
        """Its column in a frequency set."""
        return f"c{self.position}"

    def compared(self, value: exp.Expr) -> exp.Expr:
        """A value of the column, wherever it comes from, as the table of values holds it."""
        return as_type(value, self.value_type)

    def counts(self, model: Model, class_value: exp.Expr, class_size: exp.Expr | None) -> Counts:
        """The counts that decide one of its models, given those of the classes (their sizes for persons only)."""
        levels = self.levels.get(model.identity)
        return Counts(
            class_value=class_value,
            table_value=sql.with_relations(sql.select("table_values"), {"sensitive": exp.to_table(self.values)}),
            value_level=None if levels is None else exp.to_table(levels),
            class_size=class_size,
        )


def outline_sensitive(dataset: Dataset, position: int, column: str, models: Sequence[Model]) -> Sensitive:
    """The sensitive attribute `column` before anything is counted: enough to write its statements."""
    value, value_type = as_key(column, dataset.type_of(column))
    outlined = Sensitive(position, column, tuple(models), value, value_type)
    levels = {
        model.identity: f"levels_{position}_{number}"
        for number, model in enumerate(models)
        if isinstance(model, TCloseness) and model.hierarchy is not None
    }
    return replace(outlined, levels=levels)


def ground_sensitive(dataset: Dataset, position: int, column: str, models: Sequence[Model]) -> Sensitive:
    """The sensitive attribute `column` made countable: its values counted in the source and numbered, in one statement.

    Persons are counted where the dataset has an entity column. Raises HierarchyError, with counts only, if a hierarchy
    that a model goes by does not cover every value.
    """
    sensitive = outline_sensitive(dataset, position, column, models)
    workspace = dataset.backend.workspace
    dataset.backend.keep(Purpose.COVERAGE, sensitive.counted_values, values_statement(dataset, sensitive))
    counted = sql.with_relations(sql.template("row_count"), {"dataset": exp.to_table(sensitive.counted_values)})
    values = int(workspace.rows(Purpose.COVERAGE, counted)[0][0])
    workspace.store(Purpose.COVERAGE, sensitive.values, cells_statement(sensitive, values))
    dataset.backend.upload(sensitive.values)
    for table, attribute in along_hierarchies(dataset, sensitive):
        store_keys(dataset, attribute)
        require_coverage(figures(workspace, attribute), attribute, dataset.least_k)
        workspace.store(Purpose.COVERAGE, table, levels_statement(sensitive, attribute))
    return replace(sensitive, different=values)


def along_hierarchies(dataset: Dataset, sensitive: Sensitive) -> Iterator[tuple[str, Attribute]]:
    """For each hierarchy that a model goes by: its table of levels, and the column as an attribute of the hierarchy."""
    for number, model in enumerate(sensitive.models):
        if isinstance(model, TCloseness) and model.hierarchy is not None:
            position = sensitive.position * 1_000 + number
            attribute = outline(dataset, position, sensitive.column, model.hierarchy, 0)
            yield sensitive.levels[model.identity], attribute


def values_statement(dataset: Dataset, sensitive: Sensitive) -> exp.Select:
    """The statement that counts each value of a sensitive column over the whole dataset."""
    tree = sql.select("sensitive_values")
    if dataset.entity is not None:
        tree.expressions[1].set("this", exp.Count(this=exp.Distinct(expressions=[person(dataset)])))
    filled = sql.with_expressions(tree, {"dataset.qi": sensitive.value})
    return sql.with_relations(filled, {"dataset": dataset.relation})


def cells_statement(sensitive: Sensitive, values: int) -> exp.Select:
    """The statement that numbers the counted values in their order."""
    tree = sql.select("sensitive_cells")
    cell = tree.expressions[1]
    cell.set("this", as_type(cell.this, smallest_type(values)))
    return sql.with_relations(tree, {"marginal": exp.to_table(sensitive.counted_values)})


def levels_statement(sensitive: Sensitive, attribute: Attribute) -> exp.Query:
    """The statement that gives the class of every value at every level of a hierarchy below `*`."""
    relations = {"sensitive": exp.to_table(sensitive.values), "keys": exp.to_table(attribute.keys)}
    queries = []
    for level in attribute.levels:
        tree = sql.with_columns(sql.select("sensitive_levels"), {"keys.level": attribute.level_column(level)})
        tree.expressions[1].set("this", exp.Literal.number(level))
        queries.append(sql.with_relations(tree, relations))
    return sql.union_all(queries)


def for_values(fragment: exp.Expr, sensitive: Sensitive) -> exp.Expr:
    """A copy of a fragment of a template with one sensitive attribute's names in it, in place of a quasi-identifier's.

    `keys` becomes its table of values, `dataset.code` its value, the alias `qi` its column in frequency sets.
    """

    def fill(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Table) and node.name == "keys":
            return exp.to_table(sensitive.values)
        if isinstance(node, exp.Column) and node.table == "keys":
            return exp.column(node.name, table=sensitive.values)
        if isinstance(node, exp.Column) and node.table == "dataset":
            return sensitive.value.copy()
        if isinstance(node, exp.Column) and node.name == "qi":
            return exp.column(sensitive.cell_column, table=node.table)
        return node

    filled = fragment.copy().transform(fill, copy=False)
    if isinstance(filled, exp.Alias) and filled.alias == "qi":
        filled.set("alias", exp.to_identifier(sensitive.cell_column))
    return filled
