"""Lattices of like columns, which are hard: no column stands out, so a proof needs a whole layer of nodes."""

from __future__ import annotations

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
LEVELS = 4
ORDER = LevelOrder(tuple(tuple(fine <= coarse for coarse in range(LEVELS)) for fine in range(LEVELS)))


@dataclass(frozen=True)
class Asked:
    """A search: its outcome, and the size of each of its rounds."""

    outcome: Outcome
    rounds: tuple[int, ...]

    @property
    def questions(self) -> int:
        return sum(self.rounds)


class LikeColumns:
    """Columns of eight values, small ones more frequent, each with halves, quarters and `*` above."""

    def __init__(self, columns: int, rows: int, most_suppressed: int, *, k: int = 5, seed: int = 1) -> None:
        rng = np.random.default_rng(seed)
        self.values = [np.floor(8 * rng.random(rows) * rng.random(rows)).astype(np.int64) for _ in range(columns)]
        self.rows = rows
        self.required = Requirement(k, most_suppressed)
        self.lattice = Lattice(tuple(Axis(f"c{place}", ORDER, tuple(range(LEVELS))) for place in range(columns)))

    def measure(self, node: Node) -> Observation:
        """The classes of a node."""
        key: Codes = np.zeros(self.rows, dtype=np.int64)
        for values, level in zip(self.values, node, strict=True):
            if level < LEVELS - 1:
                key = (key << 3 - level) | (values >> level)
        sizes, classes = np.unique(np.unique(key, return_counts=True)[1], return_counts=True)
        return Observation.from_histogram(zip(sizes.tolist(), classes.tolist(), strict=True))

    def problem(self, by: str = "prec") -> SearchProblem:
        """The first request for it: the rows and the class sizes of each column are known."""
        top = self.lattice.top
        alone = {
            (place, level): self.measure((*top[:place], level, *top[place + 1 :]))
            for place in range(len(top))
            for level in range(LEVELS)
        }
        nodes = [((*top[:place], level, *top[place + 1 :]), each) for (place, level), each in alone.items()]
        marginals: tuple[Marginal, ...] = tuple(
            {level: alone[place, level].sizes for level in range(LEVELS)} for place in range(len(top))
        )
        proofs = Proofs(self.lattice, self.rows, placed_in(self.lattice, nodes), self.required.most_suppressed)
        goal = objective(by, self.lattice, None, self.required)
        evidence = Evidence(self.lattice, self.rows, proofs, marginals=marginals)
        return SearchProblem(self.lattice, self.required, goal, evidence)

    def searched(self, name: str = "guided") -> Asked:
        """What a search finds, and its rounds."""
        rounds: list[int] = []

        def answer(batch: Sequence[Node]) -> list[Observation]:
            rounds.append(len(batch))
            return [self.measure(node) for node in batch]

        problem = self.problem()
        return Asked(drive(SEARCHES[name].start(problem), answer), tuple(rounds))
