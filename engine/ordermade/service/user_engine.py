"""An engine for the user of a token: the calls that the roles of the user allow, made by an engine of the provider."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, replace
from functools import partial
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar

from ordermade.catalogue.arguments import typed_methods
from ordermade.errors import Refused, UnknownName
from ordermade.progress.waiting import Sayable
from ordermade.service.collections import submissions_of
from ordermade.service.faults_for_users import for_user
from ordermade.service.lifecycle import REVIEWER, Actor
from ordermade.service.permissions import require_call
from ordermade.state.authority import Authority, OfProvider, OfService, hash_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from ordermade.catalogue.policies import StoredPolicy
    from ordermade.progress.waiting import Notice
    from ordermade.reports.figures import Audience, CitedRelease
    from ordermade.reports.file import Report, ReportOfTables
    from ordermade.service.submissions import Submissions


class Served:
    """The members of an engine with a token: each public one is looked up in `permissions.CALLS` first.

    What is allowed is done by an engine without the token, so that a call may use what its caller may not.
    """

    def __getattribute__(self, name: str) -> Any:
        """The member, where a role of the token's user may use it. Raises Refused; for a token not accepted, too."""
        from ordermade.service import checked, desk

        if name.startswith("_") or name == "token":
            return object.__getattribute__(self, name)
        submissions, acting = _alone(_acting)(self)
        require_call(name, acting)
        office = object.__getattribute__(self, "_of_provider")
        if acting.is_provider:
            by = OfProvider(submissions.credential.token_hash, visit=office._granted.visit)
            return submissions if name == "submissions" else getattr(_opening_by(office, by), name)
        if name == "check":
            at = desk.Desk(submissions.state, submissions.office, submissions.credential)
            return _alone(partial(checked.checked, at))
        if name == "close":
            return _alone(office.close)
        if name == "catalogue":
            from ordermade.service.user_catalogue import UserCatalogue

            return Seen(name, UserCatalogue(submissions.state, submissions.credential), submissions)
        seen = {"releases": SeenReleases, "policies": SeenPolicies}
        return Seen(name, seen[name](submissions, office) if name in seen else submissions, submissions)

    def __repr__(self) -> str:
        """That it acts for a user; neither the token nor anything else."""
        return "Engine(for the user of a token)"


EngineLike = TypeVar("EngineLike")

_KINDS: dict[type, type] = {}
"""The kind of engine with a token for each kind of engine."""


def _served(kind: type) -> type:
    if kind not in _KINDS:
        _KINDS[kind] = type(kind.__name__, (Served, kind), {"__doc__": kind.__doc__})
    return _KINDS[kind]


def _opening_by(engine: Any, authority: Authority) -> Any:
    """A copy of an engine without a token that opens the state by this authority."""
    made = copy(engine)
    object.__setattr__(made, "_granted", authority)
    return made


def _sayable(notice: Notice | None) -> Notice | None:
    """The notice, which says nothing of the provider's machine: no path, and no fault of what another one ran."""
    return None if notice is None else lambda said: notice(said) if isinstance(said, Sayable) else None


def serve(engine: Any) -> None:
    """Makes of an engine with a token one that lets its user do what the roles allow, and nothing else."""
    limits = replace(engine.limits, ask_password=None)  # the password of a source is the provider's to type
    quiet = {"notice": _sayable(engine.notice), "ask_password": None, "limits": limits}
    provider = _opening_by(replace(engine, token=None, **quiet), OfService(hash_of(engine.token)))
    kind = _served(type(engine))
    object.__setattr__(engine, "_of_provider", provider)
    object.__setattr__(engine, "__class__", kind)


def of_visit(engine: EngineLike, visit: str) -> EngineLike:
    """An engine with a token, as it acts in a visit of the portal, whose id the audit has."""
    made, office = copy(engine), object.__getattribute__(engine, "_of_provider")
    object.__setattr__(made, "_of_provider", _opening_by(office, office._granted.of_visit(visit)))
    return made


def _acting(engine: Any) -> tuple[Submissions, Actor]:
    submissions = submissions_of(engine)
    return submissions, submissions.acting()


def _alone(call: Callable[..., Any]) -> Callable[..., Any]:
    """The call, whose errors leave as `for_user` has them, and alone.

    Without what they were raised from or after, and the frames of either: a database quotes values in its own errors,
    and frames hold rows. Raises TypeError for arguments that it does not take.
    """
    takes = signature(call)

    def called(*given: Any, **named: Any) -> Any:
        takes.bind(*given, **named)
        try:
            return call(*given, **named)
        except Exception as error:  # noqa: BLE001 (whatever it is, one function says what this user reads of it)
            fault = for_user(error)
        raise fault

    called.__name__, called.__doc__ = getattr(call, "__name__", "check"), call.__doc__
    return called


class Seen:
    """A noun of an engine with a token: each public member is looked up in `permissions.CALLS` first, as `noun.member`.

    Fields are members, too: neither the state nor the engine of the provider is reached through it.
    """

    __slots__ = ("_name", "_noun", "_submissions")

    def __init__(self, name: str, noun: Any, submissions: Submissions) -> None:
        self._name, self._noun, self._submissions = name, noun, submissions

    def __getattr__(self, name: str) -> Any:
        """The member, where a role of the token's user may use it. Raises Refused; for a token not accepted, too."""
        if name.startswith("_"):
            raise AttributeError(name)
        what = f"{self._name}.{name}"
        require_call(what, _alone(self._submissions.acting)())
        member = getattr(self._noun, name)
        return _alone(member) if callable(member) else member

    def __repr__(self) -> str:
        """That it is for a user; nothing of what it holds."""
        return f"{self._name} (for the user of a token)"


@typed_methods
@dataclass(frozen=True, slots=True)
class SeenReleases:
    """The releases that a data user or a reviewer may see: delivered ones of the user's own, or any that was reviewed.

    By their reports alone, which have no count below k; a delivered one is copied by `Submissions.collect`.
    """

    submissions: Submissions
    office: Any = field(repr=False)

    def report(self, number: int, audience: Audience = "provider") -> Report | ReportOfTables:
        """The report of a release for a user; that for the provider is Refused. Raises UnknownName, ReleaseFault."""
        self._require(number)
        if audience != "user":
            raise Refused("the report for the provider has figures of the original", next_step="Add --for user.")
        found: Report | ReportOfTables = self.office.releases.report(number, audience)
        return found

    def cited(self, number: int, audience: Audience = "provider") -> CitedRelease | ReportOfTables:
        """A release as its user cites it. Raises Refused for another audience, UnknownName, ReleaseFault."""
        self._require(number)
        if audience != "user":
            raise Refused("the k of the original is the provider's", next_step="Cite it for the user.")
        found: CitedRelease | ReportOfTables = self.office.releases.cited(number, audience)
        return found

    def _require(self, number: int) -> None:
        if number not in self._seen():
            raise UnknownName("release", str(number), next_step="`ordermade request list` shows the requests.")

    def _seen(self) -> frozenset[int]:
        acting: Actor = self.submissions.acting()
        return frozenset(
            each.release_id
            for each in self.submissions.list()
            if each.release_id is not None
            and each.status in ("run", "delivered")
            and (each.status == "delivered" or REVIEWER in acting.roles)
        )


@typed_methods
@dataclass(frozen=True, slots=True)
class SeenPolicies:
    """The policies in force as a data user or a reviewer may see them: by `policy_for` alone."""

    submissions: Submissions
    office: Any = field(repr=False)

    def show(self, dataset: str, version: int | None = None) -> StoredPolicy:
        """The policy of a dataset in force. Raises UnknownName, Refused for another version."""
        if version is not None:
            raise Refused("earlier versions are the provider's", next_step="Leave --version out.")
        from ordermade.service.open_names import require_dataset

        with self.submissions.state.reading() as connection:
            require_dataset(connection, dataset, self.submissions.credential.actor(connection))
        found: StoredPolicy = self.office.policies.show(dataset)
        from ordermade.policies.read_by_users import policy_for

        policy = policy_for(found.policy, self.submissions.acting().name)
        return replace(found, policy=policy, hash=policy.hash)  # the whole's would let terms of others be guessed
