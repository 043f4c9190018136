"""The documents of `ordermade source`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from ordermade.cli.documents.opening import FORMAT
from ordermade.cli.screen import plain

if TYPE_CHECKING:
    from ordermade.catalogue.sources import SourceDescription
    from ordermade.cli.documents.types.source import (
        RegisteredSource,
        Server,
        SourceAdded,
        SourceChecked,
        SourceList,
        SourceRemoved,
        SourceShown,
    )
    from ordermade.state.sources import Source


def added(source: Source) -> SourceAdded:
    """The document of `source add`."""
    return {"format": FORMAT, "command": "source add", "source": cast("RegisteredSource", plain(source))}


def listed(sources: Sequence[Source]) -> SourceList:
    """The document of `source list`."""
    return {
        "format": FORMAT,
        "command": "source list",
        "sources": [cast("RegisteredSource", plain(each)) for each in sources],
    }


def shown(found: SourceDescription) -> SourceShown:
    """The document of `source show`."""
    record = cast("SourceShown", plain(found))
    return cast("SourceShown", {"format": FORMAT, "command": "source show", **record})


def checked(found: SourceDescription) -> SourceChecked:
    """The document of `source check`."""
    document: SourceChecked = {
        "format": FORMAT,
        "command": "source check",
        "source": found.source.name,
        "readable": True,
        "tables": len(found.tables),
        "rows": sum(each.rows or 0 for each in found.tables),
    }
    server = getattr(found, "server", None)
    if server is None:
        return document
    return {
        **document,
        "rows": None,
        "server": cast("Server", plain(server)),
        "writing_possible": bool(server.writing_possible),
    }


def removed(source: Source) -> SourceRemoved:
    """The document of `source remove`."""
    return {"format": FORMAT, "command": "source remove", "source": cast("RegisteredSource", plain(source))}
