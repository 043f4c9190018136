"""Purchase histories: the paper's figures and the default's on the data of PWSCUP 2018, and ten million purchases."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb

from bench import retail
from bench.figure import Figure, print_rows
from ordermade import Engine, initialise
from ordermade.loss.shapes import ARTEFACT
from ordermade.methods.shared.sweep import Sweep

KS = range(2, 21)
PAPER = {2: 0.348, 3: 0.472, 4: 0.542, 5: 0.583, 6: 0.615, 7: 0.641, 8: 0.680, 10: 0.718} | {
    12: 0.748,
    15: 0.780,
    17: 0.807,
    20: 0.833,
}
"""The paper's utility at each k that it prints (its Table 9)."""
CATEGORIES = {2: (0.324, 0.468), 6: (0.590, 0.653), 20: (0.812, 0.844)}
"""Of categories, as the paper scores them (its Table 14), and against the goods."""
MOST = {2: 0.23, 6: 0.47, 20: 0.64}
"""The utility that the default may have."""
BY_RANK = {"match": "rank", "cluster": "rank"}
K = 6

CUSTOMERS = 200_000
MADE = f"""
CREATE TABLE purchases AS
WITH customer AS (
  SELECT i AS id, CAST(2 + POW((HASH(i, 1) % 1000003 + 1) / 1000004.0, -0.55) * 22.2 AS INTEGER) AS often
  FROM RANGE({CUSTOMERS}) AS number(i)
), bought AS (
  SELECT id, UNNEST(RANGE(LEAST(often, 20000))) AS place FROM customer
)
SELECT
  CAST(100000 + id AS INTEGER) AS CustomerID,
  CAST(DATE '2010-12-01' + CAST(HASH(id, place // 12, 2) % 1000003 % 365 AS INTEGER) AS DATE) AS Day,
  'G' || CAST(CAST(POW((HASH(id, place, 3) % 1000003) / 1000003.0, 2.5) * 4000 AS INTEGER) AS VARCHAR) AS GoodsID,
  CAST(ROUND(0.05 + POW((HASH(id, place, 3) % 997) / 997.0, 3) * 40, 2) AS DOUBLE) AS Price,
  CAST(1 + POW((HASH(id, place, 4) % 1000003) / 1000003.0, 6) * 200 AS INTEGER) AS Quantity
FROM bought
"""


def show() -> Sequence[Figure]:
    """Prints the utility by k; the figures that the paper's are held against, and the request over one sort."""
    figures: list[Figure] = []
    if retail.DATA.exists():
        with TemporaryDirectory(prefix="ordermade-bench-") as folder:
            figures += _of_retail(Path(folder))
    else:
        print("\nshared/data/online_retail does not lie beside the repository: no figures of the paper")
    with TemporaryDirectory(prefix="ordermade-bench-") as folder:
        figures += _of_many(Path(folder))
    return figures


def _of_retail(folder: Path) -> Iterator[Figure]:
    source = retail.make(folder)
    with duckdb.connect(str(source), read_only=True) as connection:
        counts = connection.execute("SELECT COUNT(*), COUNT(DISTINCT CustomerID) FROM purchases").fetchall()[0]
    yield Figure("round 1: purchases, off 81,776 by", abs(counts[0] - 81_776), 0, unit="")
    yield Figure("round 1: customers, off 1,000 by", abs(counts[1] - 1_000), 0, unit="")
    engine = engine_on(folder, source)
    paper, ours = (engine.sweep(request(folder, K, more), KS) for more in (BY_RANK, {}))
    rows = [
        (at.k, at.loss, at.total, _share(at.losses), now.loss, now.total, _share(now.losses), now.seconds)
        for at, now in zip(paper.points, ours.points, strict=True)
    ]
    headings = ("k", "U, rank", "U + 1/k", "deleted", "U, default", "U + 1/k", "deleted", "seconds")
    print_rows("Round 1 of PWSCUP 2018, 1,000 customers", headings, rows)
    yield from _of_the_paper(paper)
    yield from _of_categories(engine, folder)
    yield from _of_the_default(paper, ours)
    for k in MOST:
        began = time.perf_counter()
        engine.run(request(folder, k, {}))
        yield Figure(f"default, k = {k}: a whole request", time.perf_counter() - began, 60.0, "s")


def _of_the_paper(paper: Sweep) -> Iterator[Figure]:
    losses = {each.k: each.loss or 0.0 for each in paper.points}
    for k in MOST:
        name, off = f"match: rank, k = {k}: U, off {PAPER[k]} by", abs(losses[k] - PAPER[k])
        yield Figure(name, off, 0.001, "", f"{losses[k]:.4f}", digits=4)
    most = max(abs(losses[k] - published) for k, published in PAPER.items())
    yield Figure(f"match: rank, {len(PAPER)} values of k that the paper prints: U, off by", most, None, "", digits=4)
    best = paper.best
    yield Figure("match: rank: the best k, off 6 by", abs((0 if best is None else best.k) - 6), 0, unit="")


def _of_categories(engine: Engine, folder: Path) -> Iterator[Figure]:
    for k, (as_categories, against_goods) in CATEGORIES.items():
        items = {"items": {"taxonomy": str(folder / "categories.csv")}}
        loss = engine.run(request(folder, k, BY_RANK | items)).loss
        for name, metric, expected in (
            ("as the paper scores them", "utility_as_categories", as_categories),
            ("against the goods", "utility", against_goods),
        ):
            found = _number(loss[metric])
            yield Figure(
                f"categories, k = {k}, {name}: off {expected} by",
                abs(found - expected),
                0.002,
                "",
                f"{found:.5f}",
                digits=5,
            )
    print(f"\n{ARTEFACT}")


def _of_the_default(paper: Sweep, ours: Sweep) -> Iterator[Figure]:
    losses = {each.k: each.loss or 0.0 for each in ours.points}
    deleted = {each.k: _share(each.losses) for each in ours.points}
    for k, most in MOST.items():
        note = f"deleted share {deleted[k]:.4f}"
        yield Figure(f"default, k = {k}: U", losses[k], most, "", note, digits=4)
    worst = max(losses[each.k] - (each.loss or 0.0) for each in paper.points)
    yield Figure("default, k = 2 to 20: U less that of match: rank, the most", worst, 0.0, "", digits=4)


def _of_many(folder: Path) -> Iterator[Figure]:
    """In a process of its own: a whole request by rank, its memory, and one sort of the rows."""
    with duckdb.connect(str(folder / "many.duckdb")) as connection:
        connection.execute(MADE)
        rows = connection.execute("SELECT COUNT(*) FROM purchases").fetchall()[0][0]
    command = [sys.executable, "-m", "bench.one_history", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    took, memory, utility, deleted, in_order = (float(each) for each in done.stdout.split())
    name = f"{rows:,} purchases of {CUSTOMERS:,} customers, match: rank, k = {K}"
    note = f"U {utility:.4f}, deleted share {deleted:.4f}; one sort of the rows takes {in_order:.2f} s"
    yield Figure(name, took, 60.0, "s", note)
    yield Figure("the same: peak memory", memory / 1024, 3.0, "GiB")
    yield Figure("the same: over one sort of the rows", took / in_order)


def engine_on(folder: Path, source: Path) -> Engine:
    """An engine on a new state in the folder, with the table of purchases registered."""
    engine = Engine(folder / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("shop", str(source))
    engine.datasets.add("purchases", "shop", table="purchases", least_k=2)
    return engine


def request(folder: Path, k: int, more: Mapping[str, Any]) -> dict[str, Any]:
    """A request for the histories, with `more` of how they are made alike."""
    return {
        "title": "benchmark",
        "dataset": "purchases",
        "method": "history",
        "k": k,
        "history": {**retail.HISTORY, **more},
        "release": {"to": str(folder / f"k{k}.parquet"), "replace": True},
    }


def _number(value: object) -> float:
    if not isinstance(value, int | float):
        raise TypeError("a loss is a number")
    return float(value)


def _share(losses: Mapping[str, object]) -> float:
    return _number(losses["deleted_share"])
