"""What users may do by their tokens: every command, and every call of `Engine`, with the roles that may use it.

This is the one place. The provider may do everything; whatever is not in `COMMANDS` and `CALLS` is the provider's
alone: the SQL, the sources, counts below the floor of k, the requests of others, observations, the audit. Roles protect
only where users can read neither the state nor the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ordermade.errors import Refused
from ordermade.service.lifecycle import DATA_USER, PROVIDER, REVIEWER, Actor

_BOTH = frozenset({DATA_USER, REVIEWER})
_USER = frozenset({DATA_USER})
_REVIEWER = frozenset({REVIEWER})

COMMANDS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "request submit": _USER,
        "request accept": _USER,
        "request revise": _USER,
        "request withdraw": _USER,
        "request collect": _USER,
        "request rerun": _USER,
        "request review": _REVIEWER,
        "request list": _BOTH,
        "request show": _BOTH,
        "request history": _BOTH,
        "request check": _BOTH,
        "request schema": _BOTH,
        "release report": _BOTH,
        "policy show": _BOTH,
        "policy schema": _BOTH,
        "microaggregation methods": _BOTH,
        "taxonomy keywords": _BOTH,
        "schema": _BOTH,
    }
)
"""The commands that others than the provider may give, with their roles. `request check` without `--data` alone."""

CALLS: Mapping[str, frozenset[str]] = MappingProxyType(
    {"check": _BOTH, "close": _BOTH, "policies": _BOTH, "releases": _BOTH, "submissions": _BOTH}
)
"""The members of `Engine` that others than the provider may use, with their roles."""


def require(table: Mapping[str, frozenset[str]], what: str, acting: Actor) -> None:
    """Raises Refused where the roles of the actor may not do it."""
    if PROVIDER in acting.roles or acting.roles & table.get(what, frozenset()):
        return
    roles = " and ".join(sorted(acting.roles)) or "nobody"
    whose = " or ".join(sorted(table[what])) if what in table else PROVIDER
    raise Refused(f"`{what}` is for a {whose}, and {acting.name} acts as {roles}", next_step=_INSTEAD)


_INSTEAD = "`ordermade request list` shows the requests that you may see."
