"""The predictors by name, and which one a dataset's evidence carries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final, TypeVar

from ordermade.errors import TooLittleKnown
from ordermade.prediction.evidence import Evidence
from ordermade.prediction.independence import Independence
from ordermade.prediction.pairs import Pairs
from ordermade.prediction.power_predictor import Power
from ordermade.prediction.prediction import Predictor

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class PredictorKind:
    """A predictor by its `name`, with a sentence on its method, and `build`, from evidence.

    `build` raises TooLittleKnown if the evidence does not carry it.
    """

    name: str
    meaning: str
    build: Callable[[Evidence], Predictor]


PREDICTORS: Final[dict[str, PredictorKind]] = {
    kind.name: kind
    for kind in (
        PredictorKind("pairs", "independence, corrected by the measured nodes of two attributes", Pairs),
        PredictorKind("independence", "the least non-empty class if the columns were independent", Independence),
        PredictorKind("power", "the power law k = a x^b + 1 of measured nodes over their classes x", Power),
    )
}
"""Best first."""


def use_best_predictor(
    evidence: Evidence, ask: Callable[[Predictor], Answer], kinds: Iterable[PredictorKind] = PREDICTORS.values()
) -> tuple[PredictorKind, Answer]:
    """Return the answer to `ask` of the first predictor with enough evidence for all of it.

    Raises TooLittleKnown if there is none, with what each of them lacks.
    """
    lacking: dict[str, list[str]] = {}
    for kind in kinds:
        try:
            return kind, ask(kind.build(evidence))
        except TooLittleKnown as error:
            lacking.setdefault(error.what, []).append(kind.name)
    raise TooLittleKnown(
        "; ".join(f"{', '.join(names)}: {why}" for why, names in lacking.items()),
        next_step="Run a request on the dataset: what it counts is kept and can be learnt from.",
    )
