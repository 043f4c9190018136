"""URLs of servers: parsed, shown without what may be secret, their ${ENV} replaced so that any character fits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ordermade.errors import SourceFault

if TYPE_CHECKING:
    from sqlalchemy import URL


def parsed_url(location: str) -> URL:
    """The URL of a server. Raises SourceFault where it is none, or the package for servers is not installed."""
    try:
        import sqlalchemy
    except ImportError:
        raise missing("SQLAlchemy", location) from None
    try:
        return sqlalchemy.make_url(location)
    except (sqlalchemy.exc.ArgumentError, ValueError):
        raise SourceFault(
            "this is not the URL of a database",
            where=location.split("://", 1)[0] + "://…",
            next_step="Write postgresql://user@host:port/database, or mysql://….",
        ) from None


EXTRAS: Mapping[str, str] = {
    "postgresql": "postgres",
    "mysql": "mysql",
    "mariadb": "mysql",
    "spark": "spark",
    "sc": "spark",
}
"""The extra of the package that installs the driver of a kind of URL."""


def missing(package: str, location: str) -> SourceFault:
    """The error where a driver is not installed."""
    scheme = re.split(r"[+:]", location, maxsplit=1)[0]
    return SourceFault(
        f"{package} is not installed",
        where=f"{scheme}://…",
        next_step=f"Install it: pip install 'ordermade[{EXTRAS.get(scheme, 'postgres')}]'.",
    )


def shown(url: URL) -> str:
    """The URL as messages have it: without the password, and without the options, which may hold one too."""
    return url.set(query={}).render_as_string(hide_password=True)


LOCAL = re.compile(r"local\[(\d+|\*)\](\?|$)")
"""The beginning of a location that is Spark in the engine's own process tree."""
