"""The kinds of source: how a location shows each, and what is known of one before it is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ordermade.drafts.text_parsers import Dialect


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source, as the state has it, by its `name`.

    `endings` of paths and `schemes` of URLs that are of it. `driver`: the package that speaks to a server of it.
    `dialect`: that of dataset queries on it. `takes_releases`: releases and views may be written into it.
    `reaches_out`: its views and foreign tables may read beyond it. `has_encoding`: its files are text, in an encoding
    that is found or named. `may_lack_names`: its first line may be data. `holds_sheets`: its tables are sheets, any of
    which may be no table. `gives_frames`: its tables are frames of a program.
    """

    name: str
    endings: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    driver: str | None = None
    dialect: Dialect = "duckdb"
    takes_releases: bool = False
    reaches_out: bool = False
    has_encoding: bool = False
    may_lack_names: bool = False
    holds_sheets: bool = False
    gives_frames: bool = False

    @property
    def is_server(self) -> bool:
        """Whether it is a server, at a URL, where releases are written on a connection of their own."""
        return self.driver is not None


FRAMES = "frames"
"""The kind of a source that is frames of a program, which travel with the limits."""
_EVERY = (
    SourceKind("duckdb", endings=(".duckdb", ".ddb", ".db"), takes_releases=True, reaches_out=True),
    SourceKind("sqlite", endings=(".sqlite", ".sqlite3"), dialect="sqlite"),
    SourceKind("parquet", endings=(".parquet", ".pq")),
    SourceKind("csv", endings=(".csv", ".tsv", ".txt"), has_encoding=True, may_lack_names=True),
    SourceKind("workbook", endings=(".xlsx", ".xlsm", ".ods"), may_lack_names=True, holds_sheets=True),
    SourceKind(
        "postgresql",
        schemes=("postgresql", "postgres", "postgresql+psycopg"),
        driver="psycopg",
        dialect="postgres",
        takes_releases=True,
        reaches_out=True,
    ),
    SourceKind(
        "mysql",
        schemes=("mysql", "mariadb", "mysql+pymysql", "mariadb+pymysql"),
        driver="PyMySQL",
        dialect="mysql",
        takes_releases=True,
        reaches_out=True,
    ),
    SourceKind("spark", schemes=("spark", "sc"), driver="PySpark", takes_releases=True),
    SourceKind(FRAMES, gives_frames=True),
)
KINDS: Mapping[str, SourceKind] = MappingProxyType({each.name: each for each in _EVERY})
BY_ENDING: Mapping[str, SourceKind] = MappingProxyType({ending: each for each in _EVERY for ending in each.endings})
BY_SCHEME: Mapping[str, SourceKind] = MappingProxyType({scheme: each for each in _EVERY for scheme in each.schemes})


def kind_of(name: str) -> SourceKind:
    """The kind of that name. Raises ValueError for another."""
    if name not in KINDS:
        raise ValueError(f"{name} is no kind of source")
    return KINDS[name]
