"""What a release tells by being minimal: two attackers of small tables, compared exactly.

A reader who knows the algorithm knows that a finer release which could have been made was not (Wong, Fu, Wang and Pei,
"Minimality Attack in Privacy Preserving Data Publishing", VLDB 2007). Here every table of a domain is decided once by
the algorithm, and the attack is a lookup: the tables that give the same output as the true one are kept.

An output is what a reader sees: the number of rows under each label, and the number of suppressed rows. Both attackers
know it, the domain, the hierarchies and k; neither knows anything of a person beforehand: each row has each cell with
the same probability, independently, so that a table is as probable as it has orders of its rows.

* *Labels*. A row under a label may have any cell that the label holds, a suppressed row any at all. k says no more:
  every placement of the rows under their labels leaves as many rows in every class. So each cell of a label with m
  cells has the probability 1 / m, whatever the other rows are.
* *Algorithm*. The same, of the placements that the algorithm would have released in this way. For given rows under
  labels these are the kept tables: all rows of a cell are released in one region, so that a table and an output leave
  no choice of who is under which label, and by symmetry each kept table has (its orders) / (orders of the labels)
  placements of given rows.

The true table is kept, and is a placement that the labels leave possible. So the second attacker excludes no truth,
and knows at least what the first does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ordermade.evaluation.decided_tables import Algorithm
from ordermade.evaluation.small_tables import Flags, Integers, SmallDomain, orderings


@dataclass(frozen=True, slots=True)
class ClassTold:
    """What the algorithm tells of a released class: `rows` of it, under a label.

    `named`: the values that the label leaves possible, all attributes together, `left` those that the algorithm does;
    `cells` and `cells_left` the same of cells. `likeliest`: the probability of a row's most likely cell, 1 / `cells` by
    the labels alone.
    """

    label: int
    rows: int
    named: int
    left: int
    cells: int
    cells_left: int
    likeliest: float

    @property
    def rise(self) -> float:
        """By how much the probability of the most likely cell of a row rises."""
        return self.likeliest - 1 / self.cells


@dataclass(frozen=True, slots=True)
class Told:
    """What the algorithm tells of an output beyond its labels.

    `placements` of all rows, suppressed ones too, that the labels leave possible, and of these `kept` by the algorithm.
    Both count every way to have so many rows under each label, of which there are `orders`.
    """

    classes: tuple[ClassTold, ...]
    suppressed: int
    orders: int
    placements: int
    kept: int

    @property
    def anything(self) -> bool:
        """Whether some placement is impossible that the labels leave possible."""
        return self.kept < self.placements

    @property
    def rules_out_a_value(self) -> bool:
        """Whether no row of some class can have a value that its label names."""
        return any(each.left < each.named for each in self.classes)

    @property
    def bits(self) -> float:
        """The information told, in bits: of so many placements, all as probable, the kept ones remain."""
        return math.log2(self.placements / self.kept)

    @property
    def bits_open(self) -> float:
        """What the labels leave open, in bits: of whoever knows which rows are under which label."""
        return math.log2(self.placements // self.orders)


@dataclass(frozen=True)
class Attack:
    """An algorithm, known to an attacker who sees what it releases of a table of so many rows on a small domain.

    Memory and time go with the number of all such tables (`number_of_tables`): 100,000 are some seconds.
    """

    domain: SmallDomain
    algorithm: Algorithm
    tables: Integers
    """Every table, as of `SmallDomain.tables`."""
    _known: dict[int, Told] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def placed(self) -> Integers:
        """The region of each cell of each table, `SUPPRESSED` where its rows are not released."""
        return self.algorithm(self.domain, self.tables)

    @cached_property
    def _under(self) -> Integers:
        """The label of each cell of each table; one more than there are where its rows are suppressed."""
        cells, of_regions = self.domain.labels
        return np.append(of_regions, len(cells))[self.placed]

    @cached_property
    def _outputs(self) -> tuple[Integers, Integers]:
        """The rows under each label, output by output; the output of each table."""
        seen = np.zeros((len(self.tables), len(self.domain.labels[0])), dtype=np.int16)
        for label in range(seen.shape[1]):
            seen[:, label] = np.where(self._under == label, self.tables, 0).sum(axis=1)
        outputs, of_tables = np.unique(seen, axis=0, return_inverse=True)
        return outputs.astype(np.int64), of_tables.reshape(-1).astype(np.int64)

    @cached_property
    def _by_output(self) -> tuple[Integers, Integers]:
        """The tables, those of one output side by side, and the start of each output."""
        outputs, of_tables = self._outputs
        ordered = np.argsort(of_tables, kind="stable")
        return ordered, np.searchsorted(of_tables[ordered], np.arange(len(outputs) + 1))

    def output_of(self, table: int) -> int:
        """The number of the output of the table with this number."""
        return int(self._outputs[1][table])

    @property
    def outputs(self) -> int:
        """The number of different outputs."""
        return len(self._outputs[0])

    def kept(self, output: int) -> Integers:
        """The numbers of the tables that give an output."""
        ordered, starts = self._by_output
        return ordered[starts[output] : starts[output + 1]]

    def told(self, output: int) -> Told:
        """What the algorithm tells of an output."""
        if output not in self._known:
            self._known[output] = self._told(output)
        return self._known[output]

    def _told(self, output: int) -> Told:
        kept, seen = self.kept(output), self._outputs[0][output]
        tables, weights = self.tables[kept], orderings(self.tables[kept])
        suppressed = int(tables[0].sum() - seen.sum())
        counts = [*seen.tolist(), suppressed]
        cells = [*self.domain.labels[0].sum(axis=1).tolist(), len(self.domain.cells)]
        orders = math.factorial(sum(counts)) // math.prod(map(math.factorial, counts))
        placements = orders * math.prod(of**rows for of, rows in zip(cells, counts, strict=True))
        classes = tuple(
            self._of_class(label, int(seen[label]), tables, weights, self._under[kept] == label)
            for label in np.flatnonzero(seen).tolist()
        )
        return Told(classes, suppressed, orders, placements, int(weights.sum()))

    def _of_class(self, label: int, rows: int, tables: Integers, weights: Integers, is_under: Flags) -> ClassTold:
        holds = self.domain.labels[0][label]
        weighed = (weights[:, np.newaxis] * np.where(is_under, tables, 0)).sum(axis=0)
        return ClassTold(
            label=label,
            rows=rows,
            named=_values(self.domain.cells[holds]),
            left=_values(self.domain.cells[weighed > 0]),
            cells=int(holds.sum()),
            cells_left=int((weighed > 0).sum()),
            likeliest=float(weighed.max() / weighed.sum()),
        )


def _values(cells: Integers) -> int:
    """The different values that cells have, all attributes together."""
    return sum(len(np.unique(each)) for each in cells.T)
