"""The types of the documents of `ordermade observations`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class MeasuredLevel(TypedDict):
    """The level of one attribute of a measured node."""

    column: str
    """The attribute."""
    level: int
    """The number of the level."""
    level_name: str
    """The name of the level."""
    level_hash: str
    """The hash of its content."""


class Observation(TypedDict):
    """A measured node of table C."""

    id: int
    """Its number."""
    dataset: str | None
    """The name of its dataset; null where nothing is known of it."""
    filter: str | None
    """The row filter."""
    dataset_version_id: int
    """The number of the dataset version."""
    is_latest: bool
    """Whether the dataset was seen with this version last."""
    levels: list[MeasuredLevel]
    """The levels of the node; attributes at `*` are left out."""
    rows: int
    """The rows of the dataset version."""
    classes: int
    """The number of equivalence classes."""
    k: int
    """The size of the smallest class."""
    sum_of_squares: int
    """The sum of the squares of the class sizes."""
    request_id: int | None
    """The request that measured it."""
    measured_at: datetime
    """The time it was measured."""


class ObservationList(Opening):
    """The measured nodes."""

    command: Literal["observations list"]
    """`observations list`."""
    observations: list[Observation]
    """All of them, the latest first."""


class Exported(Opening):
    """Measured nodes were written to a file."""

    command: Literal["observations export"]
    """`observations export`."""
    path: str
    """The file."""
    rows: int
    """The number of its rows."""


class ObservationsPruned(Opening):
    """Measured nodes were forgotten."""

    command: Literal["observations prune"]
    """`observations prune`."""
    dry_run: bool
    """Whether they were counted only."""
    observations: int
    """The number of nodes forgotten."""
    versions: int
    """The dataset versions that they were of."""
    left: int
    """The number of nodes left."""


class Scores(TypedDict):
    """Predicted k against measured k."""

    r: float | None
    """The correlation."""
    r2: float | None
    """Its square."""
    adjusted_r2: float | None
    """The same, for the degrees of freedom."""
    standard_error: float | None
    """The standard error of the regression, in rows."""
    mean_ratio_error: float
    """The mean of max(measured / predicted, predicted / measured); 1 is perfect."""
    nodes: int
    """The number of nodes."""


class Version(TypedDict):
    """A version of a dataset."""

    id: int
    """Its number."""
    dataset_hash: str
    """The hash of source, relation and row filter."""
    dataset_id: int | None
    """The number of the registered dataset."""
    filter: str | None
    """The row filter."""
    rows: int
    """The number of rows."""
    hash_sum: int
    """The sum of a hash a row."""
    columns_hash: str
    """The hash of the columns."""
    first_seen_at: datetime
    """The time it was first seen."""
    last_seen_at: datetime
    """The time it was last seen."""
    persons: int | None
    """The number of persons; null where a row is a person."""
    vouched_by: str | None
    """The SHA-256 of the provider's query that vouches for it, or `fingerprint`."""


class FittedLaw(TypedDict):
    """The power law k = alpha x^beta, and 1 more with `plus_one`; x: the number of classes."""

    alpha: float
    """The factor."""
    beta: float
    """The exponent."""
    plus_one: bool
    """Whether 1 is added."""
    scores: Scores
    """Its fit."""


class JudgedPredictor(TypedDict):
    """The accuracy of a predictor on nodes that it did not know."""

    predictor: str
    """Its name."""
    scores: Scores | None
    """Its scores; null where it could not predict."""
    why_not: str
    """The reason then."""


class Checkpoint(TypedDict):
    """The accuracy of the predictors, given the first nodes."""

    known: int
    """The number of nodes that they knew."""
    judged: list[JudgedPredictor]
    """Their accuracy on the nodes after these."""


class CalibrationBin(TypedDict):
    """The forecasts of about one chance."""

    low: float
    """The least chance."""
    high: float
    """The chance that they are below; the last bin has 1 too."""
    forecasts: int
    """The number of forecasts."""
    chance: float | None
    """Their mean chance; null without any."""
    passed: float | None
    """The share whose request was released; null without any."""
    least: float | None
    """The lower end of its interval of 90 %."""
    most: float | None
    """The upper end."""


class Calibration(TypedDict):
    """How forecasts came out."""

    forecasts: int
    """Forecasts of a chance whose request ran to its end."""
    brier: float | None
    """The mean of (chance - outcome) squared; null without a forecast."""
    brier_of_share: float | None
    """That of forecasting the share that passes, each time the same."""
    bins: list[CalibrationBin]
    """The forecasts by their chance."""
    proved: int
    """Forecasts that were proved besides."""
    proved_wrong: int
    """Those of them that came out otherwise: the data had changed."""


class MedianError(TypedDict):
    """The error of one expected figure."""

    forecasts: int
    """Forecasts that are judged."""
    ratio: float | None
    """The median of max(expected / came, came / expected); null without any."""


class ForecastErrors(TypedDict):
    """How near forecasts came beside the chance."""

    levels: int
    """Columns that were released at some level."""
    levels_right: int
    """Those of them that were released at the level expected."""
    k: MedianError
    """That of k, of releases at all the levels expected."""
    questions: MedianError
    """That of the nodes to measure, one more on either side."""
    seconds: MedianError
    """That of the seconds of the run."""


class Statistics(Opening):
    """How well k is predicted from measured nodes."""

    command: Literal["observations stats"]
    """`observations stats`."""
    dataset: str | None
    """The dataset; null where it was described in a request, or nothing was measured and none was named."""
    version: Version | None
    """The dataset version; null where nothing was measured."""
    other_versions: int
    """Other versions of the dataset that were measured."""
    measured_nodes: int
    """The measured nodes of this version."""
    law: FittedLaw | None
    """The power law fitted to them; null where none could be."""
    no_law: str | None
    """The reason then."""
    now: list[JudgedPredictor]
    """Each node predicted from the others."""
    so_far: list[Checkpoint]
    """The same as nodes accumulated."""
    calibration: Calibration
    """How noted forecasts came out."""
    forecast_errors: ForecastErrors
    """How near they came beside the chance."""


class Plotted(Opening):
    """Measured nodes were drawn."""

    command: Literal["observations plot"]
    """`observations plot`."""
    path: str
    """The file."""
    nodes: int
    """The number of nodes drawn, or of forecasts."""
    law: bool
    """Whether the power law was drawn."""
