"""The model of every request file, whatever its method, and the terms that a dataset sets for it.

Models are frozen, one field a key, paths made absolute. Terms: the least k of requests on a dataset, and the columns
that they may filter it by.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)

from ordermade.phrases import phrase
from ordermade.requests.problems import mistake

Name = Annotated[StrictStr, Field(min_length=1)]
"""A name: a text that is not empty."""


def _level_reference(value: Any) -> Any:
    """A level number or name, refused here so that a wrong one gives one message and not one a kind."""
    if type(value) in (int, str) and value != "":
        return value
    raise mistake("level_type", phrase("a level is a number such as 1 or a name such as 'decade'"))


LevelReference = Annotated[StrictInt | StrictStr, BeforeValidator(_level_reference)]
"""A level of a hierarchy, by number or name."""


class Part(BaseModel):
    """A part of the request file: frozen, and without a key that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


def defaults_where_bare(given: Any) -> Any:
    """The mapping to validate: a column with nothing after it (`income:`) has the defaults."""
    return {} if given is None else given


_URL = re.compile(r"file:|[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_MISLEADING_CATEGORIES = ("Cc", "Zl", "Zp", "Cs")
_BIDIRECTIONAL = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_INVISIBLE = frozenset("\u115f\u1160\u200b\u2060\u2800\u3164\ufeff\uffa0")


def absolute_path(text: str) -> Path:
    """The path that a text names, absolute and with `~` expanded: what every part of the engine uses.

    Raises RuntimeError for the home of somebody who is not known.
    """
    return Path(text).expanduser().absolute()


def checked_path(text: str) -> str:
    """The text of a path that a file may be written to.

    Raises PydanticCustomError for a URL, for the home of somebody unknown, and for characters that break the line or
    turn the direction of reading, each by its name.
    """
    found = misleading(text)
    if found is not None:
        raise mistake(
            "path",
            phrase(
                "a path cannot hold the character %(code)s (%(name)s), here at place %(place)s",
                code=found.code,
                name=found.name,
                place=found.place,
            ),
            phrase("take it out"),
        )
    if _URL.match(text):
        raise mistake(
            "path",
            phrase("a file is written to a path, not to a URL"),
            phrase("write a path such as out/release.parquet"),
        )
    try:
        absolute_path(text)
    except RuntimeError:
        raise mistake(
            "path", phrase("the home folder that the path begins with is not known"), phrase("write the path in full")
        ) from None
    return text


@dataclass(frozen=True, slots=True)
class Misleading:
    """A character at a `place` of a text, from 1 on, by which it does not read as it is: `U+202E`, its name."""

    place: int
    code: str
    name: str


def misleading(text: str, but: str = "") -> Misleading | None:
    """The first character that breaks the line, turns the direction of reading or is not seen; None without one.

    `but`: characters that are none.
    """
    for place, character in enumerate(text, start=1):
        if character not in but and (
            unicodedata.category(character) in _MISLEADING_CATEGORIES
            or character in _BIDIRECTIONAL
            or character in _INVISIBLE
        ):
            name = unicodedata.name(character, "").lower() or phrase("a control character")
            return Misleading(place, f"U+{ord(character):04X}", name)
    return None


SMALLEST_K = 2
LARGEST_K = 10**12
RELEASE_ENDINGS = (".parquet", ".csv", ".csv.gz", ".xlsx")
RELEASE_FILE = phrase("%(listed)s or %(last)s file", listed=", ".join(RELEASE_ENDINGS[:-1]), last=RELEASE_ENDINGS[-1])
"""The kinds of files that a release is written to, in a message."""
OWNER_ALONE = "0600"
"""The mode of a release that names none."""

Shape = Literal["rows", "table"]
MissingValues = Literal["category", "suppressed"]
"""What becomes of missing values of a quasi-identifier: a value of their own, or `*` at every level."""
COUNT = "count"
"""The head of the counts of a statistical table where a request names none."""
PseudonymKind = Literal["numbers", "letters"]


def shape_of(alternative: Any) -> str:
    """The tag of a field that is either a text or a mapping."""
    return "mapping" if isinstance(alternative, (Mapping, BaseModel)) else "text"


def _no_k_of_one(k: int) -> int:
    if k == 1:
        raise mistake(
            "k_of_one", phrase("k of 1 protects nobody"), phrase("write a whole number of at least 2, such as 50")
        )
    if k < SMALLEST_K:
        raise mistake(
            "k_too_small", phrase("k must be at least 2"), phrase("write a whole number of at least 2, such as 50")
        )
    if k > LARGEST_K:
        raise mistake(
            "k_too_large", phrase("k is larger than any table, at most 1,000,000,000,000"), phrase("write a smaller k")
        )
    return k


def _writable_path(path: str) -> str:
    checked_path(path)
    name = path.rstrip().replace("\\", "/").rsplit("/", maxsplit=1)[-1].lower()
    if name.endswith((".ods", ".xls", ".xlsm", ".xlsb")):
        raise mistake(
            "path",
            phrase("of workbooks only .xlsx is written, which LibreOffice opens, too"),
            phrase("write a path such as out/members.xlsx"),
        )
    if not any(name.endswith(ending) and name != ending for ending in RELEASE_ENDINGS):
        raise mistake(
            "path",
            phrase("a release is written to a %(releasefile)s", releasefile=RELEASE_FILE),
            phrase("write a path such as out/release.parquet, or {table: name} for a table of the source"),
        )
    return path


def _of_parquet(path: str) -> str:
    if not path.rstrip().lower().endswith(".parquet"):
        raise mistake("path", phrase("Spark writes Parquet"), phrase("write a path such as /data/released.parquet"))
    return path


def _mode_of_a_file(mode: str) -> str:
    if int(mode, 8) & 0o600 != 0o600:
        raise mistake(
            "mode", phrase("the owner of a release reads and writes it"), phrase('write a mode such as "0644"')
        )
    return mode


K = Annotated[
    StrictInt,
    AfterValidator(_no_k_of_one),
    Field(json_schema_extra={"minimum": SMALLEST_K, "maximum": LARGEST_K}),
]
ReleasePath = Annotated[
    StrictStr,
    AfterValidator(_writable_path),
    Field(
        json_schema_extra={
            "pattern": r".\.([pP][aA][rR][qQ][uU][eE][tT]|[cC][sS][vV](\.[gG][zZ])?|[xX][lL][sS][xX])\s*$"
        }
    ),
]


class InlineDataset(Part):
    """A dataset that a provider describes in the request: a table or one SELECT of a registered source."""

    source: Name = Field(description="Name of the registered source.", examples=["shop"])
    table: Name | None = Field(
        default=None, description="A table of the source; this or `query`, not both.", examples=["members"]
    )
    query: Name | None = Field(
        default=None,
        description="One SELECT over the tables of the source; this or `table`, not both.",
        examples=["SELECT * FROM members WHERE active"],
    )
    entity: Name | None = Field(
        default=None,
        description="The column that identifies a person, if a person may have several rows: k then counts persons.",
        examples=["member_id"],
    )

    @model_validator(mode="after")
    def _table_or_query(self) -> InlineDataset:
        if (self.table is None) == (self.query is None):
            raise mistake(
                "table_or_query",
                phrase("an inline dataset is one table or one query"),
                phrase("write {source: NAME, table: TABLE} or {source: NAME, query: SELECT …}"),
            )
        return self


class SourceTable(Part):
    """A release written as a table into the dataset's own source, which must be writable."""

    table: Name = Field(
        description="Name of the table to make; on a server also `schema.name`.", examples=["released_members"]
    )


class SourcePath(Part):
    """A release that the dataset's own source writes, as a folder of files: Spark."""

    path: Annotated[ReleasePath, AfterValidator(_of_parquet)] = Field(
        description="The folder to make, which ends in .parquet, where Spark and the engine reach it by this path.",
        examples=["/data/released.parquet"],
    )


def _target_of(alternative: Any) -> str:
    """The tag of `release.to`: a text, the mapping of a path, or that of a table."""
    is_path = isinstance(alternative, SourcePath) or (isinstance(alternative, Mapping) and "path" in alternative)
    return "path" if is_path else shape_of(alternative)


ReleaseTarget = Annotated[
    Annotated[ReleasePath, Tag("text")] | Annotated[SourcePath, Tag("path")] | Annotated[SourceTable, Tag("mapping")],
    Discriminator(_target_of),
]
DatasetReference = Annotated[
    Annotated[Name, Tag("text")] | Annotated[InlineDataset, Tag("mapping")], Discriminator(shape_of)
]


Mode = Annotated[StrictStr, Field(pattern=r"^0?[0-7][0-7][0-7]$"), AfterValidator(_mode_of_a_file)]


OutputEncoding = Literal["utf-8", "utf-8-sig"]
"""The encodings of a released CSV file: without a byte order mark, and with one."""


class CsvOptions(Part):
    """Options of a CSV file."""

    formulas: Literal["keep", "escape"] = Field(
        default="keep",
        description="The treatment of texts that begin with `=`, `+`, `-`, `@`, a tab or a carriage return, which a "
        "spreadsheet runs as formulas. `keep`: they are written as they are, with a warning. `escape`: an apostrophe "
        "is written before them, and before texts that begin with apostrophes and then like a formula.",
        examples=["escape"],
    )
    encoding: OutputEncoding = Field(
        default="utf-8",
        description="The encoding of the file. `utf-8-sig`: UTF-8 with a byte order mark, by which spreadsheet "
        "programs know it. `utf-8`: without one.",
        examples=["utf-8-sig"],
    )


class Release(Part):
    """The place and the shape of the release."""

    to: ReleaseTarget = Field(
        description="A path that ends in .parquet, .csv, .csv.gz or .xlsx, or `{table: name}` "
        "in the dataset's own source, if that is writable, or `{path: folder.parquet}` that Spark writes.",
        examples=["out/members.parquet"],
    )
    shape: Shape = Field(
        default="rows",
        description="`rows`: one row a row of the dataset. `table`: the statistical table, "
        "one row a class, with its count.",
        examples=["rows"],
    )
    count: Name = Field(
        default=COUNT,
        description="In a statistical table the head of the column of counts, such as 件数 or 人数.",
        examples=["件数"],
    )
    pseudonym: Name | None = Field(
        default=None,
        description="For datasets with an entity column alone: the name of a column of random numbers, one a person, "
        "that links the rows of one person. Left out: no such column.",
        examples=["person"],
    )
    pseudonyms: PseudonymKind | None = Field(
        default=None,
        description="The pseudonyms: `numbers` of 63 bits, for up to 3 million persons, or 26 `letters`. They are "
        "random and new in every release. Left out: numbers; in a workbook, which holds 15 digits, letters.",
        examples=["letters"],
    )
    replace: StrictBool = Field(
        default=False,
        description="Whether the release may replace a file, or an earlier release's table. Left out: "
        "a name that is taken is refused.",
        examples=[True],
    )
    mode: Mode = Field(
        default=OWNER_ALONE,
        description="For a release to a file: the mode of it and its manifest, in octal, in quotes.",
        examples=["0644"],
    )

    @cached_property
    def path(self) -> Path | None:
        """The absolute path of the file or folder to release to, resolved once; None for a table of the source."""
        if isinstance(self.to, SourceTable):
            return None
        return absolute_path(self.to if isinstance(self.to, str) else self.to.path)

    @property
    def kind(self) -> Literal["file", "folder", "table"]:
        """The kind of thing that the release is."""
        return "folder" if isinstance(self.to, SourcePath) else "file" if isinstance(self.to, str) else "table"

    @property
    def file_mode(self) -> int:
        """The mode of the released file and its manifest."""
        return int(self.mode, 8)

    csv: CsvOptions | None = Field(
        default=None,
        description="Options of a CSV file; for files that end in .csv or .csv.gz alone.",
        examples=[{"formulas": "escape"}],
    )

    @model_validator(mode="after")
    def _csv_of_csv(self) -> Release:
        if self.csv is not None and not self.is_csv:
            raise mistake(
                "csv_of_csv",
                phrase("csv options are of a CSV file"),
                phrase("leave csv out, or release to a .csv or .csv.gz file"),
            )
        return self

    @model_validator(mode="after")
    def _count_of_table(self) -> Release:
        if self.count != COUNT and self.shape != "table":
            raise mistake(
                "count_of_table",
                phrase("count names a column of a statistical table"),
                phrase("write shape: table, or leave count out"),
            )
        return self

    @property
    def kind_of_pseudonyms(self) -> PseudonymKind:
        """The kind of pseudonyms that is released: the one requested, else numbers where the target holds them."""
        return self.pseudonyms or ("letters" if self.is_workbook else "numbers")

    @property
    def is_workbook(self) -> bool:
        """Whether the release is a workbook."""
        return isinstance(self.to, str) and self.to.rstrip().lower().endswith(".xlsx")

    @property
    def is_csv(self) -> bool:
        """Whether the release is a CSV file."""
        return isinstance(self.to, str) and self.to.rstrip().lower().endswith((".csv", ".csv.gz"))

    @property
    def escapes_formulas(self) -> bool:
        """Whether an apostrophe is written before texts that a spreadsheet would run as formulas."""
        return self.csv is not None and self.csv.formulas == "escape"

    @property
    def has_mark(self) -> bool:
        """Whether the file begins with a byte order mark."""
        return self.csv is not None and self.csv.encoding == "utf-8-sig"


class Request(Part):
    """The fields of every request: its dataset, and where the release goes. Each method adds fields of its own."""

    title: StrictStr = Field(
        default="",
        description="Title of the request, for people.",
        examples=["Members by sex and age"],
    )
    dataset: DatasetReference = Field(
        description="Name of the dataset. Providers may describe one inline: `{source, table}` or `{source, query}`.",
        examples=["members"],
    )
    where: Name | None = Field(
        default=None,
        description="Row filter: columns compared with constants, by AND, OR and NOT. Left out: every row.",
        examples=["joined >= DATE '2013-10-01'"],
    )
    method: StrictStr = Field(description="The way the release is made.", examples=["generalization"])
    k: K = Field(
        description="The least number of rows (of persons, where the dataset has an entity column) that must share "
        "every released combination; at least 2.",
        examples=[50],
    )
    identifiers: tuple[Name, ...] = Field(
        default=(), description="Columns that are never released.", examples=[["member_id", "name"]]
    )
    keep: tuple[Name, ...] = Field(default=(), description="Columns released as they are.", examples=[["plan"]])
    allow_identifying: tuple[Name, ...] = Field(
        default=(),
        description="Kept and sensitive columns, texts in sets of Mondrian and items of a history, that may be "
        "released although more than half as many values as rows (or persons) are in them. Left out: a request with "
        "such a column is refused.",
        examples=[["phone"]],
    )
    release: Release = Field(
        description="The file or table to write the release to, and its shape.",
        examples=[{"to": "out/members.parquet"}],
    )

    @property
    def files_beside(self) -> tuple[Path, ...]:
        """The files that are written beside the release and its manifest."""
        return ()

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names."""
        return frozenset()
