"""Releases of one dataset judged beside each other: what their readers can work out about fewer than k persons."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ordermade.catalogue.datasets import Datasets
from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.errors import HierarchyError, InputError, Refused
from ordermade.ledger.beside import Answer, Together, judged_together
from ordermade.ledger.entries import LedgerEntry
from ordermade.methods.shared.counted_releases import FiltersOfToday, counted_releases, hierarchies_of
from ordermade.methods.shared.open_request import RunContext
from ordermade.records.cards import HasSummary
from ordermade.requests.read import read_recorded
from ordermade.state import releases, requests
from ordermade.state.ledger import Ledger, ledger_of

LARGEST_POOL = 12
"""The most releases that are judged together."""


@dataclass(frozen=True, slots=True)
class DerivedFinding:
    """Groups of persons that releases give away together, or may give away: all that the same classes are of."""

    answer: Answer
    """`breach`: it follows from the releases that a group has 1 to k - 1 persons; `undecided`: nothing is proved."""
    groups: int
    """The number of such groups, or of suppressed cells."""
    releases: tuple[int, ...]
    """The numbers of the releases that it takes."""
    classes: tuple[str, ...]
    """The levels whose classes the groups have in common."""
    hidden: bool
    """Whether they are suppressed cells of a table, known to less than k."""


@dataclass(frozen=True, slots=True, repr=False)
class ReleasesTogether(HasSummary):
    """The judgement on several releases of a dataset."""

    releases: tuple[int, ...]
    """Their numbers."""
    k: int
    """The k that groups are judged by."""
    answer: Answer
    """`safe`, `breach` or `undecided`: the worst of the findings."""
    findings: tuple[DerivedFinding, ...]
    """The groups that are not safe."""
    looked_at: int
    """The number of groups and suppressed cells that had to be decided."""
    by_refinement: bool
    """Whether none had to be: the classes that the releases have in common are of k or more each."""
    by_swaps: int
    """The number of groups that other data proved safe, which agree with every release."""
    programs: int
    """The number of integer programs that were solved."""
    left_out: tuple[str, ...]
    """The parts of the releases that were not judged."""


def judged_releases(context: RunContext, numbers: Sequence[int], k: int | None = None) -> ReleasesTogether:
    """What the readers of all these releases can work out about 1 to k - 1 persons; `k`: if left out, the dataset's.

    Raises UnknownName, InputError for releases that cannot be judged together, Refused where the data or a hierarchy is
    no longer that of a release, SourceFault, StateFault.
    """
    wanted = tuple(dict.fromkeys(numbers))
    if not 2 <= len(wanted) <= LARGEST_POOL:
        raise InputError(
            f"{len(wanted)} releases are named",
            where="the releases",
            next_step=f"Name 2 to {LARGEST_POOL} of them, each once: `ordermade release list` shows them.",
        )
    ledger = ledger_of(context.state)
    pool = {number: _entry_of(context, ledger, number) for number in wanted}
    if min(len({getattr(each, name) for each in pool.values()}) for name in ("dataset", "dataset_name")) > 1:
        raise InputError(
            "the releases are of several datasets",
            where="the releases",
            next_step="Judge the releases of one dataset at a time.",
        )
    shown = [each.shown for each in pool.values()]
    with _opened(context, wanted[0]) as opened:
        floor = k or opened.terms.least_k or min(each.k for each in pool.values())
        filters = FiltersOfToday.of(opened, {number: (each.shown, each.filter) for number, each in pool.items()})
        for number, why in sorted(filters.unread.items()):
            raise _changed(number, f"it {why}")
        try:
            counted = counted_releases(
                opened,
                {number: (each.shown, filters.trees[each.filter]) for number, each in pool.items()},
                hierarchies_of(ledger, shown),
            )
        except HierarchyError as error:
            raise _changed(wanted[0], "hierarchies lack values of today") from error
    for number, figures in counted.figures.items():
        if figures is None:
            raise _changed(number, "the data has changed since")
    given = [figures for known in counted.figures.values() for figures in known or ()]
    found = judged_together(given, counted.together.cells, floor)
    return _report(wanted, floor, found, tuple(sorted({part for each in pool.values() for part in _left_out(each)})))


def _report(numbers: tuple[int, ...], k: int, found: Together, left_out: tuple[str, ...]) -> ReleasesTogether:
    groups: Counter[tuple[Answer, tuple[int, ...], tuple[str, ...], bool]] = Counter()
    for each in found.groups:
        groups[each.answer, each.releases, each.classes, each.hidden] += 1
    findings = tuple(
        DerivedFinding(answer, n, together, classes, hidden)
        for (answer, together, classes, hidden), n in groups.items()
    )
    return ReleasesTogether(
        releases=numbers,
        k=k,
        answer=found.answer,
        findings=tuple(sorted(findings, key=lambda each: (each.answer != "breach", -each.groups, each.releases))),
        looked_at=found.looked_at,
        by_refinement=found.by_refinement,
        by_swaps=found.by_swaps,
        programs=found.programs,
        left_out=left_out,
    )


def _entry_of(context: RunContext, ledger: Ledger, number: int) -> LedgerEntry:
    """What the ledger remembers of a release. Raises UnknownName, InputError for one that cannot be judged."""
    with context.state.reading() as connection:
        requested = requests.get(connection, releases.get(connection, number).request_id)
    # After a restore of the state numbers come again, and runs do not.
    found = [each for each in ledger.entries(release=number) if requested.run in (None, each.run)]
    if not found:
        raise InputError(
            f"release {number} is not in the ledger",
            where=f"release {number}",
            next_step="Take its file in with `ordermade ledger import`, and judge a request beside it.",
        )
    entry = found[-1]
    if entry.shown.unjudged:
        raise _not_judged(number, entry.shown.unjudged)
    return entry


@contextlib.contextmanager
def _opened(context: RunContext, number: int) -> Iterator[OpenDataset]:
    """The dataset of a release, open. Raises UnknownName, SourceFault."""
    with context.state.reading() as connection:
        requested = requests.get(connection, releases.get(connection, number).request_id)
    text = requested.request
    reference = requested.dataset_name if text is None else read_recorded(text).request.dataset
    with Datasets(context.state, context.limits).open(reference, context.progress.statement) as opened:
        yield opened


def _left_out(entry: LedgerEntry) -> Iterator[str]:
    """The parts of a release that are not judged."""
    if entry.shown.misses_values:
        yield "sums and means of tables" if entry.method == "table" else "values of more combinations than are compared"


def _changed(number: int, what: str) -> Refused:
    return Refused(
        f"release {number} cannot be judged: {what}",
        where=f"release {number}",
        next_step="Judge releases of the data of today; a reviewer compares those of other versions.",
    )


def _not_judged(number: int, why: str) -> InputError:
    return InputError(
        f"release {number} {why}",
        where=f"release {number}",
        next_step="Judge releases by generalisation of rows or classes, and tables with totals, of counted rows.",
    )
