"""What the ledger decides about a request before its data are counted, and what every other answer tells, in bits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from ordermade.catalogue.registered import DatasetRegistration
from ordermade.counting.dataset import Version
from ordermade.errors import NeedsReviewFirst
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.entries import LedgerEntry, in_pool
from ordermade.ledger.pools import ANYONE, pools_of
from ordermade.ledger.simulatable import (
    ANSWERS,
    Foreseen,
    LedgerAnswer,
    RequestedLevels,
    bits_of,
    foreseen,
    question_hash,
)
from ordermade.methods.shared.open_request import OpenRequest, RunContext
from ordermade.methods.shared.releases_without_entry import entries_beside
from ordermade.policies.policy import Policy
from ordermade.requests.resolving import request_hash
from ordermade.state import opt_outs
from ordermade.state.database import StateFile
from ordermade.state.ledger import Ledger, ledger_of
from ordermade.state.versions import DatasetVersion

Pool = tuple[frozenset[str] | None, tuple[LedgerEntry, ...]]
"""Recipients who may join what they have, None: all; with the entries that they have."""


@dataclass(frozen=True, slots=True)
class ForeseenRequest:
    """What the ledger decides about a request by released figures alone, and `releases`: the entries that it takes.

    `entries`: all of the dataset that were there, `last` the number of the last that counts. `question`: the hash of
    all that decides the answer.
    """

    decided: Foreseen
    releases: tuple[int, ...]
    entries: tuple[LedgerEntry, ...]
    last: int
    question: str

    def why(self, wanted: RequestedLevels) -> str:
        """The reason of a breach, or of what stays undecided, whatever the data are: for the provider alone."""
        if self.decided == "undecided":
            return f"it {wanted.unjudged}"
        return "whatever the data are, it shows cells that tables hide"


def foreseen_request(
    open_request: OpenRequest[Any],
    context: RunContext,
    wanted: RequestedLevels,
    hierarchies: Iterable[Hierarchy],
    seen: Version,
) -> ForeseenRequest | None:
    """What the ledger decides about a request whose data were not counted yet; None without a policy.

    Where the data are to decide, what that may tell is committed first, to the account of each named recipient. Raises
    NeedsReviewFirst where that would be more than the policy allows and no reviewer has approved the request;
    StateFault.
    """
    policy = open_request.opened.terms.policy
    if policy is None and context.only_judged:
        policy = Policy(dataset=open_request.opened.name)
    if policy is None:
        return None
    ledger = ledger_of(context.state)
    with context.state.reading() as connection:
        opted_out = opt_outs.number_of(connection, open_request.opened.name)
    entries = entries_beside(open_request.opened, ledger, context.state, opted_out)
    pools = every_pool(context.recipients, policy, entries)
    known = {each.content_hash: each for each in hierarchies}
    rows = rows_hash(seen)
    decided, releases = decided_for(wanted, pools, known, rows, opted_out)
    resolved = open_request.resolved
    request = request_hash(open_request.read.request, resolved.filter_text, resolved.said_by_files)
    question = question_hash(f"{request}{sorted(known)}", pools, rows, f"{policy.hash}{opted_out}")
    found = ForeseenRequest(decided, releases, entries, last_of(entries), question)
    if not context.only_judged:
        _note(found, ledger, open_request, context, policy, pools, is_settled=_is_settled(decided, policy, context))
    return found


def foreseen_offline(
    state: StateFile,
    registered: DatasetRegistration,
    wanted: RequestedLevels,
    hierarchies: Iterable[Hierarchy],
    version: DatasetVersion | None,
    recipients: Sequence[str],
) -> Foreseen | None:
    """What the ledger decides about a request without its source, if the data are those of a version seen before.

    None without a policy, or where its recipients have nothing so far. Raises StateDamaged, StateLocked, StateFault.
    """
    policy = registered.terms.policy
    if policy is None:
        return None
    pools = every_pool(recipients, policy, ledger_of(state).entries(name=registered.name))
    if not any(entries for _, entries in pools):
        return None
    with state.reading() as connection:
        opted_out = opt_outs.number_of(connection, registered.name)
    known = {each.content_hash: each for each in hierarchies}
    return decided_for(wanted, pools, known, rows_hash(version), opted_out)[0]


def decided_for(
    wanted: RequestedLevels, pools: Sequence[Pool], hierarchies: dict[str, Hierarchy], rows: str, opted_out: int
) -> tuple[Foreseen, tuple[int, ...]]:
    """What the releases of all pools decide about a request, and the entries that do."""
    found = [foreseen(wanted, entries, hierarchies, rows, opted_out) for _, entries in pools]
    every = {each for each, _ in found}
    for decided in ("breach", "fails", "undecided"):
        if decided in every:
            return decided, tuple(sorted({number for each, of in found if each == decided for number in of}))
    if every == {"follows"}:
        return "follows", tuple(sorted({number for _, of in found for number in of}))
    return "open", ()


def every_pool(recipients: Sequence[str], policy: Policy, entries: Sequence[LedgerEntry]) -> tuple[Pool, ...]:
    """The pools of recipients, those that have nothing so far, too."""
    known = {each for entry in entries for each in entry.recipients}
    return tuple((pool, in_pool(entries, pool)) for pool in pools_of(recipients, policy.pools, known))


def last_of(entries: Iterable[LedgerEntry]) -> int:
    """The number of the last entry that counts; 0 where there is none."""
    return max((each.id for each in entries if each.counts), default=0)


def rows_hash(version: Version | DatasetVersion | None) -> str:
    """The hash of the rows that a filter leaves, as entries have it; empty where they are not known."""
    return "" if version is None else f"{version.columns_hash}:{version.hash_sum}"


def note_offer(
    found: ForeseenRequest, ledger: Ledger, open_request: OpenRequest[Any], context: RunContext, candidates: int
) -> None:
    """Commits what a safe offer tells after a refusal: which of so many candidates it is, or that it is none."""
    if not _is_received(context):
        return
    answers = ledger.answers(open_request.opened.identity_of_everybody)
    is_known = any(each.question == found.question and each.decided == "offer" for each in answers)
    if not is_known:
        _add(ledger, open_request, context, found.question, "offer", bits_of(candidates + 1))


def _is_settled(decided: Foreseen, policy: Policy, context: RunContext) -> bool:
    """Whether the answer is the same whatever the data are, by the policy."""
    if decided in ("breach", "undecided"):
        return getattr(policy.beside, decided) == "refuse" or not context.is_reviewed
    return decided != "open"


def _is_received(context: RunContext) -> bool:
    """Whether a named recipient receives the answer: what is for anyone the provider alone reads, until it is out."""
    return context.recipients != (ANYONE,)


def _note(
    found: ForeseenRequest,
    ledger: Ledger,
    open_request: OpenRequest[Any],
    context: RunContext,
    policy: Policy,
    pools: Sequence[Pool],
    *,
    is_settled: bool,
) -> None:
    if not _is_received(context):
        return
    if is_settled:
        _add(ledger, open_request, context, found.question, found.decided, 0.0)
        return
    answers = ledger.answers(open_request.opened.identity_of_everybody)
    if any(each.question == found.question and each.decided == "open" for each in answers):
        _add(ledger, open_request, context, found.question, "open", 0.0)
        return
    bits, most = bits_of(ANSWERS), policy.beside.bits
    told = max((sum(each.bits for each in answers if each.is_of(pool)) for pool, _ in pools), default=0.0)
    if most is not None and told + bits > most and not context.is_reviewed:
        raise NeedsReviewFirst(
            f"answers so far tell up to {told:.1f} bits beyond the figures that were released, and one more would tell "
            f"more than {most:,}",
            where=open_request.read.where,
            next_step="A reviewer approves it, or refuses it.",
        )
    _add(ledger, open_request, context, found.question, "open", bits)


def _add(
    ledger: Ledger, open_request: OpenRequest[Any], context: RunContext, question: str, decided: Any, bits: float
) -> None:
    opened = open_request.opened
    now = datetime.now(UTC)
    ledger.add_answer(
        LedgerAnswer(question, opened.identity_of_everybody, opened.name, context.recipients, now, decided, bits)
    )
