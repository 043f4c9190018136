"""The counts of a certificate: one plain GROUP BY a node, over the values as the source groups them.

The source is read once: the values that occur together, with their number of rows. Each value gets its class at every
level from the registered hierarchy. Nothing is rolled up, remembered or left out; table C is not read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache

from sqlglot import exp

from ordermade import sql
from ordermade.certificates.claims import ClaimedFigures, ClaimedTerms, Node
from ordermade.counting.counts import Sensitive, for_values, person
from ordermade.counting.dataset import Dataset
from ordermade.counting.encoding import EncodedColumn, for_attribute
from ordermade.privacy.statements import failing_statement
from ordermade.sources.executor import Purpose

VALUES, CERTIFIED, PART, SIZED = "certified_values", "certified", "certified_part", "certified_sized"
"""Tables of the workspace: values that occur together, these with their classes; the parts and classes of a node."""


@dataclass(frozen=True)
class Recount:
    """A dataset whose nodes can be counted: columns with their hierarchies, sensitive columns with their models."""

    dataset: Dataset
    attributes: tuple[EncodedColumn, ...]
    sensitive: tuple[Sensitive, ...]
    _by_class: dict[str, dict[int, int]] = field(default_factory=dict, repr=False)

    def read(self) -> None:
        """Reads the values that occur together from the source, in one statement, with their classes at every level."""
        backend = self.dataset.backend
        backend.keep(Purpose.FREQUENCY_SET, VALUES, self.values_statement())
        backend.workspace.store(Purpose.ROLL_UP, CERTIFIED, self.labelled_statement())

    def values_statement(self) -> exp.Select:
        """The statement for the source: the values that occur together, one row a combination."""
        tree = sql.select("certificate/values")
        codes = {_value(each): each.code for each in self.attributes}
        codes |= {_value(each): each.value for each in self.sensitive}
        if self.dataset.entity is not None:
            codes["person"] = person(self.dataset)
        columns: list[exp.Expr] = [exp.alias_(code.copy(), name) for name, code in codes.items()]
        tree.set("expressions", [*columns, tree.expressions[-1]])
        groups = [code.copy() for code in codes.values()]
        tree.set("group", exp.Group(expressions=groups) if groups else None)
        return sql.with_relations(tree, {"dataset": self.dataset.relation})

    def labelled_statement(self) -> exp.Select:
        """The statement for the workspace: the combinations with the class of each value at every level."""
        tree = sql.select("certificate/labelled")
        level, _, count = tree.expressions
        (join,) = tree.args["joins"]
        columns: list[exp.Expr] = [
            for_attribute(level, each, number) for each in self.attributes for number in each.levels
        ]
        columns += [exp.alias_(exp.column("cell", table=each.values), each.cell_column) for each in self.sensitive]
        if self.dataset.entity is not None:
            columns.append(exp.column("person", table="valued"))
        tree.set("expressions", [*columns, count])
        joins = [_on(for_attribute(join, each), _value(each)) for each in self.attributes]
        joins += [_on(for_values(join, each), _value(each)) for each in self.sensitive]
        tree.set("joins", joins)
        return sql.with_relations(tree, {"valued": exp.to_table(VALUES)})

    def figures(self, terms: ClaimedTerms, node: Node) -> ClaimedFigures:
        """The classes of a node, and its suppressed units, counted by plain statements."""
        levels = self._levels(node)
        pays = terms.objective in ("loss", "entropy") and terms.limit > 0
        if not (self.sensitive or self.dataset.entity is not None or pays):
            sizes = tuple((int(size), False, int(n)) for size, n in self._rows(_plain(levels)))
            below = sum(size * n for size, _, n in sizes if size < terms.k)
            return ClaimedFigures(sizes, below, below)
        self._store(PART, self._parts(levels))
        self._store(SIZED, self._sized())
        counted = sql.with_relations(sql.select("certificate/sizes_of_classes"), {"sized": exp.to_table(SIZED)})
        sizes = tuple((int(size), bool(fails), int(n)) for size, fails, n in self._rows(counted))
        below, suppressed = self._suppressed(terms, sizes)
        if not pays or not suppressed:
            return ClaimedFigures(sizes, below, suppressed)
        paid = [self._paid(terms, position, level) for position, level in enumerate(node)]
        return ClaimedFigures(sizes, below, suppressed, *(sum(each, Fraction()) for each in zip(*paid, strict=True)))

    def rows_by_class(self, attribute: EncodedColumn, level: int) -> dict[int, int]:
        """The rows of each class of one column at a level below `*`."""
        own = attribute.level_column(level)
        if own not in self._by_class:
            tree = sql.with_columns(sql.select("certificate/level_rows"), {"certified.level": own})
            self._by_class[own] = {int(each): int(n) for each, n in self._rows(tree)}
        return self._by_class[own]

    def value_repeats(self, attribute: EncodedColumn) -> list[tuple[int, int]]:
        """The original values of a column: (rows, how many values have so many), counted in the source."""
        tree = sql.with_expressions(sql.select("certificate/repeats"), {"dataset.qi": attribute.value})
        filled = sql.with_relations(tree, {"dataset": self.dataset.relation})
        return [(int(n), int(values)) for n, values in self.dataset.backend.executor.rows(Purpose.COVERAGE, filled)]

    def _levels(self, node: Node) -> list[str]:
        """The columns of the classes of a node's levels below `*`."""
        pairs = zip(self.attributes, node, strict=True)
        return [each.level_column(level) for each, level in pairs if level != each.hierarchy.top]

    def _parts(self, levels: Sequence[str]) -> exp.Select:
        tree = sql.select("certificate/parts")
        number, _, _, count = tree.expressions
        window = number.this
        order = [exp.Ordered(this=exp.column(each, table=CERTIFIED), nulls_first=False) for each in levels]
        window.set("order", exp.Order(expressions=order or [exp.Ordered(this=exp.Literal.number(1))]))
        columns: list[exp.Expr] = [exp.column(each, table=CERTIFIED) for each in levels]
        columns += [exp.column(each.cell_column, table=CERTIFIED) for each in self.sensitive]
        if self.dataset.entity is not None:
            columns.append(exp.column("person", table=CERTIFIED))
        tree.set("expressions", [number, *columns, count])
        return tree

    def _sized(self) -> exp.Select:
        tree = sql.select("certificate/sized_classes")
        statements: list[exp.Query] = []
        sizes = self._of_persons(tree.args["from_"].this.this.copy())
        for each in self.sensitive:
            values = self._of_persons(sql.select("certificate/class_values"))
            values = sql.with_columns(values, {"part.value": each.cell_column})
            values = sql.with_relations(values, {"part": exp.to_table(PART)})
            of_persons = sql.with_relations(sizes.copy(), {"part": exp.to_table(PART)})
            size = of_persons if self.dataset.entity is not None else None
            statements += [failing_statement(model, each.counts(model, values, size)) for model in each.models]
        failing: exp.Query = statements[0] if statements else sql.select("classes/no_class_fails")
        if len(statements) > 1:
            failing = exp.union(*statements, distinct=True, dialect=sql.DIALECT)
        tree.args["from_"].this.set("this", sizes)
        of_node = exp.to_table(PART)
        return sql.with_relations(
            tree, {"part": of_node, "failing": sql.with_relations(failing, {"class_size": of_node})}
        )

    def _of_persons(self, tree: exp.Select) -> exp.Select:
        """A count of rows, as one of persons where the dataset has an entity column."""
        if self.dataset.entity is not None:
            counted = exp.Count(this=exp.Distinct(expressions=[exp.column("person", table="part")]))
            tree.expressions[-1].set("this", counted)
        return tree

    def _suppressed(self, terms: ClaimedTerms, sizes: Iterable[tuple[int, bool, int]]) -> tuple[int, int]:
        """The units in classes below k, and those in suppressed classes; a person in two counts once."""
        if self.dataset.entity is None:
            below = sum(size * n for size, _, n in sizes if size < terms.k)
            return below, below + sum(size * n for size, fails, n in sizes if size >= terms.k and fails)
        ((below, suppressed),) = self._rows(_over_classes("certificate/persons", terms.k))
        return int(below), int(suppressed)

    def _paid(self, terms: ClaimedTerms, position: int, level: int) -> tuple[Fraction, Fraction]:
        """The weighted cost of suppressed rows in one column: of those below k, and of all."""
        attribute, column = self.attributes[position], terms.columns[position]
        tree = _over_classes("certificate/suppressed", terms.k)
        if level == attribute.hierarchy.top:
            return Fraction(), Fraction()
        tree = sql.with_columns(tree, {"part.level": attribute.level_column(level)})
        counted = [(int(each), int(below), int(lost)) for each, below, lost in self._rows(tree)]
        below = {each: n for each, n, _ in counted if n}
        lost = {each: n for each, _, n in counted if n}
        if terms.objective == "entropy":
            return column.weight * _bits(below.values()), column.weight * _bits(lost.values())
        return column.weight * self._share(attribute, level, below), column.weight * self._share(attribute, level, lost)

    def _share(self, attribute: EncodedColumn, level: int, rows: Mapping[int, int]) -> Fraction:
        """The mean that these rows add to the loss of a column where they count as `*`, over all rows."""
        every = sum(self.rows_by_class(attribute, level).values())
        domain = attribute.costs.domain_leaves
        if level == 0:
            domain = 2 if domain is None else domain
            lost = sum(n for each, n in rows.items() if each != attribute.star_cell)
            return Fraction(lost, every) if domain > 1 else Fraction()
        under = attribute.leaves[level]
        blurred = sum(n * ((domain or 0) - under[each]) for each, n in rows.items())
        return Fraction(blurred, every * (domain - 1)) if domain and domain > 1 else Fraction()

    def _store(self, table: str, query: exp.Select) -> None:
        self.dataset.backend.workspace.store(Purpose.K_CHECK, table, query)

    def _rows(self, query: exp.Expr | str) -> list[tuple[int, ...]]:
        return self.dataset.backend.workspace.rows(Purpose.K_CHECK, query)


def level_costs(recount: Recount, attribute: EncodedColumn, objective: str) -> tuple[Fraction, ...] | None:
    """The cost of every level of a column, unweighted; None where levels cost nothing.

    The original values cost 0, but for the Loss of missing ones that are released as `*`. Prec: level / top; height:
    the level; Loss: the mean share of the hierarchy's leaves under a row's class; entropy: the bits lost, the sum over
    classes of n log2 n less that over original values. A level that cannot be counted costs 0; such levels are not
    accepted.
    """
    top = attribute.hierarchy.top
    match objective:
        case "prec" | "prec_suppressed_as_1":
            return tuple(Fraction(level, top or 1) for level in range(top + 1))
        case "height":
            return tuple(Fraction(level) for level in range(top + 1))
        case "loss" | "entropy" | "entropy_ignoring_suppression":
            counted = {level: recount.rows_by_class(attribute, level) for level in attribute.levels}
        case _:
            return None
    rows = sum(next(iter(counted.values())).values())
    if objective == "loss":
        return tuple(_loss(attribute, level, counted.get(level), rows) for level in range(top + 1))
    finest = math.fsum(n * math.log2(n) * values for n, values in recount.value_repeats(attribute) if n > 1)
    bits = {level: max(_information(each.values()) - finest, 0.0) for level, each in counted.items()}
    bits |= {0: 0.0, top: max(_information([rows]) - finest, 0.0)} if top else {0: 0.0}
    return tuple(Fraction(bits.get(level, 0.0)) for level in range(top + 1))


def _loss(attribute: EncodedColumn, level: int, counted: Mapping[int, int] | None, rows: int) -> Fraction:
    domain = attribute.costs.domain_leaves
    if rows == 0 or (domain is not None and domain <= 1):
        return Fraction()
    if level == 0:
        missing = attribute.star_cell
        return Fraction() if missing is None or counted is None else Fraction(counted.get(missing, 0), rows)
    if level == attribute.hierarchy.top:
        return Fraction(1)
    if counted is None or domain is None:
        return Fraction()
    under = attribute.leaves[level]
    return Fraction(sum(n * under[each] for each, n in counted.items()) - rows, rows * (domain - 1))


def _information(counts: Iterable[int]) -> float:
    return math.fsum(n * math.log2(n) for n in counts if n > 1)


def _bits(counts: Iterable[int]) -> Fraction:
    """The bits that say which row has which value: s log2 s less the sum of n log2 n."""
    every = list(counts)
    return Fraction(max(_information([sum(every)]) - _information(every), 0.0))


def _value(column: EncodedColumn | Sensitive) -> str:
    return f"v{column.position}"


def _on(join: exp.Expr, name: str) -> exp.Expr:
    """A join with the keys of a column, on the column of values of this name."""
    join.args["on"].set("this", exp.column(name, table="valued"))
    return join


@lru_cache(maxsize=1)
def _plain_count() -> sql.Compiled:
    """The plain count of a node, printed once: a certificate may have hundreds."""
    return sql.compiled(sql.select("certificate/class_sizes"), levels=sql.text(exp.column("level", table=CERTIFIED)))


def _plain(levels: Sequence[str]) -> str:
    return _plain_count().filled(levels=", ".join(levels) or "()")


def _over_classes(name: str, k: int) -> exp.Select:
    relations = {"part": exp.to_table(PART), "sized": exp.to_table(SIZED)}
    tree = sql.with_relations(sql.select(name), relations)
    for each in list(tree.find_all(exp.Placeholder)):
        each.replace(exp.Literal.number(k))
    return tree
