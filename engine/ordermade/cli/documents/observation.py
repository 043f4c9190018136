"""The documents of `ordermade observations`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.learning import Learnt
    from ordermade.cli.documents.types.observation import Calibration as CalibrationFigures
    from ordermade.cli.documents.types.observation import (
        Checkpoint,
        Exported,
        FittedLaw,
        JudgedPredictor,
        Observation,
        ObservationList,
        ObservationsPruned,
        Plotted,
        Scores,
        Statistics,
        Version,
    )
    from ordermade.cli.documents.types.observation import ForecastErrors as ForecastErrorFigures
    from ordermade.prediction.calibration import Calibration, ForecastErrors
    from ordermade.prediction.predictors import TrackRecord
    from ordermade.state.observations import Pruned
    from ordermade.state.records.observations import ListedObservation


def listed(observations: Sequence[ListedObservation]) -> ObservationList:
    """The document of `observations list`."""
    return {
        "format": FORMAT,
        "command": "observations list",
        "observations": [cast("Observation", plain(each)) for each in observations],
    }


def exported(path: Path, rows: int) -> Exported:
    """The document of `observations export`."""
    return {"format": FORMAT, "command": "observations export", "path": str(path), "rows": rows}


def pruned(found: Pruned, *, dry_run: bool) -> ObservationsPruned:
    """The document of `observations prune`."""
    return {
        "format": FORMAT,
        "command": "observations prune",
        "dry_run": dry_run,
        "observations": found.observations,
        "versions": found.versions,
        "left": found.left,
    }


def statistics(learnt: Learnt, record: TrackRecord, calibration: Calibration, errors: ForecastErrors) -> Statistics:
    """The document of `observations stats`."""
    law = learnt.law
    fitted: FittedLaw | None = None
    if law is not None:
        fitted = {**cast("FittedLaw", plain(law.law)), "scores": cast("Scores", plain(law.scores))}
    return {
        "format": FORMAT,
        "command": "observations stats",
        "dataset": learnt.dataset,
        "version": cast("Version", plain(learnt.version)),
        "other_versions": learnt.other_versions,
        "measured_nodes": len(learnt.points),
        "law": fitted,
        "no_law": learnt.no_law or None,
        "now": [cast("JudgedPredictor", plain(each)) for each in record.now],
        "so_far": [cast("Checkpoint", plain(each)) for each in record.so_far],
        "calibration": cast("CalibrationFigures", calibration.as_dict()),
        "forecast_errors": cast("ForecastErrorFigures", plain(errors)),
    }


def no_statistics(dataset: str | None, calibration: Calibration, errors: ForecastErrors) -> Statistics:
    """The document of `observations stats` where nothing was measured."""
    return {
        "format": FORMAT,
        "command": "observations stats",
        "dataset": dataset,
        "version": None,
        "other_versions": 0,
        "measured_nodes": 0,
        "law": None,
        "no_law": "nothing was measured yet",
        "now": [],
        "so_far": [],
        "calibration": cast("CalibrationFigures", calibration.as_dict()),
        "forecast_errors": cast("ForecastErrorFigures", plain(errors)),
    }


def plotted(path: Path, nodes: int, *, law: bool) -> Plotted:
    """The document of `observations plot`."""
    return {"format": FORMAT, "command": "observations plot", "path": str(path), "nodes": nodes, "law": law}
