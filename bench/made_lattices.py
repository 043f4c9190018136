"""Made tables with columns of any number, dependence and hierarchy: lattices that no search was tuned on. Pure."""

from __future__ import annotations

import functools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation, Requirement
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.loss.objectives import objective
from ordermade.prediction.prediction import Evidence, Marginal
from ordermade.search import SEARCHES, Outcome, SearchProblem, drive

Codes = npt.NDArray[np.int64]

KS = (2, 3, 5, 10, 20, 50)
PER_CENT = (0, 1, 5)
SMALLEST_LATTICE, LARGEST_LATTICE = 200, 8_000
NESTED = 0.8
"""The share of the hierarchies whose levels nest."""


@dataclass(frozen=True)
class MadeLattice:
    """A made table of one seed: `levels[i][l]`, the class of each value of column i at level l, and the rows' values.

    `required`: a k and a limit, by chance.
    """

    levels: tuple[Codes, ...]
    values: tuple[Codes, ...]
    required: Requirement

    @property
    def rows(self) -> int:
        return len(self.values[0])

    @functools.cached_property
    def lattice(self) -> Lattice:
        return Lattice(
            tuple(
                Axis(f"column {place}", _order(each), tuple(range(len(each)))) for place, each in enumerate(self.levels)
            )
        )

    def measure(self, node: Node) -> Observation:
        """The classes of a node."""
        key = np.zeros(self.rows, dtype=np.int64)
        for values, levels, level in zip(self.values, self.levels, node, strict=True):
            key = key * (int(levels[level].max()) + 1) + levels[level][values]
        sizes, classes = np.unique(np.unique(key, return_counts=True)[1], return_counts=True)
        return Observation.from_histogram(zip(sizes.tolist(), classes.tolist(), strict=True))

    def evidence(self) -> Evidence:
        """The knowledge of a first request: the rows, and the class sizes of each column."""
        top = self.lattice.top
        alone = [
            ((*top[:place], level, *top[place + 1 :]), place, level)
            for place, axis in enumerate(self.lattice.axes)
            for level in axis.accepted
        ]
        seen = [(node, self.measure(node)) for node, _, _ in alone]
        marginals: list[dict[int, Marginal]] = [{} for _ in top]
        for (_, place, level), (_, observation) in zip(alone, seen, strict=True):
            marginals[place][level] = observation.sizes  # type: ignore[assignment]
        proofs = Proofs(self.lattice, self.rows, placed_in(self.lattice, seen), self.required.most_suppressed)
        return Evidence(self.lattice, self.rows, proofs, marginals=tuple(marginals))  # type: ignore[arg-type]

    def searched(self, name: str = "guided") -> tuple[Outcome, int]:
        """What a search by Prec finds, and how many questions it asks."""
        questions = 0

        def measure(batch: Sequence[Node]) -> list[Observation]:
            nonlocal questions
            questions += len(batch)
            return [self.measure(node) for node in batch]

        goal = objective("prec", self.lattice, None, self.required)
        problem = SearchProblem(self.lattice, self.required, goal, self.evidence())
        return drive(SEARCHES[name].start(problem), measure), questions


def made_lattice(seed: int) -> MadeLattice:
    """Up to eight columns of 2 to 80 values, skewed, bent by one to eight kinds of persons; 500 to 20,000 rows."""
    chance, rng = random.Random(seed), np.random.default_rng(seed)
    rows = round(500 * 40 ** chance.random())
    kinds = rng.integers(0, chance.randint(1, 8), rows)
    bend = chance.choice((0.0, 0.5, 1.0, 2.0))
    most = chance.randint(4, 8)
    levels: list[Codes] = []
    while _size(levels) < SMALLEST_LATTICE or len(levels) < most:
        levels.append(_hierarchy(chance))
        if _size(levels) > LARGEST_LATTICE:
            levels.pop()
            break
    values = tuple(_drawn(rng, each.shape[1], kinds, bend) for each in levels)
    required = Requirement(chance.choice(KS), rows * chance.choice(PER_CENT) // 100)
    return MadeLattice(tuple(levels), values, required)


def _size(levels: Sequence[Codes]) -> int:
    """The number of nodes."""
    return math.prod(map(len, levels))


def _hierarchy(chance: random.Random) -> Codes:
    """The values, up to four levels in between, each of two to five times fewer classes, and `*`."""
    count = round(2 * 40 ** chance.random())
    nested = chance.random() < NESTED
    levels = [np.arange(count)]
    classes = count
    for _ in range(chance.randint(0, 4)):
        fewer = round(classes / chance.choice((2, 3, 5)))
        if fewer < 2:
            break
        levels.append(levels[-1] * fewer // classes if nested else np.arange(count) * fewer // count)
        classes = fewer
    return np.array([*levels, np.zeros(count, dtype=np.int64)], dtype=np.int64)


def _order(levels: Codes) -> LevelOrder:
    def refines(fine: Codes, coarse: Codes) -> bool:
        return len(set(zip(fine.tolist(), coarse.tolist(), strict=True))) == len(set(fine.tolist()))

    numbers = range(len(levels))
    return LevelOrder(tuple(tuple(i <= j and refines(levels[i], levels[j]) for j in numbers) for i in numbers))


def _drawn(rng: np.random.Generator, classes: int, kinds: Codes, bend: float) -> Codes:
    """A value for each row: skewed shares, bent by the kind of the row's person."""
    ln = rng.normal(0, 1, classes) + bend * rng.normal(0, 1, (int(kinds.max()) + 1, classes))
    return np.argmax(ln[kinds] + rng.gumbel(size=(len(kinds), classes)), axis=1).astype(np.int64)
