"""One quasi-identifier made countable: its values' cells and classes as a small table of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.loss.costs import AttributeCosts


@dataclass(frozen=True, slots=True)
class Attribute:
    """A grounded quasi-identifier: the table `keys` has one row a value, with its cell and its class at each level.

    `code` is what a row of the dataset is joined on. A class is called by the least of its cells, so classes of one level
    can be looked up as cells of a coarser one. `class_counts[level]` is how many classes hold rows. `labels[level]` says
    what is released for each class, called as in the column `label_column(level)`.
    """

    position: int
    column: str
    hierarchy: Hierarchy
    base: int
    code: exp.Expression
    by_value: bool
    class_counts: Mapping[int, int]
    labels: Mapping[int, Mapping[int, str | None]]
    costs: AttributeCosts

    @property
    def keys(self) -> str:
        """The name of the table of keys."""
        return f"keys_{self.position}"

    @property
    def levels(self) -> range:
        """The levels it can be counted at, `*` excepted."""
        return range(self.base, self.hierarchy.top)

    @property
    def cell_column(self) -> str:
        """The attribute's column in a frequency set as it comes from the source."""
        return f"c{self.position}"

    def level_column(self, level: int) -> str:
        """The attribute's column of classes at a level, in its keys and in a widened frequency set."""
        return level_column(self.position, level)

    def label_column(self, level: int) -> str:
        """The column of its keys that `labels[level]` is looked up by."""
        return label_column(self.position, level) if self.by_value else self.level_column(level)


def level_column(position: int, level: int) -> str:
    """The column that holds the class at a level, as the least cell number of the class."""
    return f"q{position}_l{level}"


def label_column(position: int, level: int) -> str:
    """The column that holds the class at a level, as a rule numbers it."""
    return f"q{position}_g{level}"


def for_attribute(fragment: exp.Expression, attribute: Attribute, level: int | None = None) -> exp.Expression:
    """A copy of a fragment of a template with one attribute's names in it.

    `keys` becomes its table of keys, `keys.level` its column at `level`, `dataset.code` what it joins on,
    `frequency_set.qi` and the alias `qi` its column in frequency sets (at `level` if given), `level` likewise.
    """
    counted = attribute.cell_column if level is None else attribute.level_column(level)

    def fill(node: exp.Expression) -> exp.Expression:
        if isinstance(node, exp.Table) and node.name == "keys":
            return exp.to_table(attribute.keys)
        if not isinstance(node, exp.Column):
            return node
        if node.table == "dataset" and node.name == "code":
            return attribute.code.copy()
        if node.table == "frequency_set" and node.name == "qi":
            return exp.column(counted, table="frequency_set")
        if node.table == "keys":
            return exp.column(counted if node.name == "level" else node.name, table=attribute.keys)
        return node

    filled = fragment.copy().transform(fill, copy=False)
    if isinstance(filled, exp.Alias) and filled.alias in ("qi", "level"):
        filled.set("alias", exp.to_identifier(counted))
    return filled
