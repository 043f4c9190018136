"""Errors of Spark in the engine's words: the condition that Spark names, and nothing of a message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ordermade.errors import SourceFault, UnfitValue

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
