"""One made service with six columns, and requests on it: nobody in it exists. Pure: every node is counted in numpy."""

from __future__ import annotations

import functools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.service_like import AGE, LATTICE, PLACE, SEX, services
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Placed, Proofs
from ordermade.prediction.prediction import Evidence, Marginal

Codes = npt.NDArray[np.int64]

OCCUPATION = np.array([np.arange(12), np.arange(12) // 3, np.arange(12) // 6, np.zeros(12)], dtype=np.int64)
PLAN = np.array([[0, 1, 2], [0, 1, 1], [0, 0, 0]])
JOINED = np.array([np.arange(20), np.arange(20) // 5, np.arange(20) // 10, np.zeros(20)], dtype=np.int64)
LEVELS_OF = (SEX, AGE, PLACE, OCCUPATION, PLAN, JOINED)
KS = (2, 5, 10, 20, 50, 100, 200)


def _chain(column: str, codes: Codes) -> Axis:
    return Axis(column, LevelOrder.chain(len(codes)), tuple(range(len(codes))))


WHOLE = Lattice((*LATTICE.axes, _chain("occupation", OCCUPATION), _chain("plan", PLAN), _chain("joined", JOINED)))
"""All requests live in it: 1,536 nodes. Its levels of age do not nest."""


@dataclass(frozen=True)
class Request:
    """Some columns (by their place) with the levels accepted, and k."""

    columns: tuple[int, ...]
    accepted: tuple[tuple[int, ...], ...]
    k: int

    @functools.cached_property
    def lattice(self) -> Lattice:
        """The lattice of its own columns."""
        return Lattice(
            tuple(
                Axis(WHOLE.axes[i].column, WHOLE.axes[i].order, accepted)
                for i, accepted in zip(self.columns, self.accepted, strict=True)
            )
        )

    def in_whole(self, node: Node) -> Node:
        """A node of its lattice as a node of all columns: what was left out is at `*`."""
        levels = dict(zip(self.columns, node, strict=True))
        return tuple(levels.get(i, top) for i, top in enumerate(WHOLE.top))


def made_requests(count: int, seed: int) -> list[Request]:
    """That many requests of two to five columns, levels and k at random; the same for the same seed."""
    chance = random.Random(seed)
    return [_made_request(chance) for _ in range(count)]


def _made_request(chance: random.Random) -> Request:
    columns = tuple(chance.sample(range(len(WHOLE.axes)), chance.randint(2, 5)))
    accepted = []
    for i in columns:
        first = chance.randrange(WHOLE.top[i])
        last = WHOLE.top[i] if chance.random() < 0.8 else chance.randint(first, WHOLE.top[i])
        accepted.append(tuple(range(first, last + 1)))
    return Request(columns, tuple(accepted), chance.choice(KS))


class WideService:
    """The members of a service of the middle size, with three more columns that depend on age and sex a little."""

    def __init__(self, number: int = 24, seed: int = 24) -> None:
        members = services()[number].cells
        cell = np.repeat(np.arange(members.size), members.ravel())
        sex, age, place = np.unravel_index(cell, members.shape)
        rng = np.random.default_rng(seed)
        occupation = _drawn(rng, 12, (age[:, None] - 4) * np.linspace(-0.25, 0.25, 12))
        plan = _drawn(rng, 3, sex[:, None] * np.array([0.0, 0.3, -0.2]))
        joined = _drawn(rng, 20, (age[:, None] - 4) * np.linspace(0.15, -0.15, 20))
        self._values = (sex, age, place, occupation, plan, joined)
        self.rows = len(cell)
        self._measured: dict[Node, Observation] = {}

    def measure(self, nodes: Iterable[Node]) -> list[Observation]:
        """The measurements of nodes of all columns; each node is counted once, however often it is needed."""
        return [self._measured.get(node) or self._count(node) for node in nodes]

    def _count(self, node: Node) -> Observation:
        sizes, classes = np.unique(self._class_sizes(node), return_counts=True)
        found = Observation.from_histogram(zip(sizes.tolist(), classes.tolist(), strict=True))
        self._measured[node] = found
        return found

    def _class_sizes(self, node: Node) -> Codes:
        code = np.zeros(self.rows, dtype=np.int64)
        for values, levels, level in zip(self._values, LEVELS_OF, node, strict=True):
            code = code * (int(levels[level].max()) + 1) + levels[level][values]
        _, sizes = np.unique(code, return_counts=True)
        return sizes.astype(np.int64)

    @functools.cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """The class sizes of each column alone, by level: what the coverage check counts anyway."""
        found: list[Marginal] = []
        for i, axis in enumerate(WHOLE.axes):
            of_levels = {}
            for level in axis.accepted:
                sizes, classes = np.unique(
                    self._class_sizes((*WHOLE.top[:i], level, *WHOLE.top[i + 1 :])), return_counts=True
                )
                of_levels[level] = tuple(zip(sizes.tolist(), classes.tolist(), strict=True))
            found.append(of_levels)
        return tuple(found)

    def evidence(self, lattice: Lattice, columns: Sequence[int], known: Mapping[Node, Observation]) -> Evidence:
        """The knowledge in table C (the `known` nodes) and in the marginals, of a lattice of some of the columns."""
        alone = {node: each for node, each in self._nodes_of_one_column.items() if node not in known}
        placed = [_placed(node, each, columns) for node, each in (*known.items(), *alone.items())]
        elsewhere = [i for i in range(len(WHOLE.axes)) if i not in columns]
        observed = {
            tuple(node[i] for i in columns): each
            for node, each in known.items()
            if all(node[i] == WHOLE.top[i] for i in elsewhere)
        }
        marginals = tuple(self.marginals[i] for i in columns)
        return Evidence(lattice, self.rows, Proofs(lattice, self.rows, placed), observed, marginals)

    @functools.cached_property
    def _nodes_of_one_column(self) -> dict[Node, Observation]:
        return {
            (*WHOLE.top[:i], level, *WHOLE.top[i + 1 :]): Observation.from_histogram(sizes)
            for i, levels in enumerate(self.marginals)
            for level, sizes in levels.items()
        }


def _drawn(rng: np.random.Generator, classes: int, bent: npt.NDArray[np.float64]) -> Codes:
    """A class for each member: skewed shares, bent by what the member is."""
    ln = rng.normal(0, 0.7, classes) + bent
    return np.argmax(ln + rng.gumbel(size=ln.shape), axis=1).astype(np.int64)


_ORDERS = [(axis.order, range(len(axis.order))) for axis in WHOLE.axes]
_COARSER = [[frozenset(j for j in all_ if order.refines(i, j)) for i in all_] for order, all_ in _ORDERS]
_FINER = [[frozenset(j for j in all_ if order.refines(j, i)) for i in all_] for order, all_ in _ORDERS]


def _placed(node: Node, observation: Observation, columns: Sequence[int]) -> Placed:
    """A node of all columns beside the nodes of some columns: one that groups by another has no finer node there."""
    inside = all(level == WHOLE.top[i] or i in columns for i, level in enumerate(node))
    coarser = tuple(_COARSER[i][node[i]] for i in columns)
    return Placed(observation, coarser, tuple(_FINER[i][node[i]] if inside else frozenset() for i in columns))
