"""A figure of every accepted node: what is expected of it, corrected by the nodes that were measured.

Such a figure is the rows in classes below k, or a bound that follows from the classes. Its logarithm lies off the
expected one as ln k does, by the dependence of the attributes: by a sum over their pairs and triples. So a few measured
nodes correct the others (see `residuals`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ordermade.lattice.lattice import Lattice, Node
from ordermade.prediction.cells import Reals, normal_above
from ordermade.prediction.forecast import MAX_EVIDENCE, MAX_FIGURES, twice_as_many
from ordermade.prediction.residuals import (
    USUAL_WITHIN_A_LIMIT,
    Conditioning,
    Levels,
    Nearness,
    Residuals,
    interaction,
)

LEAST_VARIANCE = 1e-3
"""Of the logarithm of a figure of one node: no forecast is surer."""


@dataclass(frozen=True, slots=True)
class Normal:
    """Normal distributions of a figure's logarithm: `mean` and `spread` of every accepted node."""

    mean: Reals
    spread: Reals

    def at(self, places: npt.NDArray[np.intp]) -> Normal:
        """Those at some places of the flattened arrays."""
        return Normal(self.mean.ravel()[places], self.spread.ravel()[places])

    def above(self, figure: Reals | float) -> Reals:
        """The chance that the logarithm of each node is above a figure, or above each node's own."""
        return normal_above((figure - self.mean) / self.spread)


class FigureForecast:
    """The forecast of one figure's logarithm over the accepted nodes of a lattice."""

    def __init__(
        self,
        lattice: Lattice,
        nearness: Nearness,
        expected: Reals,
        measured: Sequence[tuple[Node, float, float]] = (),
        *,
        relative: bool = False,
    ) -> None:
        """`expected`: of every accepted node, before any is measured; as an array over the accepted levels.

        `relative`: whether it is right but for a sum that all nodes share, which measured ones have to show.
        `measured`: what `learn` would take in, of some of which it learns if they are many.
        """
        self._lattice = lattice
        self._nearness = nearness
        self._accepted: list[Levels] = [np.array(axis.accepted, dtype=np.int64) for axis in lattice.axes]
        self._places = [{level: place for place, level in enumerate(axis.accepted)} for axis in lattice.axes]
        self._expected = expected
        most = min(MAX_EVIDENCE, MAX_FIGURES // (2 * lattice.size))
        self._known = [self._residual(*each) for each in measured[:most]]
        self._relative = relative
        self._off_all = 0.0
        self._residuals = self._conditioned()

    def learn(self, measured: Sequence[tuple[Node, float, float]]) -> None:
        """Take in measured nodes that are accepted: the logarithm of each one's figure, and the variance of its own."""
        before = len(self._known)
        self._known += [self._residual(*each) for each in measured]
        if len(self._known) * self._lattice.size > MAX_FIGURES:
            return
        if twice_as_many(before, len(self._known), self._lattice.size):
            self._residuals = self._conditioned()
        else:
            self._residuals.add(self._residuals_of(self._known[before:]))

    def _residual(self, node: Node, ln_figure: float, noise: float) -> tuple[Node, float, float]:
        """A node, how far it lies off what was expected, and the variance of that."""
        cell = tuple(places[level] for places, level in zip(self._places, node, strict=True))
        return node, ln_figure - float(self._expected[cell]), LEAST_VARIANCE + noise

    def forecast(self) -> Normal:
        """The distributions, given what was measured."""
        shape = self._lattice.shape
        mean = self._expected + (self._off_all + self._residuals.mean).reshape(shape)
        return Normal(mean, np.sqrt(self._residuals.variance + LEAST_VARIANCE).reshape(shape))

    def _conditioned(self) -> Conditioning:
        if self._relative and self._known:
            self._off_all = float(np.mean([off for _, off, _ in self._known]))
        residuals = self._residuals_of(self._known)
        scale = interaction(self._nearness, residuals, USUAL_WITHIN_A_LIMIT)
        return Conditioning(self._nearness, self._accepted, scale, residuals)

    def _residuals_of(self, known: Sequence[tuple[Node, float, float]]) -> Residuals:
        return Residuals.of([(node, off - self._off_all, noise) for node, off, noise in known], len(self._accepted))
