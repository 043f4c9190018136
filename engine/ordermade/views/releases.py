"""The output of `ordermade release show`: a release on record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ordermade.loss.extremes import Extremes
from ordermade.loss.shares import shares
from ordermade.methods.shared import result as words
from ordermade.records.cells import counted
from ordermade.views.screen import from_here, print_facts, print_table, say

if TYPE_CHECKING:
    from ordermade.state.releases import ReleaseRecord


def print_release(release: ReleaseRecord, *, verbose: bool = False) -> None:
    """Prints a release: its columns and its few figures; with `verbose` every loss, model and risk, and its hash."""
    say(f"Release {release.id} of request {release.request_id}: {release.standing}")
    print_table(
        ("column", "role", "level", "level name"),
        [(each.column, each.role, each.level, each.level_name) for each in release.columns],
    )
    say("")
    print_facts(_facts(release))
    if verbose:
        extremes = Extremes(release.rows, release.k)
        print_table(
            words.LOSS_HEADINGS, words.loss_rows(dict(sorted(release.losses.items())), extremes), title=words.LOSS_RANGE
        )
        if release.privacy:
            print_table(
                ("privacy", "of column", "measured"),
                [
                    (each.figure, each.column, None if each.value is None else f"{each.value:.6g}")
                    for each in release.privacy
                ],
            )
        say("")
        print_facts([("kind", release.kind), ("classes", release.divisions), ("sha256", release.sha256)])
    say(f"\nNext: ordermade release verify {release.id}")


def _facts(release: ReleaseRecord) -> Iterator[tuple[str, Any]]:
    yield "rows", release.rows
    yield "persons", release.persons
    gone = counted(release.suppressed_rows, "row") if release.suppressed_rows else "none"
    persons = release.suppressed_persons
    of = "" if not persons else f" of {counted(persons, 'person')}"
    yield "suppressed", f"{gone}{of}" + (", released as *" if release.star_rows else "")
    yield "k", f"{release.k:,} measured"
    for each in release.privacy:
        if each.column is not None and each.value is not None:
            yield f"{each.column}: {each.figure}", f"{each.value:.4g} measured"
    risks = {each.figure.removesuffix(" risk"): each.value for each in release.privacy if each.column is None}
    yield "risk", words.risk_in_words({name: value for name, value in risks.items() if value is not None})
    yield "detail given up", words.loss_in_words(shares(release.losses, Extremes()))
    yield "released", release.released_at
    yield "in the catalogue", release.published_as
    yield "release", from_here(release.name)
