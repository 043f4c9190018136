"""The output of `ordermade judge releases`: what several releases give away beside each other."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ordermade.records.cells import counted
from ordermade.views.screen import print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.evaluation.releases_together import DerivedFinding, ReleasesTogether

_WORDS = {
    "safe": "Safe: nothing follows from these releases together about a group of fewer than k persons.",
    "breach": "A breach: these releases together give away groups of fewer than k persons.",
    "undecided": "Undecided: whether these releases give away groups of fewer than k persons is not proved.",
}


def print_together(found: ReleasesTogether) -> None:
    """Prints the judgement: its answer, how it was reached, and the groups that are not safe."""
    say(_WORDS[found.answer])
    print_facts(_facts(found))
    if found.findings:
        headings = ("finding", "groups", "releases", "classes in common")
        print_table(headings, [_row(each) for each in found.findings])
        say("Do not give these releases to the same readers: release coarser levels, or the same rows.")


def _facts(found: ReleasesTogether) -> Iterator[tuple[str, Any]]:
    yield "releases", ", ".join(map(str, found.releases))
    yield "k", found.k
    if found.by_refinement:
        yield "decided by", "their classes in common, of k or more each"
    else:
        proved = f"{found.by_swaps:,} proved safe by other data, {counted(found.programs, 'integer program')}"
        yield "decided", f"{counted(found.looked_at, 'group')}: {proved}"
    yield "not judged", ", ".join(found.left_out) or None


def _row(finding: DerivedFinding) -> tuple[Any, ...]:
    called = "; ".join(finding.classes) or "too many to look at each"
    of = "suppressed cells: " if finding.hidden else ""
    return finding.answer, finding.groups, ", ".join(map(str, finding.releases)), of + called
