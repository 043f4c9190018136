"""The kinds of source: how a location shows each, and what is known of one before it is opened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from ordermade.files.workbook_endings import ENDINGS

if TYPE_CHECKING:
    from ordermade.drafts.text_column import Dialect


@dataclass(frozen=True, slots=True)
class SourceKind:
    """A kind of source, as the state has it, by its `name`.

    `endings` of paths and `schemes` of URLs that are of it; `called`: its files, in a message. `one_table`: files of
    it, those of a glob or a folder, are read as one table. `parser`: the module of `sources/` that reads such files
    once, into Parquet; None of Parquet files, which are read where they are. `driver`: the package that speaks to a
    server of it.
    `dialect`: that of dataset queries on it. `takes_releases`: releases and views may be written into it.
    `reaches_out`: its views and foreign tables may read beyond it. `has_encoding`: its files are text, in an encoding
    that is found or named. `may_lack_names`: its first line may be data. `holds_sheets`: its tables are sheets, any of
    which may be no table. `gives_frames`: its tables are frames of a program. `has_catalogue`: opening it shows tables
    and columns at once, and reads no row.
    """

    name: str
    endings: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()
    called: str = ""
    one_table: bool = False
    parser: str | None = None
    driver: str | None = None
    dialect: Dialect = "duckdb"
    takes_releases: bool = False
    reaches_out: bool = False
    has_encoding: bool = False
    may_lack_names: bool = False
    holds_sheets: bool = False
    gives_frames: bool = False
    has_catalogue: bool = False

    @property
    def is_server(self) -> bool:
        """Whether it is a server, at a URL, where releases are written on a connection of their own."""
        return self.driver is not None


FRAMES = "frames"
"""The kind of a source that is frames of a program, which travel with the limits."""
_EVERY = (
    SourceKind(
        "duckdb",
        endings=(".duckdb", ".ddb", ".db"),
        called="DuckDB",
        takes_releases=True,
        reaches_out=True,
        has_catalogue=True,
    ),
    SourceKind("sqlite", endings=(".sqlite", ".sqlite3"), called="SQLite", dialect="sqlite", has_catalogue=True),
    SourceKind("parquet", endings=(".parquet", ".pq"), called="Parquet", one_table=True, has_catalogue=True),
    SourceKind(
        "csv",
        endings=(".csv", ".tsv", ".txt", ".csv.gz"),
        called="CSV",
        one_table=True,
        parser="csv_format",
        has_encoding=True,
        may_lack_names=True,
    ),
    SourceKind("workbook", endings=ENDINGS, called="Excel", may_lack_names=True, holds_sheets=True),
    SourceKind(
        "postgresql",
        schemes=("postgresql", "postgres", "postgresql+psycopg"),
        driver="psycopg",
        dialect="postgres",
        takes_releases=True,
        reaches_out=True,
        has_catalogue=True,
    ),
    SourceKind(
        "mysql",
        schemes=("mysql", "mariadb", "mysql+pymysql", "mariadb+pymysql"),
        driver="PyMySQL",
        dialect="mysql",
        takes_releases=True,
        reaches_out=True,
        has_catalogue=True,
    ),
    SourceKind("spark", schemes=("spark", "sc"), driver="PySpark", takes_releases=True),
    SourceKind(FRAMES, gives_frames=True),
)
KINDS: Mapping[str, SourceKind] = MappingProxyType({each.name: each for each in _EVERY})
BY_ENDING: Mapping[str, SourceKind] = MappingProxyType({ending: each for each in _EVERY for ending in each.endings})
TABLE_ENDINGS = tuple(ending for each in _EVERY if each.one_table for ending in each.endings)
"""The endings of files of which those of a folder are one table."""
BY_SCHEME: Mapping[str, SourceKind] = MappingProxyType({scheme: each for each in _EVERY for scheme in each.schemes})


def _any_of(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


FILES = _any_of([each.called for each in _EVERY if each.endings])
"""The kinds of files that are read, in a message."""
TABLE_FILES = _any_of([each.called for each in _EVERY if each.one_table])
"""Those of which several are one table."""


def kind_of(name: str) -> SourceKind:
    """The kind of that name. Raises ValueError for another."""
    if name not in KINDS:
        raise ValueError(f"{name} is no kind of source")
    return KINDS[name]
