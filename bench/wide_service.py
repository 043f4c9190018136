"""One made service with six columns, and requests on it: nobody in it exists. Pure: every node is counted in numpy."""

from __future__ import annotations

import functools
import random
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from bench.coded_table import CodedTable, Codes
from bench.service_like import AGE, LATTICE, PLACE, SEX, services
from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node

OCCUPATION = np.array([np.arange(12), np.arange(12) // 3, np.arange(12) // 6, np.zeros(12)], dtype=np.int64)
PLAN = np.array([[0, 1, 2], [0, 1, 1], [0, 0, 0]])
JOINED = np.array([np.arange(20), np.arange(20) // 5, np.arange(20) // 10, np.zeros(20)], dtype=np.int64)
LEVELS_OF = (SEX, AGE, PLACE, OCCUPATION, PLAN, JOINED)
DEVICE = np.array([np.arange(6), np.arange(6) // 3, np.zeros(6)], dtype=np.int64)
PAID = np.array([np.arange(16) // width for width in (1, 2, 4, 8, 16)])
KS = (2, 5, 10, 20, 50, 100, 200)


def _chain(column: str, codes: Codes) -> Axis:
    return Axis(column, LevelOrder.chain(len(codes)), tuple(range(len(codes))))


WHOLE = Lattice((*LATTICE.axes, _chain("occupation", OCCUPATION), _chain("plan", PLAN), _chain("joined", JOINED)))
"""All requests live in it: 1,536 nodes. Its levels of age do not nest."""
BROAD = Lattice((*WHOLE.axes, _chain("device", DEVICE), _chain("paid", PAID)))
"""Two columns more: 23,040 nodes."""


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


class WideService(CodedTable):
    """The members of a service of the middle size, with three more columns that depend on age and sex a little."""

    def __init__(self, number: int = 24, seed: int = 24) -> None:
        members = services()[number].cells
        cell = np.repeat(np.arange(members.size), members.ravel())
        sex, age, place = np.unravel_index(cell, members.shape)
        rng = np.random.default_rng(seed)
        occupation = _drawn(rng, 12, (age[:, None] - 4) * np.linspace(-0.25, 0.25, 12))
        plan = _drawn(rng, 3, sex[:, None] * np.array([0.0, 0.3, -0.2]))
        joined = _drawn(rng, 20, (age[:, None] - 4) * np.linspace(0.15, -0.15, 20))
        super().__init__(WHOLE, LEVELS_OF, (sex, age, place, occupation, plan, joined))


class BroadService(CodedTable):
    """The members of a service with five more columns, which depend on age, sex and one another as the seed will."""

    def __init__(self, number: int, seed: int) -> None:
        members = services()[number].cells
        cell = np.repeat(np.arange(members.size), members.ravel())
        sex, age, place = np.unravel_index(cell, members.shape)
        rng = np.random.default_rng(seed)
        older = age[:, None] - 4.0
        occupation = _drawn(rng, 12, older * rng.normal(0, 0.25, 12) + sex[:, None] * rng.normal(0, 0.5, 12))
        plan = _drawn(rng, 3, sex[:, None] * rng.normal(0, 0.3, 3) + rng.normal(0, 0.3, (12, 3))[occupation])
        joined = _drawn(rng, 20, older * np.linspace(0.15, -0.15, 20) * rng.normal())
        device = _drawn(rng, 6, rng.normal(0, 0.5, (3, 6))[plan] + older * rng.normal(0, 0.2, 6))
        paid = _drawn(rng, 16, rng.normal(0, 0.5, (3, 16))[plan] + rng.normal(0, 0.2, (20, 16))[joined])
        super().__init__(BROAD, (*LEVELS_OF, DEVICE, PAID), (sex, age, place, occupation, plan, joined, device, paid))


def _drawn(rng: np.random.Generator, classes: int, bent: npt.NDArray[np.float64]) -> Codes:
    """A class for each member: skewed shares, bent by what the member is."""
    ln = rng.normal(0, 0.7, classes) + bent
    found: Codes = np.argmax(ln + rng.gumbel(size=ln.shape), axis=1).astype(np.int64)
    return found
