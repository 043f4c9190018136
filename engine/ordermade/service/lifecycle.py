"""The lifecycle of a submitted request as data: its states, and the moves between them. Pure.

`MOVES` is all there is: the page of the docs, the commands and the messages of refusals are made from it. A move is
refused where it does not begin in the state, where no role of the actor may make it, and where a guard says why not.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from ordermade.errors import Refused
from ordermade.phrases import all_of, any_of, chained, phrase, wording
from ordermade.state.authority import PROVIDER as PROVIDER
from ordermade.state.authority import REVIEWER as REVIEWER

DATA_USER = "data-user"
ROLES = (DATA_USER, PROVIDER, REVIEWER)
"""The roles of users. The shell of the provider acts as a provider."""

STATES: Mapping[str, str] = MappingProxyType(
    {
        "draft": "a file of the user's own, which the service does not know",
        "submitted": "its first revision is kept",
        "predicted": "the outcome is forecast with it",
        "proposed": "the provider proposes another revision",
        "revised": "the user accepted the proposal, or made a revision",
        "in_review": "reviewers vote on the revision in force",
        "approved": "the revision in force may be run",
        "refused": "it is not run as it is; a revision may be",
        "run": "a release came out, which the user does not have yet",
        "delivered": "the user has the release",
        "withdrawn": "the user or the provider ended it",
        "expired": "its time was over",
    }
)
"""Every state, with its meaning."""
ENDED = ("withdrawn", "expired")
"""The states that no move leaves."""

_IT_IS: Mapping[str, str] = MappingProxyType(
    {
        "draft": phrase("it is draft"),
        "submitted": phrase("it is submitted"),
        "predicted": phrase("it is predicted"),
        "proposed": phrase("it is proposed"),
        "revised": phrase("it is revised"),
        "in_review": phrase("it is in review"),
        "approved": phrase("it is approved"),
        "refused": phrase("it is refused"),
        "run": phrase("it is run"),
        "delivered": phrase("it is delivered"),
        "withdrawn": phrase("it is withdrawn"),
        "expired": phrase("it is expired"),
    }
)
"""The state as an obstacle of a move."""

_OPEN = ("predicted", "proposed", "revised", "in_review")


@dataclass(frozen=True, slots=True)
class Actor:
    """Who makes a move: a name, and the roles in which it acts."""

    name: str
    roles: frozenset[str]

    @property
    def is_provider(self) -> bool:
        """Whether it acts in the role of a provider, who may do everything."""
        return PROVIDER in self.roles


@dataclass(frozen=True, slots=True)
class SubmissionState:
    """Where a submitted request stands, as far as guards look at it.

    `authors`: whoever submitted, revised or proposed any of its revisions. `approvals` and `refusals` count votes on
    the revision in force that were not reset; `needed`: the approvals that the policy asks for. `automatic`: the
    policy approves it without a review. `changed`: why it is no longer what was reviewed, or did not run; empty if
    neither. `claimed`: a process runs it, and its lease is not over. `due`: its time is over. `intact`: its release
    measures as it did.
    """

    state: str
    submitted_by: str
    authors: frozenset[str] = frozenset()
    approvals: int = 0
    refusals: int = 0
    needed: int = 1
    automatic: bool = False
    changed: str = ""
    claimed: bool = False
    due: bool = False
    intact: bool = True


Guard = Callable[[SubmissionState, Actor], str]
"""Says why an actor may not make a move now; empty where it may."""


def _own(at: SubmissionState, actor: Actor) -> str:
    return "" if actor.name == at.submitted_by else phrase("somebody else submitted it")


_OWN = phrase("nobody reviews or approves what they submitted, revised or proposed")


def _independent(at: SubmissionState, actor: Actor) -> str:
    return _OWN if actor.name in {at.submitted_by, *at.authors} else ""


def _enough(at: SubmissionState, actor: Actor) -> str:
    if not at.automatic and at.approvals < at.needed:
        return f"it has {at.approvals} of the {at.needed} approvals that it needs"
    return _independent(at, actor) if at.refusals else ""


def _as_reviewed(at: SubmissionState, _: Actor) -> str:
    return at.changed


def _no_longer(at: SubmissionState, _: Actor) -> str:
    return "" if at.changed else "it is what was reviewed"


def _unclaimed(at: SubmissionState, _: Actor) -> str:
    return phrase("it is running now") if at.claimed else ""


def _runnable(at: SubmissionState, actor: Actor) -> str:
    return _unclaimed(at, actor) or _as_reviewed(at, actor)


def _own_unclaimed(at: SubmissionState, actor: Actor) -> str:
    return _own(at, actor) or _unclaimed(at, actor)


def _due(at: SubmissionState, actor: Actor) -> str:
    return _unclaimed(at, actor) if at.due else "its time is not over"


def _in_a_restore(_: SubmissionState, __: Actor) -> str:
    return "`state restore` alone makes it"


def _intact(at: SubmissionState, _: Actor) -> str:
    return at.changed if at.intact else "its release does not measure as it did"


GUARDS: Mapping[str, tuple[str, Guard]] = MappingProxyType(
    {
        "own": ("the actor submitted it", _own),
        "own, not running": ("the actor submitted it, and no process runs it", _own_unclaimed),
        "independent": ("the actor neither submitted nor revised nor proposed any of its revisions", _independent),
        "enough approvals": (
            "the approvals of the policy are there, or it needs none; against a vote, only of an independent actor",
            _enough,
        ),
        "as reviewed": (
            "the policy allows it, data and hierarchies are those of the votes, no process runs it",
            _runnable,
        ),
        "changed": (
            "the policy forbids it now, data or a hierarchy are no longer those of the votes, or a fault ended its run",
            _no_longer,
        ),
        "restored": (
            "`state restore`: it was approved since the backup; or the state replaced could not be compared with it",
            _in_a_restore,
        ),
        "not running": ("no process runs it", _unclaimed),
        "over": ("its time is over, and no process runs it", _due),
        "intact": ("its release measures as it did, and the policy allows the request still", _intact),
    }
)
"""The guards by name, each with its meaning."""


@dataclass(frozen=True, slots=True)
class LifecycleMove:
    """A move: from any state of `sources` to `target`, by an actor in one of `roles`, where the `guard` lets it.

    `by_itself`: the engine makes it as part of another step, of whoever takes that one.
    """

    name: str
    sources: tuple[str, ...]
    target: str
    roles: tuple[str, ...]
    guard: str = ""
    by_itself: bool = False


MOVES: tuple[LifecycleMove, ...] = (
    LifecycleMove("submit", ("draft",), "submitted", (DATA_USER, PROVIDER)),
    LifecycleMove("predict", ("submitted",), "predicted", (DATA_USER, PROVIDER), by_itself=True),
    LifecycleMove("propose", _OPEN, "proposed", (PROVIDER,)),
    LifecycleMove("accept", ("proposed",), "revised", (DATA_USER, PROVIDER), "own"),
    LifecycleMove("revise", (*_OPEN, "approved", "refused"), "revised", (DATA_USER, PROVIDER), "own, not running"),
    LifecycleMove("review", ("predicted", "revised", "in_review"), "in_review", (REVIEWER, PROVIDER), "independent"),
    LifecycleMove("approve", ("predicted", "revised", "in_review"), "approved", (PROVIDER,), "enough approvals"),
    LifecycleMove("refuse", (*_OPEN, "approved", "run"), "refused", (PROVIDER,), "not running"),
    LifecycleMove("return", ("approved",), "in_review", (PROVIDER,), "changed", by_itself=True),
    LifecycleMove("restore", (*_OPEN, "approved", "run"), "in_review", (PROVIDER,), "restored", by_itself=True),
    LifecycleMove("run", ("approved",), "run", (PROVIDER,), "as reviewed"),
    LifecycleMove("deliver", ("run",), "delivered", (PROVIDER,), "intact"),
    LifecycleMove(
        "withdraw", (*_OPEN, "approved", "refused", "run"), "withdrawn", (DATA_USER, PROVIDER), "own, not running"
    ),
    LifecycleMove("withdraw", ("delivered",), "withdrawn", (PROVIDER,)),
    LifecycleMove(
        "expire", (*_OPEN, "approved", "refused", "run", "delivered"), "expired", ROLES, "over", by_itself=True
    ),
)
"""Every move there is."""


def allowed(at: SubmissionState, actor: Actor) -> tuple[LifecycleMove, ...]:
    """The moves that the actor may make now, without those that the engine makes by itself."""
    return tuple(each for each in MOVES if not each.by_itself and not _obstacle(each, at, actor))


def may(at: SubmissionState, name: str, actor: Actor) -> bool:
    """Whether the actor may make a move of that name now."""
    return any(each.name == name and not each.by_itself and not _obstacle(each, at, actor) for each in MOVES)


def move(at: SubmissionState, name: str, actor: Actor) -> LifecycleMove:
    """The move of that name from this state by this actor. Raises Refused with the reason and the moves allowed."""
    named = [each for each in MOVES if each.name == name]
    if not named:
        raise ValueError(f"there is no move {name!r}")
    fitting = [each for each in named if at.state in each.sources]
    found = fitting[0] if fitting else named[0]
    obstacle = _obstacle(found, at, actor)
    if obstacle:
        what = phrase("`%(move)s` is not possible: %(why)s", move=_NAMES.get(name, name), why=obstacle)
        raise Refused(what, next_step=_instead(at, actor))
    return found


def require_possible(at: SubmissionState, name: str, actor: Actor) -> None:
    """Raises Refused where neither state nor role let the actor make the move, whatever its guard says."""
    named = [each for each in MOVES if each.name == name]
    if not any(at.state in each.sources and actor.roles & set(each.roles) for each in named):
        move(at, name, actor)


def automatic_move(at: SubmissionState, name: str) -> LifecycleMove | None:
    """The move of that name where state and guard let the engine make it by itself, as a part of a step; else None.

    An approval is made so where the votes are there, or none is needed, and none is against it.
    """
    nobody = Actor("", frozenset(ROLES))
    for each in MOVES:
        if each.name == name and not _obstacle(each, at, nobody):
            return None if name == "approve" and at.refusals else each
    return None


_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "submit": phrase("submit"),
        "propose": phrase("propose"),
        "accept": phrase("accept"),
        "revise": phrase("revise"),
        "review": phrase("review"),
        "approve": phrase("approve"),
        "refuse": phrase("refuse"),
        "run": phrase("run"),
        "deliver": phrase("deliver"),
        "withdraw": phrase("withdraw"),
    }
)
"""The names of moves that somebody makes."""
_ROLE_NAMES: Mapping[str, str] = MappingProxyType(
    {DATA_USER: phrase("data-user"), REVIEWER: phrase("reviewer"), PROVIDER: phrase("provider")}
)


def _obstacle(each: LifecycleMove, at: SubmissionState, actor: Actor) -> str:
    if at.state not in each.sources:
        return _IT_IS[at.state]
    if not actor.roles & set(each.roles):
        own = all_of([_ROLE_NAMES[role] for role in sorted(actor.roles)]) or phrase("nobody")
        who = any_of([_ROLE_NAMES[role] for role in each.roles])
        return phrase("%(who)s may, and %(name)s acts as %(own)s", who=who, name=actor.name, own=own)
    return GUARDS[each.guard][1](at, actor) if each.guard else ""


def _instead(at: SubmissionState, actor: Actor) -> str:
    names = list(dict.fromkeys(_NAMES.get(each.name, each.name) for each in allowed(at, actor)))
    if not names:
        return phrase("Nothing is allowed now.")
    return phrase("Allowed now: %(moves)s.", moves=chained(wording("%(first)s, %(next)s"), names))


def words(state: str) -> str:
    """The state as it is written in a sentence."""
    return state.replace("_", " ")
