"""A release as the ledger remembers it: who received it, and the classes that it shows with their sizes. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

import numpy as np

from ordermade.ledger.pools import ANYONE
from ordermade.tables.cells import Marks, Whole

EntryStatus = Literal["intended", "released", "absent", "destroyed"]
"""`intended`: it may have got its name; `absent`: it never did; `destroyed`: its recipients destroyed it."""

COUNTING: tuple[EntryStatus, ...] = ("intended", "released")
"""The entries that later releases are judged beside."""


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """A column at one level of a hierarchy, which is known by the hash of its content; its values where that is empty.

    `missing_as_star`: missing values are at `*` at every level.
    """

    column: str
    hierarchy: str
    level: int
    missing_as_star: bool = False

    @property
    def is_value(self) -> bool:
        """Whether the release has the values of the column as they are."""
        return not self.hierarchy

    @property
    def key(self) -> tuple[str, str, bool]:
        """The column with its hierarchy: levels mean the same wherever this is the same."""
        return self.column, self.hierarchy, self.missing_as_star


@dataclass(frozen=True, slots=True, eq=False)
class ShownClasses:
    """The classes of one partition of the persons whom the release's filter leaves, and the sizes that it shows.

    `codes` has a row for each listed class and a column for each of `columns` (those at `*` left out): the place of its
    label in `labels`. A class has `least` to `most` persons, a class that is not listed at most `others_most`; all of
    those together `rest`, where the release says it. `hidden` marks listed classes whose size it hides, and must go on
    to hide.
    """

    columns: tuple[ShownColumn, ...]
    labels: tuple[tuple[str | None, ...], ...]
    codes: Whole
    least: Whole
    most: Whole
    hidden: Marks
    others_most: int = 0
    rest: tuple[int, int] | None = None

    @classmethod
    def of(
        cls,
        columns: Sequence[ShownColumn],
        classes: Sequence[Sequence[str | None]],
        sizes: Sequence[int],
        others_most: int = 0,
        rest: tuple[int, int] | None = None,
    ) -> ShownClasses:
        """The classes of these labels, a row each, whose sizes the release shows."""
        labels = [tuple(dict.fromkeys(each[place] for each in classes)) for place in range(len(columns))]
        numbers = [{label: number for number, label in enumerate(each)} for each in labels]
        codes = [[number[label] for number, label in zip(numbers, each, strict=True)] for each in classes]
        n = np.array(sizes, dtype=np.int64)
        return cls(
            tuple(columns),
            tuple(labels),
            np.array(codes, dtype=np.int64).reshape(len(classes), len(columns)),
            n,
            n.copy(),
            np.zeros(len(n), dtype=np.bool_),
            others_most,
            rest,
        )


def known_of_suppressed(rows: int, k: int, *, stay: bool = False) -> tuple[int, tuple[int, int] | None]:
    """The most that a class may have that a release does not list, and what all of those have together.

    `rows` are suppressed, of classes below k; a release says how many where they are k or more, or `stay` as `*`.
    """
    if not rows:
        return 0, None
    return k - 1, (rows, rows) if stay or rows >= k else (0, k - 1)


@dataclass(frozen=True, slots=True)
class ShownRelease:
    """What a release shows of its dataset, as the ledger takes it up.

    `unjudged`: why its classes are of no levels, as the end of a sentence that the release begins; empty where they
    are. `values`: the columns that it releases as they are. `levels`: in words, the level of each column.
    `required`: sensitive columns, and how many values every class has by the models of the release. `follows`: whether
    its readers can tell that somebody is in a suppressed class, and fewer than k.
    """

    classes: tuple[ShownClasses, ...] = ()
    unjudged: str = ""
    values: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    required: tuple[tuple[str, int], ...] = ()
    follows: bool = False

    @property
    def misses_values(self) -> bool:
        """Whether the release has values that its classes do not show by."""
        shown = {column.column for each in self.classes for column in each.columns if column.is_value}
        return bool(set(self.values) - shown)


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A release of a dataset in the ledger.

    `dataset`: the identity of the dataset of everybody, called `dataset_name`. `release`: its number in the state,
    None of one made elsewhere. `opted_out`: the persons who had opted out when it was made. `rows_hash`: the hash of
    the rows that the filter left. `run`: the random name of the run that made it, by which it is found again whatever
    the state says: numbers of requests come again where an older state was restored.
    """

    id: int
    key: str
    dataset: str
    dataset_name: str
    status: EntryStatus
    recipients: tuple[str, ...]
    made_at: datetime
    method: str
    k: int
    filter: str | None
    rows_hash: str
    opted_out: int
    shown: ShownRelease = ShownRelease()
    request: int | None = None
    release: int | None = None
    run: str | None = None

    @property
    def counts(self) -> bool:
        """Whether later releases are judged beside it."""
        return self.status in COUNTING


def in_pool(entries: Iterable[LedgerEntry], pool: frozenset[str] | None) -> tuple[LedgerEntry, ...]:
    """The entries that count and that somebody of a pool has, or anyone."""
    return tuple(
        each
        for each in entries
        if each.counts and (pool is None or ANYONE in each.recipients or pool & set(each.recipients))
    )
