"""The paper's two directions from a start node, along a list of nodes sorted by their divisions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from ordermade.lattice.observation import Observation
from ordermade.search.problem import Batch

Answer: TypeAlias = Generator[Batch, Sequence[Observation], bool | None]
Places: TypeAlias = npt.NDArray[np.intp]


def walk(ascending: Places, start: int, passes: Callable[[int], Answer]) -> Generator[Batch, Sequence[Observation]]:
    """From the start node towards the finer ones till the first failure if it passes, else the coarser till a pass.

    `ascending`: places of nodes from the coarse to the fine; `start` is one of them. `passes` measures a node; None
    from it means that the node was passed over.
    """
    position = int(np.flatnonzero(ascending == start)[0])
    if (yield from passes(start)):
        for place in ascending[position + 1 :]:
            if (yield from passes(int(place))) is False:
                return
    else:
        for place in ascending[:position][::-1]:
            if (yield from passes(int(place))):
                return
