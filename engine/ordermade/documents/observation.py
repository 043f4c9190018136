"""The documents of `ordermade observations`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ordermade.records.printed import printed

if TYPE_CHECKING:
    from ordermade.catalogue.learning import FittedLaw, Learnt
    from ordermade.prediction.calibration import Calibration, ForecastErrors
    from ordermade.prediction.predictors import Checkpoint, JudgedPredictor, TrackRecord
    from ordermade.state.observations import Pruned
    from ordermade.state.records.observations import ListedObservation
    from ordermade.state.versions import DatasetVersion


@dataclass(frozen=True, slots=True)
class ObservationList:
    """The measured nodes."""

    observations: Sequence[ListedObservation]
    """All of them, the latest first."""


@dataclass(frozen=True, slots=True)
class Exported:
    """Measured nodes were written to a file."""

    path: Path
    """The file."""
    rows: int
    """The number of its rows."""


@dataclass(frozen=True, slots=True)
class ObservationsPruned:
    """Measured nodes were forgotten."""

    dry_run: bool
    """Whether nothing was changed, and this is what would be pruned."""
    pruned: Pruned = field(metadata=printed(spread=True))
    """What was pruned."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """How well k is predicted from measured nodes."""

    dataset: str | None
    """The dataset; null where it was described in a request, or nothing was measured and none was named."""
    version: DatasetVersion | None
    """The dataset version; null where nothing was measured."""
    other_versions: int
    """Other versions of the dataset that were measured."""
    measured_nodes: int
    """The measured nodes of this version."""
    law: FittedLaw | None
    """The power law fitted to them; null where none could be."""
    no_law: str | None
    """The reason then."""
    now: Sequence[JudgedPredictor]
    """Each node predicted from the others."""
    so_far: Sequence[Checkpoint]
    """The same as nodes accumulated."""
    calibration: Calibration
    """How noted forecasts came out."""
    forecast_errors: ForecastErrors
    """How near they came beside the chance."""


@dataclass(frozen=True, slots=True)
class Plotted:
    """Measured nodes were drawn."""

    path: Path
    """The file."""
    nodes: int
    """The number of nodes drawn, or of forecasts."""
    law: bool
    """Whether the power law was drawn."""


def statistics(learnt: Learnt, record: TrackRecord, calibration: Calibration, errors: ForecastErrors) -> Statistics:
    """The document of `observations stats`."""
    return Statistics(
        dataset=learnt.dataset,
        version=learnt.version,
        other_versions=learnt.other_versions,
        measured_nodes=len(learnt.points),
        law=learnt.law,
        no_law=learnt.no_law or None,
        now=record.now,
        so_far=record.so_far,
        calibration=calibration,
        forecast_errors=errors,
    )


def no_statistics(dataset: str | None, calibration: Calibration, errors: ForecastErrors) -> Statistics:
    """The document of `observations stats` where nothing was measured."""
    return Statistics(
        dataset=dataset,
        version=None,
        other_versions=0,
        measured_nodes=0,
        law=None,
        no_law="nothing was measured yet",
        now=(),
        so_far=(),
        calibration=calibration,
        forecast_errors=errors,
    )
