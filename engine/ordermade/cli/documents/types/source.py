"""The types of the documents of `ordermade source`."""

from __future__ import annotations

from datetime import datetime
from typing import Literal, NotRequired

from typing_extensions import TypedDict

from ordermade.cli.documents.types.opening import Opening, TypedColumn


class RegisteredSource(TypedDict):
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
    header: bool
    """Whether the first line of CSV files holds names, whatever it looks like."""
    allow_inline: bool
    """Whether requests may describe datasets of it inline."""
    allow_external: bool
    """Whether its views and foreign tables may read beyond it."""
    read_in: list[str]
    """The encodings that its files were read in; none where it was not opened."""
    names_shown: bool | None
    """Whether the lines below the first show that it holds names; null where it was not opened, or has no such line."""


class SourceAdded(Opening):
    """A source was registered."""

    command: Literal["source add"]
    """`source add`."""
    source: RegisteredSource
    """The source."""


class SourceList(Opening):
    """The registered sources."""

    command: Literal["source list"]
    """`source list`."""
    sources: list[RegisteredSource]
    """The sources, by name."""


class ShownTable(TypedDict):
    """A table of a source."""

    name: str
    """Its name."""
    schema: str
    """Its schema."""
    columns: list[TypedColumn]
    """Its columns."""
    rows: int | None
    """The number of its rows; null where they were not counted."""
    about: NotRequired[int | None]
    """A server's estimate of its rows."""
    reason: NotRequired[str]
    """The reason why a sheet is no table."""


class TableRights(TypedDict):
    """A table of a server, and the rights of the role."""

    schema: str
    """Its schema."""
    name: str
    """Its name."""
    columns: int
    """The number of its columns."""
    readable: int
    """The columns that the role may read."""
    writable: bool
    """Whether the role may write it."""
    about: int | None
    """The server's estimate of its rows."""
    row_security: bool
    """Whether the role sees some of its rows alone."""
    snapshot: bool
    """Whether its rows stay as they are while they are read."""


class Server(TypedDict):
    """A server as the role finds it."""

    server: str
    """The product and its version."""
    user: str
    """The role."""
    time_zone: str
    """The time zone of the session."""
    encoding: str
    """The encoding of the database."""
    collation: str
    """The collation of the database."""
    tls: str | None
    """The version or cipher of TLS; null where the connection is not encrypted."""
    standby: bool
    """Whether it is a replica that takes no writes."""
    read_only: bool
    """Whether writes are off for the role or the server."""
    may_write: bool
    """Whether the role has rights to write at all."""
    tables: list[TableRights]
    """The tables, with the rights of the role."""


class SourceShown(Opening):
    """A source and its tables."""

    command: Literal["source show"]
    """`source show`."""
    source: RegisteredSource
    """The source."""
    tables: list[ShownTable]
    """Its tables."""
    schema: NotRequired[str]
    """Of a server: the schema that tables are looked for in first."""
    server: NotRequired[Server]
    """Of a server: its version and the rights of the role."""


class SourceChecked(Opening):
    """A source that can be read."""

    command: Literal["source check"]
    """`source check`."""
    source: str
    """Its name."""
    readable: Literal[True]
    """True: one that cannot be read is an error."""
    tables: int
    """The number of its tables."""
    rows: int | None
    """The rows of all tables together; null of a server, whose tables are not read."""
    server: NotRequired[Server]
    """Of a server: its version and the rights of the role."""
    writing_possible: NotRequired[bool]
    """Of a server: whether releases could be written into it."""


class SourceRemoved(Opening):
    """A source was taken out of use."""

    command: Literal["source remove"]
    """`source remove`."""
    source: RegisteredSource
    """The source."""
