"""What a request file may say: frozen pydantic models, one field a key of the file, no key beyond them."""

from __future__ import annotations

from collections.abc import Mapping
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
from pydantic_core import PydanticCustomError

SMALLEST_K = 2
LARGEST_K = 10**12
MOST_QUASI_IDENTIFIERS = 60
FILE_ENDINGS = (".parquet", ".csv", ".csv.gz")

FEWEST_SAMPLED, MOST_SAMPLED = 3, 1_000

Algorithm = Literal["exhaustive", "incognito", "ola", "pak", "paper-incognito", "paper-ola", "paper-pak"]
Overshoot = Literal["include", "exclude"]
Objective = Literal["prec", "height", "loss", "dm", "aecs", "c_avg", "entropy", "divisions"]
Shape = Literal["rows", "table"]


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


def _enough_to_fit(sample: int) -> int:
    if not FEWEST_SAMPLED <= sample <= MOST_SAMPLED:
        raise PydanticCustomError(
            "sample", "a power law is fitted to 3 to 1,000 nodes; write a whole number between them, such as 9"
        )
    return sample


Name = Annotated[StrictStr, Field(min_length=1)]
LevelReference = Annotated[StrictInt | StrictStr, BeforeValidator(_level_reference)]
K = Annotated[
    StrictInt,
    AfterValidator(_no_k_of_one),
    Field(json_schema_extra={"minimum": SMALLEST_K, "maximum": LARGEST_K}),
]
SampleSize = Annotated[
    StrictInt,
    AfterValidator(_enough_to_fit),
    Field(json_schema_extra={"minimum": FEWEST_SAMPLED, "maximum": MOST_SAMPLED}),
]
ReleasePath = Annotated[
    StrictStr,
    AfterValidator(_writable_path),
    Field(json_schema_extra={"pattern": r".\.([pP][aA][rR][qQ][uU][eE][tT]|[cC][sS][vV](\.[gG][zZ])?)\s*$"}),
]


class _Part(BaseModel):
    """A part of the request file: frozen, and without a key that is not declared."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class InlineDataset(_Part):
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

    @model_validator(mode="after")
    def _table_or_query(self) -> InlineDataset:
        if (self.table is None) == (self.query is None):
            raise PydanticCustomError(
                "table_or_query",
                "an inline dataset is one table or one query; write {source: NAME, table: TABLE} "
                "or {source: NAME, query: SELECT …}",
            )
        return self


class QuasiIdentifier(_Part):
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


class Search(_Part):
    """How the most detailed acceptable release is looked for."""

    algorithm: Algorithm | None = Field(
        default=None,
        description="The search. Left out: `pak`, and beyond 100,000 nodes `ola` where levels nest, else `incognito`.",
        examples=["ola"],
    )
    objective: Objective = Field(
        default="prec",
        description="What makes one passing release better than another: a loss that is minimised, "
        "or `divisions` (the number of classes), which is maximised.",
        examples=["prec"],
    )
    then_certify: StrictBool = Field(
        default=True,
        description="`pak` alone. `true`: go on from the predicted node until the best release is proved. "
        "`false`: stop where the paper does, at the first node that fails on the way to more detail, or the first "
        "that passes on the way to less.",
        examples=[False],
    )
    overshoot: Overshoot = Field(
        default="include",
        description="`pak` alone. Whether the start may have more classes than predicted, if it is the nearest node.",
        examples=["exclude"],
    )
    sample: SampleSize = Field(
        default=9,
        description="`pak` alone. How many of the coarsest nodes are measured to fit the power law, where earlier "
        "requests and the columns' class sizes tell too little; 3 to 1,000.",
        examples=[20],
    )

    @model_validator(mode="after")
    def _options_of_the_algorithm(self) -> Search:
        options = [name for name in ("then_certify", "overshoot", "sample") if name in self.model_fields_set]
        if options and self.algorithm != "pak":
            raise PydanticCustomError(
                "option_of_pak",
                "{options} can be set for the search pak alone; write algorithm: pak, or take it out",
                {"options": " and ".join(options)},
            )
        if self.algorithm is not None and self.algorithm.startswith("paper-") and self.objective != "divisions":
            raise PydanticCustomError(
                "objective_of_paper",
                "the search {algorithm} looks for the most classes alone; write objective: divisions",
                {"algorithm": self.algorithm},
            )
        return self


class SourceTable(_Part):
    """A release written as a table into the dataset's own source, which must be writable."""

    table: Name = Field(description="Name of the table to make.", examples=["released_members"])


ReleaseTarget = Annotated[
    Annotated[ReleasePath, Tag("text")] | Annotated[SourceTable, Tag("mapping")], Discriminator(_shape_of)
]
DatasetReference = Annotated[
    Annotated[Name, Tag("text")] | Annotated[InlineDataset, Tag("mapping")], Discriminator(_shape_of)
]


class Release(_Part):
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


class Request(_Part):
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
        description="The least number of rows that must share every released combination; at least 2.",
        examples=[50],
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
    search: Search = Field(
        default_factory=Search, description="How the release is looked for.", examples=[{"algorithm": "ola"}]
    )
    release: Release = Field(
        description="Where the release is written and in which shape.",
        examples=[{"to": "out/members.parquet"}],
    )
