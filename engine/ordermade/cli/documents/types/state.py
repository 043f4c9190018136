"""The types of the documents of `ordermade init` and `ordermade state`."""

from __future__ import annotations

from typing import Literal

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening


class Init(Opening):
    """The state was made, or was there."""

    command: Literal["init"]
    """`init`."""
    path: str
    """The file of the state."""
    created: bool
    """Whether it was made now."""


class Status(Opening):
    """The state, its migrations and the rows of its tables."""

    command: Literal["state status"]
    """`state status`."""
    path: str
    """The file of the state."""
    version: int
    """The number of migrations that it has."""
    pending: list[str]
    """The migrations that `state migrate` would apply."""
    bytes: int
    """The size of the file."""
    rows: dict[str, int]
    """The number of rows of each table."""


class Migrated(Opening):
    """The migrations of an older state."""

    command: Literal["state migrate"]
    """`state migrate`."""
    path: str
    """The file of the state."""
    applied: list[str]
    """The migrations that were applied; none where it was up to date."""


class Converted(Opening):
    """A state made of one that an earlier engine kept in a DuckDB file."""

    command: Literal["state convert"]
    """`state convert`."""
    path: str
    """The file of the state."""
    kept: str
    """The file of the earlier state, which stays."""
    rows: int
    """The number of rows taken over."""


class BackedUp(Opening):
    """A copy of the state."""

    command: Literal["state backup"]
    """`state backup`."""
    path: str
    """The file of the state."""
    copy: str
    """The file of the copy."""


class Restored(Opening):
    """A backup that was put in the place of a state."""

    command: Literal["state restore"]
    """`state restore`."""
    path: str
    """The file of the state."""
    backup: str
    """The backup."""
    kept: str | None
    """The file that the state of before is kept in; null where there was none."""
    carried: list[str]
    """What was made since the backup and holds on, in words: releases, refusals, opt-outs, revoked tokens."""
    undone: list[str]
    """What was made since the backup and is undone, in words: registrations, approvals, measured nodes."""
    locked: str | None
    """Why every token was revoked and every open request is in review; null where the state of before was compared."""


class StateFinding(TypedDict):
    """A fault of a state."""

    where: str
    """The table, or another part."""
    what: str
    """The fault."""


class Verified(Opening):
    """The faults of a state."""

    command: Literal["state verify"]
    """`state verify`."""
    path: str
    """The file of the state."""
    sound: bool
    """Whether it has none."""
    findings: list[StateFinding]
    """The faults."""
