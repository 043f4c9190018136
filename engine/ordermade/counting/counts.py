"""Counts beyond rows (persons by entity, sensitive values), and the frequency set widened for them in the workspace.

The widened set has a column for each level, and class codes packed into a few integers.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from ordermade import sql
from ordermade.counting.coverage import figures, require_coverage
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import (
    EncodedColumn,
    Encoding,
    as_key,
    as_type,
    encode_column,
    for_attribute,
    smallest_type,
    store_keys,
)
from ordermade.counting.statements import Statement, carry_out
from ordermade.errors import InputError, quoted
from ordermade.lattice.lattice import Node
from ordermade.privacy.least_k import numbered
from ordermade.privacy.models import Model
from ordermade.privacy.statements import Counts
from ordermade.requests.filter_parser import in_a_request
from ordermade.sources.backend import row_count
from ordermade.sources.executor import Executor, Purpose
from ordermade.state.cache_contents import GroundedColumn, besides

PERSONS = "persons"
"""The table of the workspace with a row a person: `key` (the entity value), `code` (a number), `n` (rows)."""


@dataclass(frozen=True, slots=True)
class Units:
    """The rows of a dataset, and its persons where it has an entity column (else None)."""

    rows: int
    persons: int | None = None

    @property
    def called(self) -> str:
        """The noun for what classes count: `persons` or `rows`."""
        return "rows" if self.persons is None else "persons"

    @property
    def number(self) -> int:
        """The number of units that classes count: persons where there is an entity column, else rows."""
        return self.rows if self.persons is None else self.persons


def units_of(dataset: Dataset, rows: int, enough: int = 0) -> Units:
    """The rows of the dataset, and its persons where it has an entity column. Raises InputError as `units` does."""
    return Units(rows) if dataset.entity is None else units(dataset, enough)


def remaining(dataset: Dataset, enough: int) -> Units:
    """Count the rows of the dataset, or its rows and persons where it has an entity column. Raises as `units` does."""
    return units_of(dataset, row_count(dataset.backend, dataset.relation) if dataset.entity is None else 0, enough)


def units(dataset: Dataset, enough: int = 0) -> Units:
    """The rows and persons of a dataset with an entity column, whose table `PERSONS` is stored on the way.

    One statement in the source. Raises InputError where rows have no person, unless there are not `enough` persons for
    that to matter; ValueError without an entity column.
    """
    counted, without = counted_persons(dataset)
    if without and counted.number >= enough and dataset.entity is not None:
        condition = f"{sql.text(sql.column(dataset.entity))} is not null"
        raise InputError(
            f"{numbered(without, 'row has', 'rows have', dataset.least_k)} no person: the column "
            f"{quoted(dataset.entity)} is NULL there",
            where=f"dataset {quoted(dataset.name)}",
            next_step=f"Leave them out with `{in_a_request(condition)}`, or register the dataset without "
            "--entity, which counts rows.",
        )
    return counted


def counted_persons(dataset: Dataset) -> tuple[Units, int]:
    """The rows and persons of a dataset with an entity column, and the rows that have no person.

    One statement in the source, which stores the table `PERSONS`. Raises ValueError without an entity column.
    """
    carry_out(dataset.backend, Purpose.COVERAGE, [persons_numbered(dataset)])
    dataset.backend.upload(PERSONS)
    rows, persons, without = dataset.backend.workspace.rows(Purpose.COVERAGE, sql.template("counting/person_counts"))[0]
    return Units(int(rows), int(persons)), int(without)


def persons_numbered(dataset: Dataset) -> Statement:
    """The statement, for the source, that becomes the table `PERSONS`."""
    return Statement("persons, numbered", True, PERSONS, persons_statement(dataset), part="counted")


def persons_statement(dataset: Dataset) -> exp.Select:
    """The statement that numbers the persons of a dataset."""
    tree = sql.with_expressions(sql.select("counting/persons"), {"dataset.id": person(dataset)})
    return dataset.counted(tree)


def person(dataset: Dataset) -> exp.Expr:
    """The entity column of a dataset, compared by its exact content."""
    if dataset.entity is None:
        raise ValueError(f"{dataset.name} has no entity column")
    return as_key(dataset.entity, dataset.type_of(dataset.entity))[0]


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
            table_value=sql.with_relations(
                sql.select("counting/table_values"), {"sensitive": exp.to_table(self.values)}
            ),
            value_level=None if levels is None else exp.to_table(levels),
            class_size=class_size,
            missing_value=sql.with_relations(
                sql.select("counting/missing_value"), {"sensitive": exp.to_table(self.values)}
            ),
        )


def outline_sensitive(dataset: Dataset, position: int, column: str, models: Sequence[Model]) -> Sensitive:
    """The sensitive attribute `column` before anything is counted: enough to write its statements."""
    value, value_type = as_key(column, dataset.type_of(column))
    outlined = Sensitive(position, column, tuple(models), value, value_type)
    levels = {
        model.identity: f"levels_{position}_{number}"
        for number, model in enumerate(models)
        if model.named_hierarchy is not None
    }
    return replace(outlined, levels=levels)


def ground_sensitive(dataset: Dataset, position: int, column: str, models: Sequence[Model]) -> Sensitive:
    """The sensitive attribute `column` made countable: its values counted in the source and numbered, in one statement.

    Persons are counted where the dataset has an entity column. Raises HierarchyError, with counts only, if a hierarchy
    that a model goes by does not cover every value.
    """
    sensitive = number_values(dataset, outline_sensitive(dataset, position, column, models))
    workspace = dataset.backend.workspace
    for table, attribute in along_hierarchies(dataset, sensitive):
        store_keys(dataset, attribute)
        require_coverage(figures(workspace, attribute), attribute, dataset.least_k)
        workspace.store(Purpose.COVERAGE, table, levels_statement(sensitive, attribute))
    return sensitive


def number_values(dataset: Dataset, outlined: Sensitive) -> Sensitive:
    """The column with its values counted in the source, in one statement, and numbered in their order."""
    workspace = dataset.backend.workspace
    carry_out(dataset.backend, Purpose.COVERAGE, [values_counted(dataset, outlined)])
    counted = sql.with_relations(sql.template("dataset/row_count"), {"dataset": exp.to_table(outlined.counted_values)})
    values = int(workspace.rows(Purpose.COVERAGE, counted)[0][0])
    carry_out(dataset.backend, Purpose.COVERAGE, [values_numbered(outlined, values)])
    dataset.backend.upload(outlined.values)
    return replace(outlined, different=values)


def values_counted(dataset: Dataset, sensitive: Sensitive) -> Statement:
    """The statement, for the source, that counts the values of a sensitive column."""
    title = f"how often each value of {sensitive.column} occurs"
    return Statement(title, True, sensitive.counted_values, values_statement(dataset, sensitive))


def values_numbered(sensitive: Sensitive, values: int) -> Statement:
    """The statement that numbers them, by a type that so many `values` fit in."""
    tree = cells_statement(sensitive, values)
    return Statement(f"the values of {sensitive.column}, numbered", False, sensitive.values, tree)


def along_hierarchies(dataset: Dataset, sensitive: Sensitive) -> Iterator[tuple[str, EncodedColumn]]:
    """For each hierarchy that a model goes by: its table of levels, and the column as an attribute of the hierarchy."""
    for number, model in enumerate(sensitive.models):
        if model.named_hierarchy is not None:
            position = sensitive.position * 1_000 + number
            attribute = encode_column(dataset, position, sensitive.column, model.named_hierarchy, 0)
            yield sensitive.levels[model.identity], attribute


def values_statement(dataset: Dataset, sensitive: Sensitive) -> exp.Select:
    """The statement that counts each value of a sensitive column over the whole dataset."""
    tree = sql.select("counting/sensitive_values")
    if dataset.entity is not None:
        tree.expressions[1].set("this", exp.Count(this=exp.Distinct(expressions=[person(dataset)])))
    filled = sql.with_expressions(tree, {"dataset.qi": sensitive.value})
    return dataset.counted(filled)


def cells_statement(sensitive: Sensitive, values: int) -> exp.Select:
    """The statement that numbers the counted values in their order."""
    tree = sql.select("counting/sensitive_cells")
    cell = tree.expressions[1]
    cell.set("this", as_type(cell.this, smallest_type(values)))
    return sql.with_relations(tree, {"marginal": exp.to_table(sensitive.counted_values)})


def levels_statement(sensitive: Sensitive, attribute: EncodedColumn) -> exp.Query:
    """The statement that gives the class of every value at every level of a hierarchy below `*`."""
    relations = {"sensitive": exp.to_table(sensitive.values), "keys": exp.to_table(attribute.keys)}
    queries = []
    for level in attribute.levels:
        tree = sql.with_columns(sql.select("counting/sensitive_levels"), {"keys.level": attribute.level_column(level)})
        tree.expressions[1].set("this", exp.Literal.number(level))
        queries.append(sql.with_relations(tree, relations))
    return sql.union_all(queries)


def branches_of_values(
    executor: Executor, purpose: Purpose, sensitive: Sensitive
) -> dict[tuple[str, ...], list[list[int]]]:
    """For each model that goes by a hierarchy (by its identity) the branch of every value, from 0: levels x values."""
    found = {}
    for identity, table in sensitive.levels.items():
        tree = sql.with_relations(sql.select("release/measure/ancestors"), {"value_level": exp.to_table(table)})
        rows = executor.rows(purpose, tree)
        branches = [[0] * sensitive.different for _ in range(1 + max(level for _, level, _ in rows))]
        numbers: list[dict[int, int]] = [{} for _ in branches]
        for value, level, ancestor in rows:
            branches[level][value] = numbers[level].setdefault(ancestor, len(numbers[level]))
        found[identity] = branches
    return found


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


@dataclass(frozen=True, slots=True)
class Counting:
    """The counts that a request needs beyond the rows of every class.

    `sensitive`: its sensitive attributes, grounded, with their models. `entity`: the column that identifies persons,
    where the classes count them (their table is stored, see `entity.units`), and `persons` their number.
    `least_classes`: whether it is also counted how small the classes of each person are, as a suppression limit needs
    where a person may be in several. Those of rows follow from the sizes of classes. `keepable`: whether so is the most
    of each failing class that finer nodes can keep (rows alone have it).
    """

    sensitive: tuple[Sensitive, ...] = ()
    entity: str | None = None
    persons: int | None = None
    least_classes: bool = False
    keepable: bool = False

    @classmethod
    def of(
        cls, sensitive: tuple[Sensitive, ...], entity: str | None, persons: int | None = None, *, within_limit: bool
    ) -> Counting:
        """The counts that a request needs; `within_limit`: whether it may suppress units.

        Where every model is monotone even then, whether a node passes is bound enough for the finer ones.
        """
        monotone = all(model.definition.monotone_under_limit for each in sensitive for model in each.models)
        return cls(
            sensitive,
            entity,
            persons,
            least_classes=within_limit and entity is not None,
            keepable=within_limit and entity is None and not monotone,
        )

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of sensitive attributes in a frequency set."""
        return tuple(each.cell_column for each in self.sensitive)

    @property
    def has_models(self) -> bool:
        """True if classes may fail a model."""
        return any(each.models for each in self.sensitive)

    @property
    def is_plain(self) -> bool:
        """True if nothing but the rows of every class is counted."""
        return self.entity is None and not self.has_models

    def for_each_model(self) -> dict[tuple[str, Model], Counting]:
        """The counts needed for one model alone, by its column and model."""
        return {
            (each.column, model): replace(
                self, sensitive=(replace(each, models=(model,)),), least_classes=False, keepable=False
            )
            for each in self.sensitive
            for model in each.models
        }

    @property
    def cached_columns(self) -> tuple[GroundedColumn, ...]:
        """The columns of its frequency set beyond the quasi-identifiers', as the cache keeps them."""
        return besides([each.column for each in self.sensitive], self.entity)


PLAIN = Counting()


BITS = 62
"""The number of bits used of a word: it is signed."""
UNKNOWN = 32
"""The bits of a class where cells are not counted yet."""


@dataclass(frozen=True, slots=True)
class Field:
    """The bits of one column of classes: in which word, from which bit, how many; `kind`: the column's type."""

    word: int
    start: int
    bits: int
    kind: str

    @property
    def mask(self) -> int:
        """A word with the bits of this field alone."""
        return ((1 << self.bits) - 1) << self.start

    def taken(self, word: exp.Expr) -> exp.Expr:
        """The class in a word, as the column has it."""
        if self.start:
            word = exp.Paren(this=exp.BitwiseRightShift(this=word, expression=exp.Literal.number(self.start)))
        one = exp.BitwiseAnd(this=word, expression=exp.Literal.number((1 << self.bits) - 1))
        return exp.Cast(this=one, to=exp.DataType.build(self.kind, dialect=sql.DIALECT))


@dataclass(frozen=True, slots=True)
class WideCells:
    """Where each column of classes, of attributes at their levels and of sensitive ones, is in the words."""

    fields: Mapping[str, Field] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns of words."""
        return [name_of(word) for word in range(1 + max((each.word for each in self.fields.values()), default=0))]

    def masks(self, columns: Iterable[str]) -> dict[int, int]:
        """The words that hold these columns, each with a mask of their bits."""
        found: dict[int, int] = {}
        for column in columns:
            at = self.fields[column]
            found[at.word] = found.get(at.word, 0) | at.mask
        return found


def packed(attributes: Sequence[EncodedColumn], levels: Mapping[int, Sequence[int]], counting: Counting) -> WideCells:
    """The columns of a widened frequency set in as few words as they fit one after the other."""
    cells = {each.level_column(level): each.cells for each in attributes for level in levels[each.position]} | {
        each.cell_column: each.different for each in counting.sensitive
    }
    fields: dict[str, Field] = {}
    word = start = 0
    for column, different in cells.items():
        bits = max(1, (different - 1).bit_length()) if different else UNKNOWN
        if start + bits > BITS:
            word, start = word + 1, 0
        fields[column] = Field(word, start, bits, smallest_type(different or 1 << UNKNOWN))
        start += bits
    return WideCells(fields)


def name_of(word: int) -> str:
    """The name of the column of a word."""
    return f"w{word}"


NARROW = "frequency_set"
WIDE = "frequency_set_wide"
COUNTED = "frequency_set_counted"
"""The combinations of persons, added up."""


@dataclass(frozen=True, slots=True)
class Repeats:
    """The combinations that are not the first of their person, and how many; see `persons_set`.

    `words`: how their classes are packed; `many`: whether some persons have too many to be compared two by two.
    """

    words: WideCells
    length: int
    many: bool


@dataclass(frozen=True, slots=True)
class StoredSet:
    """A frequency set in the workspace: its table and length, and the levels that each attribute can be counted at.

    It has a column for each of them, or they are packed in `words`. Where persons are counted of whom some have several
    combinations, `repeats` says what of them is counted too often.
    """

    table: str
    length: int
    levels: tuple[frozenset[int], ...]
    repeats: Repeats | None = field(default=None, compare=False)
    words: WideCells | None = field(default=None, compare=False)

    @property
    def whole_length(self) -> int:
        """Its length with what of persons is counted too often."""
        return self.length + (self.repeats.length if self.repeats else 0)

    def answers(self, node: Node, tops: Node) -> bool:
        """True if `node` can be counted from this set."""
        return can_count(self.levels, node, tops)


def can_count(levels: Sequence[Collection[int]], node: Node, tops: Node) -> bool:
    """True if a node can be counted from a set with these levels: every attribute is at one of them, or at `*`."""
    return all(level in have or level == top for level, have, top in zip(node, levels, tops, strict=True))


def widen_statement(
    table: str,
    attributes: Sequence[Encoding],
    levels: Mapping[int, Sequence[int]],
    base: Node | None = None,
    *,
    cells: Sequence[str] = (),
    counts: Sequence[exp.Expr] = (),
) -> exp.Select:
    """`table` joined with its attributes' keys for a column at each of `levels` (by attribute position).

    Without `base` the table holds cells; with it, the classes of that node (attributes without levels are left out).
    The columns `cells`, of sensitive attributes, stay as they are; `counts` are the other columns, if not those of
    rows.
    """
    tree = sql.select("counting/widen")
    count, level = tree.expressions
    join = tree.args["joins"][0]
    columns: list[exp.Expr] = list(counts) or [count]
    columns += [exp.column(each, table=NARROW) for each in cells]
    joins: list[exp.Expr] = []
    for attribute in attributes:
        wanted = levels[attribute.position]
        if not wanted:
            continue
        columns.extend(for_attribute(level, attribute, number) for number in wanted)
        joins.append(_widening_join(join, attribute, wanted, None if base is None else base[attribute.position - 1]))
    tree.set("expressions", columns)
    tree.set("joins", joins)
    return sql.with_relations(tree, {NARROW: exp.to_table(table)})


def _widening_join(join: exp.Expr, attribute: Encoding, levels: Sequence[int], held: int | None) -> exp.Expr:
    """The join of one attribute: on its cell, or on the class at the level that the table holds."""
    filled = for_attribute(join, attribute)
    inner = filled.this.this
    _, level = join.this.this.expressions
    on_cell = "cell" if held is None else attribute.level_column(held)
    inner.set(
        "expressions",
        [
            exp.alias_(exp.column(on_cell, table=attribute.keys), "cell", copy=False),
            *(
                exp.alias_(for_attribute(level, attribute, number), attribute.level_column(number), copy=False)
                for number in levels
            ),
        ],
    )
    filled.this.set("alias", exp.TableAlias(this=exp.to_identifier(attribute.keys)))
    on = filled.args["on"]
    held_column = attribute.cell_column if held is None else attribute.level_column(held)
    on.set("this", exp.column(held_column, table=NARROW))
    on.set("expression", exp.column("cell", table=attribute.keys))
    return filled


def length(workspace: Executor, table: str) -> int:
    """The number of rows of a table of the workspace."""
    return int(workspace.rows(Purpose.ROLL_UP, _length.text(table))[0][0])


@sql.BuiltOnce
def _length(table: str) -> exp.Expr:
    return sql.with_relations(sql.template("dataset/row_count"), {"dataset": exp.to_table(table)})
