"""The location of a Spark source, taken apart: a master, and options.

A location is `local[N]`, `spark://host:port` or `sc://host:port` (Spark Connect), then options: `?path=` a Parquet file
or folder (again for each), `catalog=`, `schema=`, and Spark's own settings by their names.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote

from ordermade.errors import InputError, quoted
from ordermade.sources.server_url import LOCAL

CONNECT = "sc://"
PATHS = "parquet"
"""The schema of tables that are paths of the location."""
_OWN = ("path", "catalog", "schema")
_SECRET = re.compile(r"secret|password|token|access\.?key|credential", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Place:
    """A location, taken apart. `shown`: as messages have it, without options. `settings`: Spark's own, by name."""

    master: str
    shown: str
    paths: tuple[str, ...]
    catalog: str
    schema: str
    settings: Mapping[str, str]

    @property
    def is_connect(self) -> bool:
        """Whether a Spark Connect server is spoken to."""
        return self.master.startswith(CONNECT)

    @property
    def threads(self) -> int | None:
        """The threads of a local Spark; None where the cluster has its own."""
        found = LOCAL.match(self.master)
        if found is None:
            return None
        return (os.cpu_count() or 1) if found.group(1) == "*" else max(1, int(found.group(1)))


def parsed(location: str) -> Place:
    """A location taken apart. Raises InputError for an option that is none."""
    master, _, options = location.partition("?")
    paths: list[str] = []
    own = dict.fromkeys(_OWN, "")
    settings: dict[str, str] = {}
    shown = master.partition(";")[0]
    for each in filter(None, options.split("&")):
        name, _, value = (unquote(part) for part in each.partition("="))
        if name == "path":
            paths.append(_absolute(value, shown))
        elif name in own:
            own[name] = value
        elif name.startswith("spark.") and not _SECRET.search(name):
            settings[name] = value
        else:
            reason = "holds a secret, which others would read" if name.startswith("spark.") else "is not known"
            raise InputError(
                f"the option {quoted(name)} {reason}",
                where=shown,
                next_step="Options are path, catalog, schema and settings of Spark (spark.…); secrets belong into its "
                "own configuration (spark-defaults.conf).",
            )
    return Place(master, shown, tuple(paths), own["catalog"], own["schema"], settings)


def _absolute(path: str, shown: str) -> str:
    if path.startswith("/") or "://" in path:
        return path
    raise InputError(
        f"the path {quoted(path)} is not absolute", where=shown, next_step="Write ?path=/…, or a URL that Spark reads."
    )
