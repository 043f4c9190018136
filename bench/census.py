"""The census of 2010 in the PAK paper's Table 4, as one more service: persons / 1000, by sex, age and prefecture."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from bench.service_like import Service

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "census"
FILE = DATA / "japan_census2010_pref_sex_age10.csv"
AGES = ("0s", "10s", "20s", "30s", "40s", "50s", "60s", "70s", "80+")
SEXES = ("male", "female")

LEAST_WORK_OF_A_PROOF = {2: 846, 5: 846, 10: 846, 20: 1316, 50: 893, 100: 739, 200: 280, 500: 213}
"""The divisions of the node tests that prove the optimum with perfect foresight, by k, from the paper's readings."""


def census() -> Service | None:
    """The census, or None where its file does not lie beside the repository."""
    if not FILE.is_file():
        return None
    persons = np.zeros((len(SEXES), len(AGES), 47), dtype=np.int64)
    with FILE.open(encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            cell = SEXES.index(line["sex"]), AGES.index(line["age_class"]), int(line["prefecture_code"]) - 1
            persons[cell] += round(int(line["population"]) / 1000)
    return Service("census", persons)
