"""A standalone master with two workers, one of which is killed in the middle of a request: the right answer."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import duckdb
import pytest

pytestmark = [pytest.mark.spark, pytest.mark.slow]
REPOSITORY = Path(__file__).resolve().parents[2]
SECONDS_TO_START = 120


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[None]:
    """A daemon of Spark that works in a folder, in a process group of its own, ended with the block."""
    found = importlib.util.find_spec("pyspark")
    assert found is not None
    assert found.origin is not None
    folder.mkdir()
    home = Path(found.origin).parent
    command = [str(home / "bin" / "spark-class"), *arguments]
    environment = {**os.environ, "SPARK_HOME": str(home), "SPARK_LOCAL_IP": "127.0.0.1"}
    daemon = subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        with suppress(ProcessLookupError):
            os.killpg(daemon.pid, signal.SIGKILL)
        daemon.wait()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def wait_for(port: int) -> None:
    give_up = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < give_up:
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    pytest.fail("the master did not start")


def test_a_killed_worker_costs_nothing_of_the_answer(spark: None, tmp_path: Path) -> None:
    with duckdb.connect() as connection:
        query = "SELECT 18 + i * i % 60 AS age, printf('%04d', i % 97) AS code FROM range(20000) r(i)"
        connection.execute(f"COPY ({query}) TO '{tmp_path / 't.parquet'}' (FORMAT parquet)")
    port = free_port()
    master = f"spark://127.0.0.1:{port}"
    package = "org.apache.spark.deploy"
    with ExitStack() as daemons:
        of_master = [f"{package}.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0"]
        daemons.enter_context(running(tmp_path / "master", *of_master))
        wait_for(port)
        for name in ("one", "two"):
            folder = tmp_path / name
            limits = ["--cores", "1", "--memory", "600m", "--webui-port", "0", "--work-dir", str(folder / "work")]
            daemons.enter_context(running(folder, f"{package}.worker.Worker", *limits, master))
        done = subprocess.run(
            [sys.executable, "-m", "tests.spark.one_killed", master, str(tmp_path)],
            cwd=REPOSITORY,
            env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
    assert done.returncode == 0, done.stderr[-2000:]
    said = json.loads(done.stdout.splitlines()[-1])
    assert said["same"]
    assert said["killed"] >= 1
