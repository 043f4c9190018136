"""The CASC reference data that microaggregation is measured with: Census, Tarragona, EIA; and what is asked of them."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ordermade.methods.microaggregation.algorithm.loss import standardised

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data" / "microdata"
NOT_NUMBERS = ("UTILNAME", "STATE", "YEAR", "MONTH")
"""Columns of EIA that the literature leaves out."""
TARGETS = {
    "census": {3: 5.20, 5: 8.10, 10: 12.30},
    "tarragona": {3: 14.8, 5: 20.8, 10: 30.5},
    "eia": {3: 0.42, 5: 0.95, 10: 2.40},
}
"""Information loss in %, by data and k, that improved groups are to have at most."""


def real_records(name: str) -> npt.NDArray[np.float64]:
    """The records of one of the three, standardised."""
    with (DATA / f"{name}.csv").open(encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    return standardised([[float(cell) for column, cell in row.items() if column not in NOT_NUMBERS] for row in rows])
