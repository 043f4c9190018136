"""The documents of `ordermade source`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from ordermade.records.printed import printed

if TYPE_CHECKING:
    from ordermade.catalogue.server_rights import RoleRights
    from ordermade.catalogue.sources import SourceDescription
    from ordermade.sources.server_facts import ServerFacts
    from ordermade.state.sources import Source


@dataclass(frozen=True, slots=True)
class SourceAdded:
    """A source was registered."""

    source: Source
    """The source."""


@dataclass(frozen=True, slots=True)
class SourceList:
    """The registered sources."""

    sources: Sequence[Source]
    """The sources, by name."""


@dataclass(frozen=True, slots=True)
class SourceChecked:
    """A source that can be read."""

    source: str
    """Its name."""
    readable: Literal[True]
    """True: one that cannot be read is an error."""
    tables: int
    """The number of its tables."""
    rows: int | None
    """The rows of all tables together; null of a server, whose tables are not read."""
    server: ServerFacts | None = field(default=None, metadata=printed(optional=True))
    """Of a server: its version and the rights of the role."""
    writing_possible: bool | None = field(default=None, metadata=printed(optional=True))
    """Of a server: whether releases could be written into it."""
    rights: RoleRights | None = field(default=None, metadata=printed(optional=True))
    """Of a server: the rights that its datasets need, and those of the role beyond."""

    @classmethod
    def of(cls, found: SourceDescription) -> SourceChecked:
        """The source in numbers."""
        name, tables = found.source.name, len(found.tables)
        server: ServerFacts | None = getattr(found, "server", None)
        if server is None:
            return cls(name, True, tables, sum(each.rows or 0 for each in found.tables))
        rights = getattr(found, "rights", None)
        return cls(name, True, tables, None, server, bool(server.writing_possible), rights)


@dataclass(frozen=True, slots=True)
class SourceRemoved:
    """A source was taken out of use."""

    source: Source
    """The source."""
