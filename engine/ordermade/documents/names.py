"""The names of all commands: those that print a document with `--json`, and those that print a text of their own."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

WITH_JSON = (
    "init",
    "anonymize",
    "measure",
    "sweep",
    "state status",
    "state migrate",
    "state convert",
    "state backup",
    "state restore",
    "state verify",
    "audit list",
    "audit verify",
    "audit export",
    "retention apply",
    "cache list",
    "cache purge",
    "source add",
    "source list",
    "source show",
    "source check",
    "source remove",
    "dataset add",
    "dataset list",
    "dataset show",
    "dataset refresh",
    "dataset change-log",
    "dataset remove",
    *("dataset opt-out add", "dataset opt-out list", "dataset opt-out remove"),
    "policy check",
    "policy set",
    "policy list",
    "policy show",
    "policy diff",
    "hierarchy add",
    "hierarchy refresh",
    "hierarchy list",
    "hierarchy show",
    "hierarchy check",
    "hierarchy remove",
    "hierarchy suggest",
    "taxonomy suggest",
    "taxonomy check",
    "taxonomy keywords",
    "request check",
    "request draft",
    "request explain",
    "request predict",
    "request offers",
    "request run",
    "request list",
    "request show",
    "request rerun",
    "request diff",
    "request schedule",
    *("request submit", "request propose", "request accept", "request revise", "request review", "request approve"),
    *("request refuse", "request deliver", "request collect", "request withdraw", "request history"),
    *("user add", "user list", "user token", "user revoke", "user remove"),
    "microaggregation methods",
    "microaggregation compare",
    "rules check",
    "rules suggest",
    "release list",
    "release show",
    "release report",
    "release verify",
    "certificate verify",
    "certificate copy",
    "judge history",
    "judge recoding",
    "judge table",
    "judge releases",
    "observations list",
    "observations export",
    "observations prune",
    "observations stats",
    "observations plot",
)
"""The commands that print a document with `--json`."""

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "a story for people, without an outcome to read",
        "schema": "the JSON Schema of all documents",
        "request schema": "the JSON Schema of request files",
        "policy schema": "the JSON Schema of policy files",
    }
)
"""The commands that print a text of its own form and take no `--json`, with this form."""

NAMES = frozenset((*WITH_JSON, *TEXTS))
"""The names of all commands."""
