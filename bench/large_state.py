"""A state of 100,000 requests and 5,000,000 observations: the seconds of commands as whole processes.

The demo's members are asked a few requests; then the state gets, by statements, 1,000 dataset versions of 5,000
observations each (the members' last version among them), and as many requests and forecasts.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.figure import Figure, median
from bench.members import COARSE, Bench
from bench.start_up import as_installed
from ordermade import Engine
from ordermade.demo.tables import make_members
from ordermade.state.connection import StateConnection, connect, file_address, transaction

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
NUMBERS_MADE = f"""
CREATE TEMPORARY TABLE numbers AS
WITH RECURSIVE counted (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM counted WHERE i + 1 < {REQUESTS})
SELECT i FROM counted
"""
LAST_VERSION = "dataset_versions.id = (SELECT id FROM dataset_versions ORDER BY last_seen_at DESC LIMIT 1)"
ANOTHER_VERSION = {
    "id": "id + i",
    "hash_sum": "PRINTF('%d%s', 1000000 + i, SUBSTR(hash_sum, 8))",
    "last_seen_at": "STRFTIME('%Y-%m-%d %H:%M:%f000', last_seen_at, PRINTF('-%d hours', i))",
}
ANOTHER_REQUEST = {"id": "(SELECT MAX(id) FROM requests) + 1 + i", "request_hash": "SHA256(CAST(i AS TEXT))"}
FORECASTS_MADE = f"""
INSERT INTO forecasts (request_hash, dataset_name, chance, proved, levels, made_at)
SELECT SHA256(CAST(i AS TEXT)), 'members', (i % 97) / 97.0, FALSE, '{{}}', '2020-01-01 00:00:00.000000'
FROM numbers WHERE i < {REQUESTS}
"""
HISTOGRAMS_MADE = """
CREATE TEMPORARY TABLE histograms AS
SELECT of.i, JSON_GROUP_ARRAY(1 + of.i + 2 * class.i) AS sizes, JSON_GROUP_ARRAY(1 + class.i) AS counts
FROM numbers AS of JOIN numbers AS class ON class.i < 20 WHERE of.i < 50 GROUP BY of.i
"""
MADE = f"""
CREATE TEMPORARY TABLE made AS
SELECT (SELECT MAX(id) FROM observations) + 1 + n AS id, dataset_version_id, n
FROM (
    SELECT versions.id AS dataset_version_id, versions.number * {OBSERVATIONS} + i AS n
    FROM (SELECT id, ROW_NUMBER() OVER (ORDER BY last_seen_at DESC) - 1 AS number FROM dataset_versions) AS versions
    JOIN numbers ON i < {OBSERVATIONS}
    ORDER BY n
)
"""
LEVELS_KNOWN = """
CREATE TEMPORARY TABLE levels AS
SELECT id, column_name, ROW_NUMBER() OVER (PARTITION BY column_name ORDER BY level_hash) AS place,
       COUNT(*) OVER (PARTITION BY column_name) AS places, 1 + 13 * DENSE_RANK() OVER (ORDER BY column_name) AS stride
FROM measured_levels
"""
OBSERVATIONS_MADE = f"""
INSERT INTO observations (id, dataset_version_id, node_hash, levels, rows, divisions, k, sum_of_squares, class_sizes,
                          class_counts, request_id, measured_at)
SELECT made.id, made.dataset_version_id, SHA256(CAST(made.n AS TEXT)),
       (SELECT JSON_GROUP_ARRAY(id) FROM levels WHERE (made.n / levels.stride) % (levels.places + 1) = levels.place),
       {MEMBERS}, 100 + made.n % 900, 1 + made.n % 50, 4000000 + made.n, histograms.sizes, histograms.counts, 1,
       '2025-01-31 12:00:00.000000'
FROM made JOIN histograms ON histograms.i = made.n % 50 ORDER BY made.id
"""
SEALS_MADE = """
INSERT INTO seals (table_name, owner, part, seal)
SELECT 'observations', id, '', id * 7919 * 104729 FROM made
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


def made_state(folder: Path, versions: int = VERSIONS) -> Path:
    """The state in this folder, with the two requests of the commands beside it; a minute or two.

    `versions`: how many dataset versions it has, of `OBSERVATIONS` observations each.
    """
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
    with closing(connect(file_address(state, read_only=False))) as connection, transaction(connection):
        connection.execute(NUMBERS_MADE)
        _copy(connection, "dataset_versions", ANOTHER_VERSION, f"{LAST_VERSION} AND i BETWEEN 1 AND {versions - 1}")
        _copy(connection, "requests", ANOTHER_REQUEST, f"requests.id = 1 AND i < {REQUESTS}")
        for each in (FORECASTS_MADE, HISTOGRAMS_MADE, MADE, LEVELS_KNOWN, OBSERVATIONS_MADE, SEALS_MADE):
            connection.execute(each)
    return state


def _copy(connection: StateConnection, table: str, changed: Mapping[str, str], where: str) -> None:
    """Copies a row of a table once a number, with these columns changed."""
    columns = [str(each[0]) for each in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]
    values = ", ".join(changed.get(each, each) for each in columns)
    connection.execute(f"INSERT INTO {table} SELECT {values} FROM {table} JOIN numbers WHERE {where}")


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
