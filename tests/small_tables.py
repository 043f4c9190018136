"""What the engine itself releases of a small table, k alone being asked: its own searches, rounds and partitions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from bench.minimal.small_tables import SUPPRESSED, Integers, Node, SmallAttribute, SmallDomain
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder
from ordermade.lattice.observation import Observation, Requirement
from ordermade.loss.costs import AttributeCosts, attribute_costs, information
from ordermade.loss.objectives import objective
from ordermade.methods.generalization.algorithm.sealed_partition import SealedLevels
from ordermade.methods.generalization.local_rounds import (
    CellClasses,
    Classes,
    Round,
    first,
    gather,
    in_order,
    loss_of,
    run_rounds,
)
from ordermade.methods.generalization.sealed_recoding import cheapest_first
from ordermade.methods.mondrian.algorithm.check import SplitRequirement as MondrianRequirement
from ordermade.methods.mondrian.algorithm.domains import Domain, Nested
from ordermade.methods.mondrian.algorithm.split_scoring import Precise
from ordermade.methods.mondrian.algorithm.splitting import partitioned
from ordermade.search.exhaustive import exhaustive
from ordermade.search.problem import SearchProblem, drive


class ByEngine:
    """One table of a small domain. Results are as those of `bench.minimal.attackers`, of this table alone."""

    def __init__(self, domain: SmallDomain, table: Integers, k: int, limit: Fraction) -> None:
        self.domain, self.table, self.rows = domain, table, int(table.sum())
        self.requirement = Requirement(k, int(self.rows * limit))
        axes = (Axis(str(at), LevelOrder.chain(each.top + 1), tuple(range(each.top + 1))) for at, each in self.numbered)
        self.lattice = Lattice(tuple(axes))

    @property
    def numbered(self) -> Sequence[tuple[int, SmallAttribute]]:
        return list(enumerate(self.domain.attributes))

    def classes_at(self, node: Node, left: Integers) -> Counter[int]:
        """The rows of each region of a node that has any of these."""
        found: Counter[int] = Counter()
        for region, rows in zip(self.domain.region_of[self.domain.nodes.index(node)], left, strict=True):
            found[int(region)] += int(rows)
        return +found

    def costs(self) -> list[AttributeCosts]:
        found = []
        for place, attribute in self.numbered:
            rows = np.bincount(self.domain.cells[:, place], weights=self.table, minlength=attribute.values).astype(int)
            levels = {}
            for level, classes in enumerate(attribute.classes):
                n = np.bincount(classes, weights=rows).astype(int)
                levels[level] = [(int(n[c]), int(np.bincount(classes)[c])) for c in range(len(n)) if n[c]]
            found.append(
                attribute_costs(
                    LevelOrder.chain(attribute.top + 1),
                    levels,
                    leaf_information=information(rows.tolist()),
                    domain_leaves=attribute.values,
                )
            )
        return found

    # ---- full domain ------------------------------------------------------------------------------------------------

    def best(self) -> Node:
        problem = SearchProblem(self.lattice, self.requirement, objective("prec", self.lattice, None, self.requirement))

        def observed(nodes: Sequence[Node]) -> list[Observation]:
            sizes = (Counter(self.classes_at(node, self.table).values()) for node in nodes)
            return [Observation.from_histogram(each.items()) for each in sizes]

        found = drive(exhaustive(problem), observed).best
        assert found is not None
        return found

    def full_domain(self) -> Integers:
        remaining = InMemory(self)
        remaining.release(self.best())
        return remaining.placed

    # ---- rounds -----------------------------------------------------------------------------------------------------

    def attributes(self) -> list[CellClasses]:
        return [
            CellClasses(
                base=0,
                top=each.top,
                classes={level: dict(enumerate(each.classes[level])) for level in range(each.top)},
                leaves={level: dict(Counter(each.classes[level])) for level in range(1, each.top)},
                costs=costs,
            )
            for (_, each), costs in zip(self.numbered, self.costs(), strict=True)
        ]

    def loss(self, placed: Integers) -> float:
        regions = sorted({int(each) for each in placed} - {SUPPRESSED})
        rows: list[dict[int | None, dict[int, int]]] = []
        for place, _ in self.numbered:
            of_rounds: dict[int | None, dict[int, int]] = {}
            for cell, region in enumerate(placed.tolist()):
                number = None if region == SUPPRESSED else regions.index(region) + 1
                value, of_values = int(self.domain.cells[cell, place]), of_rounds.setdefault(number, {})
                of_values[value] = of_values.get(value, 0) + int(self.table[cell])
            rows.append(of_rounds)
        found = loss_of(self.attributes(), [self.domain.regions[each].node for each in regions], rows)
        assert found is not None
        return found

    def attempt(self, order: Sequence[Node]) -> Integers | None:
        """The rounds of this order; None where too much is left."""
        remaining, most = InMemory(self), self.requirement.most_suppressed
        rounds = run_rounds(self.lattice, order, remaining, self.requirement.k)
        if remaining.units > most and gather(order, rounds, remaining, most) is None:
            return None
        return remaining.placed

    def rounds(self) -> Integers:
        order = in_order(self.lattice, self.costs())
        alone = self.full_domain()
        finest = self.attempt(order)
        if finest is not None and self.loss(finest) <= self.loss(alone):
            return finest
        begun = self.attempt(first(self.best(), order))
        return alone if begun is None else begun

    # ---- sealed -----------------------------------------------------------------------------------------------------

    def sealed(self) -> Integers:
        occupied = np.flatnonzero(self.table)
        levels = []
        for place, each in self.numbered:
            share = 1 / len(self.domain.attributes)
            sizes = [np.bincount(classes) for classes in each.classes]
            costs = [share * ((n - 1) / max(each.values - 1, 1)) for n in sizes[:-1]]
            levels.append(
                SealedLevels.of_cells(
                    place,
                    self.domain.cells[occupied, place],
                    [np.array(classes) for classes in each.classes],
                    [[level - 1] if level else [] for level in range(each.top + 1)],
                    [*costs, share * np.ones(1)],
                )
            )
        alone, placed = self.full_domain(), None
        for found in cheapest_first(levels, self.table[occupied], self.requirement):
            placed = np.full(len(self.table), SUPPRESSED, dtype=np.int64)
            for cell, number in zip(occupied, found.node_of, strict=True):
                if number >= 0:
                    placed[cell] = self.domain.region_of[self.domain.nodes.index(found.nodes[number]), cell]
            if found.nodes:
                break
        if placed is None or (placed == SUPPRESSED).all():
            return alone
        return placed if self.loss(placed) <= self.loss(alone) else alone

    # ---- Mondrian ---------------------------------------------------------------------------------------------------

    def mondrian(self) -> Integers:
        of_rows = np.repeat(np.arange(len(self.table)), self.table)
        domains: list[Domain] = [
            Nested(
                np.array(each.classes[:-1], dtype=np.int32),
                tuple((np.bincount(classes) - 1) / max(each.values - 1, 1) for classes in each.classes[:-1]),
            )
            for _, each in self.numbered
        ]
        codes = np.ascontiguousarray(self.domain.cells[of_rows], dtype=np.int32)
        found = partitioned(domains, codes, Precise(), MondrianRequirement(self.requirement.k))
        placed = np.full(len(self.table), SUPPRESSED, dtype=np.int64)
        for row, group in enumerate(found.labels):
            node = tuple(found.levels[group].tolist())
            placed[of_rows[row]] = self.domain.region_of[self.domain.nodes.index(node), of_rows[row]]
        return placed


class InMemory:
    """The rows that rounds have not released, by cell: a `Remaining` without a database."""

    def __init__(self, of: ByEngine) -> None:
        self._of, self._k = of, of.requirement.k
        self.placed = np.full(len(of.table), SUPPRESSED, dtype=np.int64)
        self._rounds: list[Integers] = []

    @property
    def left(self) -> Integers:
        return np.where(self.placed == SUPPRESSED, self._of.table, 0)

    @property
    def rows(self) -> int:
        return int(self.left.sum())

    @property
    def units(self) -> int:
        return self.rows

    def classes(self, nodes: Sequence[Node]) -> list[Classes]:
        each = [self._of.classes_at(node, self.left).values() for node in nodes]
        return [Classes(sum(n >= self._k for n in found), sum(n for n in found if n < self._k)) for found in each]

    def release(self, node: Node) -> Round | None:
        large = {region: n for region, n in self._of.classes_at(node, self.left).items() if n >= self._k}
        if not large:
            return None
        regions = self._of.domain.region_of[self._of.domain.nodes.index(node)]
        self._rounds.append(self.placed)
        self.placed = np.where((self.left > 0) & np.isin(regions, list(large)), regions, self.placed)
        return Round(node, len(large), sum(large.values()))

    def take_back(self, kept: int) -> None:
        if kept < len(self._rounds):
            self.placed = self._rounds[kept]
            del self._rounds[kept:]


def seen(domain: SmallDomain, table: Integers, placed: Integers) -> Counter[int]:
    """The rows under each label, as a reader sees them."""
    _, of_regions = domain.labels
    found: Counter[int] = Counter()
    for rows, region in zip(table.tolist(), placed.tolist(), strict=True):
        if region != SUPPRESSED:
            found[int(of_regions[region])] += rows
    return +found


def splits_of(domain: SmallDomain, label: int) -> tuple[tuple[int, ...], ...]:
    """The values under each part that a label is split into first, attribute by attribute."""
    cells = domain.cells[domain.labels[0][label]]
    found = []
    for place, attribute in enumerate(domain.attributes):
        values = np.unique(cells[:, place])
        for classes in reversed(attribute.classes):
            parts = Counter(np.array(classes)[values].tolist())
            if len(parts) > 1:
                found.append(tuple(parts.values()))
                break
    return tuple(found)
