"""Requests on a server's table that nobody writes to: the same again beside DuckDB, and sixty other ones in a row."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.figure import Figure, median, print_rows
from bench.in_servers import engine_on, into_mariadb, into_postgresql, not_measured, rows_sent
from bench.members import FINE, Bench, Timeline
from ordermade import Engine
from ordermade.sources.executor import Purpose
from tests.services.servers import MARIADB, POSTGRES, Kind, NoServer, find, fresh_schema

REPETITIONS = 5
REQUESTS, TEN = 60, 10
SEED = 2026
COLUMNS: Mapping[str, Sequence[Mapping[str, str]]] = {
    "sex": [{}],
    "age": [{}, {"from": "5 years"}],
    "prefecture": [{}, {"from": "region"}],
    "occupation": [{}],
    "plan": [{}],
    "joined": [{"from": "month"}, {"from": "year"}],
}
"""The columns of the requests, each with the levels that they begin at."""
KS = (2, 5, 10, 20, 50)


def repeat(bench: Bench) -> Sequence[Figure]:
    """The same request again as a whole process, on PostgreSQL and on a DuckDB file, in turns."""
    with ExitStack() as stack:
        try:
            schema = stack.enter_context(fresh_schema(find(POSTGRES)))
        except NoServer as none:
            return not_measured("PostgreSQL", none)
        into_postgresql(bench, schema)
        places = {"postgresql": schema.url, "duckdb": str(bench.database)}
        files = {name: _registered(bench, url, f"repeat-{name}") for name, url in places.items()}
        for file in files.values():
            _process(file)
        seconds: dict[str, list[float]] = {name: [] for name in places}
        for _ in range(REPETITIONS):
            for name, file in files.items():
                seconds[name].append(_process(file))
        engine = Engine(files["postgresql"].parent / "state.sqlite")
        timeline = Timeline()
        with rows_sent() as rows:
            replace(engine, progress=timeline).run(files["postgresql"])
        sent = [each for each, _ in timeline.statements if each.purpose is not Purpose.CATALOG]
        first, other = median(seconds["postgresql"]), median(seconds["duckdb"])
        return [
            Figure("rows read of an unchanged table", sum(n for _, n in rows), target=0, unit=""),
            Figure("statements that read it", len(sent), target=0, unit=""),
            Figure(
                "the same request again: PostgreSQL / DuckDB, whole processes",
                first / other,
                target=1.3,
                note=f"{first:.3f} s, {other:.3f} s",
            ),
        ]


def sixty_on_postgresql(bench: Bench) -> Sequence[Figure]:
    """Sixty requests of other columns, levels and k on PostgreSQL, in a row."""
    return _sixty(bench, POSTGRES)


def sixty_on_mariadb(bench: Bench) -> Sequence[Figure]:
    """The same on MariaDB, which proves nothing by itself."""
    return _sixty(bench, MARIADB)


def _sixty(bench: Bench, kind: Kind) -> Sequence[Figure]:
    with ExitStack() as stack:
        try:
            schema = stack.enter_context(fresh_schema(find(kind)))
        except NoServer as none:
            return not_measured(kind.title, none)
        (into_postgresql if kind is POSTGRES else into_mariadb)(bench, schema)
        engine = engine_on(bench, schema.url, f"sixty-{kind.name}")
        drawn = random.Random(SEED)
        whole, server = [], []
        for number in range(REQUESTS):
            request = _tailor_made(bench, drawn, f"sixty-{kind.name}", number)
            timeline = Timeline()
            started = time.perf_counter()
            replace(engine, progress=timeline).run(request)
            whole.append(time.perf_counter() - started)
            sources = [each for each, _ in timeline.statements if _is_of_server(each.text)]
            server.append(sum(each.seconds for each in sources))
        tens = [slice(first, first + TEN) for first in range(0, REQUESTS, TEN)]
        print_rows(
            f"{kind.title}: {REQUESTS} requests, seed {SEED}, by tens",
            ("requests", "seconds", "server seconds"),
            [(f"{ten.start + 1}-{ten.stop}", sum(whole[ten]), sum(server[ten])) for ten in tens],
        )
        target = 0.5 if kind is POSTGRES else None
        return [
            Figure("seconds of the last ten / the first ten", sum(whole[tens[-1]]) / sum(whole[tens[0]]), target),
            Figure("server seconds of the same", sum(server[tens[-1]]) / sum(server[tens[0]]), target),
        ]


def _tailor_made(bench: Bench, drawn: random.Random, folder: str, number: int) -> dict[str, Any]:
    names = sorted(drawn.sample(sorted(COLUMNS), drawn.randint(2, len(COLUMNS))))
    columns = {name: drawn.choice(COLUMNS[name]) for name in names}
    request = bench.request(columns, folder, k=drawn.choice(KS))
    return {**request, "release": {"to": str(bench.folder / folder / f"{number}.parquet")}}


def _is_of_server(text: str) -> bool:
    """Whether a statement is of the table on the server: the workspace has none of that name."""
    return "members" in text


def _registered(bench: Bench, url: str, name: str) -> Path:
    """A request as a file, beside a state where its dataset is registered."""
    engine_on(bench, url, name)
    file = bench.folder / name / "request.json"
    file.write_text(json.dumps(bench.request(FINE, name)), encoding="utf-8")
    return file


def _process(file: Path) -> float:
    """The seconds of a process that runs the request."""
    state = str(file.parent / "state.sqlite")
    command = [sys.executable, "-m", "ordermade", "--state", state, "request", "run", str(file)]
    started = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - started
