"""Sources in the state. No password is ever stored: a URL names it as ${ENV}."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from ordermade.errors import InputError, quoted
from ordermade.records.cards import HasSummary
from ordermade.state.hierarchies import taken_from
from ordermade.state.statements import Row, checked_name, find, require_free, rows, utc_now
from ordermade.state.table import NOT_STORED, Table

if TYPE_CHECKING:
    from ordermade.state.connection import StateConnection

_REFERENCE = re.compile(r"\$\{[A-Za-z_][A-Za-z0-9_]*\}")
_SECRET = (
    r"(?:(?:ssl)?password|passwd|pwd|secret|token|api_?key|(?!ssl_key\b)[a-z0-9_]*(?:_secret|_token|_password|_key))"
)
"""Not the path of a key of TLS."""
_IN_URL = re.compile(rf"[?&;]\s*{_SECRET}\s*=\s*([^&;\s]*)", re.IGNORECASE)
_IN_WORDS = re.compile(rf"(?:^|\s){_SECRET}\s*=\s*('[^']*'|\S*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, repr=False)
class Source(HasSummary):
    """A registered source."""

    id: int
    """Its number."""
    name: str
    """Its name."""
    kind: str
    """`duckdb`, `sqlite`, `csv`, `parquet`, `workbook`, `postgresql` or `mysql`."""
    location: str
    """Its path or URL; `${NAME}` stands as it was written."""
    writable: bool
    """Whether releases may be written into it."""
    encoding: str | None
    """The encoding of CSV files, as it was given."""
    added_at: datetime
    """The time it was registered."""
    removed_at: datetime | None
    """The time it was taken out of use."""
    header: bool = False
    """Whether the first line of CSV files holds names, whatever it looks like."""
    allow_inline: bool = False
    """Whether requests may describe datasets of it inline."""
    allow_external: bool = False
    """Whether its views and foreign tables may read beyond it."""
    skipped_lines: tuple[int, ...] = ()
    """The lines of CSV files, and rows of sheets, from 1, that are no part of its tables."""
    read_in: tuple[str, ...] = field(default=(), compare=False, metadata=NOT_STORED)
    """The encodings that its files were read in; none where it was not opened."""
    unnamed: tuple[str, ...] = field(default=(), compare=False, metadata=NOT_STORED)
    """The columns of its files that have no name and are left out, by their places."""
    names_shown: bool | None = field(default=None, compare=False, metadata=NOT_STORED)
    """Whether the lines below the first show that it holds names; null where it was not opened, or has no such line."""


SOURCES = Table("sources", Source)


def add(
    connection: StateConnection,
    name: str,
    kind: str,
    location: str,
    *,
    writable: bool = False,
    encoding: str | None = None,
    header: bool = False,
    allow_inline: bool = False,
    allow_external: bool = False,
    skipped_lines: tuple[int, ...] = (),
) -> Source:
    """Register a source. Raises InputError for a taken or unusable name, or a password in `location`."""
    checked_name("source", name)
    refuse_password(location)
    require_free("source", name, listed(connection))
    added = SOURCES.insert(
        connection,
        name=name,
        kind=kind,
        location=location,
        writable=writable,
        encoding=encoding,
        header=header,
        allow_inline=allow_inline,
        allow_external=allow_external,
        skipped_lines=skipped_lines,
        added_at=utc_now(),
    )
    return _as_said(added)


def listed(connection: StateConnection) -> tuple[Source, ...]:
    """The registered sources, by name."""
    return tuple(map(_as_said, SOURCES.select(connection, removed_at=None, order_by=("name",))))


def get(connection: StateConnection, name: str) -> Source:
    """The registered source of that name. Raises UnknownName."""
    return find("source", name, listed(connection))


def by_id(connection: StateConnection, number: int) -> Source:
    """The source of that number, removed or not. Raises KeyError."""
    found = SOURCES.find(connection, id=number)
    if found is None:
        raise KeyError(number)
    return _as_said(found)


def of_row(row: Row) -> Source:
    """The source of a row of its table."""
    return _as_said(Source(*row))


def _as_said(source: Source) -> Source:
    """A source of which a state of an earlier version does not say it all: no right, and no line that is left out."""
    return replace(source, allow_external=bool(source.allow_external), skipped_lines=tuple(source.skipped_lines or ()))


def remove(connection: StateConnection, name: str) -> Source:
    """Take a source out of use; history keeps it.

    Raises UnknownName, InputError while datasets use it, or hierarchies that come from a code list in it.
    """
    source = get(connection, name)
    datasets = [str(row[1]) for row in rows(connection, "state/datasets", name=None) if row[2] == source.id]
    _require_unused(name, "dataset", datasets, "Run `ordermade dataset remove` on them first.")
    step = "Run `ordermade hierarchy remove` on them first, or add them anew from another source or a file."
    _require_unused(name, "hierarchy", taken_from(connection, name), step)
    (removed,) = SOURCES.update(connection, {"id": source.id}, removed_at=utc_now())
    return _as_said(removed)


def _require_unused(name: str, kind: str, using: Sequence[str], next_step: str) -> None:
    """Raises InputError where any use the source of that name."""
    if using:
        several = "hierarchies" if kind == "hierarchy" else f"{kind}s"
        called = f"the {kind}" if len(using) == 1 else f"{len(using)} {several}:"
        raise InputError(
            f"the source {quoted(name)} is used by {called} {', '.join(map(quoted, using[:8]))}", next_step=next_step
        )


def refuse_password(location: str) -> None:
    """Raise InputError if a location spells a password out instead of naming a variable as ${ENV}."""
    secrets = [_password_of_url(location)]
    if "://" in location:
        secrets += _IN_URL.findall(location)
    elif re.search(r"(?:^|\s)(?:host|user|dbname)\s*=", location, re.IGNORECASE):
        secrets += [secret.strip("'") for secret in _IN_WORDS.findall(location)]
    if any(secret and not _REFERENCE.fullmatch(secret) for secret in secrets):
        raise InputError(
            "the location of a source must not hold a password, and the state never stores one",
            where="source",
            next_step="Write ${SOME_VARIABLE} in its place (quoted for the shell) and set that variable.",
        )


def _password_of_url(location: str) -> str:
    """Return the text between `user:` and the last `@` of a URL; empty if there is nothing."""
    _, found, rest = location.partition("://")
    if not found or "@" not in rest:
        return ""
    user, _, _ = rest.rpartition("@")
    return user.partition(":")[2]
