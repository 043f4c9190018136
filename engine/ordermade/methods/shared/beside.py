"""A release judged beside those that its readers have already, before it gets its name, by the ledger."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice, product
from typing import Any

import numpy as np

from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.counting.dataset import Version
from ordermade.counting.joint_cells import AS_THEY_ARE, CountedTogether, PartedColumn
from ordermade.errors import HierarchyError, NeedsReview, NeedsReviewFirst, SourceChanged
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.beside import Answer, judged_together
from ordermade.ledger.entries import LedgerEntry, ShownColumn, ShownRelease, known_of_suppressed
from ordermade.ledger.figures import KnownFigures
from ordermade.ledger.following import follows_from
from ordermade.ledger.sensitive import RequiredValues, few_values
from ordermade.ledger.simulatable import RequestedLevels
from ordermade.ledger.versions import ChangesTogether, changed_between, opted_out_since, suppressed_in_both
from ordermade.methods.shared.counted_releases import FiltersOfToday, counted_releases, hierarchies_of
from ordermade.methods.shared.foreseen import ForeseenRequest, every_pool, last_of, note_offer, rows_hash
from ordermade.methods.shared.judged import JudgedOnly, RequestBeside
from ordermade.methods.shared.known_figures import with_rest
from ordermade.methods.shared.new_entries import new_entry
from ordermade.methods.shared.open_request import OpenRequest, RunContext
from ordermade.methods.shared.releases_without_entry import entries_beside
from ordermade.policies.policy import Policy
from ordermade.requests.filter_tree import Filter
from ordermade.state import opt_outs
from ordermade.state.database import StateFile
from ordermade.state.ledger import Ledger, ledger_of
from ordermade.tables.cells import Whole

OWN = 0
"""The number of the release that is judged, among those of entries."""
NO_LEVELS = "is of a method whose classes are of no one level"


@dataclass(frozen=True, slots=True)
class BesideEntries:
    """What was found about a release beside entries: `entries` are those that it takes, `reasons` in words.

    `changed`: some entries are of other data than today's, so that no review is spared. Of what such entries tell of
    the change, `later`: whether it passes once k changes have gathered in each class; `without`: the classes without
    which it passes, by the labels of their columns.
    """

    answer: Answer
    entries: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()
    changed: bool = False
    later: bool = False
    without: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Coarser:
    """The coarser levels that a refused release may be offered at: those of each of its columns, from its own up.

    `k` of the request; `most`: the most rows that it may suppress.
    """

    columns: tuple[PartedColumn, ...]
    k: int
    most: int

    @property
    def candidates(self) -> int:
        """How many coarser releases there are of which one may be offered."""
        return min(MOST_NODES, math.prod(each.hierarchy.top - each.levels[0] + 1 for each in self.columns)) - 1


@dataclass(frozen=True, slots=True)
class SafeOffer:
    """The level of each column of a coarser release that is safe beside the earlier ones, its k and suppressed rows."""

    node: tuple[int, ...]
    k: int
    suppressed: int


_STANDS = "earlier releases are a breach by themselves"
_OPTED_OUT = "fewer than k persons opted out since"
MOST_TRIED = 25
"""The most coarser releases that are judged for an offer."""
MOST_NODES = 2_000
"""The most coarser nodes that are counted for it."""


@dataclass(frozen=True, slots=True)
class JudgedBeside:
    """A release with the judgement on it beside those that its recipients, and who may join with them, have.

    `last`: the last entry of the dataset that was there, None where it was not judged, as without a policy. `refusal`:
    why it is not released, with releases by number: for the provider alone.
    """

    shown: ShownRelease
    recipients: tuple[str, ...]
    hierarchies: tuple[Hierarchy, ...] = ()
    last: int | None = None
    answer: Answer | None = None
    refusal: str | None = None
    warnings: tuple[str, ...] = ()
    offer: SafeOffer | None = None


def judged_beside(
    open_request: OpenRequest[Any],
    context: RunContext,
    shown: ShownRelease,
    hierarchies: Iterable[Hierarchy] = (),
    coarser: Coarser | None = None,
    foreseen: ForeseenRequest | None = None,
) -> JudgedBeside:
    """The judgement on what a request is about to release; `hierarchies` are those of its columns.

    `coarser`: the levels that may be offered where it is a breach. `foreseen`: what released figures decided before.
    Counts the dataset once more, and only where there is something to judge it beside, which `foreseen` leaves open.
    Without a policy nothing is judged. Raises JudgedOnly where no more is wanted; NeedsReview where the policy leaves
    it to a reviewer and none has approved the request; SourceFault, StateFault, SourceChanged.
    """
    own = {each.content_hash: each for each in hierarchies}
    policy = open_request.opened.terms.policy
    if policy is None and context.only_judged:
        policy = Policy(dataset=open_request.opened.name)
    if policy is None:
        return JudgedBeside(shown, context.recipients, tuple(own.values()))
    ledger = ledger_of(context.state)
    with context.state.reading() as connection:
        opted_out = opt_outs.number_of(connection, open_request.opened.name)
    is_same = foreseen is not None and foreseen.last == last_of(
        ledger.entries(open_request.opened.identity_of_everybody, open_request.opened.name, with_classes=False)
    )
    if foreseen is not None and is_same:
        entries = foreseen.entries
    else:
        entries = entries_beside(open_request.opened, ledger, context.state, opted_out)
    last = last_of(entries)
    pools = pools_beside(context.recipients, policy, entries)
    of_today = ReleaseOfToday(
        open_request.opened, shown, open_request.resolved.filter_text, open_request.read.request.k, opted_out
    )
    if foreseen is not None and is_same and foreseen.decided == "follows":
        found, offer = BesideEntries("safe"), None
    else:
        found, offer = beside_entries(of_today, own, ledger, pools, coarser)
    if shown.follows and found.answer != "breach":
        found = BesideEntries("breach", (), ("its suppressed classes follow from the rows that they have together",))
    if context.only_judged:
        named = {each.id: each.release for each in entries}
        numbers = tuple(n for each in found.entries if (n := named[each]) is not None)
        safe = () if offer is None or coarser is None else _level_names(coarser, offer)
        raise JudgedOnly(
            RequestBeside(
                found.answer,
                context.recipients,
                numbers,
                found.reasons,
                found.changed,
                shown.levels,
                safe,
                found.without if open_request.read.request.method == "table" else (),
                found.later,
                entries=found.entries,
            )
        )
    refusal, warnings = by_policy(found, policy, open_request.read.where, entries, is_reviewed=context.is_reviewed)
    if refusal and coarser is not None and foreseen is not None:
        note_offer(foreseen, ledger, open_request, context, coarser.candidates)
    return JudgedBeside(shown, context.recipients, tuple(own.values()), last, found.answer, refusal, warnings, offer)


def found_beside(
    open_request: OpenRequest[Any], context: RunContext, shown: ShownRelease, own: Mapping[str, Hierarchy]
) -> BesideEntries | None:
    """The judgement on what a request would release, for its offers; None without a policy.

    `own`: the hierarchies of its columns. Raises SourceFault, SourceChanged, StateFault.
    """
    policy = open_request.opened.terms.policy
    if policy is None:
        return None
    ledger = ledger_of(context.state)
    with context.state.reading() as connection:
        opted_out = opt_outs.number_of(connection, open_request.opened.name)
    entries = entries_beside(open_request.opened, ledger, context.state, opted_out)
    of_today = ReleaseOfToday(
        open_request.opened, shown, open_request.resolved.filter_text, open_request.read.request.k, opted_out
    )
    found, _ = beside_entries(of_today, own, ledger, pools_beside(context.recipients, policy, entries))
    return found


def intended(
    judged: JudgedBeside,
    open_request: OpenRequest[Any],
    state: StateFile,
    request_id: int,
    version: Version | None,
) -> tuple[Ledger, int]:
    """The ledger, and the number of the entry that it now has of a release that is about to get its name.

    Raises ReleasedMeanwhile where another release came since it was judged; StateFault.
    """
    opened, request = open_request.opened, open_request.read.request
    with state.reading() as connection:
        opted_out = opt_outs.number_of(connection, opened.name)
    entry = replace(
        new_entry(
            opened,
            judged.shown,
            judged.recipients,
            method=request.method,
            k=request.k,
            filter_text=open_request.resolved.filter_text,
            opted_out=opted_out,
            status="intended",
        ),
        rows_hash=rows_hash(version),
        request=request_id,
        run=open_request.run.name,
    )
    ledger = ledger_of(state)
    return ledger, ledger.add(entry, judged.hierarchies, judged_beside=judged.last).id


def pools_beside(
    recipients: Sequence[str], policy: Policy, entries: Sequence[LedgerEntry]
) -> tuple[tuple[LedgerEntry, ...], ...]:
    """What each pool has that a release for these recipients comes into, each once; nothing where none has any."""
    return tuple(dict.fromkeys(each for _, each in every_pool(recipients, policy, entries) if each))


def foreseen_by_policy(
    open_request: OpenRequest[Any], context: RunContext, wanted: RequestedLevels, foreseen: ForeseenRequest
) -> str | None:
    """Why a request is refused whatever its data are, for the provider alone; None where that is not decided.

    Raises NeedsReviewFirst where the policy leaves it to a reviewer and none has approved the request.
    """
    policy = open_request.opened.terms.policy
    if policy is None or context.only_judged or foreseen.decided not in ("breach", "undecided"):
        return None
    found = BesideEntries(foreseen.decided, foreseen.releases, (foreseen.why(wanted),))
    try:
        refusal, _ = by_policy(
            found, policy, open_request.read.where, foreseen.entries, is_reviewed=context.is_reviewed
        )
    except NeedsReview as needed:
        raise NeedsReviewFirst(needed.what, where=needed.where, next_step=needed.next_step) from None
    return refusal


def by_policy(
    found: BesideEntries, policy: Policy, where: str, entries: Sequence[LedgerEntry], *, is_reviewed: bool
) -> tuple[str | None, tuple[str, ...]]:
    """Why the release is refused, if it is; else what the provider is warned of. Raises NeedsReview."""
    if found.answer == "safe" and not found.changed:
        return None, ()
    words = in_words(found, entries)
    if found.answer != "safe" and getattr(policy.beside, found.answer) == "refuse":
        return words, ()
    if not is_reviewed:
        raise NeedsReview(words, where=where, next_step="A reviewer approves it, or refuses it.")
    return None, (f"{words}: a reviewer let it pass",)


def in_words(found: BesideEntries, entries: Sequence[LedgerEntry]) -> str:
    """The judgement in one sentence, with the releases by number: for the provider alone."""
    named = [_called(each) for each in entries if each.id in found.entries]
    beside = f"beside {', '.join(named)}" if named else "by itself"
    match found.answer:
        case "breach":
            said = "its readers could work out a group of fewer than k persons"
        case "undecided":
            said = "it is not proved that its readers work out nothing about fewer than k persons"
        case _:
            said = "of other data than today's, it is safe"
    return f"{beside}, {said}" + (f" ({'; '.join(found.reasons)})" if found.reasons else "")


def _follow(figures: KnownFigures, together: CountedTogether, gone: int, k: int) -> bool:
    """Whether each suppressed class has somebody, and fewer than k, by the rows of all: as the ledger has `follows`."""
    labels, _ = together.counted(figures.partition)
    combinations = 1
    for classes in reversed(list(figures.partition.classes.values())):
        labels, own = np.divmod(labels, int(classes.max(initial=0)) + 1)
        combinations *= len(np.unique(own))
    return gone > (combinations - len(figures.labels) - 1) * (k - 1)


def _level_names(coarser: Coarser, offer: SafeOffer) -> tuple[str, ...]:
    """The columns of an offer with their levels, those at `*` too."""
    return tuple(
        f"{each.column}: {each.hierarchy.levels[level].name}"
        for each, level in zip(coarser.columns, offer.node, strict=True)
    )


def _height(node: Sequence[int], tops: Sequence[int]) -> float:
    """How much coarser a node is, each column by the share of its levels."""
    return sum(up / max(1, top) for up, top in zip(node, tops, strict=True))


def _called(entry: LedgerEntry) -> str:
    return f"entry {entry.id} of the ledger" if entry.release is None else f"release {entry.release}"


@dataclass(frozen=True, slots=True)
class ReleaseOfToday:
    """What a release of an open dataset shows, its row filter and k; `opted_out`: the persons on the list now."""

    opened: OpenDataset
    shown: ShownRelease
    filter: str | None
    requested_k: int
    opted_out: int

    @property
    def k(self) -> int:
        """The k that groups are judged by: the least k of the dataset, where it has one."""
        return self.opened.terms.least_k or self.requested_k


def beside_entries(
    release: ReleaseOfToday,
    own: Mapping[str, Hierarchy],
    ledger: Ledger,
    pools: Sequence[Sequence[LedgerEntry]],
    coarser: Coarser | None = None,
) -> tuple[BesideEntries, SafeOffer | None]:
    """The worst judgement on a release beside the entries of each pool, by its hierarchies `own`.

    And where it is a breach the nearest coarser release that is none, if there is one. Raises SourceFault,
    SourceChanged, StateFault.
    """
    counted = _counted_today(release, own, ledger, pools, () if coarser is None else coarser.columns)
    if isinstance(counted, BesideEntries):
        return counted, None
    today, tree = counted
    found = today.worst(pools)
    if found.answer != "breach" or found.changed or coarser is None:
        return found, None
    return found, today.offered(coarser, pools, tree)


def judged_nodes(
    open_request: OpenRequest[Any],
    context: RunContext,
    columns: Sequence[PartedColumn],
    nodes: Sequence[tuple[Sequence[int], int]],
) -> tuple[Answer | None, ...]:
    """The judgement on releases at other nodes and k of what a request asks for, counted together.

    `columns` with every level of these nodes. None where a release is judged no sooner than it is run: without a
    policy, and beside releases of other data. Raises SourceFault, SourceChanged, StateFault.
    """
    policy, opened = open_request.opened.terms.policy, open_request.opened
    nothing = (None,) * len(nodes)
    if policy is None or not nodes:
        return nothing
    ledger = ledger_of(context.state)
    with context.state.reading() as connection:
        opted_out = opt_outs.number_of(connection, opened.name)
    entries = entries_beside(open_request.opened, ledger, context.state, opted_out)
    pools = pools_beside(context.recipients, policy, entries)
    if not pools:
        return nothing
    own = {each.hierarchy.content_hash: each.hierarchy for each in columns}
    k = open_request.read.request.k
    of_today = ReleaseOfToday(opened, ShownRelease(), open_request.resolved.filter_text, k, opted_out)
    counted = _counted_today(of_today, own, ledger, pools, columns)
    if isinstance(counted, BesideEntries):
        return (counted.answer,) * len(nodes)
    today, tree = counted
    if any(each is None for each in today.known.values()):
        return nothing
    return tuple(today.at_node(columns, tuple(node), of_node, pools, tree) for node, of_node in nodes)


def _counted_today(
    release: ReleaseOfToday,
    own: Mapping[str, Hierarchy],
    ledger: Ledger,
    pools: Sequence[Sequence[LedgerEntry]],
    columns: Sequence[PartedColumn],
) -> tuple[_Today, Filter | None] | BesideEntries:
    """A release and entries counted on the data of today, also by further columns, and its filter as a tree.

    Or the judgement on the release, where that needs no counts.
    """
    shown, opened = release.shown, release.opened
    every = {each.id: each for pool in pools for each in pool}
    if not every:
        return BesideEntries("safe")
    unjudged = {each.id: f"{_called(each)} {each.shown.unjudged}" for each in every.values() if each.shown.unjudged}
    if shown.unjudged:
        # Who opted out needs no classes.
        opted = tuple(each.id for each in every.values() if opted_out_since(each, release.opted_out, release.k))
        if opted:
            return BesideEntries("breach", opted, (_OPTED_OUT,), changed=True)
        return BesideEntries("undecided", tuple(every), (f"it {shown.unjudged}",))
    judged = [each for each in every.values() if not each.shown.unjudged]
    filters = FiltersOfToday.of(
        opened, {OWN: (shown, release.filter), **{each.id: (each.shown, each.filter) for each in judged}}
    )
    if OWN in filters.unread:
        return BesideEntries("undecided", tuple(every), (f"it {filters.unread[OWN]}",))
    unread = {number: f"{_called(every[number])} {why}" for number, why in filters.unread.items()}
    judged = [each for each in judged if each.id not in unread]
    hierarchies = hierarchies_of(ledger, (each.shown for each in judged), own)
    pool = {each.id: (each.shown, filters.trees[each.filter]) for each in judged}
    tree = filters.trees[release.filter]
    try:
        counted = counted_releases(opened, {**pool, OWN: (shown, tree)}, hierarchies, columns)
    except HierarchyError:
        lacking = ("hierarchies of earlier releases lack values of today",)
        return BesideEntries("undecided", tuple(every), lacking)
    figures = counted.figures[OWN]
    if figures is None:
        raise SourceChanged("the source changed while the request ran", next_step="Run it again.")
    today = _Today(
        figures,
        {number: known for number, known in counted.figures.items() if number != OWN},
        {**unjudged, **unread},
        counted.together,
        replace(OF_TODAY, filter=release.filter, opted_out=release.opted_out, shown=shown),
        release.k,
    )
    return today, tree


_RANK: Mapping[Answer, int] = {"safe": 0, "undecided": 1, "breach": 2}

OF_TODAY = LedgerEntry(OWN, "", "", "", "intended", (), datetime.min, "", 0, None, "", 0)
"""A release that has no entry yet."""


@dataclass(frozen=True, slots=True)
class _Today:
    """A release and entries, counted on the data of today.

    `figures` of the release, `known` those of entries, None where the data do not agree with them; `unjudged`: why
    others are not judged; `own`: the release as an entry.
    """

    figures: tuple[KnownFigures, ...]
    known: Mapping[int, tuple[KnownFigures, ...] | None]
    unjudged: Mapping[int, str]
    together: CountedTogether
    own: LedgerEntry
    k: int

    def worst(self, pools: Sequence[Sequence[LedgerEntry]]) -> BesideEntries:
        """The worst judgement beside the entries of each pool."""
        found = [self.beside(pool) for pool in pools]
        worst = max(found, key=lambda each: (_RANK[each.answer], each.changed))
        breaches = [each for each in found if each.answer == "breach"]
        if len(breaches) < 2:
            return worst
        return replace(worst, later=all(each.later for each in breaches), without=())

    def offered(
        self, coarser: Coarser, pools: Sequence[Sequence[LedgerEntry]], tree: Filter | None
    ) -> SafeOffer | None:
        """The nearest coarser release that is safe beside the entries of each pool, of as many as are tried."""
        tops = [each.hierarchy.top for each in coarser.columns]
        steps = [range(top - each.levels[0] + 1) for each, top in zip(coarser.columns, tops, strict=True)]
        lowest = [each.levels[0] for each in coarser.columns]
        every = sorted(islice(product(*steps), MOST_NODES), key=lambda node: (_height(node, tops), node))
        tried = 0
        for up in every[1:]:
            node = tuple(a + b for a, b in zip(lowest, up, strict=True))
            figures, k, gone = self._at(coarser, node, tree)
            if gone > coarser.most or k is None:
                continue
            tried += 1
            found = replace(self, figures=figures).worst(pools)
            if found.answer == "safe" and not found.changed:
                return SafeOffer(node, k, gone)
            if tried == MOST_TRIED:
                return None
        return None

    def at_node(
        self,
        columns: Sequence[PartedColumn],
        node: tuple[int, ...],
        k: int,
        pools: Sequence[Sequence[LedgerEntry]],
        tree: Filter | None,
    ) -> Answer:
        """The judgement on a release at a node, beside the entries of each pool and by itself."""
        figures, _, gone = self._at(Coarser(tuple(columns), k, 0), node, tree)
        found = replace(self, figures=figures).worst(pools)
        if found.answer == "safe" and gone >= k and _follow(figures[0], self.together, gone, k):
            return "breach"
        return found.answer

    def _at(
        self, coarser: Coarser, node: tuple[int, ...], tree: Filter | None
    ) -> tuple[tuple[KnownFigures, ...], int | None, int]:
        """The figures of a release at a node, its k (None where no class is left) and the rows that it suppresses."""
        below = [each for each in zip(coarser.columns, node, strict=True) if each[1] < each[0].hierarchy.top]
        classes = {self.together.axes[each.column]: self.together.classes(each, level) for each, level in below}
        called = ", ".join(f"{each.column}: {each.hierarchy.levels[level].name}" for each, level in below)
        partition = self.together.partition(classes, tree)
        labels, rows = self.together.counted(partition)
        kept = rows >= coarser.k
        gone = int(rows[~kept].sum())
        labels, rows = labels[kept], rows[kept]
        others_most, rest = known_of_suppressed(gone, coarser.k)
        figures = KnownFigures((OWN,), called or "the total", partition, labels, rows, rows, others_most)
        return with_rest(figures, rest), int(rows.min()) if len(rows) else None, gone

    def beside(self, pool: Sequence[LedgerEntry]) -> BesideEntries:
        """The judgement beside the entries of one pool."""
        opted = [each.id for each in pool if opted_out_since(each, self.own.opted_out, self.k)]
        if opted and not self._follows_from([each for each in pool if each.opted_out == self.own.opted_out]):
            return BesideEntries("breach", tuple(opted), (_OPTED_OUT,), changed=True)
        changed = [each for each in pool if each.id in self.known and self.known[each.id] is None]
        same = [each for each in pool if self.known.get(each.id) is not None]
        found = judged_together(
            [*(figures for each in same for figures in self.known[each.id] or ()), *self.figures],
            self.together.cells,
            self.k,
            judged=OWN,
        )
        if found.breaches:
            named = {number for each in found.breaches for number in each.releases}
            classes = sorted({text for each in found.breaches for text in each.classes})
            return BesideEntries("breach", tuple(sorted(named - {OWN})), tuple(classes[:3]), bool(changed))
        of_versions = self._changes(changed, same)
        if of_versions is not None and of_versions.answer == "breach":
            return of_versions
        reasons = [self.unjudged[each.id] for each in pool if each.id in self.unjudged]
        reasons += () if of_versions is None else of_versions.reasons
        if opted or found.answer == "breach":
            reasons.append(_STANDS)
        if any(each.answer == "undecided" for each in found.groups):
            reasons.append("groups that no proof decides")
        few = self._few_values(same)
        if "breach" in few:
            why = ("fewer sensitive values are possible for a person than a model needs",)
            return BesideEntries("breach", tuple(each.id for each in same), why, bool(changed))
        if few == {"stands"} and _STANDS not in reasons:
            reasons.append(_STANDS)
        if "undecided" in few:
            reasons.append("sensitive values that no proof decides")
        joins = (each.shown.misses_values or (each in changed and each.shown.values) for each in pool)
        if self.own.shown.values and any(joins):
            reasons.append("both release values as they are, which may join their rows")
        if self.own.shown.misses_values and any(each.shown.values for each in pool):
            reasons.append("more values as they are than can be compared")
        if reasons:
            return BesideEntries("undecided", tuple(each.id for each in pool), tuple(reasons), bool(changed))
        return BesideEntries("safe", tuple(each.id for each in changed), (), bool(changed))

    def _follows_from(self, same: Sequence[LedgerEntry]) -> bool:
        """Whether readers of some of the entries whose figures today's data have know all that the release says."""
        known = [figures for each in same for figures in self.known.get(each.id) or ()]
        return all(any(follows_from(own, each) for each in known) for own in self.figures)

    def _few_values(self, same: Sequence[LedgerEntry]) -> set[str]:
        """The answers about persons with too few sensitive values possible, or with no proof of enough.

        `stands`: a breach for the persons alone of whom it is one without the release.
        """
        if not self.own.shown.required and not any(each.shown.required for each in same):
            return set()
        own, of_entries = (
            [
                RequiredValues(
                    axis, figures.partition, figures.labels, np.minimum(least, self._values_in(figures, axis))
                )
                for entry, known in entries
                for column, least in entry.shown.required
                if (axis := self.together.axes.get(column)) is not None
                for figures in known[:1]
            ]
            for entries in ([(self.own, self.figures)], [(each, self.known[each.id] or ()) for each in same])
        )
        required = [*own, *of_entries]
        known = [figures for each in same for figures in self.known[each.id] or ()]
        found = few_values([*known, *self.figures], self.together.cells, required)
        answers: set[str] = {each.answer for each in found}
        if "breach" in answers:
            before = few_values(known, self.together.cells, of_entries)
            stands = {(each.axis, cell) for each in before if each.answer == "breach" for cell in each.cells}
            now = {(each.axis, cell) for each in found if each.answer == "breach" for cell in each.cells}
            if now <= stands:
                answers = answers - {"breach"} | {"stands"}
        return answers

    def _values_in(self, figures: KnownFigures, axis: int) -> Whole:
        """How many values of an axis the persons of each listed class have."""
        cells = self.together.cells.cells[self.together.cells.persons > 0]
        pairs = np.unique(np.stack([figures.partition.labels(cells), cells[:, axis]], axis=1), axis=0)
        every, number = np.unique(pairs[:, 0], return_counts=True)
        of_label = dict(zip(every.tolist(), number.tolist(), strict=True))
        return np.array([of_label.get(each, 0) for each in figures.labels.tolist()], dtype=np.int64)

    def _changes(self, changed: Sequence[LedgerEntry], same: Sequence[LedgerEntry]) -> BesideEntries | None:
        """What releases of earlier data tell of the change since; None where there are none."""
        if not changed:
            return None
        found = changed_between(changed, [self.own, *same], self.k, self._labels())
        if found.answer == "breach" and self._adds_no_change(found, changed, same):
            return BesideEntries("undecided", tuple(each.id for each in changed), (_STANDS,), changed=True)
        takes = tuple(sorted({changed[each.earlier].id for each in found.found if each.answer == found.answer}))
        match found.answer:
            case "breach":
                reasons = ("a class changed by fewer than k since",)
                without = self._without_changed(changed)
                return BesideEntries("breach", takes, reasons, changed=True, later=found.waiting_helps, without=without)
            case "undecided":
                why = sorted({each.why for each in found.found if each.why})
                return BesideEntries("undecided", takes, (f"data have changed since: {', '.join(why)}",), changed=True)
        return BesideEntries("safe", takes, (), changed=True)

    def _adds_no_change(
        self, found: ChangesTogether, changed: Sequence[LedgerEntry], same: Sequence[LedgerEntry]
    ) -> bool:
        """Whether every breach of a change stands without the release: it takes others, follows, or is of the total."""
        before = changed_between(changed, same, self.k, self._labels())
        if before.answer != "breach":
            return False
        totals = {each.earlier for each in before.found if each.answer == "breach" and each.is_total}
        own = [each for each in found.found if each.answer == "breach" and each.later == 0]
        return all(each.is_total and each.earlier in totals for each in own) or self._follows_from(same)

    def _without_changed(self, changed: Sequence[LedgerEntry]) -> tuple[Mapping[str, str], ...]:
        """The classes of a release of one partition that it must not show, so that no change of fewer than k follows.

        None where that does not help, or one of them has a missing value.
        """
        if len(self.own.shown.classes) != 1 or any(each.filter != self.own.filter for each in changed):
            return ()
        (shown,) = self.own.shown.classes
        earlier = [classes for each in changed for classes in each.shown.classes]
        rows = suppressed_in_both(earlier, shown, self.k, self._labels(), None) or ()
        if len(rows) == len(shown.codes):
            return ()
        found: list[Mapping[str, str]] = []
        for codes in shown.codes[list(rows)].tolist():
            labels = [own[code] for own, code in zip(shown.labels, codes, strict=True)]
            found.append(
                {each.column: text for each, text in zip(shown.columns, labels, strict=True) if text is not None}
            )
        return tuple(found) if all(len(each) == len(shown.columns) for each in found) else ()

    def _labels(self) -> dict[ShownColumn, tuple[str | None, ...]]:
        """The label of each value of today at each level of each column that is counted."""
        return {
            ShownColumn(column, content_hash, level, starred): labels
            for (column, content_hash, starred), by_level in self.together.labels.items()
            for level, labels in by_level.items()
            if content_hash != AS_THEY_ARE
        }
