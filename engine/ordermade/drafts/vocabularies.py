"""Known vocabularies of texts: the groups that a value is in, such as the region of a country."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ordermade.drafts.labels import Paths
from ordermade.drafts.profile import ColumnProfile


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the values of a column are: `reason` says it in a few words, `paths` gives the groups of each known value.

    `keep` and `length`: the groups are those of the first characters, as a prefix hierarchy makes them. `instead`: the
    next step where the values are too many to list.
    """

    reason: str
    paths: Paths
    keep: Sequence[int] = ()
    length: int | None = None
    instead: str = ""


def vocabulary_of(profile: ColumnProfile) -> Vocabulary | None:
    """The vocabulary that the values of a column are of; None where they are of none."""
    return None


def prefixes_of(profile: ColumnProfile) -> Vocabulary | None:
    """The first characters of codes that are all of one length; None for other texts."""
    return None


_LEADING = re.compile(r"\D{0,3}?([0-9]{1,9})(?![0-9])")


def numbered_texts(counts: Mapping[str, int]) -> Sequence[str] | None:
    """The values in the order of the numbers that they begin with (`20-29`, `30-39`); None where one has none."""
    found = {value: _LEADING.match(value) for value in counts}
    if len(counts) < 3 or not all(found.values()):
        return None
    numbers = {value: int(each[1]) for value, each in found.items() if each}
    if len(set(numbers.values())) < len(numbers):
        return None
    return sorted(counts, key=lambda value: numbers[value])
