"""How the noted forecasts came out: of their chances, and of what was forecast beside them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ordermade.prediction.calibration import Calibration, ForecastErrors, calibration, median_error

if TYPE_CHECKING:
    from ordermade.state.forecasts import MetFigures, MetForecast


def calibration_of(met: Sequence[MetForecast]) -> Calibration:
    """The calibration of forecasts that came out, those of an unknown chance left out."""
    known = [(each.chance, each.passed, each.proved) for each in met if each.chance is not None]
    return calibration(
        [(chance, passed) for chance, passed, proved in known if not proved],
        [(chance, passed) for chance, passed, proved in known if proved],
    )


def errors_of(met: Sequence[MetFigures]) -> ForecastErrors:
    """The errors of what was forecast beside the chance."""
    as_expected = [each for each in met if 0 < each.levels == each.levels_right]
    return ForecastErrors(
        levels=sum(each.levels for each in met),
        levels_right=sum(each.levels_right for each in met),
        k=median_error((each.k, each.released_k) for each in as_expected),
        questions=median_error(((each.questions, each.nodes_measured) for each in met), more=1),
        seconds=median_error((each.seconds, each.took) for each in met),
    )
