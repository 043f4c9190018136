"""A session of PySpark of the engine's own, which keeps values out of every log."""

from __future__ import annotations

import atexit
import contextlib
import logging
import subprocess
import warnings
from collections.abc import Iterator, Mapping
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark import SparkConf, SparkContext
from pyspark.errors import PySparkException
from pyspark.java_gateway import launch_gateway
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from ordermade.errors import SourceFault
from ordermade.sources.executor import BATCH
from ordermade.sources.server_url import missing
from ordermade.sources.spark_location import Place
from ordermade.sources.spill_folder import SpillFolder

_WAREHOUSE = "spark.sql.warehouse.dir"
SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
}
"""The settings of every session, by which Spark compares and calculates as the workspace does."""


FAILURES: tuple[type[Exception], ...] = (PySparkException, Py4JError, ConnectionError, EOFError, TimeoutError)
"""The errors of PySpark, and of what it speaks through."""


def started(place: Place) -> SparkSession:
    """A session of its own, of the process's one Spark, which is started where there is none. Raises SourceFault."""
    with quietly():
        _silence()
        session = _of_connect(place) if place.is_connect else _of_context(place)
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
        return session


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Around calls of PySpark, which warn of versions of pandas that nothing here goes through."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _silence() -> None:
    """Keeps errors, which may quote values, out of the log that PySpark writes to stderr by itself."""
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger("pyspark").setLevel(logging.CRITICAL)


def _of_connect(place: Place) -> SparkSession:
    try:
        import grpc  # noqa: F401
    except ImportError:
        raise missing("grpcio, which Spark Connect needs,", "sc://") from None

    builder = SparkSession.builder.remote(place.master)
    for name, value in place.settings.items():
        builder = builder.config(name, value)
    return builder.create()


def _of_context(place: Place) -> SparkSession:
    running = SparkContext._active_spark_context
    if running is not None:
        if running.master != place.master:
            raise SourceFault(
                "this process already has a Spark with another master",
                where=place.shown,
                next_step="Use one master a process.",
            )
        return SparkSession(running).newSession()
    conf = SparkConf().setMaster(place.master).setAppName("ordermade")
    # Spark's logs quote the values that it fails on, its page shows every statement.
    conf.set("spark.log.level", "OFF").set("spark.ui.enabled", "false").set("spark.ui.showConsoleProgress", "false")
    folder = _private_folder()
    conf.set("spark.local.dir", str(folder))  # what is spilled and broadcast would else be readable for everybody
    if place.threads is not None:
        conf.set("spark.sql.shuffle.partitions", str(place.threads))
        if not any(each in place.settings for each in (_WAREHOUSE, "spark.sql.catalogImplementation")):
            conf.set(_WAREHOUSE, str(folder / "warehouse"))  # else there is one in the folder that a command runs in
    for name, value in place.settings.items():
        conf.set(name, value)
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    gateway = launch_gateway(conf, popen_kwargs=quiet)
    return SparkSession(SparkContext(conf=conf, gateway=gateway)).newSession()


def _private_folder() -> Path:
    """A folder for as long as the process goes on; one that is left behind goes with the next command's."""
    folder = SpillFolder()

    def remove() -> None:
        with contextlib.suppress(OSError):  # Spark may be removing what is its own
            folder.close()

    atexit.register(remove)
    return folder.named  # Spark runs in a process of its own
