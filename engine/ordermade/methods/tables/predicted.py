"""The forecast of a request for tables with totals: the record that `Engine.predict` returns of one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal

from ordermade.methods.shared.judged import FORESEEN_IN_WORDS, ForeseenBeside
from ordermade.methods.shared.verdict import VERDICTS, Verdict, chance_in_words
from ordermade.prediction.calibration import NO_FORECASTS, Calibration
from ordermade.records.cards import Card, HasSummary
from ordermade.records.cells import cell, counted
from ordermade.records.printed import Printed


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PredictedTables(Printed, HasSummary):
    """The forecast of a request for tables with totals; no row of the source was read."""

    title: str
    """The title of the request."""
    dataset: str
    """The dataset."""
    method: Annotated[str, Literal["table"]] = "table"
    """`table`."""
    k: int
    """The requested k."""
    verdict: Verdict = "open"
    """Whether the tables are released: proved (`passes`, `fails`), by the chance (`likely`, `unlikely`), or unknown."""
    chance: float | None = None
    """The probability that they are; null where unknown."""
    suppressed_cells: float | None = None
    """The expected share of the cells that are suppressed; null where nothing is known."""
    low: float | None = None
    """The lower end of the interval that holds it in 90 cases of 100."""
    high: float | None = None
    """Its upper end."""
    below_k: float | None = None
    """The expected share of the cells of fewer than k, which are suppressed in any case."""
    measured: bool = False
    """Whether the latter is exact, because all of the cells were counted for earlier requests."""
    cells: int | None = None
    """The expected number of cells that are not empty, with all totals; null below the least k of the dataset."""
    learnt_from: int = 0
    """The earlier tables of the dataset that the forecast is learnt from."""
    too_little: str | None = None
    """The reason why there is no forecast, or of a failure that is proved."""
    rows: int | None = None
    """The rows of the dataset when it was last seen; null where it was never counted."""
    persons: int | None = None
    """Its persons; null where a row is a person."""
    last_seen_at: datetime | None = None
    """The time of that."""
    seconds: float | None = None
    """The seconds that a run is expected to take: the median of earlier tables; null where there were none."""
    calibration: Calibration = NO_FORECASTS
    """How the forecasts on this dataset came out so far."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked without the source."""
    gone: tuple[str, ...] = ()
    """The tables and columns that a run needs and the source no longer has, a sentence each."""
    beside: ForeseenBeside | None = None
    """What the releases of its recipients decide alone; null without any, without a policy, and for users."""

    def _card(self) -> Card:
        return Card.of(f"Predicted: {self.verdict}, tables with k = {self.k:,} on {self.dataset}", tables_facts(self))


def tables_facts(found: PredictedTables) -> Iterator[tuple[str, Any]]:
    """The forecast, its evidence, and the open questions."""
    verdict = VERDICTS[found.verdict]
    if found.gone:
        verdict = f"no: {found.too_little}"
    elif found.verdict in ("likely", "unlikely") and found.chance is not None:
        verdict += f" ({chance_in_words(found.chance)})"
    yield "will it pass", verdict
    yield (
        "cells",
        None if found.cells is None else f"{'' if found.measured else 'about '}{counted(found.cells, 'cell')}",
    )
    if found.below_k is not None:
        how = "as measured for earlier requests" if found.measured else "expected"
        yield "of fewer than k", f"{_share(found.below_k)} of them, {how}"
    yield "suppressed", suppressed_in_words(found)
    yield "learnt from", counted(found.learnt_from, "earlier table") if found.learnt_from else None
    if not found.gone:
        yield ("why" if found.verdict == "fails" else "no prediction"), found.too_little
    if found.rows is not None and found.last_seen_at is not None:
        persons = "" if found.persons is None else f" of {found.persons:,} persons"
        yield "dataset", f"{found.rows:,} rows{persons}, as last seen {cell(found.last_seen_at)}"
    yield "beside releases", None if found.beside is None else FORESEEN_IN_WORDS[found.beside]
    yield "not checked", "; ".join(found.unchecked) or None
    yield "a run takes", None if found.seconds is None else f"about {found.seconds:.2g} s"


def suppressed_in_words(found: PredictedTables) -> str | None:
    """The share of suppressed cells with its interval: `31 % (22 to 41 %)`; None where nothing is known."""
    if found.suppressed_cells is None or found.low is None or found.high is None:
        return None
    if found.low == found.high:
        return _share(found.suppressed_cells)
    return f"{_share(found.suppressed_cells)} ({100 * found.low:.0f} to {100 * found.high:.0f} %)"


def _share(share: float) -> str:
    return f"{100 * share:.0f} %"
