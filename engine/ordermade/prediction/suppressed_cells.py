"""The share of cells of a table with totals that are suppressed, from the cells below k and earlier tables.

To hide the cells below k, others are suppressed with them: the more, the more totals a cell is part of. If of P, the
share below k, a share S is suppressed in all, then 1 - S = (1 - P)^a, as if each cell stayed only where a number of
independent ones did. Ln a is learnt: a Gaussian process over the form of tables, that is P, cells, columns, totals, k,
and how full the finest cells are. Without earlier tables a is as most tables have it, with a wide interval.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from ordermade.prediction.cells import Reals

USUAL_LN_A = math.log(2.4)
"""Ln a where nothing was learnt."""
USUAL_SPREAD = 0.45
"""Its standard deviation then."""
FEWEST = 5
"""The fewest earlier tables by which a chance is given."""
MOST = 300
"""The most earlier tables that are learnt from, the latest."""
_LENGTH = 3.0
"""The distance of forms, in standard deviations of each figure, over which the correlation falls to 1/sqrt(e)."""
_NEARBY, _LINEAR = 0.2, 3.0
"""The variances of ln a that near forms share, and of its slope, in all."""
_OWN, _OF_FEW = 0.02, 0.3
"""The variances of ln a that are a table's own, and that of a table with one cell below k, about twice."""
_PRIOR_TABLES = 2.0
"""The weight of the usual chance that every cell can be protected, in tables."""
_PRIOR_PROTECTED = 0.95
_QUANTILES = np.array([NormalDist().inv_cdf((place + 0.5) / 25) for place in range(25)])
_ENDS = 0.05, 0.95


@dataclass(frozen=True, slots=True)
class TableForm:
    """The form of a table, by which others resemble it: its `cells` that are not empty, `primary` of them below `k`.

    `columns`, `totals`: the most of one table, and those of them with a grand total. `inner`: the cells of the finest
    levels; `combinations`: of those levels, empty ones too. `spread`: the standard deviation of the share below k.
    """

    cells: float
    primary: float
    k: int
    columns: int
    totals: int
    inner: float
    combinations: float
    spread: float = 0.0

    @property
    def share(self) -> float:
        """The share of the cells that are below k."""
        return min(self.primary / self.cells, 1.0) if self.cells else 0.0

    @property
    def figures(self) -> tuple[float, ...]:
        """What a form is compared by."""
        return (
            math.log((self.primary + 0.5) / (max(self.cells - self.primary, 0.0) + 0.5)),
            math.log(max(self.cells, 1.0)),
            self.columns,
            self.totals,
            math.log(self.k),
            self.inner / max(self.combinations, 1.0),
            self.inner / max(self.cells, 1.0),
        )

    @property
    def noise(self) -> float:
        """The variance of ln a that is a table's own: that of one with few cells below k is greater."""
        return _OWN + _OF_FEW / (self.primary + 1)

    @property
    def spread_of_ln(self) -> float:
        """The standard deviation of ln of the odds of the share below k."""
        return self.spread / max(self.share * (1 - self.share), 0.5 / max(self.cells, 1.0))


@dataclass(frozen=True, slots=True)
class TableOutcome:
    """An earlier table: its form, and how many cells were `suppressed`; `is_protected`: whether each could be."""

    form: TableForm
    suppressed: int
    is_protected: bool = True

    @property
    def ln_a(self) -> float:
        """Ln a, half a cell added to what is published."""
        cells, primary = self.form.cells, self.form.primary
        published = math.log((cells - self.suppressed + 0.5) / (cells + 0.5))
        return math.log(min(max(published / math.log((cells - primary + 0.5) / (cells + 1)), 0.3), 30.0))


@dataclass(frozen=True, slots=True)
class ExpectedShare:
    """The share of suppressed cells that is expected, and the ends of the interval that holds it in 90 cases of 100.

    `shares`: equally likely ones, ascending. `protected`: the chance that every cell can be protected.
    """

    share: float
    low: float
    high: float
    shares: Reals
    protected: float

    def chance_within(self, most: float) -> float:
        """The chance that no more than this share is suppressed, and each cell can be protected."""
        return self.protected * float(np.mean(self.shares <= most))


class SuppressedCells:
    """The share of suppressed cells of any table, learnt from earlier ones."""

    def __init__(self, made: Sequence[TableOutcome]) -> None:
        """`made`: earlier tables of the same dataset, the latest first."""
        self._made = made[:MOST]
        self._protected = [each for each in self._made if each.is_protected and each.form.primary]

    @property
    def learnt_from(self) -> int:
        """The earlier tables that are learnt from."""
        return len(self._made)

    def expected(self, form: TableForm) -> ExpectedShare:
        """The share of a table of this form."""
        protected = self._chance_protected(form)
        if not form.primary and not form.spread:
            return ExpectedShare(0.0, 0.0, 0.0, np.zeros(1), protected)
        ln_a, variance = self._ln_a(form)
        odds = math.log((form.primary + 1e-9) / max(form.cells - form.primary, 1e-9))
        below = 1 / (1 + np.exp(-np.clip(odds + form.spread_of_ln * _QUANTILES, -30.0, 30.0)))
        a = np.maximum(np.exp(ln_a + math.sqrt(variance) * _QUANTILES), 1.0)
        shares = np.sort((1 - (1 - below[:, None]) ** a).ravel())
        low, high = np.quantile(shares, _ENDS)
        median = 1 - (1 - form.share) ** max(math.exp(ln_a), 1.0)
        return ExpectedShare(median, float(min(low, median)), float(max(high, median)), shares, protected)

    @cached_property
    def _scaled(self) -> tuple[Reals, Reals]:
        """The mean and the standard deviation of each figure of the forms."""
        figures = np.array([each.form.figures for each in self._made])
        return figures.mean(axis=0), np.maximum(figures.std(axis=0), 1e-6)

    def _standing(self, forms: Sequence[TableForm]) -> Reals:
        mean, deviation = self._scaled
        standing: Reals = np.clip((np.array([each.figures for each in forms]) - mean) / deviation, -5.0, 5.0)
        return standing

    @cached_property
    def _fitted(self) -> tuple[Reals, Reals, Reals, float]:
        """The forms learnt from, the inverse of their covariance, its product with ln a, and the mean of that."""
        forms = self._standing([each.form for each in self._protected])
        values = np.array([each.ln_a for each in self._protected])
        noise = np.array([each.form.noise for each in self._protected])
        weights = 1 / (USUAL_SPREAD**2 + noise)
        mean = (USUAL_LN_A / USUAL_SPREAD**2 + float(weights @ values)) / (1 / USUAL_SPREAD**2 + float(weights.sum()))
        inverse = np.linalg.inv(_covariance(forms, forms) + np.diag(noise)).astype(np.float64)
        return forms, inverse, inverse @ (values - mean), mean

    def _ln_a(self, form: TableForm) -> tuple[float, float]:
        """The mean and the variance of ln a of a table of this form."""
        if len(self._protected) < FEWEST:
            return USUAL_LN_A, USUAL_SPREAD**2 + form.noise
        forms, inverse, weights, mean = self._fitted
        at = self._standing([form])
        near = _covariance(at, forms)[0]
        variance = float(_covariance(at, at)[0, 0] - near @ inverse @ near)
        return mean + float(near @ weights), max(variance, 0.0) + form.noise

    def _chance_protected(self, form: TableForm) -> float:
        """The chance that every cell can be protected, as of the tables of nearly this form."""
        if not self._made:
            return _PRIOR_PROTECTED
        away = ((self._standing([each.form for each in self._made]) - self._standing([form])) ** 2).sum(axis=1)
        near = np.exp(-away / 2)
        came_out = np.array([each.is_protected for each in self._made], dtype=np.float64)
        return float((near @ came_out + _PRIOR_TABLES * _PRIOR_PROTECTED) / (near.sum() + _PRIOR_TABLES))


def _covariance(some: Reals, others: Reals) -> Reals:
    """The covariance of ln a of tables: of near forms, and of a slope."""
    away = ((some[:, None] - others[None]) ** 2).sum(axis=2)
    found: Reals = 1.0 + _LINEAR * (some @ others.T) / some.shape[1] + _NEARBY * np.exp(-away / (2 * _LENGTH**2))
    return found
