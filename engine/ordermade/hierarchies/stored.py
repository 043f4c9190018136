"""Hierarchies as flat rows, so that the state keeps them in real columns; the round trip is exact."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredLevel:
    """One level as a row; the columns that its kind does not use are None.

    `origin` and `width` (interval) are exact decimal texts, `part` (date) is `day`, `month`, `quarter`, `year` or
    `decade`, `keep` (prefix) is the number of characters kept, `mask` and `length` (prefix) how the rest is shown.
    Level 0 and the top have no rule of their own.
    """

    level: int
    name: str
    content_hash: str
    origin: str | None
    width: str | None
    part: str | None
    keep: int | None
    mask: str | None
    length: int | None


@dataclass(frozen=True, slots=True)
class StoredValue:
    """The label of one leaf at one level of an explicit hierarchy: a row for every leaf and level from 1 to the top.

    `leaf_no` counts the leaves from 0 in the order of their file; `leaf` is None for the path of NULL, which has
    labels like any other. Level 0 is not stored: its label is the leaf itself.
    """

    leaf_no: int
    leaf: str | None
    level: int
    label: str | None


@dataclass(frozen=True, slots=True)
class StoredHierarchy:
    """A hierarchy as rows: its kind (`explicit`, `interval`, `date`, `prefix`), levels in order, and listed values."""

    kind: str
    levels: tuple[StoredLevel, ...]
    values: tuple[StoredValue, ...]
