"""One quasi-identifier made countable: its values' cells and classes as a small table of the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.lattice.observation import Sizes
from ordermade.loss.costs import AttributeCosts


@dataclass(frozen=True, slots=True)
class Attribute:
    """A grounded quasi-identifier: the table `keys` has one row a value, with its cell and its class at each level.

    A row of the dataset is joined on `code`: its value (`value`, compared as `value_type`) or what a rule makes of it.
    A class is called by the least of its cells, so classes of one level can be looked up as cells of a coarser one.
    `joined_by_value`: the source does not evaluate rules, so its rows are joined on values whatever keys are made of.
    `marginal[level]` is the whole histogram of the class sizes of this attribute alone, for every level below `*` that
    it can be counted at. `labels[level]` says what is released for each class, called as in the column
    `label_column(level)`. `cells`: how many cells there are (0 before anything is counted); `leaves[level]`: the leaves
    of the hierarchy under each class that holds rows, for the levels between 0 and `*` that it can be counted at.
    """

    position: int
    column: str
    hierarchy: Hierarchy
    base: int
    value: exp.Expr
    value_type: str
    rule: exp.Expr | None
    by_value: bool
    marginal: Mapping[int, Sizes]
    labels: Mapping[int, Mapping[int, str | None]]
    costs: AttributeCosts
    joined_by_value: bool = False
    cells: int = 0
    leaves: Mapping[int, Mapping[int, int]] = field(default_factory=dict)

    @property
    def code(self) -> exp.Expr:
        """The expression that joins a row of the dataset with the table of keys."""
        return self.value if self.counted_by_value or self.rule is None else self.rule

    @property
    def keys(self) -> str:
        """The name of the table of keys."""
        return f"keys_{self.position}"

    @property
    def counted_values(self) -> str:
        """The name of the table that counts its values."""
        return f"marginal_{self.position}"

    @property
    def codes(self) -> str:
        """The name of the table of a rule's codes, where rows are joined on values."""
        return f"codes_{self.position}"

    @property
    def counted_by_value(self) -> bool:
        """Whether its values are counted, and not the codes of a rule over them."""
        return self.by_value or self.joined_by_value or self.rule is None

    @property
    def listed(self) -> str:
        """The name of the table of what a grounding lists: keys, or the codes of a rule that keys are looked up by."""
        return self.codes if self.by_value or self.joined_by_value else self.keys

    @property
    def relations(self) -> dict[str, exp.Expr]:
        """Its tables by the stand-in names of the templates."""
        return {
            "keys": exp.to_table(self.keys),
            "marginal": exp.to_table(self.counted_values),
            "code_classes": exp.to_table(self.codes),
        }

    @property
    def class_counts(self) -> dict[int, int]:
        """Count the classes that hold rows, at every level that it can be counted at, `*` included."""
        counts = {level: sum(classes for _, classes in sizes) for level, sizes in self.marginal.items()}
        return {**counts, self.hierarchy.top: 1}

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
        return f"q{self.position}_l{level}"

    def label_column(self, level: int) -> str:
        """The column of its keys that `labels[level]` is looked up by."""
        return f"q{self.position}_g{level}" if self.by_value else self.level_column(level)


def for_attribute(fragment: exp.Expr, attribute: Attribute, level: int | None = None) -> exp.Expr:
    """A copy of a fragment of a template with one attribute's names in it.

    `keys` becomes its table of keys, `keys.level` its column at `level`, `dataset.code` what it joins on,
    `frequency_set.qi` and the alias `qi` its column in frequency sets (at `level` if given), `level` likewise.
    """
    counted = attribute.cell_column if level is None else attribute.level_column(level)

    def fill(node: exp.Expr) -> exp.Expr:
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
