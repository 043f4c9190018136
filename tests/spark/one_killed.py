"""A request in a cluster whose worker dies: `python one_killed.py MASTER FOLDER`, its answers as one line of JSON.

The worker that works in `FOLDER/one` is killed, with the executor that it started, once the version is known.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import duckdb

from ordermade.progress.waiting import Silent
from ordermade.sources.executor import ExecutedStatement, Purpose
from ordermade.sources.limits import Limits
from tests.made import new_engine

RULES = {
    "age": "intervals:\n  levels:\n    - {width: 5}\n    - {width: 20}\n",
    "code": "prefix:\n  keep: [3, 2]\n",
}


class Killing(Silent):
    """Kills every process that works in a folder after the first statement that gives a version."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.killed = 0

    def statement(self, statement: ExecutedStatement) -> None:
        if self.killed or statement.purpose is not Purpose.VERSION:
            return
        for each in Path("/proc").iterdir():
            try:
                is_there = each.name.isdecimal() and (each / "cwd").resolve().is_relative_to(self._folder)
            except OSError:
                continue
            if is_there:
                os.kill(int(each.name), signal.SIGKILL)
                self.killed += 1


def main(master: str, folder: Path) -> None:
    """Runs the request in the cluster, where a worker dies in the middle, and in DuckDB."""
    engine = new_engine(folder, use_cache=False, limits=Limits("256MB", 1))
    path = folder / "t.parquet"
    for name, location in (("spark", f"{master}?path={path}&spark.executor.memory=512m"), ("file", str(path))):
        engine.sources.add(name, location)
        engine.datasets.add(name, name, table="t", least_k=2)
    for column, text in RULES.items():
        (folder / f"{column}.yaml").write_text(text, encoding="utf-8")
        engine.hierarchies.add(column, folder / f"{column}.yaml")
    killing = Killing(folder / "one")
    found: dict[str, list[object]] = {}
    request: dict[str, object] = {}
    for name in ("spark", "file"):
        request = {
            "dataset": name,
            "k": 5,
            "quasi_identifiers": {column: {"hierarchy": column} for column in RULES},
            "release": {"to": str(folder / f"{name}.csv")},
        }
        running = replace(engine, progress=killing) if name == "spark" else engine
        result = running.run(request)
        found[name] = [str(result.levels), result.k, str(result.loss), (folder / f"{name}.csv").read_text()]
    there = folder / "there.parquet"
    running = replace(engine, progress=killing)
    running.run({**request, "dataset": "spark", "release": {"to": {"path": str(there)}}})
    with duckdb.connect() as connection:
        connection.execute(f"COPY (FROM '{there}/*.parquet') TO '{folder / 'there.csv'}' (HEADER)")
    found["written"] = [*found["file"][:3], (folder / "there.csv").read_text()]
    print(json.dumps({"killed": killing.killed, "same": found["spark"] == found["file"] == found["written"]}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
