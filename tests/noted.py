"""Requests and releases as the state notes them, made of few words."""

from __future__ import annotations

from typing import Any

from ordermade.state.records.requests import RequestRecord
from ordermade.state.releases import ReleaseRecord
from ordermade.state.statements import utc_now


def a_request(**given: Any) -> RequestRecord:
    """A request for k = 2 on `members`, running, but for what is `given`."""
    values: dict[str, Any] = {
        "title": "t",
        "request_hash": "h",
        "engine_version": "0.1.0",
        "dataset_name": "members",
        "filter": None,
        "k": 2,
        "algorithm": "ola",
        "objective": "prec",
        "shape": "rows",
        "target_path": "x.csv",
        "target_table": None,
        "started_at": utc_now(),
        "method": "generalization",
    }
    return RequestRecord(**(values | given))


def a_release(path: str, **given: Any) -> ReleaseRecord:
    """A file of nine rows in one class, k = 5, but for what is `given`."""
    values: dict[str, Any] = {
        "kind": "file of rows",
        "path": path,
        "table_name": None,
        "sha256": "0",
        "rows": 9,
        "k": 5,
        "divisions": 1,
        "suppressed_rows": 0,
        "released_at": utc_now(),
    }
    return ReleaseRecord(**(values | given))
