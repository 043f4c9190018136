"""What a request file may say: frozen pydantic models, one field a key of the file, no key beyond them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    Discriminator,
    Field,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)
from pydantic_core import PydanticCustomError

from ordermade.requests.numbers import Limit
from ordermade.requests.part import Name, Part
from ordermade.requests.privacy import MOST_SENSITIVE, Models, Risks, TClosenessModel
from ordermade.requests.search import Search

SMALLEST_K = 2
LARGEST_K = 10**12
MOST_QUASI_IDENTIFIERS = 60
FILE_ENDINGS = (".parquet", ".csv", ".csv.gz")

Shape = Literal["rows", "table"]
Recoding = Literal["full-domain", "local"]
WithheldRows = Literal["drop", "star"]


def _shape_of(alternative: Any) -> str:
    """The tag of a field that is either a text or a mapping."""
    return "mapping" if isinstance(alternative, (Mapping, BaseModel)) else "text"


def _level_reference(value: Any) -> Any:
    """A level number or name, refused here so that a wrong one gives one message and not one a kind."""
    if type(value) in (int, str) and value != "":
        return value
    raise PydanticCustomError("level_type", "a level is a number such as 1 or a name such as 'decade'")


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


LevelReference = Annotated[StrictInt | StrictStr, BeforeValidator(_level_reference)]
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


class QuasiIdentifier(Part):
    """How one quasi-identifier may be generalised: its hierarchy and the levels the user accepts."""

    hierarchy: Name = Field(description="Name of the registered generalisation hierarchy.", examples=["age"])
    from_level: LevelReference = Field(
        default=0,
        alias="from",
        description="Finest level accepted, by number or name (a number in quotes is a name). 0 is the original value.",
        examples=[1, "5 years"],
    )
    to_level: LevelReference | None = Field(
        default=None,
        alias="to",
        description="Coarsest level accepted, by number or name. Left out: the top level, `*`.",
        examples=[4, "decade"],
    )


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
    """A request: what a data user asks for, and what the user accepts."""

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
    k: K = Field(
        description="The least number of rows (of persons, where the dataset has an entity column) that must share "
        "every released combination; at least 2.",
        examples=[50],
    )
    suppression_limit: Limit = Field(
        default=Decimal(0),
        description="The share of the rows (of persons, where the dataset has an entity column) that may be withheld, "
        "from 0 to 1, read exactly: 0.29 of 100 rows is 29.",
        examples=[0.05],
    )
    withheld: WithheldRows = Field(
        default="drop",
        description="What becomes of withheld rows. `drop`: they are left out. `star`: they stay, with `*` in every "
        "released column.",
        examples=["star"],
    )
    recoding: Recoding = Field(
        default="full-domain",
        description="`full-domain`: one node for all rows. `local`: rows that would be withheld are released at "
        "coarser nodes, round after round.",
        examples=["local"],
    )
    quasi_identifiers: Annotated[
        Mapping[Name, QuasiIdentifier], Field(min_length=1, max_length=MOST_QUASI_IDENTIFIERS)
    ] = Field(
        description="Columns to generalise, each with its hierarchy. Their order is the priority that breaks ties.",
        examples=[{"age": {"hierarchy": "age", "from": 1, "to": 4}}],
    )
    identifiers: tuple[Name, ...] = Field(
        default=(), description="Columns that are never released.", examples=[["member_id", "name"]]
    )
    keep: tuple[Name, ...] = Field(default=(), description="Columns released as they are.", examples=[["plan"]])
    sensitive: Annotated[Mapping[Name, Models], Field(max_length=MOST_SENSITIVE)] = Field(
        default={},
        description="Sensitive attributes: columns released as they are, each with the models that every released "
        "class must satisfy.",
        examples=[{"diagnosis": [{"model": "distinct_l", "l": 3}]}],
    )
    risk: Risks | None = Field(
        default=None,
        description="How probable it may be that somebody is found in the release.",
        examples=[{"sampling_fraction": 0.1, "highest": 0.05}],
    )
    search: Search = Field(
        default_factory=Search, description="How the release is looked for.", examples=[{"algorithm": "ola"}]
    )
    release: Release = Field(
        description="Where the release is written and in which shape.",
        examples=[{"to": "out/members.parquet"}],
    )

    @property
    def hierarchy_names(self) -> frozenset[str]:
        """Every hierarchy that the request names: of its quasi-identifiers and of the distances of its models."""
        models = (model for models in self.sensitive.values() for model in models)
        distances = (model.hierarchy for model in models if isinstance(model, TClosenessModel))
        return frozenset(
            (*(each.hierarchy for each in self.quasi_identifiers.values()), *(name for name in distances if name))
        )
