"""A state of 100,000 requests and 5,000,000 observations: the seconds of commands as whole processes.

The demo's members are asked a few requests; then the state gets, by statements, 1,000 dataset versions of 5,000
observations each (the members' last version among them), and as many requests and forecasts.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from bench.figure import Figure, median
from bench.members import COARSE, Bench
from bench.start_up import as_installed
from ordermade import Engine
from ordermade.demo.folder import make_members

MEMBERS = 20_000
REQUESTS = 100_000
VERSIONS, OBSERVATIONS = 1_000, 5_000
REPETITIONS = 5
SECONDS = 0.7
ANOTHER = "request offers, not asked before"
REQUEST = """
title: Members by sex, age and region
dataset: members
k: {k}
quasi_identifiers:
  sex: {{hierarchy: sex}}
  age: {{hierarchy: age, from: 5 years, to: {to}}}
  prefecture: {{hierarchy: prefecture}}
release: {{to: {folder}/out.parquet, replace: true}}
"""
VERSIONS_MADE = f"""
INSERT INTO dataset_versions BY NAME
SELECT * EXCLUDE (i) REPLACE (id + i AS id, hash_sum + i AS hash_sum, last_seen_at - INTERVAL (i) HOUR AS last_seen_at)
FROM dataset_versions, RANGE(1, {VERSIONS}) AS numbers(i)
WHERE id = (SELECT id FROM dataset_versions ORDER BY last_seen_at DESC LIMIT 1)
"""
REQUESTS_MADE = f"""
INSERT INTO requests BY NAME
SELECT * EXCLUDE (i) REPLACE (nextval('request_ids') AS id, SHA256(i::VARCHAR) AS request_hash)
FROM requests, RANGE({REQUESTS}) AS numbers(i)
WHERE id = 1
"""
FORECASTS_MADE = f"""
INSERT INTO forecasts (request_hash, dataset_name, chance, proved, made_at)
SELECT SHA256(i::VARCHAR), 'members', (i % 97) / 97, FALSE, TIMESTAMP '2020-01-01' FROM RANGE({REQUESTS}) AS number(i)
"""
OBSERVATIONS_MADE = f"""
CREATE TEMPORARY TABLE made AS
SELECT nextval('observation_ids') AS id, dataset_version_id, n
FROM (
    SELECT versions.id AS dataset_version_id, versions.number * {OBSERVATIONS} + i AS n
    FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY last_seen_at DESC) - 1 AS number FROM dataset_versions) AS versions,
         RANGE({OBSERVATIONS}) AS number(i)
    ORDER BY n
);
INSERT INTO observations
SELECT made.id, made.dataset_version_id, SHA256(made.n::VARCHAR), {MEMBERS}, 100 + made.n % 900, 1 + made.n % 50,
       4000000 + made.n, RANGE(1 + made.n % 50, 41 + made.n % 50, 2), RANGE(1, 21), 1, TIMESTAMP '2025-01-31 12:00:00'
FROM made ORDER BY made.id;
INSERT INTO observation_levels
SELECT made.id, levels.column_name, levels.level, 'level', levels.level_hash
FROM made
JOIN (
    SELECT column_name, level, level_hash, ROW_NUMBER() OVER (PARTITION BY column_name ORDER BY level_hash) AS place,
           COUNT(*) OVER (PARTITION BY column_name) AS places
    FROM (SELECT DISTINCT column_name, level, level_hash FROM observation_levels)
) AS levels ON (made.n // CAST(1 + HASH(levels.column_name) % 97 AS BIGINT)) % (levels.places + 1) = levels.place
ORDER BY made.id, levels.column_name;
CHECKPOINT
"""


def show() -> Sequence[Figure]:
    """Prints the size of the state; the seconds of each command, a median of whole processes."""
    with TemporaryDirectory(prefix="ordermade-bench-") as name:
        folder = Path(name)
        state = made_state(folder)
        print(f"\n{state.stat().st_size / 2**20:,.0f} MiB of state")
        program = str(Path(sys.executable).parent / "ordermade")
        commands = {
            "request list": [["request", "list"]],
            "request predict": [["request", "predict", str(folder / "predict.yaml")]],
            "request offers": [["request", "offers", str(folder / "offers.yaml")]],
            ANOTHER: [["request", "offers", str(_another(folder, number))] for number in range(REPETITIONS)],
        }
        return [
            _timed(each, [[program, "--state", str(state), *words] for words in turns], as_installed(folder))
            for each, turns in commands.items()
        ]


def made_state(folder: Path) -> Path:
    """The state in this folder, with the two requests of the commands beside it; a minute or two."""
    bench = Bench(folder)
    make_members(bench.database, MEMBERS)
    engine = bench.engine("large")
    for columns in (
        ("sex", "age", "plan"),
        ("age", "prefecture"),
        ("sex", "age", "prefecture"),
        ("occupation", "plan"),
    ):
        engine.run(bench.request({each: COARSE[each] for each in columns}, "large"))
    (folder / "predict.yaml").write_text(REQUEST.format(k=20, to="'*'", folder=folder), encoding="utf-8")
    (folder / "offers.yaml").write_text(REQUEST.format(k=5_000, to="5 years", folder=folder), encoding="utf-8")
    _offered(engine, folder)
    state = engine.state_file.path
    with duckdb.connect(str(state)) as connection:
        for each in (VERSIONS_MADE, REQUESTS_MADE, FORECASTS_MADE, OBSERVATIONS_MADE):
            connection.execute(each)
    return state


def _offered(engine: Engine, folder: Path) -> None:
    """Asks for the offers once, so that their figures are in the cache."""
    engine.offers(folder / "offers.yaml")


def _another(folder: Path, number: int) -> Path:
    """A request that was never offered anything, of columns whose figures are in the cache."""
    path = folder / f"another-{number}.yaml"
    path.write_text(REQUEST.format(k=5_001 + number, to="5 years", folder=folder), encoding="utf-8")
    return path


def _timed(name: str, turns: Sequence[Sequence[str]], environment: Mapping[str, str]) -> Figure:
    """The median of as many runs as there are turns, or of one command several times, once its modules are compiled."""
    if len(turns) == 1:
        subprocess.run(turns[0], capture_output=True, check=False, env=environment)
    taken = []
    for each in turns if len(turns) > 1 else turns * REPETITIONS:
        started = time.perf_counter()
        subprocess.run(each, capture_output=True, check=False, env=environment)
        taken.append(time.perf_counter() - started)
    return Figure(f"{name}, whole process", median(taken), None if name == ANOTHER else SECONDS, "s")
