"""Releases of one dataset by what they show, counted together on the data of today in one statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ordermade.catalogue.open_dataset import OpenDataset
from ordermade.counting.joint_cells import CountedTogether, PartedColumn, counted_together
from ordermade.errors import quoted
from ordermade.hierarchies.hierarchy import Hierarchy
from ordermade.ledger.entries import ShownRelease
from ordermade.ledger.figures import KnownFigures
from ordermade.methods.shared.known_figures import known_figures, parted_columns
from ordermade.requests.earlier_filters import carried_over
from ordermade.requests.filter_tree import Filter
from ordermade.requests.row_filter import row_condition
from ordermade.state.ledger import Ledger


@dataclass(frozen=True, slots=True)
class FiltersOfToday:
    """The row filters of releases as trees, by their text.

    `unread`: the releases that today's columns say nothing of, by their number, with the reason: an end of a sentence
    that the release begins.
    """

    trees: Mapping[str | None, Filter | None]
    unread: Mapping[int, str]

    @classmethod
    def of(cls, opened: OpenDataset, releases: Mapping[int, tuple[ShownRelease, str | None]]) -> FiltersOfToday:
        """The filters of releases, with what these show, by their numbers; those of earlier versions are rewritten."""
        types = {each.name: each.type for each in opened.columns}
        trees: dict[str | None, Filter | None] = {None: None}
        unread: dict[int, str] = {}
        for number, (shown, text) in releases.items():
            gone = {column.column for each in shown.classes for column in each.columns} - types.keys()
            if gone:
                named = ", ".join(quoted(column) for column in sorted(gone))
                unread[number] = f"has columns that the dataset no longer has: {named}"
            if text is None or text in trees:
                continue
            today = carried_over(text, types)
            if today is None:
                unread[number] = "has a row filter that cannot be compared any more"
            else:
                trees[text] = row_condition(today, types)[1]
        return cls(trees, unread)


@dataclass(frozen=True, slots=True, eq=False)
class CountedReleases:
    """The rows by all that releases part them by; `figures` of each by number, None where today's data disagree."""

    together: CountedTogether
    figures: Mapping[int, tuple[KnownFigures, ...] | None]


def counted_releases(
    opened: OpenDataset,
    shown: Mapping[int, tuple[ShownRelease, Filter | None]],
    hierarchies: Mapping[str, Hierarchy],
    coarser: Iterable[PartedColumn] = (),
) -> CountedReleases:
    """Counts what releases show, each with its filter, by their numbers; and the levels of an offer.

    `hierarchies`: by the hash of their content. Raises HierarchyError, with counts only, where one of them lacks values
    of today; SourceFault.
    """
    classes = [each for release, _ in shown.values() for each in release.classes]
    values = (column.column for each in classes for column in each.columns if column.is_value)
    together = counted_together(
        opened.filtered(None),
        (*(column for each in classes for column in parted_columns(each, hierarchies)), *coarser),
        (tree for _, tree in shown.values()),
        tuple(dict.fromkeys(values)),
    )
    found = {
        number: [known_figures(each, number, together, hierarchies, tree) for each in release.classes]
        for number, (release, tree) in shown.items()
    }
    return CountedReleases(
        together,
        {
            number: tuple(figures for each in own for figures in each) if all(own) else None
            for number, own in found.items()
        },
    )


def hierarchies_of(
    ledger: Ledger, releases: Iterable[ShownRelease], own: Mapping[str, Hierarchy] | None = None
) -> Mapping[str, Hierarchy]:
    """The hierarchies of releases by the hash of their content: of the ledger, where they are not among `own`."""
    known = own or {}
    columns = (column for release in releases for each in release.classes for column in each.columns)
    hashes = {each.hierarchy for each in columns if not each.is_value}
    return {**ledger.hierarchies(hashes - set(known)), **known}
