"""What every request file may say, whatever its method: frozen pydantic models, one field a key of the file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    Discriminator,
    Field,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)
from pydantic_core import PydanticCustomError

from ordermade.requests.part import Name, Part

SMALLEST_K = 2
LARGEST_K = 10**12
FILE_ENDINGS = (".parquet", ".csv", ".csv.gz")

Shape = Literal["rows", "table"]


def _shape_of(alternative: Any) -> str:
    """The tag of a field that is either a text or a mapping."""
    return "mapping" if isinstance(alternative, (Mapping, BaseModel)) else "text"


def _no_k_of_one(k: int) -> int:
    if k == 1:
        raise PydanticCustomError("k_of_one", "k of 1 protects nobody; write a whole number of at least 2, such as 50")
    if k < SMALLEST_K:
        raise PydanticCustomError("k_too_small", "k must be at least 2; write a whole number of at least 2, such as 50")
    if k > LARGEST_K:
        raise PydanticCustomError(
            "k_too_large", "k is larger than any table, at most 1,000,000,000,000; write a smaller k"
        )
    return k


def _writable_path(path: str) -> str:
    if "\0" in path:
        raise PydanticCustomError("path", "a path cannot hold a NUL character; take it out")
    name = path.rstrip().replace("\\", "/").rsplit("/", maxsplit=1)[-1].lower()
    if not any(name.endswith(ending) and name != ending for ending in FILE_ENDINGS):
        raise PydanticCustomError(
            "path",
            "a release is written to a .parquet, .csv or .csv.gz file; "
            "write a path such as out/release.parquet, or {table: name} for a table of the source",
        )
    return path


K = Annotated[
    StrictInt,
    AfterValidator(_no_k_of_one),
    Field(json_schema_extra={"minimum": SMALLEST_K, "maximum": LARGEST_K}),
]
ReleasePath = Annotated[
    StrictStr,
    AfterValidator(_writable_path),
    Field(json_schema_extra={"pattern": r".\.([pP][aA][rR][qQ][uU][eE][tT]|[cC][sS][vV](\.[gG][zZ])?)\s*$"}),
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
        description="The column that tells whose rows they are, if a person may have several: k then counts persons.",
        examples=["member_id"],
    )

    @model_validator(mode="after")
    def _table_or_query(self) -> InlineDataset:
        if (self.table is None) == (self.query is None):
            raise PydanticCustomError(
                "table_or_query",
                "an inline dataset is one table or one query; write {source: NAME, table: TABLE} "
                "or {source: NAME, query: SELECT …}",
            )
        return self


class SourceTable(Part):
    """A release written as a table into the dataset's own source, which must be writable."""

    table: Name = Field(description="Name of the table to make.", examples=["released_members"])


ReleaseTarget = Annotated[
    Annotated[ReleasePath, Tag("text")] | Annotated[SourceTable, Tag("mapping")], Discriminator(_shape_of)
]
DatasetReference = Annotated[
    Annotated[Name, Tag("text")] | Annotated[InlineDataset, Tag("mapping")], Discriminator(_shape_of)
]


class Release(Part):
    """Where the release goes and what one of its rows is."""

    to: ReleaseTarget = Field(
        description="A path that ends in .parquet, .csv or .csv.gz, or `{table: name}` "
        "in the dataset's own source, if that is writable.",
        examples=["out/members.parquet"],
    )
    shape: Shape = Field(
        default="rows",
        description="`rows`: one row a row of the dataset. `table`: the statistical table, "
        "one row a class, with its count.",
        examples=["rows"],
    )
    pseudonym: Name | None = Field(
        default=None,
        description="Of datasets with an entity column alone: the name of a column of random numbers, one a person, "
        "that tells which rows are of one person. Left out: nothing tells.",
        examples=["person"],
    )


class Request(Part):
    """What every request says: what is asked of, and where the release goes. Each method adds fields of its own."""

    title: StrictStr = Field(
        default="",
        description="What the request is about, for people.",
        examples=["Members by sex and age"],
    )
    dataset: DatasetReference = Field(
        description="Name of the dataset asked of. Providers may describe one inline: "
        "`{source, table}` or `{source, query}`.",
        examples=["members"],
    )
    where: Name | None = Field(
        default=None,
        description="Row filter: a boolean SQL expression over the dataset's columns. Left out: every row.",
        examples=["joined >= DATE '2013-10-01'"],
    )
    method: StrictStr = Field(description="How the release is made.", examples=["generalization"])
    k: K = Field(
        description="The least number of rows (of persons, where the dataset has an entity column) that must share "
        "every released combination; at least 2.",
        examples=[50],
    )
    identifiers: tuple[Name, ...] = Field(
        default=(), description="Columns that are never released.", examples=[["member_id", "name"]]
    )
    keep: tuple[Name, ...] = Field(default=(), description="Columns released as they are.", examples=[["plan"]])
    release: Release = Field(
        description="Where the release is written and in which shape.",
        examples=[{"to": "out/members.parquet"}],
    )

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names."""
        return frozenset()
