"""The FDH-MHM paper's large tables (36 columns), on made-up data of that shape: seconds and loss beside the paper's.

The paper's data (an extract of KDD Cup 1998) cannot be had, so that neither losses nor seconds are expected to agree:
what is to be compared is how both change with the records and with the method. Made-up data: six common factors and
noise, exponentiated, so that every column is skewed. Seconds are of a path, MHM comes on top.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bench.figure import Figure, print_rows, processor_seconds
from ordermade.methods.microaggregation.algorithm.loss import information_loss, standardised
from ordermade.methods.microaggregation.algorithm.paths import fdh_path, mhm, npn_path

SIZES = (10_000, 50_000, 100_000)
KS = (2, 5, 10, 50, 100)
PUBLISHED = {
    ("NPN", 10_000): (22.9, (5.498, 20.223, 29.090, 47.125, 56.992)),
    ("NPN", 50_000): (605.0, (5.675, 13.193, 21.576, 38.242, 45.742)),
    ("NPN", 100_000): (2480.0, (4.720, 10.599, 17.353, 36.611, 43.760)),
    ("FDH A=3 m=3", 10_000): (4.6, (None, 20.889, None, None, 55.641)),
    ("FDH A=3 m=3", 50_000): (107.0, (None, 14.767, None, None, 44.734)),
    ("FDH A=3 m=3", 100_000): (455.0, (None, 9.986, None, None, 43.486)),
}
"""Tables 4 and 8: seconds of a path, and IL % by k."""


def skewed(records: int, columns: int = 36, seed: int = 0) -> NDArray[np.float64]:
    """Log-normal columns of six common factors and noise."""
    rng = np.random.default_rng(seed)
    factors = rng.normal(size=(records, 6)) @ rng.normal(size=(6, columns)) / np.sqrt(6)
    return standardised(np.exp(0.8 * factors + 0.6 * rng.normal(size=(records, columns))))


def show() -> Sequence[Figure]:
    """Prints the table; the seconds of the paper's FDH path over those of NPN, at the largest size."""
    npn_path(skewed(500))
    rows, seconds = [], {}
    for records in SIZES:
        X = skewed(records)
        paths = {
            "NPN": lambda X=X: npn_path(X),
            "FDH A=3 m=1": lambda X=X: fdh_path(X, 3),
            "FDH A=3 m=3": lambda X=X: fdh_path(X, 3, 3),
            "FDH A=3 median": lambda X=X: fdh_path(X, 3, radius="median"),
            "FDH A=10 median": lambda X=X: fdh_path(X, 10, radius="median"),
        }
        for name, walk in paths.items():
            (path, report), seconds[name, records] = processor_seconds(walk)
            losses = [100 * information_loss(X, mhm(X, path, k)[0]).loss for k in KS]
            share = 100 * report.figures.get("largest_share", 1.0)
            rows.append((f"{records:,} {name}", seconds[name, records], share, *losses))
            if (name, records) in PUBLISHED:
                then, published = PUBLISHED[name, records]
                rows.append(("    published", then, None, *published))
    headings = ("records, path", "path, s", "largest region, %", *(f"IL %, k = {k}" for k in KS))
    print_rows("FDH-MHM paper, large tables", headings, rows)
    most = max(SIZES)
    return [
        Figure(f"{name}: seconds / those of NPN, {most:,} records", seconds[name, most] / seconds["NPN", most])
        for name in ("FDH A=3 m=3", "FDH A=3 median", "FDH A=10 median")
    ]
