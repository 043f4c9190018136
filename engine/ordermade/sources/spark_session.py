"""From the location of a Spark source to a session of PySpark: a master, options, and nothing of a value in any log.

A location is `local[N]`, `spark://host:port` or `sc://host:port` (Spark Connect), then options: `?path=` a Parquet file
or folder (again for each), `catalog=`, `schema=`, and Spark's own settings by their names.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import re
import subprocess
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from ordermade.errors import InputError, SourceFault, UnfitValue, quoted
from ordermade.sources.executor import BATCH
from ordermade.sources.server_url import LOCAL, missing
from ordermade.sources.spill_folder import SpillFolder

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CONNECT = "sc://"
_WAREHOUSE = "spark.sql.warehouse.dir"
_OWN = ("path", "catalog", "schema")
_SECRET = re.compile(r"secret|password|token|access\.?key|credential", re.IGNORECASE)
_CONDITION = re.compile(r"[A-Z][A-Z0-9_]*(\.[A-Z][A-Z0-9_]*)*")
_UNFIT = ("ARITHMETIC_OVERFLOW", "CAST_", "DATETIME_OVERFLOW", "DIVIDE_BY_ZERO", "NUMERIC_", "USER_RAISED_EXCEPTION")
"""The beginnings of conditions that say of a value that it does not fit."""
_ADVICE: Mapping[str, str] = {
    "OutOfMemoryError": "Give Spark more memory: ?spark.driver.memory=4g of a local source, spark.executor.memory.",
    "maxResultSize": "The answer is larger than the driver takes: raise spark.driver.maxResultSize in the location.",
    "TASK_WRITE_FAILED": "A disk may be full: free space in the folder of the release and where Spark spills "
    "(spark.local.dir), and check that Spark's workers may write there. Nothing was left half written.",
    "No space left": "A disk of Spark is full: free space there (spark.local.dir), then run it again.",
    "PATH_NOT_FOUND": "Check the paths of the location: `ordermade source show` has them.",
    "FAILED_READ_FILE": "A file was rewritten, removed or damaged while it was read: run this again.",
    "TABLE_OR_VIEW_NOT_FOUND": "The table is not there any more: `ordermade source show` lists those that are.",
    "JAVA_GATEWAY_EXITED": "PySpark needs Java 17 or later: install it and set JAVA_HOME.",
    "UNAVAILABLE": "Check host, port and that the server runs.",
    "All masters are unresponsive": "Check host, port and that the master runs.",
    "SparkContext was shut down": "Spark was lost: check the master, then run it again. Nothing was kept of this.",
    "stopped SparkContext": "Spark was lost: check the master, then run it again. Nothing was kept of this.",
}
_CHECK = "Check the query and Spark's own logs; ORDERMADE_LOG=debug logs the statement."
SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.ansi.enabled": "true",
    "spark.sql.caseSensitive": "true",
    "spark.sql.parser.escapedStringLiterals": "false",
    "spark.sql.storeAssignmentPolicy": "ANSI",
    "spark.sql.execution.arrow.maxRecordsPerBatch": str(BATCH),
}
"""The settings of every session, by which Spark compares and calculates as the workspace does."""


@dataclass(frozen=True, slots=True)
class Place:
    """A location, taken apart. `shown`: as messages have it, without options. `settings`: Spark's own, by name."""

    master: str
    shown: str
    paths: tuple[str, ...]
    catalog: str
    schema: str
    settings: Mapping[str, str]

    @property
    def is_connect(self) -> bool:
        """Whether a Spark Connect server is spoken to."""
        return self.master.startswith(CONNECT)

    @property
    def threads(self) -> int | None:
        """The threads of a local Spark; None where the cluster has its own."""
        found = LOCAL.match(self.master)
        if found is None:
            return None
        return (os.cpu_count() or 1) if found.group(1) == "*" else max(1, int(found.group(1)))


def parsed(location: str) -> Place:
    """A location taken apart. Raises InputError for an option that is none."""
    master, _, options = location.partition("?")
    paths: list[str] = []
    own = dict.fromkeys(_OWN, "")
    settings: dict[str, str] = {}
    shown = master.partition(";")[0]
    for each in filter(None, options.split("&")):
        name, _, value = (unquote(part) for part in each.partition("="))
        if name == "path":
            paths.append(_absolute(value, shown))
        elif name in own:
            own[name] = value
        elif name.startswith("spark.") and not _SECRET.search(name):
            settings[name] = value
        else:
            reason = "holds a secret, which others would read" if name.startswith("spark.") else "is not known"
            raise InputError(
                f"the option {quoted(name)} {reason}",
                where=shown,
                next_step="Options are path, catalog, schema and settings of Spark (spark.…); secrets belong into its "
                "own configuration (spark-defaults.conf).",
            )
    return Place(master, shown, tuple(paths), own["catalog"], own["schema"], settings)


def _absolute(path: str, shown: str) -> str:
    if path.startswith("/") or "://" in path:
        return path
    raise InputError(
        f"the path {quoted(path)} is not absolute", where=shown, next_step="Write ?path=/…, or a URL that Spark reads."
    )


def started(place: Place) -> SparkSession:
    """A session of its own, of the process's one Spark, which is started where there is none. Raises SourceFault."""
    with quietly():
        try:
            import pyspark  # noqa: F401
        except ImportError:
            raise missing("PySpark", "spark://") from None
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
    from pyspark.logger import PySparkLogger

    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        PySparkLogger.getLogger(name).disabled = True
    logging.getLogger("py4j").setLevel(logging.CRITICAL)
    logging.getLogger("pyspark").setLevel(logging.CRITICAL)


def _of_connect(place: Place) -> SparkSession:
    from pyspark.sql import SparkSession

    try:
        import grpc  # noqa: F401
    except ImportError:
        raise missing("grpcio, which Spark Connect needs,", "sc://") from None

    builder = SparkSession.builder.remote(place.master)
    for name, value in place.settings.items():
        builder = builder.config(name, value)
    return builder.create()


def _of_context(place: Place) -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

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
    return folder.path


def failures() -> tuple[type[Exception], ...]:
    """The errors of PySpark, and of what it speaks through."""
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    return (PySparkException, Py4JError, ConnectionError, EOFError, TimeoutError)


def fault(error: Exception, what: str, where: str) -> SourceFault:
    """The error as the engine has it: the condition that Spark names, and nothing of its message."""
    text = _message(error)
    condition = _condition(error, text)
    kind = condition or type(error).__name__
    advice = next((step for sign, step in _ADVICE.items() if sign in f"{condition} {text}"), _CHECK)
    if condition.startswith(_UNFIT):
        unfit = f"a value does not fit the type that it is read as ({kind}): {what}"
        return UnfitValue(unfit, where=where, next_step="Check what the dataset query calculates, and its columns.")
    return SourceFault(f"{what} ({kind})", where=where, next_step=advice)


def _message(error: Exception) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001  # of a Java error the text is fetched from a process that may be gone
        return ""


def _condition(error: Any, text: str) -> str:
    """The name of what failed, such as DIVIDE_BY_ZERO; empty where Spark has none for it."""
    named = getattr(error, "getCondition", lambda: None)
    try:
        found = named() or ""
    except Exception:  # noqa: BLE001
        found = ""
    if not found:
        written = re.search(r"\[([A-Z][A-Z0-9_.]+)\]", text)
        found = written.group(1) if written else ""
    return found if _CONDITION.fullmatch(found) else ""
