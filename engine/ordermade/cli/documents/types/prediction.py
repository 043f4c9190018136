"""The types of the document of `ordermade request predict`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.observation import Calibration, Scores
from ordermade.cli.documents.types.opening import Opening


class PredictedNode(TypedDict):
    """An accepted node, and what is expected of it."""

    levels: dict[str, int]
    """The level of each quasi-identifier."""
    level_names: dict[str, str]
    """The same by name."""
    k: float | None
    """The expected k; null without a prediction, or below the least k of the dataset."""
    low: float
    """The lower end of the interval that holds k in 90 cases of 100."""
    high: float
    """Its upper end."""
    bounded: list[Literal["low", "high"]]
    """The ends that were expected beyond what is proved, and are cut to it, as k then may be."""
    chance: float | None
    """The probability that it passes; null where unknown."""
    proved: Literal["passes", "fails"] | None
    """What is proved of it; null: nothing."""
    classes: float | None
    """The expected number of equivalence classes."""


class PredictedBy(TypedDict):
    """The predictor."""

    name: str
    """Its name."""
    meaning: str
    """The way it predicts, in words."""
    scores: Scores | None
    """How it met the measured nodes of this lattice, each held out in turn; null where none judges it."""


class Basis(TypedDict):
    """The dataset version that a prediction rests on."""

    rows: int
    """The rows of the dataset when it was last seen."""
    last_seen_at: datetime
    """The time of that."""
    observations: int
    """The measured nodes of that version that can be placed in the lattice of the request."""
    nodes: int
    """Those of them that are nodes of the lattice itself."""
    marginals: list[str]
    """The quasi-identifiers whose class sizes are known."""
    earlier_nodes: int
    """The nodes known of an older version."""
    persons: int | None
    """The persons of the dataset; null where a row is a person."""


class Cost(TypedDict):
    """The most statements that `request run` would send to the source."""

    version_queries: int
    """Those for the dataset version."""
    coverage_queries: int
    """Those for the values of quasi-identifiers."""
    source_queries: int
    """Those for the frequency set."""
    nodes_open: int
    """The accepted nodes that nothing proves to pass or to fail."""


class Prediction(Opening):
    """The forecast of a request; the source was not touched."""

    command: Literal["request predict"]
    """`request predict`."""
    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    k: int
    """The requested k."""
    objective: str
    """The objective of the request."""
    verdict: Literal["passes", "fails", "likely", "unlikely", "open"]
    """Whether an accepted node passes: proved (`passes`, `fails`), by its chance (`likely`, `unlikely`), or unknown."""
    chance: float | None
    """The probability that one passes; null where unknown."""
    finest: PredictedNode | None
    """The node of the finest accepted levels."""
    certain: PredictedNode | None
    """The best node that is proved to pass."""
    expected: PredictedNode | None
    """The best node that is expected to pass."""
    ranked_by: str
    """The objective that nodes are ranked by."""
    nodes_in_lattice: int
    """The number of accepted nodes."""
    nodes_proved_to_pass: int
    """Those that are proved to pass."""
    nodes_proved_to_fail: int
    """Those that are proved to fail."""
    predictor: PredictedBy | None
    """The predictor; null where too little is known."""
    too_little: str | None
    """The reason then."""
    basis: Basis | None
    """The dataset version that the prediction rests on; null where none was ever seen."""
    cost: Cost
    """The cost of an answer."""
    questions: float
    """The nodes that the search of a run is expected to measure."""
    seconds: float | None
    """The seconds that the run is expected to take; null where none ran on the dataset before."""
    calibration: Calibration
    """How the forecasts on this dataset came out so far."""
    unchecked: list[str]
    """What could not be checked without the source."""
    covered: bool
    """Whether every hierarchy is known to cover its column."""
    nodes_left_out: int
    """The accepted nodes that `nodes` does not have."""
    nodes: list[PredictedNode]
    """Accepted nodes, the best first."""
