"""What users may do by their tokens: every call of `Engine`, with the roles that may make it.

Commands declare it themselves, by `cli/permitted.py`. The provider may do everything; whatever is not in `CALLS` is the
provider's alone: the SQL, the sources, counts below the floor of k, the requests of others, observations, the audit.
Roles bind at the border of the process: they protect only where users can read neither the state nor the source.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from ordermade.errors import Refused
from ordermade.service.lifecycle import DATA_USER, PROVIDER, REVIEWER, Actor

_BOTH = frozenset({DATA_USER, REVIEWER})
_USER = frozenset({DATA_USER})
_REVIEWER = frozenset({REVIEWER})

CALLS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "catalogue": _BOTH,
        "catalogue.add_hierarchy": _USER,
        "catalogue.get": _BOTH,
        "catalogue.hierarchies": _USER,
        "catalogue.list": _BOTH,
        "catalogue.release": _BOTH,
        "catalogue.release_file": _BOTH,
        "catalogue.releases": _BOTH,
        "catalogue.remove_hierarchy": _USER,
        "check": _BOTH,
        "close": _BOTH,
        "policies": _BOTH,
        "policies.show": _BOTH,
        "releases": _BOTH,
        "releases.cited": _BOTH,
        "releases.report": _BOTH,
        "submissions": _BOTH,
        "submissions.accept": _USER,
        "submissions.acting": _BOTH,
        "submissions.allowed": _BOTH,
        "submissions.certificate": _USER,
        "submissions.collect": _USER,
        "submissions.comment": _BOTH,
        "submissions.delivered_file": _USER,
        "submissions.due": _BOTH,
        "submissions.evidence": _REVIEWER,
        "submissions.expire": _BOTH,
        "submissions.forecast": _USER,
        "submissions.get": _BOTH,
        "submissions.hierarchies": _BOTH,
        "submissions.history": _BOTH,
        "submissions.list": _BOTH,
        "submissions.numbered": _BOTH,
        "submissions.progress": _BOTH,
        "submissions.rerun": _USER,
        "submissions.review": _REVIEWER,
        "submissions.revise": _USER,
        "submissions.submit": _USER,
        "submissions.to_review": _REVIEWER,
        "submissions.where": _BOTH,
        "submissions.withdraw": _USER,
    }
)
"""The members of `Engine` and of its nouns that others than the provider may use, with their roles."""


def permits(call: str, acting: Actor) -> bool:
    """Whether the actor may make a call of `Engine`."""
    return _permits(CALLS.get(call, frozenset()), acting)


def require_call(call: str, acting: Actor) -> None:
    """Raises Refused where the actor may not make a call of `Engine`."""
    require(call, CALLS.get(call, frozenset()), acting)


def _permits(roles: frozenset[str], acting: Actor) -> bool:
    return acting.is_provider or bool(acting.roles & roles)


def require(what: str, roles: frozenset[str], acting: Actor) -> None:
    """Raises Refused where the actor, who is no provider, has none of the roles that may do it."""
    if _permits(roles, acting):
        return
    acts = " and ".join(sorted(acting.roles)) or "nobody"
    whose = " or ".join(sorted(roles)) or PROVIDER
    raise Refused(f"`{what}` is for a {whose}, and {acting.name} acts as {acts}", next_step=_INSTEAD)


_INSTEAD = "`ordermade request list` shows the requests that you may see."
