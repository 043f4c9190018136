"""The Spark of the tests: a local one, started once a process, and the reason where there is none."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
from functools import cache
from pathlib import Path
from urllib.parse import quote

SPARK_MASTER = "local[2]"
"""The master of the tests' Spark."""
QUICKLY = "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1"
"""A setting: statements of few rows end before Java has made the best of their code."""
OLDEST_JAVA = 17
NO_DISK = "no small disk can be mounted"
"""The beginning of the reason of a test that needs a disk which is soon full."""


def location_of(*paths: Path) -> str:
    """The location of Parquet files in the tests' Spark."""
    return f"{SPARK_MASTER}?{QUICKLY}" + "".join(f"&path={quote(str(each))}" for each in paths)


class NoSpark(Exception):
    """There is none to be had, for this reason: tests skip."""


@cache
def require_programs() -> None:
    """Raises NoSpark where PySpark or a Java that it runs on is missing. Starts neither."""
    if importlib.util.find_spec("pyspark") is None:
        raise NoSpark("PySpark is not installed: pip install 'ordermade[spark]'")
    java = shutil.which("java")
    if java is None:
        raise NoSpark("there is no Java")
    said = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = said.partition('"')[2].partition('"')[0].partition(".")[0]
    if not version.isdecimal() or int(version) < OLDEST_JAVA:
        raise NoSpark(f"Java is older than {OLDEST_JAVA}")
