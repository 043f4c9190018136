"""Made members of fifty services, in the shape of the PAK paper's Tables 3 to 5: nobody in them exists.

Each service has its own size (1,000 to 350,000 members), its own share of men, its own typical age and its own reach
over the country, and the three depend on one another a little: in some services women are younger, or members of large
prefectures are, and every pair of attributes is a little rough. Levels are those of the paper's Table 4: sex 2; age 9,
5 and 3 classes, of which the last two do not nest; prefecture 47, region 9, half 2.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Axis, Lattice, LevelOrder, Node
from ordermade.lattice.observation import Observation
from ordermade.lattice.proofs import Proofs, placed_in
from ordermade.prediction.prediction import Evidence, Marginal

SERVICES = 50
SEED = 2016
SMALLEST, LARGEST = 1_000, 350_000

Codes = npt.NDArray[np.int64]

SEX = np.array([[0, 1], [0, 0]])
AGE = np.array([[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 0, 1, 2, 3, 4, 4, 4], [0, 0, 1, 1, 1, 1, 2, 2, 2], [0] * 9])
PREFECTURES_OF_REGIONS = (1, 6, 7, 9, 7, 5, 4, 7, 1)
REGION = np.repeat(np.arange(9), PREFECTURES_OF_REGIONS)
PLACE = np.array([np.arange(47), REGION, REGION > 3, np.zeros(47)], dtype=np.int64)
HUNDRED_THOUSANDS = np.fromstring(
    "55 14 13 23 11 12 20 30 20 20 72 62 132 90 24 11 12 8 9 22 21 38 74 19 "
    "14 26 89 56 14 10 6 7 19 29 15 8 10 14 8 51 8 14 18 12 11 17 14",
    dtype=np.float64,
    sep=" ",
)
"""About how many live in each prefecture."""


@dataclass(frozen=True)
class Service:
    """One service: its name, the members in each cell (sex by age by prefecture), and what measuring them gives."""

    name: str
    cells: Codes

    @property
    def members(self) -> int:
        return int(self.cells.sum())

    @property
    def lattice(self) -> Lattice:
        return LATTICE

    @functools.cached_property
    def observations(self) -> dict[Node, Observation]:
        """Every node of the lattice, measured; the root, which gives only the members, is the last."""
        return {node: Observation.from_histogram(_sizes(self.cells, node)) for node in LATTICE.nodes()}

    @functools.cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """The class sizes of each attribute alone, by level."""
        return tuple(
            {
                level: tuple(sorted(_sizes(self.cells, (*LATTICE.top[:i], level, *LATTICE.top[i + 1 :]))))
                for level in axis.accepted
            }
            for i, axis in enumerate(LATTICE.axes)
        )

    def evidence(self, known: Iterable[Node], *, marginals: bool = True) -> Evidence:
        """The knowledge after measuring these nodes, with the class sizes of the attributes by default."""
        observed = {node: self.observations[node] for node in known}
        return evidence(LATTICE, self.members, observed, self.marginals if marginals else ())


def services(count: int = SERVICES, seed: int = SEED) -> list[Service]:
    """That many services, largest first; the same for the same seed."""
    sizes = np.geomspace(LARGEST, SMALLEST, count)
    rngs = np.random.default_rng(seed).spawn(count)
    return [
        Service(f"service {number:02}", _members(rng, round(size)))
        for number, (size, rng) in enumerate(zip(sizes, rngs, strict=True), start=1)
    ]


def evidence(
    lattice: Lattice, rows: int, observed: Mapping[Node, Observation], marginals: tuple[Marginal, ...] = ()
) -> Evidence:
    """Evidence of measured nodes of this very lattice, with what they prove."""
    proofs = Proofs(lattice, rows, placed_in(lattice, observed.items()))
    return Evidence(lattice, rows, proofs, dict(observed), marginals)


def _sizes(cells: Codes, node: Node) -> Iterable[tuple[int, int]]:
    """(class size, classes) of a node's non-empty classes."""
    codes = [levels[level] for levels, level in zip((SEX, AGE, PLACE), node, strict=True)]
    shape = tuple(int(each.max()) + 1 for each in codes)
    classes = np.zeros(shape, dtype=np.int64)
    np.add.at(classes, np.ix_(*codes), cells)
    sizes, number = np.unique(classes[classes > 0], return_counts=True)
    return zip(sizes.tolist(), number.tolist(), strict=True)


MEN = (0.68, 0.85)
TYPICAL_AGE = (3.0, 4.2)
AGE_WIDTH = (0.65, 0.95)
ANY_AGE = (0.001, 0.006)
TOWNS = (1.0, 1.3)
PLACES_DIFFER = 0.25
BENT = 0.05
ROUGH = 0.05
"""The distribution of the services: the ranges of the share of men, of the typical age class and of how far members lie
about it, of the share of any age at all, of how much towns weigh; how far prefectures differ; and how much pairs of
attributes depend on one another, along a trend and without one. Chosen so that the power law errs as in the paper's
Table 5, whose members were skewed the same way: most are men of 30 to 50, hardly any are children or over 70."""


def _members(rng: np.random.Generator, size: int) -> Codes:
    """The members of one service: independent, skewed shares, bent by what sex, age and place have to do together."""
    men = rng.uniform(*MEN)
    ages = np.arange(9)
    typical = np.exp(-0.5 * ((ages - rng.uniform(*TYPICAL_AGE)) / rng.uniform(*AGE_WIDTH)) ** 2)
    age = typical / typical.sum() + rng.uniform(*ANY_AGE) / 9
    home = HUNDRED_THOUSANDS / HUNDRED_THOUSANDS.sum()
    place = home ** rng.uniform(*TOWNS) * np.exp(rng.normal(0, PLACES_DIFFER, 47))
    ln = np.log([men, 1 - men])[:, None, None] + np.log(age)[:, None] + np.log(place)
    gender = np.array([1, -1])[:, None, None]
    older = ((ages - 3.7) / 2)[:, None]
    urban = (np.log(home) - np.log(home).mean()) / np.log(home).std()
    for trend in (gender * older, older * urban, gender * urban):
        ln = ln + rng.normal(0, BENT) * trend
    for shape in ((2, 9, 1), (1, 9, 47), (2, 1, 47)):
        ln = ln + rng.normal(0, ROUGH, shape)
    shares = np.exp(ln)
    return rng.multinomial(size, (shares / shares.sum()).ravel()).reshape(shares.shape)


def _order(codes: Codes) -> LevelOrder:
    """The pairs of levels of which one refines the other: its class determines that of the other."""

    def refines(i: int, j: int) -> bool:
        return i <= j and len(set(zip(codes[i], codes[j], strict=True))) == len(set(codes[i]))

    return LevelOrder(tuple(tuple(refines(i, j) for j in range(len(codes))) for i in range(len(codes))))


LATTICE = Lattice(
    tuple(
        Axis(column, _order(codes), tuple(range(len(codes))))
        for column, codes in (("sex", SEX), ("age", AGE), ("prefecture", PLACE))
    )
)
