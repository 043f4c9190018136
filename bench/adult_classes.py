"""Adult (8 quasi-identifiers): what Mondrian keeps beside the best node and local recoding, by the same measures.

Every class of every release is counted again from its file, by another reader.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from bench.figure import Figure, print_rows
from bench.local import COLUMNS, DATA
from ordermade import Engine, initialise

KS = (5, 10, 50)
TABLE = """
SELECT * REPLACE (CAST(age AS INTEGER) AS age) FROM READ_CSV('{path}', delim = ';', all_varchar = TRUE)
"""
ASKED: Mapping[str, Mapping[str, Any]] = {
    "full-domain optimum": {"method": "generalization", "search": {"objective": "loss"}},
    "local recoding": {"method": "generalization", "recoding": "local", "search": {"objective": "loss"}},
    "hierarchy Mondrian, prec": {"method": "mondrian", "mondrian": {"variant": "hierarchy"}},
    "hierarchy Mondrian, width": {"method": "mondrian", "mondrian": {"variant": "hierarchy", "split": "width"}},
    "median Mondrian": {"method": "mondrian", "mondrian": {"variant": "median"}},
    "median Mondrian, relaxed": {"method": "mondrian", "mondrian": {"variant": "median", "strict": False}},
}


def show() -> Sequence[Figure]:
    """Prints dm, c_avg and loss by method and k; the loss of median Mondrian over that of the best node."""
    if not DATA.exists():
        print(f"\nAdult: no data in {DATA}")
        return []
    figures = []
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        engine = _engine(Path(name))
        for k in KS:
            rows, lost = [], {}
            for method, asked in ASKED.items():
                loss, divisions, smallest = _released(engine, Path(name), k, asked)
                lost[method] = loss["loss"]
                assert smallest >= k, f"{method}: a class of {smallest}"
                rows.append((method, divisions, smallest, loss["dm"], loss["c_avg"], loss["loss"], loss["prec"]))
            headings = ("method", "classes", "least class, counted again", "dm", "c_avg", "loss", "loss.prec")
            print_rows(f"Adult, 30,162 rows x 8, k = {k}", headings, rows)
            ratio = lost["median Mondrian"] / lost["full-domain optimum"]
            figures.append(Figure(f"loss of median Mondrian / of the best node, k = {k}", ratio, 1.0))
    return figures


def _engine(folder: Path) -> Engine:
    import duckdb

    with duckdb.connect(str(folder / "adult.duckdb")) as connection:
        connection.execute(f"CREATE TABLE adult AS {TABLE.format(path=DATA / 'adult.csv')}")
    engine = Engine(folder / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("census", str(folder / "adult.duckdb"))
    engine.datasets.add("adult", "census", table="adult", least_k=2)
    for name in COLUMNS:
        engine.hierarchies.add(name, DATA / f"adult_hierarchy_{name}.csv", "arx")
    return engine


def _released(engine: Engine, folder: Path, k: int, asked: Mapping[str, Any]) -> tuple[Mapping[str, Any], int, int]:
    """The losses and classes of a release, and the rows of its smallest class in its file."""
    path = folder / "release.csv"
    request = {
        "dataset": "adult",
        "k": k,
        "quasi_identifiers": {name: {"hierarchy": name} for name in COLUMNS},
        "release": {"to": str(path)},
        **asked,
    }
    result = engine.run(request)
    assert result.divisions is not None, result.reason
    with path.open(encoding="utf-8", newline="") as lines:
        _, *released = csv.reader(lines)
    return result.loss, result.divisions, min(Counter(map(tuple, released)).values())
