"""A million rows of eight columns as frames of pandas, polars and Arrow, beside the same table in a DuckDB file.

By every method, in turns: the request on the file, released to Parquet, and the request on each frame, released as a
frame of its kind. The memory is that of processes of their own, above what they held with the frame alone.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from importlib.resources import as_file
from pathlib import Path
from typing import Any

import duckdb

from bench.figure import Figure, median
from bench.members import Bench
from bench.one_frame import loaded
from ordermade import Engine, initialise
from ordermade.demo.tables import MEMBERS

KINDS = ("pandas", "polars", "arrow")
METHODS = ("generalization", "local", "microaggregation", "mondrian", "history")
TURNS = 3
MAX_SECONDS = 1.3
MAX_TIMES, MAX_BESIDE = 1.5, 300.0
"""The most memory above a frame: so many times its size, and so many MiB."""

PURCHASES = """
CREATE TABLE purchases AS
SELECT
  CAST(100000 + HASH(i, 1) % 40000 AS INTEGER) AS customer,
  CAST(DATE '2010-12-01' + CAST(HASH(i, 2) % 365 AS INTEGER) AS DATE) AS day,
  'G' || CAST(CAST(POW((HASH(i, 3) % 1000003) / 1000003.0, 2.5) * 4000 AS INTEGER) AS VARCHAR) AS item,
  CAST(ROUND(0.05 + POW((HASH(i, 4) % 997) / 997.0, 3) * 40, 2) AS DOUBLE) AS price,
  CAST(1 + POW((HASH(i, 5) % 1000003) / 1000003.0, 6) * 200 AS INTEGER) AS quantity,
  'shop ' || CAST(HASH(i, 6) % 40 AS VARCHAR) AS shop,
  'till ' || CAST(HASH(i, 7) % 9 AS VARCHAR) AS till,
  CAST(i AS BIGINT) AS receipt
FROM RANGE(1000000) AS number(i)
"""

_COLUMNS: dict[str, dict[str, Any]] = {
    "sex": {"hierarchy": "sex"},
    "age": {"hierarchy": "age", "from": "5 years"},
    "prefecture": {"hierarchy": "prefecture"},
    "occupation": {"hierarchy": "occupation"},
    "joined": {"hierarchy": "joined", "from": "year"},
}
_REQUESTS: dict[str, dict[str, Any]] = {
    "generalization": {"quasi_identifiers": _COLUMNS, "keep": ["plan"], "suppression_limit": 0.02},
    "local": {"quasi_identifiers": _COLUMNS, "keep": ["plan"], "suppression_limit": 0.02, "recoding": "local"},
    "microaggregation": {"method": "microaggregation", "attributes": {"age": {}}, "keep": ["sex", "plan"]},
    "mondrian": {
        "method": "mondrian",
        "mondrian": {"variant": "hierarchy"},
        "quasi_identifiers": {name: {"hierarchy": name} for name in _COLUMNS},
        "keep": ["plan"],
    },
    "history": {
        "method": "history",
        "history": {"customer": "customer", "when": "day", "item": "item", "numbers": ["price", "quantity"]},
    },
}


def request_of(method: str) -> dict[str, Any]:
    """The request by a method, without dataset and release."""
    return {"k": 5 if method == "history" else 50, **_REQUESTS[method]}


def engine_of() -> Engine:
    """An engine in memory that knows the hierarchies of the members."""
    engine = Engine.in_memory()
    _add_hierarchies(engine)
    return engine


def figures(bench: Bench) -> Sequence[Figure]:
    """The seconds of each method and kind over those of the file, and the memory above the frame by what it may be."""
    with closing(duckdb.connect(str(bench.database))) as database:
        database.execute(f"COPY members TO '{bench.folder / 'members.parquet'}'")
        database.execute(PURCHASES)
        database.execute(f"COPY purchases TO '{bench.folder / 'purchases.parquet'}'")
    return [each for method in METHODS for each in _of_method(bench, method)]


def _of_method(bench: Bench, method: str) -> list[Figure]:
    table = "purchases" if method == "history" else "members"
    frames = {kind: loaded(bench.folder / f"{table}.parquet", kind)[0] for kind in KINDS}
    seconds: dict[str, list[float]] = {each: [] for each in ("file", *KINDS)}
    for turn in range(TURNS + 1):  # the first turn imports and compiles
        noted = seconds if turn else {each: [] for each in seconds}
        noted["file"].append(_on_the_file(bench, method, table, turn))
        for kind, frame in frames.items():
            noted[kind].append(_on_a_frame(method, frame))
    of_file = median(seconds["file"])
    note = f"{of_file:.2f} s on the file"
    found = [
        Figure(
            f"{method}, {kind}",
            median(seconds[kind]) / of_file,
            MAX_SECONDS,
            note=f"{note}, {median(seconds[kind]):.2f} s",
        )
        for kind in KINDS
    ]
    del frames
    return [*found, *(_memory(bench, method, kind) for kind in KINDS)]


def _on_the_file(bench: Bench, method: str, table: str, turn: int) -> float:
    folder = bench.folder / f"{method}-{turn}"
    engine = Engine(folder / "state.sqlite")
    initialise(engine.state_file.path)
    engine.sources.add("shop", str(bench.database))
    engine.datasets.add("data", "shop", table=table)
    _add_hierarchies(engine)
    request = {**request_of(method), "dataset": "data", "release": {"to": str(folder / "release.parquet")}}
    started = time.perf_counter()
    result = engine.run(request)
    taken = time.perf_counter() - started
    if not result.released:
        raise RuntimeError(result.reason)
    return taken


def _on_a_frame(method: str, frame: Any) -> float:
    with engine_of() as engine:
        started = time.perf_counter()
        back = engine.run(request_of(method), data=frame).frame()
        taken = time.perf_counter() - started
    if type(back) is not type(frame):
        raise RuntimeError("the release came back as another kind")
    return taken


def _memory(bench: Bench, method: str, kind: str) -> Figure:
    command = [sys.executable, "-m", "bench.one_frame", str(bench.folder), method, kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    most = MAX_TIMES * found["size"] + MAX_BESIDE
    note = f"{found['above']:.0f} MiB above a frame of {found['size']:.0f} MiB; {most:.0f} MiB at most"
    return Figure(f"{method}, {kind}, memory", found["above"] / most, 1.0, note=note)


def _add_hierarchies(engine: Engine) -> None:
    with as_file(MEMBERS) as data:
        for file in sorted((Path(data) / "hierarchies").iterdir()):
            engine.hierarchies.add(file.stem, file)
